"""Comma-separated values (RFC 4180, lines ending in a newline)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..errors import ParseError
from ..table import Cell, Table
from . import _unitxt
from ._checks import checked
from ._comments import comments, leading_comments
from ._plain import plain_row
from ._structure import Structure, assemble, describe, laid_out, understand
from .base import Serializer

_needs_quotes = re.compile('[,"\n\r]').search
_FIELD = re.compile('(?:"([^"]*(?:""[^"]*)*)"|([^,"\n\r][^,\n\r]*|))(,|\r\n|\n|\r|\\Z)')


class Csv(Serializer):
    """RFC 4180; structure beyond one header row is told in leading ``#`` lines (see ``_structure``).

    A first field that starts with ``#`` is quoted, so that it is not taken for such a line.
    """

    name = "csv"
    lossless = True

    def serialize(self, table: Table) -> str:  # noqa: D102
        grid = laid_out(table)
        records = [_record(row) for row in grid]
        if records[0].startswith("#"):
            rest = "".join(f",{_field(cell.text)}" for cell in grid[0][1:])
            records[0] = _quoted(grid[0][0].text) + rest
        return checked(comments(describe(table)) + "\n".join(records), table, self.name)

    def parse(self, text: str) -> Table:  # noqa: D102
        told, start = leading_comments(text)
        structure = understand(told, self.name)
        grid = [[Cell(field) for field in record] for record in records(text, self.name, start)]
        return assemble(grid, structure, self.name)


class TorrCsv(Serializer):
    """As unitxt's ``TableSerializer``: Python's csv writer, the whole stripped of surrounding white space."""

    name = "torr.csv"

    def serialize(self, table: Table) -> str:  # noqa: D102
        import csv
        import io

        # the writer turns None into nothing and numbers into their text, as the cells have done
        header, rows = _unitxt.texts(table, self.name, absent="")
        output = io.StringIO()
        writer = csv.writer(output, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
        return output.getvalue().strip()

    def parse(self, text: str) -> Table:
        """Reads one header row; white space at the two ends of the table is lost."""
        grid = [[Cell(field) for field in record] for record in records(text, self.name)]
        return assemble(grid, Structure(), self.name)


def records(text: str, name: str, start: int = 0) -> Iterator[list[str]]:
    """The records of a CSV text from ``start`` on; blank lines are none.

    Raises:
        ParseError: a quotation mark that is not closed, or text behind a closed one.
    """
    record: list[str] = []
    while start < len(text) or record:
        match = _FIELD.match(text, start)
        if match is None:
            line = text.count("\n", 0, start) + 1
            raise ParseError(f"{name}: line {line} has a field with an unmatched quotation mark")
        quoted, plain, end = match.groups()
        record.append(plain if quoted is None else quoted.replace('""', '"'))
        start = match.end()
        if end == ",":
            continue
        if record != [""] or quoted is not None:
            yield record
        record = []


def _record(row: Sequence[Cell]) -> str:
    if len(row) == 1 and not row[0].text:
        return '""'  # an empty line would be no record
    plain = plain_row(row, _needs_quotes, ",")
    return ",".join([_field(cell.text) for cell in row]) if plain is None else plain


def _field(text: str) -> str:
    return _quoted(text) if _needs_quotes(text) else text


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


SERIALIZERS: tuple[Serializer, ...] = (Csv(), TorrCsv())
