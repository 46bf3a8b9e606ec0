"""What is known of the models themselves: family, size, open or closed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .options import AnalysisError

FIELDS = ("family", "size", "open")
_NAMED = 8


@dataclass(frozen=True)
class Description:
    """One model; None: not known.

    Attributes:
        family: models of one family differ in size, as a rule.
        size: billions of parameters.
        open: whether its weights are published.
    """

    family: str | None = None
    size: float | None = None
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
    family, size, is_open = (entry.get(field) for field in FIELDS)
    if not (family is None or (isinstance(family, str) and family)):
        raise AnalysisError(f"models: {name}: family: found {family!r}; expected text")
    if not (size is None or _is_size(size)):
        raise AnalysisError(
            f"models: {name}: size: found {size!r}; expected a number above 0, in billions of parameters"
        )
    if not (is_open is None or isinstance(is_open, bool)):
        raise AnalysisError(f"models: {name}: open: found {is_open!r}; expected true or false")
    return Description(family, None if size is None else float(size), is_open)


def _is_size(value: object) -> bool:
    plain = isinstance(value, (int, float)) and not isinstance(value, bool)
    return plain and math.isfinite(value) and value > 0  # type: ignore[arg-type, operator]


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
