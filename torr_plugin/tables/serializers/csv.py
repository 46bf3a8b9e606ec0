"""Comma-separated values (RFC 4180, lines ending in a newline)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ...core.errors import ParseError
from ..table import Cell, Table
from . import _unitxt
from ._checks import checked
from ._comments import comments, leading_comments
from ._structure import Structure, assemble, describe, laid_out, understand
from .base import Serializer

_FIELD = re.compile('(?:"([^"]*(?:""[^"]*)*)"|([^,"\n\r][^,\n\r]*|))(,|\r\n|\n|\r|\\Z)')


class Csv(Serializer):
    """RFC 4180; structure beyond one header row is told in leading ``#`` lines (see ``_structure``).

    A first field that starts with ``#`` is quoted, so that it is not taken for such a line.
    """

    name = "csv"
    lossless = True

    def serialize(self, table: Table) -> str:  # noqa: D102
        texts = table.texts or [[cell.text for cell in row] for row in laid_out(table)]
        text = _written(texts)
        if text.startswith("#"):
            first, *rest = texts[0]
            line = ",".join([_quoted(first), *map(_field, rest)])
            text = line + text[len(_record(texts[0])) :]
        return checked(comments(describe(table)) + text, table, self.name)

    def parse(self, text: str) -> Table:  # noqa: D102
        told, start = leading_comments(text)
        structure = understand(told, self.name)
        grid = [[Cell(field) for field in record] for record in records(text, self.name, start)]
        return assemble(grid, structure, self.name)


class TorrCsv(Serializer):
    """As unitxt's ``TableSerializer``: Python's csv writer, the whole stripped of surrounding white space."""

    name = "torr.csv"

    def serialize(self, table: Table) -> str:  # noqa: D102
        # the writer turns None into nothing and numbers into their text, as the cells have done
        header, rows = _unitxt.texts(table, self.name, absent="")
        lines = [header, *rows]
        text = _written(lines)
        return (_by_python(lines) if "\r" in text else text).strip()

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


def _written(lines: Sequence[Sequence[str]]) -> str:
    """All records. Python's csv writer gives the same, unless there is a carriage return in the text."""
    return "\n".join([_record(line) for line in lines])


def _by_python(lines: Sequence[Sequence[str]]) -> str:
    """The records by Python's csv writer, whose versions differ in whether a carriage return is quoted."""
    import csv
    import io

    # Python 3.10 cannot write a NUL: a character that the text lacks stands for it meanwhile
    everything = {character for line in lines for text in line for character in text}
    stand_in = next(chr(code) for code in range(0xE000, 0x110000) if chr(code) not in everything)
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
    writer.writerows([[text.replace("\0", stand_in) for text in line] for line in lines])
    return output.getvalue().replace(stand_in, "\0")


def _record(texts: Sequence[str]) -> str:
    text = ",".join(texts)
    # no commas but those between fields: nothing to quote, as in most records
    plain = text.count(",") == len(texts) - 1 and '"' not in text and "\n" not in text and "\r" not in text
    if plain and text:
        return text
    # an empty line would be no record
    return ",".join([_field(each) for each in texts]) or '""'


def _field(text: str) -> str:
    special = "," in text or '"' in text or "\n" in text or "\r" in text
    return _quoted(text) if special else text


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


SERIALIZERS: tuple[Serializer, ...] = (Csv(), TorrCsv())
