r"""Every cell with its column's name: key-value texts, sentences, SQL.

None of them is read back. Headings are joined by a slash (``2019 / Male``), merged cells say their text in
every row and column that they cover, and a line break in a cell is written ``\n``.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..table import Scalar, Table
from .base import Serializer
from .structure import bare, checked, column_names

_LINE = str.maketrans({"\n": "\\n", "\r": "\\r"})
_LOSES = "which cells are merged, how headings are nested, line breaks"


def _pairs(table: Table) -> list[list[tuple[str, str]]]:
    """Each row of the body as names and texts of one line each."""
    names = [name.translate(_LINE) for name in column_names(table)]
    texts = [[cell.text.translate(_LINE) for cell in row] for row in table.body]
    return [list(zip(names, row, strict=True)) for row in texts]


def _around(table: Table, lines: Sequence[str], title: str = "{}", note: str = "{}") -> str:
    """The lines with the title above and notes below, a line each."""
    above = [title.format(table.title.translate(_LINE))] if table.title else []
    return "\n".join([*above, *lines, *[note.format(each.translate(_LINE)) for each in table.notes]])


class KeyValue(Serializer):
    """A line a row, ``Name: Sophia; Age: 26``."""

    name = "key_value"
    loses = f"where a cell ends that has a semicolon, {_LOSES}"
    explanation = (
        "Each line is a row of the table: its cells, each after the name of its column and a colon, with "
        "semicolons between."
    )

    def serialize(self, table: Table) -> str:  # noqa: D102
        lines = ["; ".join([f"{name}: {text}" for name, text in row]) for row in _pairs(table)]
        return checked(_around(table, lines), table, self.name)


class MarkdownKv(Serializer):
    """A section of Markdown a row, ``## Record 1``, with a line ``Name: Sophia`` for each cell."""

    name = "markdown_kv"
    loses = f"what a line of a cell says about the lines around it, {_LOSES}"
    explanation = (
        "Each section is a row of the table, under its number; each line of it is a cell, after the name of "
        "its column and a colon."
    )

    def serialize(self, table: Table) -> str:  # noqa: D102
        sections = [
            "\n".join([f"## Record {number}\n", *[f"{name}: {text}" for name, text in row]]) + "\n"
            for number, row in enumerate(_pairs(table), start=1)
        ]
        return checked(_around(table, sections, "# {}\n").rstrip("\n"), table, self.name)


class Sentences(Serializer):
    """A sentence a row, ``The Name is Sophia, the Age is 26.``."""

    name = "sentences"
    loses = f"where a cell ends that has a comma, {_LOSES}"
    explanation = "Each sentence is a row of the table and says every cell with the name of its column."

    def serialize(self, table: Table) -> str:  # noqa: D102
        rows = [[f"the {name} is {text or 'empty'}" for name, text in row] for row in _pairs(table)]
        lines = [f"T{', '.join(row)[1:]}." for row in rows]
        return checked(_around(table, lines), table, self.name)


class SqlInsert(Serializer):
    """``CREATE TABLE`` and one ``INSERT`` with all rows, in SQL that SQLite and PostgreSQL take.

    A column of numbers has a type of numbers; an empty number is ``NULL``. Title and notes are comments.
    """

    name = "sql_insert"
    loses = "which cells are merged, how headings are nested"
    explanation = (
        "The table is SQL: a statement that creates it, with its columns' names and types, and one that "
        "inserts its rows, each in brackets."
    )

    def serialize(self, table: Table) -> str:  # noqa: D102
        rows = [[bare(cell) for cell in row] for row in table.body]
        types = [_sql_type(column) for column in zip(*rows, strict=True)]
        names = [_sql_quoted(name, '"') for name in column_names(table)]
        columns = ", ".join([f"{name} {kind}" for name, kind in zip(names, types, strict=True)])
        lines = [
            f'CREATE TABLE "table" ({columns});',
            'INSERT INTO "table" VALUES',
            ",\n".join([f"({', '.join(map(_sql, row, types))})" for row in rows]) + ";",
        ]
        return checked(_around(table, lines, "-- {}", "-- {}"), table, self.name, nul=False)


def _sql_type(values: Sequence[Scalar]) -> str:
    kinds = {type(value) for value in values if value is not None}
    if kinds == {int}:
        return "BIGINT"
    return "DOUBLE PRECISION" if kinds and kinds <= {int, float} else "TEXT"


def _sql(value: Scalar, kind: str) -> str:
    if kind == "TEXT":
        return _sql_quoted("" if value is None else str(value), "'")
    return "NULL" if value is None else str(value)


def _sql_quoted(text: str, sign: str) -> str:
    return sign + text.replace(sign, sign * 2) + sign
