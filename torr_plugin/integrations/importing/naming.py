"""Names that a run can hold."""

from __future__ import annotations

from ...core.errors import InputError
from .result import Result

LONGEST = 1000
"""Characters of a name; ids are hashes, numbers or short texts."""


def check_names(result: Result) -> None:
    """Refuse what no column, folder or page could show.

    Raises:
        InputError: a name is empty, too long, or holds half a character.
    """
    names = {"data set": result.dataset, "example": result.example, "configuration": result.config}
    if result.record is not None:
        names["key"] = result.record.key
    for what, name in [*names.items(), *(("metric", metric) for metric in result.scores)]:
        check_name(f"{result.where}: {what}", name)


def check_name(where: str, name: str) -> None:
    """As :func:`check_names`, for one name.

    Raises:
        InputError: see there.
    """
    if not 0 < len(name) <= LONGEST or not _whole(name):
        raise InputError(f"{where}: found {name!r:.60}; expected a name of 1 to {LONGEST} characters")


def _whole(name: str) -> bool:
    return name.isascii() or not any("\ud800" <= char <= "\udfff" for char in name)
