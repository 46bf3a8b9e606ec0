"""What is known of the models themselves: family, size, open or closed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field, ValidationError
from pydantic.dataclasses import dataclass

from ..core.validation import NonEmpty
from .number_format import format_names
from .options import AnalysisError

FIELDS = ("family", "size", "open")
_NAMED = 8


_EXPECTED = {
    "family": "text",
    "size": "a number above 0, in billions of parameters",
    "open": "true or false",
}


@dataclass(frozen=True, config={"strict": True})
class Description:
    """One model; None: not known.

    Attributes:
        family: models of one family differ in size, as a rule.
        size: billions of parameters.
        open: whether its weights are published.
    """

    family: NonEmpty | None = None
    size: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    open: bool | None = None


def descriptions(models: Mapping[str, Mapping[str, Any]]) -> dict[str, Description]:
    """The descriptions of models, checked.

    Args:
        models: name -> a mapping with any of ``family`` (text), ``size`` (a number above 0, billions of
            parameters) and ``open`` (True or False); None is as absent, other keys are ignored.

    Raises:
        AnalysisError: a value of another kind; one line.
    """
    return {str(name): _description(str(name), entry) for name, entry in models.items()}


def _description(name: str, entry: object) -> Description:
    if not isinstance(entry, Mapping):
        raise AnalysisError(f"models: {name}: found {entry!r}; expected a mapping with {', '.join(FIELDS)}")
    try:
        return Description(**{field: entry.get(field) for field in FIELDS})
    except ValidationError as error:
        field = str(error.errors()[0]["loc"][0])
        found = f"models: {name}: {field}: found {entry[field]!r}"
        raise AnalysisError(f"{found}; expected {_EXPECTED[field]}") from None


def description_notes(models: Sequence[str], described: Mapping[str, Description]) -> list[str]:
    """Models that are described and have no score, and those that have scores and no description."""
    unknown = [name for name in described if name not in models]
    lacking = [name for name in models if described.get(name, Description()) == Description()]
    notes = []
    if unknown:
        notes.append(f"described, but without a score: {format_names(unknown, _NAMED)}")
    if lacking and len(lacking) < len(models):
        names = format_names(lacking, _NAMED)
        notes.append(f"not described (family, size, open), so not in the groups of models: {names}")
    return notes


def families(models: Sequence[str], described: Mapping[str, Description]) -> dict[str, list[int]]:
    """Family -> its models, by their places in ``models``; models without a family are in none."""
    found: dict[str, list[int]] = {}
    for place, model in enumerate(models):
        family = described[model].family if model in described else None
        if family is not None:
            found.setdefault(family, []).append(place)
    return found
