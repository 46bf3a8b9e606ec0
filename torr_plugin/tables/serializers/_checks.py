"""Characters that a format cannot hold are refused, with their place."""

from __future__ import annotations

from collections.abc import Iterator

from ...core.errors import SerializationError
from ..table import Table


def checked(text: str, table: Table, name: str, *, nul: bool = True) -> str:
    """``text``, if it can be stored at all: no lone surrogate (no encoding has them), no NUL unless ``nul``.

    Raises:
        SerializationError: format, place and character.
    """
    if not nul and "\0" in text:
        raise _refusal(table, name, lambda char: char == "\0", "the character NUL, which this format forbids")
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            found = f"the lone surrogate U+{ord(text[error.start]):04X}, which is no character"
            raise _refusal(table, name, lambda char: "\ud800" <= char <= "\udfff", found) from None
    return text


def _refusal(table: Table, name: str, is_bad: object, found: str) -> SerializationError:
    place = next(where for where, text in _places(table) if any(map(is_bad, text)))  # type: ignore[call-overload]
    return SerializationError(f"{name}: {place} has {found}; remove it or use another format")


def _places(table: Table) -> Iterator[tuple[str, str]]:
    for r, line in enumerate(table.grid):
        for c, cell in enumerate(line):
            yield f"the cell in row {r}, column {c}", cell.text
    yield "the title", table.title
    for index, note in enumerate(table.notes):
        yield f"note {index}", note
