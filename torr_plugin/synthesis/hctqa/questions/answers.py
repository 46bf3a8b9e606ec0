"""The benchmark's notation of an answer: ``{a | b} || {c | d}``, a pair of braces a row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ....core.errors import InputError

Value = str | int | float | None
_NOT_HELD = "{}|"


def write_answer(rows: Iterable[Sequence[Value]], digits: int = 2) -> str:
    """Rows of values in the benchmark's notation; numbers rounded, without zeros at the end of a fraction."""
    return " || ".join("{" + " | ".join([_text(value, digits) for value in row]) + "}" for row in rows)


def read_answer(text: str) -> list[list[str]]:
    """The rows and values of an answer; one without braces is one value.

    Raises:
        InputError: braces that do not match.
    """
    if "{" not in text and "}" not in text:
        return [[text.strip()]]
    return [_row(row.strip(), text) for row in text.split("||")]


def holds(label: str) -> bool:
    """Whether the notation can hold a text: it knows no escape for its own marks."""
    return not any(mark in label for mark in _NOT_HELD)


def _row(row: str, text: str) -> list[str]:
    if not (row.startswith("{") and row.endswith("}")) or "{" in row[1:] or "}" in row[:-1]:
        raise InputError(f"answer {text[:60]!r}: found {row[:40]!r}; expected {{a | b}} || {{c | d}}")
    return [value.strip() for value in row[1:-1].split("|")]


def _text(value: Value, digits: int) -> str:
    if isinstance(value, float):
        written = f"{value:.{digits}f}"
        trimmed = written.rstrip("0").rstrip(".") if "." in written else written
        return "0" if trimmed == "-0" else trimmed
    return "" if value is None else str(value)
