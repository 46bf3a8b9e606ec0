"""Names in a recipe's configurations: single ones, lists, the shorthand ``torr``; all checked."""

from __future__ import annotations

from collections.abc import Iterable

from ..core.errors import UnknownNameError
from ..prompts import designs
from ..tables import perturbations, serializers

TORR = "torr"
"""Stands for ToRR's seven serializers in ``serializers``, for its five perturbations in ``perturbations``."""

TORR_SERIALIZERS = (
    "torr.html",
    "torr.csv",
    "torr.json",
    "torr.markdown",
    "torr.indexed_row_major",
    "torr.df",
    "torr.concat",
)
TORR_PERTURBATIONS = ("none", "shuffle_rows", "shuffle_cols", "transpose", "insert_empty_rows")

_TORR_NAMES = {"serializers": TORR_SERIALIZERS, "perturbations": TORR_PERTURBATIONS}


def listed(value: object) -> object:
    """A single name as a list of one; anything else as it is."""
    return [value] if isinstance(value, str) else value


def checked_names(names: Iterable[str], field: str) -> tuple[str, ...]:
    """The names of one field of a product: the shorthand unfolded, repeats removed, each known.

    Raises:
        UnknownNameError: a name that is not registered (the nearest ones are said).
    """
    unfolded = [
        each for name in names for each in (_TORR_NAMES.get(field, ()) if name == TORR else ()) or (name,)
    ]
    known = known_names(field)
    for name in unfolded:
        if name not in known:
            raise UnknownNameError(field.removesuffix("s"), name, known)
    return tuple(dict.fromkeys(unfolded))


def known_names(field: str) -> list[str]:
    """What ``serializers``, ``perturbations`` or ``designs`` can name."""
    names = {"serializers": serializers.names, "perturbations": perturbations.names, "designs": designs.names}
    return names[field]()
