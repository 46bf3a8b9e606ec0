"""Comma-separated values: RFC 4180 with lines ending in a newline, unitxt's, and HCT-QA's canonical form."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from ...core.errors import ParseError, TableError
from ..readers.canonical import canonical_csv
from ..readers.flat import csv_records
from ..table import Cell, Table
from .base import Serializer
from .structure import (
    Structure,
    assemble,
    comments,
    describe,
    escape,
    laid_out,
    leading_comments,
    understand,
)
from .texts import checked, unitxt_texts


class Csv(Serializer):
    """RFC 4180; leading ``#`` lines hold structure beyond one header row (see ``structure``).

    A first field that starts with ``#`` is quoted, so that it is not taken for such a line.
    """

    name = "csv"
    lossless = True
    explanation = (
        "Each line is a row of the table, with commas between its cells; the header comes first. A "
        "cell that holds a comma or a quotation mark stands in quotation marks. A comment above the "
        "table says what lines cannot show, such as merged cells."
    )

    def serialize(self, table: Table) -> str:  # noqa: D102
        texts = table.texts or [[cell.text for cell in row] for row in laid_out(table)]
        text = _written(texts)
        if text.startswith("#"):
            first, *rest = texts[0]
            line = ",".join([_quoted(first), *map(_field, rest)])
            text = line + text[len(_record(texts[0])) :]
        return checked(comments(describe(table)) + text, table, self.name)

    def parse(self, text: str) -> Table:  # noqa: D102
        preamble, start = leading_comments(text)
        structure = understand(preamble, self.name)
        grid = [[Cell(field) for field in record] for record in csv_records(text, self.name, start)]
        return assemble(grid, structure, self.name)


class TorrCsv(Csv):
    """As unitxt's ``TableSerializer``: Python's csv writer, the whole stripped of surrounding white space."""

    name = "torr.csv"
    lossless = False
    explanation = "Each line is a row of the table, with commas between its cells; the header comes first."

    def serialize(self, table: Table) -> str:  # noqa: D102
        # the writer turns None into nothing and numbers into their text, as the cells have done
        header, rows = unitxt_texts(table, self.name, absent="")
        lines = [header, *rows]
        text = _written(lines)
        return (_by_python(lines) if "\r" in text else text).strip()

    def parse(self, text: str) -> Table:
        """Read a table with one header row; white space at its start and end is lost."""
        grid = [[Cell(field) for field in record] for record in csv_records(text, self.name)]
        return assemble(grid, Structure(), self.name)


class CanonicalCsv(Serializer):
    """Every label once: parents above their leftmost child, row parents in the row of their topmost child.

    The layout of HCT-QA (section 3.1 and Appendix E.1): a row group's label is in the first field of its row,
    and a merged cell's text in the top left field of those that it covers. All fields are quoted, as in the
    benchmark's files; blank texts are empty. Title and notes are leading ``#`` lines.

    Reading it back infers spans and header depth (see the reader ``canonical_csv``). That is certain only
    where the corner is blank and no label is, so the format does not count as lossless.
    """

    name = "canonical_csv"
    explanation = (
        "Each line is a row of the table, with commas between its cells. A heading over several "
        "columns stands above the first of them, and the places it covers otherwise are empty."
    )

    def serialize(self, table: Table) -> str:  # noqa: D102
        lines = [[cell.text if cell.text.strip() else "" for cell in row] for row in laid_out(table)]
        preamble = [f"title: {escape(table.title)}"] if table.title else []
        preamble += [f"note: {escape(note)}" for note in table.notes]
        text = "\n".join([",".join(map(_quoted, line)) for line in lines])
        return checked(comments(preamble) + text, table, self.name)

    def parse(self, text: str) -> Table:  # noqa: D102
        lines, start = leading_comments(text)
        preamble = understand(lines, self.name)
        try:
            return canonical_csv(text[start:], title=preamble.title, notes=preamble.notes)
        except ParseError:
            raise
        except TableError as error:
            raise ParseError(f"{self.name}: {error}") from None


def _written(lines: Sequence[Sequence[str]]) -> str:
    """All records. Python's csv writer gives the same, unless there is a carriage return in the text."""
    return "\n".join([_record(line) for line in lines])


def _by_python(lines: Sequence[Sequence[str]]) -> str:
    """The records by Python's csv writer, whose versions differ in whether a carriage return is quoted."""
    # Python 3.10 cannot write a NUL: replace it by a character that the text lacks, and back
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
