"""What is known of the models themselves: family, size, open or closed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field, ValidationError
from pydantic.dataclasses import dataclass

from ..core.validation import NonEmpty
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
        notes.append(f"described, but without a score: {_listed(unknown)}")
    if described and lacking:
        notes.append(
            f"not described (family, size, open), so not in the groups of models: {_listed(lacking)}"
        )
    return notes


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
