"""Compares what a page shows with what there is: printed lines, and the keys and types of JSON."""

from __future__ import annotations

import re
from typing import Any

ANY = "..."


def is_shown(expected: str, *printed: str) -> bool:
    """Whether one of the texts is what a page shows.

    ``...`` alone on a line stands for any lines, within a line for any text; blanks at the ends of lines do
    not count.
    """
    pattern = _pattern(expected)
    return any(pattern.fullmatch(_trimmed(text)) for text in printed)


def _pattern(expected: str) -> re.Pattern[str]:
    parts = []
    for line in _trimmed(expected).splitlines():
        if line.strip() == ANY:
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(".*?".join(re.escape(part) for part in line.split(ANY)) + r"\n")
    return re.compile("".join(parts))


def _trimmed(text: str) -> str:
    lines = [line.rstrip() for line in text.strip("\n").splitlines()]
    return "".join(f"{line}\n" for line in lines)


def differences(shown: Any, printed: Any, path: str = "") -> list[str]:
    """Where a JSON example has keys that what was printed lacks, or values of another type.

    A list's first element stands for all; null and numbers of either kind agree with each other.
    """
    if isinstance(shown, dict) and isinstance(printed, dict):
        absent = [f"{path}.{key} is not printed" for key in shown if key not in printed and key != ANY]
        inner = [differences(shown[key], printed[key], f"{path}.{key}") for key in shown if key in printed]
        return absent + [each for found in inner for each in found]
    if isinstance(shown, list) and isinstance(printed, list):
        if not shown or shown == [ANY]:
            return []
        return differences(shown[0], printed[0], f"{path}[0]") if printed else [f"{path} is printed empty"]
    return (
        []
        if _alike(shown, printed)
        else [f"{path or 'the whole'} is {_kind(printed)}, shown as {_kind(shown)}"]
    )


def _alike(one: Any, other: Any) -> bool:
    return one == ANY or None in (one, other) or _kind(one) == _kind(other)


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "bool"
    return "number" if isinstance(value, int | float) else type(value).__name__
