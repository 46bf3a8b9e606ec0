"""``torr doctor``: what is installed here, what is missing, and how to get it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from ... import workflows
from .. import console
from ..command import emit, guarded
from .options import Json

if TYPE_CHECKING:
    from ...workflows.doctor import Finding

_MARKS = {"good": "", "optional": "- ", "wrong": "! "}


@guarded
def doctor(as_json: Json = False) -> int:
    """Check versions, extras, data and plugins, and say how to get what is missing.

    Exit code 1 if something has to be fixed; a missing extra or data set is no fault.
    """
    parts = workflows.diagnose()
    wrong = [each.name for part in parts.values() for each in part if each.state == "wrong"]
    if as_json:
        emit({"good": not wrong, **{part: list(map(asdict, found)) for part, found in parts.items()}})
        return 1 if wrong else 0
    for part, found in parts.items():
        console.print_paragraph(part.capitalize(), _lines(found) if found else ["none"])
    if wrong:
        console.show_lines([f"To fix (!): {', '.join(wrong)}"])
    else:
        console.show_lines(["Everything needed is installed; - marks optional parts that are not."])
    return 1 if wrong else 0


def _lines(found: Iterable[Finding]) -> Iterator[str]:
    for each in found:
        yield f"{_MARKS[each.state]}{each.name}: {each.found}"
        if each.advice and each.state != "good":
            yield f"> {each.advice}"
