"""XML of the plainest kind: a table, its rows, their cells; one of the formats of Sui et al. (WSDM 2024)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...core.errors import ParseError, SerializationError, TableError
from ..table import Cell, Table
from .base import Serializer
from .structure import most_places
from .texts import checked

# white space is written as it is but for line breaks and tabs, which readers of XML may change
_SPECIAL = re.compile(r"[&<>\x01-\x1f\x7f-\x9f]")
_NAMED = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_REFERENCE = re.compile(r"&(?:#([0-9]{1,7})|(amp|lt|gt|quot|apos));")
_CHARACTERS = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}

_ATTRIBUTES = r'((?: [a-z_]+="[0-9]{1,9}")*)'
_TABLE = re.compile(rf"\s*<table{_ATTRIBUTES}>(.*)</table>\s*", re.DOTALL)
_PART = re.compile(r"\s*<(title|row|note)>((?:(?!</?(?:title|row|note)>).)*)</\1>\s*", re.DOTALL)
_CELL = re.compile(rf"\s*<(head|cell){_ATTRIBUTES}>([^<]*)</\1>\s*")
_ATTRIBUTE = re.compile(r'([a-z_]+)="([0-9]+)"')


class Xml(Serializer):
    """``table``, ``row``, ``head`` and ``cell`` with ``rowspan`` and ``colspan``, ``title`` and ``note``.

    The table has the attributes ``header_rows`` and ``header_columns`` where they are not 1 and 0. Control
    characters are character references, as in XML 1.1. The reader knows this form of XML and no other.
    """

    name = "xml"
    lossless = True
    explanation = (
        "The element table holds the table and row each of its rows; head is a cell of the header and "
        "cell any other one; rowspan and colspan say over how many rows and columns a merged cell "
        "reaches."
    )

    def serialize(self, table: Table) -> str:  # noqa: D102
        if most := _exceeded_limit(table.rows):
            raise SerializationError(f"xml: the table covers more than {most} places; use another format")
        depth = {"header_rows": (table.header_rows, 1), "header_columns": (table.header_columns, 0)}
        lines = [f"<table{_written(depth)}>"]
        lines += [f"  <title>{_escaped(table.title)}</title>"] if table.title else []
        for r, row in enumerate(table.placed_rows):
            lines.append(f"  <row>{''.join([_cell(table, r, c, cell) for c, cell in row])}</row>")
        lines += [f"  <note>{_escaped(note)}</note>" for note in table.notes]
        return checked("\n".join([*lines, "</table>"]), table, self.name, nul=False)

    def parse(self, text: str) -> Table:  # noqa: D102
        whole = _TABLE.fullmatch(text)
        if whole is None:
            raise ParseError(f"xml: found {text.strip()[:40]!r}; expected one element <table>")
        depth = _numbers(whole[1])
        parts = _all(_PART, whole[2], "<title>, <row> or <note>")
        rows = [_cells(part[2]) for part in parts if part[1] == "row"]
        if most := _exceeded_limit(rows):
            raise ParseError(f"xml: the cells cover more than {most} places")
        try:
            return Table(
                tuple(map(tuple, rows)),
                header_rows=depth.get("header_rows", 1),
                header_columns=depth.get("header_columns", 0),
                title=next((_unescaped(part[2]) for part in parts if part[1] == "title"), ""),
                notes=tuple(_unescaped(part[2]) for part in parts if part[1] == "note"),
            )
        except TableError as error:
            raise ParseError(f"xml: {error}") from None


def _cell(table: Table, r: int, c: int, cell: Cell) -> str:
    tag = "head" if r < table.header_rows or c < table.header_columns else "cell"
    spans = _written({"rowspan": (cell.rowspan, 1), "colspan": (cell.colspan, 1)})
    return f"<{tag}{spans}>{_escaped(cell.text)}</{tag}>"


def _written(attributes: dict[str, tuple[int, int]]) -> str:
    """The attributes whose value is not the usual one."""
    return "".join(f' {name}="{value}"' for name, (value, usual) in attributes.items() if value != usual)


def _numbers(attributes: str) -> dict[str, int]:
    return {name: int(value) for name, value in _ATTRIBUTE.findall(attributes)}


def _all(pattern: re.Pattern[str], text: str, expected: str) -> list[re.Match[str]]:
    """The matches that follow one another from a text's beginning to its end."""
    found, at = [], 0
    while at < len(text.rstrip()):
        match = pattern.match(text, at)
        if match is None:
            raise ParseError(f"xml: found {text[at:].strip()[:40]!r}; expected {expected}")
        found.append(match)
        at = match.end()
    return found


def _cells(text: str) -> list[Cell]:
    cells = []
    for match in _all(_CELL, text, "<head> or <cell>"):
        spans = _numbers(match[2])
        cells.append((match[3], spans.get("rowspan", 1), spans.get("colspan", 1)))
    try:
        return [Cell(_unescaped(written), down, across) for written, down, across in cells]
    except TableError as error:
        raise ParseError(f"xml: {error}") from None


def _exceeded_limit(rows: Sequence[Sequence[Cell]]) -> int | None:
    """The most places that so many cells may cover, if these cover more."""
    most = most_places(sum(map(len, rows)))
    return most if sum(cell.rowspan * cell.colspan for row in rows for cell in row) > most else None


def _escaped(text: str) -> str:
    return _SPECIAL.sub(lambda match: _NAMED.get(match[0]) or f"&#{ord(match[0])};", text)


def _unescaped(text: str) -> str:
    return _REFERENCE.sub(_character, text)


def _character(match: re.Match[str]) -> str:
    if match[2]:
        return _CHARACTERS[match[2]]
    code = int(match[1])
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        raise ParseError(f"xml: found {match[0]!r}, which is no character")
    return chr(code)
