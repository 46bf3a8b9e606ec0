"""Model pools: YAML files of models with their arguments, hardware needs, prices and descriptions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import model_validator

from ..core.errors import RecipeError, nearest
from ..core.yaml_files import YamlFile, read_yaml_file
from .fields import SOME, AnyText, ConfigSection
from .models import DESCRIBING, ModelEntry, labelled

_EXPECTED = "a list of models, each a mapping with 'name' and any of 'model', 'args', " + ", ".join(
    map(repr, DESCRIBING)
)


class _PoolEntry(ModelEntry):
    """A model of the file: as in a recipe, but ``model`` may be missing if only a description is needed."""

    model: AnyText = ""
    """lm-eval's model class."""

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
        The models in the file's order, with distinct labels.

    Raises:
        RecipeError: as for :func:`read_models`, or a model lacks ``model``, its lm-eval model class.
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
    except RecipeError as error:  # names that differ in case only
        raise RecipeError(f"{file.path}: {error}") from error


def read_models(path: str | Path) -> dict[str, dict[str, Any]]:
    """The model descriptions in a pool file, for :func:`torr_plugin.analysis.analyse`.

    Args:
        path: a list of mappings, or a mapping with such a list under ``models``.

    Returns:
        name -> any of the fields in :data:`.models.DESCRIBING`.

    Raises:
        RecipeError: the file cannot be read, a field is unknown or of the wrong type, or a name is repeated;
            ``FILE:LINE: FIELD: found; expected``.
    """
    return {entry.label: entry.description for entry in _read(path)[1].models}


def selected_models(models: Sequence[ModelEntry], names: Sequence[str]) -> list[ModelEntry]:
    """The models with the given names, in the models' order; all if ``names`` is empty.

    Args:
        models: models with distinct labels.
        names: labels; each item may also hold several, separated by commas.

    Raises:
        RecipeError: no model has such a name (with the nearest), or the items hold no name.
    """
    selected = [name.strip() for text in names for name in text.split(",") if name.strip()]
    known = [entry.label for entry in models]
    if names and not selected:
        raise RecipeError(f"--only: found no name; expected one of: {', '.join(sorted(known))}")
    for name in selected:
        if name not in known:
            raise RecipeError(f"--only: no model is called {name!r}; {nearest(name, known)}")
    return [entry for entry in models if not selected or entry.label in selected]


def _read(path: str | Path) -> tuple[YamlFile, _PoolFile]:
    file = read_yaml_file(Path(path), _EXPECTED, kinds=(dict, list))
    pool = file.validate(_PoolFile, {"models": file.data} if isinstance(file.data, list) else file.data)
    labels = [entry.label for entry in pool.models]
    for at, label in enumerate(labels):
        if label in labels[:at]:
            line, _ = file.place(("models", at))
            raise RecipeError(f"{file.path}:{line}: two models are called {label!r}; expected one")
    return file, pool
