"""A model pool: a YAML file of models, what they need to run, what they cost and what is known of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import model_validator

from ..core.errors import RecipeError, nearest
from ..core.yaml_files import YamlFile, read_yaml_file
from .fields import SOME, AnyText, ConfigSection
from .models import ModelEntry, labelled

_EXPECTED = (
    "a list of models, each a mapping with 'name' and any of 'model', 'args', 'family', 'size', 'open'"
)


class _PoolEntry(ModelEntry):
    """One model of the file; as in a recipe, but one that is only named need not be one of lm-eval's."""

    model: AnyText = ""
    """lm-eval's name of the kind of model."""

    @model_validator(mode="after")
    def _named(self) -> _PoolEntry:
        if not self.label:
            raise RecipeError("neither 'name' nor 'model'; expected the model's name as in the scores")
        return self


class _PoolFile(ConfigSection):
    """The whole file."""

    models: Annotated[tuple[_PoolEntry, ...], SOME]
    """The models."""


def read_pool(path: str | Path) -> tuple[ModelEntry, ...]:
    """The models of a pool file, for ``torr run`` and ``torr plan``.

    Args:
        path: a YAML file: a list of models as a recipe has them under ``models``, or a mapping with such a
            list under ``models``.

    Returns:
        They, in the file's order, with labels that differ.

    Raises:
        RecipeError: as :func:`read_models`, or a model without ``model``, lm-eval's name of its kind.
    """
    file, pool = _read(path)
    for at, entry in enumerate(pool.models):
        if not entry.model:
            raise file.error(
                ("models", at),
                "the key 'model' is missing; expected lm-eval's name of the kind of model, e.g. vllm",
            )
    try:
        return labelled([ModelEntry(**dict(entry)) for entry in pool.models])
    except RecipeError as error:  # names that upper and lower case alone tell apart
        raise RecipeError(f"{file.path}: {error}") from error


def read_models(path: str | Path) -> dict[str, dict[str, Any]]:
    """What a pool file says of models, for :func:`torr_plugin.analysis.analyse`; a name is enough there.

    Args:
        path: a list of mappings, or a mapping with such a list under ``models``.

    Returns:
        name -> any of ``family``, ``size`` (billions of parameters) and ``open``.

    Raises:
        RecipeError: the file cannot be read, a field is unknown or of another kind, or a name stands twice;
            ``FILE:LINE: FIELD: found; expected``.
    """
    return {entry.label: entry.description for entry in _read(path)[1].models}


def selected_models(models: Sequence[ModelEntry], names: Sequence[str]) -> list[ModelEntry]:
    """The models that ``names`` name, in the models' order; all where nothing is named.

    Args:
        models: with labels that differ.
        names: labels; one text may name several, joined by commas.

    Raises:
        RecipeError: no model has such a name; the nearest are said. Or the texts name none.
    """
    wanted = [name.strip() for text in names for name in text.split(",") if name.strip()]
    known = [entry.label for entry in models]
    if names and not wanted:
        raise RecipeError(f"--only: found no name; expected one of: {', '.join(sorted(known))}")
    for name in wanted:
        if name not in known:
            raise RecipeError(f"--only: no model is called {name!r}; {nearest(name, known)}")
    return [entry for entry in models if not wanted or entry.label in wanted]


def _read(path: str | Path) -> tuple[YamlFile, _PoolFile]:
    file = read_yaml_file(Path(path), _EXPECTED, kinds=(dict, list))
    pool = file.validate(_PoolFile, {"models": file.data} if isinstance(file.data, list) else file.data)
    labels = [entry.label for entry in pool.models]
    for at, label in enumerate(labels):
        if label in labels[:at]:
            line, _ = file.place(("models", at))
            raise RecipeError(f"{file.path}:{line}: two models are called {label!r}; expected one")
    return file, pool
