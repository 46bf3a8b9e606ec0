"""A file that says which models there are and what is known of them: name, family, size, open or closed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import JsonValue, ValidationError, model_validator

from ..errors import RecipeError
from .fields import SOME, AnyText, Part
from .loading import refuse_other_keys
from .models import ModelEntry
from .problems import problem
from .source import read_source

EXPECTED = "a list of models, each a mapping with 'name' and any of 'family', 'size', 'open'"


class _Entry(ModelEntry):
    """One model of the file; as in a recipe, but one that is only named need not be one of lm-eval's."""

    model: AnyText = ""
    """lm-eval's name of the kind of model."""

    gpus: JsonValue = None
    """What it needs to run; not read here."""

    price: JsonValue = None
    """What it costs; not read here."""

    @model_validator(mode="after")
    def _named(self) -> _Entry:
        if not self.label:
            raise RecipeError("neither 'name' nor 'model'; expected the model's name as in the scores")
        return self


class _File(Part):
    """The whole file."""

    models: Annotated[tuple[_Entry, ...], SOME]
    """The models."""


def read_models(path: str | Path) -> dict[str, dict[str, Any]]:
    """What a YAML file says of models, for :func:`torr_plugin.analysis.analyse`.

    Args:
        path: a list of mappings, or a mapping with such a list under ``models``.

    Returns:
        name -> any of ``family``, ``size`` (billions of parameters) and ``open``.

    Raises:
        RecipeError: the file cannot be read, a field is unknown or of another kind, or a name stands twice;
            ``FILE:LINE: FIELD: found; expected``.
    """
    source = read_source(Path(path), EXPECTED)
    if not isinstance(source.data, (dict, list)):
        raise RecipeError(f"{source.path}:1: found {type(source.data).__name__}; expected {EXPECTED}")
    refuse_other_keys(source)
    data = {"models": source.data} if isinstance(source.data, list) else source.data
    try:
        listed = _File.model_validate(data)
    except ValidationError as error:
        raise problem(error, _File, source) from error
    found: dict[str, dict[str, Any]] = {}
    for at, entry in enumerate(listed.models):
        if entry.label in found:
            line, _ = source.place((at,) if isinstance(source.data, list) else ("models", at))
            raise RecipeError(f"{source.path}:{line}: two models are called {entry.label!r}; expected one")
        found[entry.label] = entry.description
    return found
