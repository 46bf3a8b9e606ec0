"""A model pool: a YAML file of models, what they need to run, what they cost and what is known of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import ValidationError, model_validator

from ..core.errors import RecipeError, nearest
from .fields import SOME, AnyText, Part
from .loading import refuse_other_keys
from .models import ModelEntry, labelled
from .problems import problem
from .source import Source, read_source

EXPECTED = "a list of models, each a mapping with 'name' and any of 'model', 'args', 'family', 'size', 'open'"


class _Entry(ModelEntry):
    """One model of the file; as in a recipe, but one that is only named need not be one of lm-eval's."""

    model: AnyText = ""
    """lm-eval's name of the kind of model."""

    @model_validator(mode="after")
    def _named(self) -> _Entry:
        if not self.label:
            raise RecipeError("neither 'name' nor 'model'; expected the model's name as in the scores")
        return self


class _File(Part):
    """The whole file."""

    models: Annotated[tuple[_Entry, ...], SOME]
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
    source, listed = _read(path)
    for at, entry in enumerate(listed.models):
        if not entry.model:
            line, field = _place(source, at)
            raise RecipeError(
                f"{source.path}:{line}: {field}: the key 'model' is missing; expected lm-eval's name of the "
                "kind of model, e.g. vllm"
            )
    try:
        return labelled([ModelEntry(**dict(entry)) for entry in listed.models])
    except RecipeError as error:  # names that upper and lower case alone tell apart
        raise RecipeError(f"{source.path}: {error}") from error


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


def chosen(models: Sequence[ModelEntry], names: Sequence[str]) -> list[ModelEntry]:
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


def _read(path: str | Path) -> tuple[Source, _File]:
    source = read_source(Path(path), EXPECTED)
    if not isinstance(source.data, (dict, list)):
        raise RecipeError(f"{source.path}:1: found {type(source.data).__name__}; expected {EXPECTED}")
    refuse_other_keys(source)
    data = {"models": source.data} if isinstance(source.data, list) else source.data
    try:
        listed = _File.model_validate(data)
    except ValidationError as error:
        raise problem(error, _File, source) from error
    _refuse_repeats(source, listed)
    return source, listed


def _refuse_repeats(source: Source, listed: _File) -> None:
    found: set[str] = set()
    for at, entry in enumerate(listed.models):
        if entry.label in found:
            line, _ = _place(source, at)
            raise RecipeError(f"{source.path}:{line}: two models are called {entry.label!r}; expected one")
        found.add(entry.label)


def _place(source: Source, at: int) -> tuple[int, str]:
    """Line and written path of the model at a place of the list."""
    return source.place((at,) if isinstance(source.data, list) else ("models", at))
