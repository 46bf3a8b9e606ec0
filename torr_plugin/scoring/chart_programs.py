"""Programs for charts in models' answers, and the values that references give."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from ..core.errors import InputError
from .sandbox import ChartRun, shared_sandbox

_LONGEST_PROGRAM = 50_000
_LONGEST_REFERENCE = 200_000
_FENCED = re.compile(r"^[ \t]*(```|~~~)[^\n]*\n(.*?)(?:^[ \t]*\1|\Z)", re.DOTALL | re.MULTILINE)
_FIRST_IMPORT = re.compile(r"^[ \t]*(?:import[ \t]+\w|from[ \t]+[\w.]+[ \t]+import\b)", re.MULTILINE)
_SHOWN = "plt.show()"
_WORKBOOK = re.compile(r"""(['"])[^'"\n]*\.xlsx\1""")
_LITERAL = re.compile(r"[\s\d.,eE+\-()\[\]]*")
_MISSING = re.compile(r"\b(?:nan|masked|None)\b")


def run_answer(answer: str, workbook: bytes = b"") -> ChartRun:
    """Run the program of an answer in this process's sandbox.

    Raises:
        SandboxError: programs cannot be contained here, also where the answer has none.
    """
    sandbox = shared_sandbox()
    program = program_of(answer)
    if not program:
        sandbox.check()  # so that the empty answer that a study tries first shows it
        return ChartRun(error="the answer has no program")
    return sandbox.run(program, workbook)


def program_of(answer: str) -> str:
    """The program in an answer; empty if there is none, or if it is longer than 50,000 characters."""
    blocks = [block for _, block in _FENCED.findall(answer) if _FIRST_IMPORT.search(block)]
    program = blocks[-1] if blocks else _unfenced(answer)
    return _WORKBOOK.sub("'table.xlsx'", program) if len(program) <= _LONGEST_PROGRAM else ""


def _unfenced(answer: str) -> str:
    start = _FIRST_IMPORT.search(answer)
    if start is None:
        return ""
    end = answer.rfind(_SHOWN)
    return answer[start.start() : end + len(_SHOWN) if end > start.start() else None]


@lru_cache(maxsize=1024)
def reference_values(text: str) -> tuple[float | None, ...]:
    """The numbers of a list of y values, or of lists of them, as Python writes them; None for missing ones.

    Raises:
        InputError: anything else.
    """
    plain = _MISSING.sub("", text)
    if len(text) <= _LONGEST_REFERENCE and _LITERAL.fullmatch(plain):
        try:
            found = ast.literal_eval(_MISSING.sub("None", text.strip()))
            return tuple(_flat(found))
        except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError, OverflowError):
            pass
    raise InputError(f"charts: the reference {text[:60]!r} is no list of numbers")


def _flat(found: Any) -> Iterator[float | None]:
    for each in found:
        if isinstance(each, (list, tuple)):
            yield from _flat(each)
        else:
            yield None if each is None else float(each)
