"""HCT-QA's canonical CSV."""

from __future__ import annotations

from ...core.errors import ParseError, TableError
from ..table import Table
from ._checks import checked
from ._comments import comments, leading_comments
from ._structure import escape, laid_out, understand
from .base import Serializer


class CanonicalCsv(Serializer):
    """Every label once: parents above their leftmost child, row parents in the row of their topmost child.

    The layout of HCT-QA (section 3.1 and Appendix E.1): the label of a row group stands in the first place of
    its row, what a merged cell covers is empty, and a text of several lines stands whole in its top place.
    All fields are quoted, as in the benchmark's files; blank texts are empty. Title and notes are leading
    ``#`` lines.

    Reading it back infers spans and header depth (see the reader ``canonical_csv``): certain where the corner
    is blank and no label is, else what people would take it for; so it does not count as lossless.
    """

    name = "canonical_csv"

    def serialize(self, table: Table) -> str:  # noqa: D102
        lines = [[cell.text if cell.text.strip() else "" for cell in row] for row in laid_out(table)]
        told = [f"title: {escape(table.title)}"] if table.title else []
        told += [f"note: {escape(note)}" for note in table.notes]
        text = "\n".join([",".join(map(_quoted, line)) for line in lines])
        return checked(comments(told) + text, table, self.name)

    def parse(self, text: str) -> Table:  # noqa: D102
        from ..readers.canonical_csv import canonical_csv

        lines, start = leading_comments(text)
        told = understand(lines, self.name)
        try:
            return canonical_csv(text[start:], title=told.title, notes=told.notes)
        except ParseError:
            raise
        except TableError as error:
            raise ParseError(f"{self.name}: {error}") from None


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


SERIALIZERS: tuple[Serializer, ...] = (CanonicalCsv(),)
