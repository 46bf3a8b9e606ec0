"""A short cut for rows in which nothing needs escaping, which is most of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..table import Cell


def plain_row(row: Sequence[Cell], special: Callable[[str], object], separator: str) -> str | None:
    """The row's texts with ``separator`` between, or ``None`` where one of them may need escaping.

    One look at the whole row: ``special`` finds a character that some text must escape; a space at the end of
    a text counts too.
    """
    text = "\0".join([cell.text for cell in row])
    if special(text) or text.count("\0") != len(row) - 1:
        return None
    if " \0" in text or "\0 " in text or text[:1] == " " or text[-1:] == " ":
        return None
    return text.replace("\0", separator)
