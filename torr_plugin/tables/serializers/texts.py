"""Cells on their way into a text: refused characters, bare numbers, fast paths, unitxt's view of a table."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from json.encoder import encode_basestring, encode_basestring_ascii

from ...core.errors import ParseError, SerializationError, TableError
from ..table import Cell, Scalar, Table, Texts


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
    for r, row in enumerate(table.placed_rows):
        for c, cell in row:
            yield f"the cell in row {r}, column {c}", cell.text
    yield "the title", table.title
    for index, note in enumerate(table.notes):
        yield f"note {index}", note


def bare(cell: Cell) -> Scalar:
    """What to write for a cell: its number, boolean or ``None``, if reading that back gives the same text."""
    value = cell.raw
    if type(value) is str:
        return value
    if value is None:
        return value if cell.text == "" else cell.text
    plain = type(value) in (int, bool) or (type(value) is float and math.isfinite(value))
    return value if plain and len(cell.text) < 4000 and str(value) == cell.text else cell.text


def cells_of(rows: Iterable[Iterable[object]], name: str) -> list[list[Cell]]:
    """The cells of rows of parsed values.

    Raises:
        ParseError: a value that is a list or an object.
    """
    return [[_cell(value, name) for value in row] for row in rows]


def _cell(value: object, name: str) -> Cell:
    if value is None or isinstance(value, str | int | float | bool):
        return Cell.of(value)
    raise ParseError(
        f"{name}: a cell is {str(value)[:40]!r}; expected a text, a number, a boolean or nothing"
    )


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


def json_lists(lines: Sequence[Sequence[str]], *, ascii_only: bool) -> list[str]:
    """``["a", "b"]`` of every line."""
    if _needs_no_escape(lines, ascii_only):
        return [f'["{between}"]' for between in map('", "'.join, lines)]
    write = encode_basestring_ascii if ascii_only else encode_basestring
    return [f"[{', '.join(map(write, line))}]" for line in lines]


def json_records(names: Sequence[str], lines: Sequence[tuple[str, ...]], *, ascii_only: bool) -> list[str]:
    """``{"name": "a", "age": "b"}`` of every line; the names differ from each other."""
    write = encode_basestring_ascii if ascii_only else encode_basestring
    plain = _needs_no_escape(lines, ascii_only)
    value = '"%s"' if plain else "%s"
    form = ", ".join([f"{write(name).replace('%', '%%')}: {value}" for name in names])
    form = f"{{{form}}}"
    if plain:
        return [form % line for line in lines]
    return [form % tuple(map(write, line)) for line in lines]


def _needs_no_escape(lines: Sequence[Sequence[str]], ascii_only: bool) -> bool:
    """Whether JSON needs no escapes: no text has a control character, quotation mark or backslash."""
    text = "".join(map("".join, lines))
    return text.isprintable() and '"' not in text and "\\" not in text and (text.isascii() or not ascii_only)


def unitxt_values(table: Table, name: str) -> tuple[Sequence[str], Sequence[Sequence[Scalar]]]:
    """Header and rows of raw values, as unitxt's operators see them.

    Raises:
        SerializationError: the table has no header, or one that unitxt refuses (a value that is no text).
    """
    plain = unitxt_plain_texts(table)
    if plain is not None:
        return plain
    header, *rows = _lines(table, name)
    return _texts_only(header, name), rows


def unitxt_plain_texts(table: Table) -> tuple[Sequence[str], Texts] | None:
    """Header and rows of a table of texts alone; None for any other table, and one without a header."""
    if not table.header_rows and not table.header_columns:
        return None
    lines = table.unitxt_texts
    return None if lines is None else (lines[0], lines[1:])


def unitxt_texts(
    table: Table, name: str, *, absent: str = "None"
) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    """Header and rows as ``str`` writes their raw values, ``absent`` for ``None``."""
    plain = unitxt_plain_texts(table)
    if plain is not None:
        return plain
    if table.header_rows == 1 and not table.has_spans:
        head, *body = table.rows
        names = _texts_only([cell.raw for cell in head], name)
        return names, [[cell.text if cell.value is not None else absent for cell in row] for row in body]
    header, rows = unitxt_values(table, name)
    return header, [[absent if value is None else str(value) for value in row] for row in rows]


def _texts_only(header: Sequence[Scalar], name: str) -> list[str]:
    labels = [label for label in header if isinstance(label, str)]
    if len(labels) != len(header):
        found = next(label for label in header if not isinstance(label, str))
        raise SerializationError(f"{name}: the header has {found!r}, expected text in every header cell")
    return labels


def _lines(table: Table, name: str) -> Sequence[Sequence[Scalar]]:
    try:
        return table.unitxt_lines
    except TableError as error:
        raise SerializationError(f"{name}: {error}") from None
