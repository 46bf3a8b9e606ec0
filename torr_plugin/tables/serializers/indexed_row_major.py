"""``col : name | age row 1 : Alex | 26 row 2 : Diana | 34``: one line, rows numbered."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...core.errors import ParseError
from ..table import Cell, Table
from . import _unitxt
from ._checks import checked
from ._comments import comments, leading_comments
from ._plain import plain_row
from ._structure import Structure, assemble, describe, laid_out, understand
from .base import Serializer

_any_special = re.compile(r"[\\|\n\r:]").search
_special = re.compile(r"[\\|\n\r]|(?:col|row [0-9]+) :").search
_ESCAPES = re.compile(r"[\\|\n\r]|(?<=col ):|(?<=[0-9] ):")
_AS = {"\n": "\\n", "\r": "\\r"}
_UNESCAPES = re.compile(r"\\(.)", re.DOTALL)
_NAMED = {"n": "\n", "r": "\r"}


class IndexedRowMajor(Serializer):
    r"""Header rows as ``col : ...``, body rows as ``row 1 : ...``; pipes and newlines are escaped by ``\``.

    A cell that says ``row 1 :`` itself is written ``row 1 \:``; other structure is told in leading ``#``
    lines.
    """

    name = "indexed_row_major"
    lossless = True

    def serialize(self, table: Table) -> str:  # noqa: D102
        depth = table.header_rows
        lines = [_line(row) for row in laid_out(table)]
        parts = [f"col : {line}" for line in lines[:depth]]
        parts += [f"row {number} : {line}" for number, line in enumerate(lines[depth:], start=1)]
        preamble = comments(describe(table, shown_header_rows=depth))
        return checked(preamble + " ".join(parts), table, self.name)

    def parse(self, text: str) -> Table:  # noqa: D102
        told, start = leading_comments(text)
        heads, body = _segments(text[start:], self.name)
        structure = understand(told, self.name, shown_header_rows=len(heads))
        grid = [[Cell(_unescape(cell)) for cell in line.split(" | ")] for line in (*heads, *body)]
        return assemble(grid, structure, self.name)


class TorrIndexedRowMajor(Serializer):
    """As unitxt's ``SerializeTableAsIndexedRowMajor``: nothing is escaped."""

    name = "torr.indexed_row_major"

    def serialize(self, table: Table) -> str:  # noqa: D102
        header, rows = _unitxt.texts(table, self.name)
        lines = [f"row {number} : {' | '.join(row)}" for number, row in enumerate(rows, start=1)]
        return " ".join([f"col : {' | '.join(header)}", *lines]).strip()

    def parse(self, text: str) -> Table:
        """Reads what stands between the marks; pipes inside cells cannot be told apart."""
        # the writer strips the whole, which takes the separator's space from a last cell that is empty
        heads, body = _segments(text + " " if text.endswith((" |", " :")) else text, self.name)
        grid = [list(map(Cell, line.split(" | "))) for line in (*heads, *body)]
        return assemble(grid, Structure(header_rows=len(heads)), self.name)


def _segments(text: str, name: str) -> tuple[list[str], list[str]]:
    """What stands behind each ``col :`` and behind each ``row 1 :``, ``row 2 :``, ..."""
    heads: list[str] = []
    rest = " " + text
    if not rest.startswith((" col : ", " row 1 : ")):
        raise ParseError(f"{name}: the text starts with {text[:40]!r}; expected 'col : ' or 'row 1 : '")
    head, mark, rest = rest.partition(" row 1 : ")
    if head:
        heads = head.split(" col : ")[1:]
    if not mark:
        raise ParseError(f"{name}: the text has no 'row 1 : '; expected at least one body row")
    body: list[str] = []
    while mark:
        line, mark, rest = rest.partition(f" row {len(body) + 2} : ")
        body.append(line)
    return heads, body


def _line(row: Sequence[Cell]) -> str:
    plain = plain_row(row, _any_special, " | ")
    return " | ".join([_escape(cell.text) for cell in row]) if plain is None else plain


def _escape(text: str) -> str:
    return _ESCAPES.sub(lambda match: _AS.get(match[0]) or "\\" + match[0], text) if _special(text) else text


def _unescape(text: str) -> str:
    return _UNESCAPES.sub(lambda match: _NAMED.get(match[1], match[1]), text) if "\\" in text else text


SERIALIZERS: tuple[Serializer, ...] = (IndexedRowMajor(), TorrIndexedRowMajor())
