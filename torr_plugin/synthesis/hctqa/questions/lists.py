"""Lists as English says them."""

from __future__ import annotations

from collections.abc import Sequence

_MARKS = (",", ";", '"')


def listed(words: Sequence[str], conjunction: str) -> str:
    """``a``, ``a or b``, ``a, b, or c``."""
    if len(words) < 3:
        return f" {conjunction} ".join(words)
    return f"{', '.join(words[:-1])}, {conjunction} {words[-1]}"


def quoted(label: str) -> str:
    """A value; in quotation marks where it could be taken for more than one, or for none."""
    if any(mark in label for mark in _MARKS) or " or " in label or not label.strip():
        return '"' + label.replace('"', "'") + '"'
    return label
