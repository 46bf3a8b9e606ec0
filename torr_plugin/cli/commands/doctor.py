"""``torr doctor``: what is installed here, what is missing, and how to get it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from ... import workflows
from .. import console
from ..command import emit, guarded
from .options import Json

if TYPE_CHECKING:
    from ...workflows.installation import Finding

_MARKS = {"good": "", "optional": "- ", "wrong": "! "}


@guarded
def doctor(as_json: Json = False) -> int:
    """Check the installation; say how to get what is missing.

    Versions, extras, the mirror and plugins. Exit code 1 if something has to be fixed; a missing extra or
    mirror is no fault.
    """
    parts = workflows.installation.checks()
    wrong = [each.name for part in parts.values() for each in part if each.state == "wrong"]
    if as_json:
        emit({"good": not wrong, **{part: list(map(asdict, found)) for part, found in parts.items()}})
        return 1 if wrong else 0
    for part, found in parts.items():
        lines = [line for each in found for line in _lines(each)]
        console.print_paragraph(part.capitalize(), lines or ["none"])
    if wrong:
        console.show_lines([f"To fix (!): {', '.join(wrong)}"])
    else:
        console.show_lines(["Everything needed is installed; - marks optional parts that are not."])
    return 1 if wrong else 0


def _lines(each: Finding) -> Iterator[str]:
    yield f"{_MARKS[each.state]}{each.name}: {each.found}"
    if each.advice and each.state != "good":
        yield f"> {each.advice}"
