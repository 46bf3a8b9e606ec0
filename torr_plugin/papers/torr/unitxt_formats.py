"""The formats of ToRR, ``torr.*``: the bytes of unitxt 1.26.10, nothing escaped."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from ...core.errors import SerializationError, TableError
from ...tables.serializers import Serializer
from ...tables.serializers.delimited import field, records
from ...tables.table import Scalar, Table

_LOSES = "what unitxt does not escape, which cells are merged, how headings are nested, title and notes"


class TorrCsv(Serializer):
    """As unitxt's ``TableSerializer``: Python's csv writer, the whole stripped of surrounding white space."""

    name = "torr.csv"
    loses = _LOSES
    explanation = "Each line is a row of the table, with commas between its cells; the header comes first."

    def serialize(self, table: Table) -> str:  # noqa: D102
        # the writer turns None into nothing and numbers into their text, as the cells have done
        header, rows = _texts(table, self.name, absent="")
        lines = [header, *rows]
        if any("\r" in text for line in lines for text in line):
            return _by_python(lines).strip()
        return records([list(map(field, line)) for line in lines]).strip()


class TorrIndexedRowMajor(Serializer):
    """As unitxt's ``SerializeTableAsIndexedRowMajor``: ``col : a | b row 1 : 1 | 2``, nothing escaped."""

    name = "torr.indexed_row_major"
    loses = _LOSES
    explanation = (
        "The header comes first, after the word col; then the rows, each after its number, which "
        "begins at 1, and with bars between its cells."
    )

    def serialize(self, table: Table) -> str:  # noqa: D102
        header, rows = _texts(table, self.name)
        lines = [f"row {number} : {' | '.join(row)}" for number, row in enumerate(rows, start=1)]
        return " ".join([f"col : {' | '.join(header)}", *lines]).strip()


class TorrConcat(Serializer):
    """As unitxt's ``SerializeTableAsConcatenation``: ``name age Alex 26 Diana 34``."""

    name = "torr.concat"
    loses = "where a cell ends, title, notes and merged cells"
    explanation = "All cells stand one after another, row by row, the header first."

    def serialize(self, table: Table) -> str:  # noqa: D102
        header, rows = _texts(table, self.name)
        return " ".join([" ".join(header), *map(" ".join, rows)]).strip()


class TorrHtml(Serializer):
    """As unitxt's ``SerializeTableAsHTML``: nothing is escaped."""

    name = "torr.html"
    loses = _LOSES
    explanation = (
        "The element table holds the table, tr a row, th a cell of the header and td any other cell."
    )

    def serialize(self, table: Table) -> str:  # noqa: D102
        header, rows = _texts(table, self.name)
        lines = [f"\n    <tr><td>{'</td><td>'.join(row)}</td></tr>" for row in rows]
        head = f"    <tr><th>{'</th><th>'.join(header)}</th></tr>"
        return f"<table>\n  <thead>\n{head}\n  </thead>\n  <tbody>{''.join(lines)}\n  </tbody>\n</table>"


class TorrJson(Serializer):
    """As unitxt's ``SerializeTableAsJson``: records by row number; of columns with one name only the last."""

    name = "torr.json"
    loses = f"all but the last of columns with one name, {_LOSES}"
    explanation = (
        "The table is a JSON object with an object for each row, by its number, which begins at 0; its "
        "keys are the columns' names."
    )

    def serialize(self, table: Table) -> str:  # noqa: D102
        header, rows = _values(table, self.name)
        return json.dumps({number: dict(zip(header, row, strict=True)) for number, row in enumerate(rows)})


class TorrMarkdown(Serializer):
    """As unitxt's ``SerializeTableAsMarkdown``: nothing is escaped."""

    name = "torr.markdown"
    loses = _LOSES
    explanation = (
        "Each line is a row of the table, with bars between its cells; the header comes first, with a "
        "line of hyphens below."
    )

    def serialize(self, table: Table) -> str:  # noqa: D102
        header, rows = _texts(table, self.name)
        lines = [f"|{'|'.join(row)}|" for row in rows]
        return "\n".join([f"|{'|'.join(header)}|", f"|{'|'.join(['---'] * len(header))}|", *lines]).strip()


class TorrDf(Serializer):
    """As unitxt's ``SerializeTableAsDFLoader``: columns as JSON, repeated names numbered.

    pandas decides there what a column of mixed values is; as with pandas 2, which the published numbers rest
    on, an absent value is ``null`` in a column of texts (pandas 3 would make it ``NaN``).
    """

    name = "torr.df"
    loses = _LOSES
    explanation = (
        "The table is built by Python code: a data frame of pandas, made of lists of the values of its "
        "columns or its rows."
    )

    def serialize(self, table: Table) -> str:  # noqa: D102
        header, rows = _values(table, self.name)
        columns = map(_as_pandas, zip(*rows, strict=True))
        body = json.dumps(dict(zip(_numbered(header), columns, strict=True)))[1:-1]
        return f"pd.DataFrame({{\n{body}}},\nindex={list(range(len(rows)))})"


def _numbered(header: Sequence[str]) -> list[str]:
    seen: dict[str, int] = {}
    names = []
    for label in header:
        count = seen.get(label, 0)
        names.append(f"{label}_{count}" if count else label)
        seen[label] = count + 1
    return names


def _as_pandas(values: Sequence[Scalar]) -> list[Any]:
    """A column as it comes out of a data frame: numbers beside a float or beside nothing become floats."""
    kinds = set(map(type, values))
    mixed = kinds == {int, type(None)} or (float in kinds and kinds <= {int, float, type(None)})
    if mixed and _has_one_type(values):
        return [float("nan") if value is None else float(value) for value in values]
    return list(values)


def _has_one_type(values: Sequence[Scalar]) -> bool:
    """Whether 64 bits hold the whole numbers before the first None; if not, pandas changes nothing."""
    whole = [value for value in takewhile(lambda value: value is not None, values) if type(value) is int]
    lowest, highest = min(whole, default=0), max(whole, default=0)
    return lowest >= -(2**63) and highest < (2**63 if lowest < 0 else 2**64)


def _by_python(lines: Sequence[Sequence[str]]) -> str:
    """The records by Python's csv writer, whose versions differ in whether a carriage return is quoted."""
    # Python 3.10 cannot write a NUL: replace it by a character that the text lacks, and back
    everything = {character for line in lines for text in line for character in text}
    stand_in = next(chr(code) for code in range(0xE000, 0x110000) if chr(code) not in everything)
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
    writer.writerows([[text.replace("\0", stand_in) for text in line] for line in lines])
    return output.getvalue().replace(stand_in, "\0")


def _texts(table: Table, name: str, *, absent: str = "None") -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    """Header and rows as ``str`` writes their raw values, ``absent`` for ``None``."""
    header, rows = _values(table, name)
    return header, [[absent if value is None else str(value) for value in row] for row in rows]


def _values(table: Table, name: str) -> tuple[Sequence[str], Sequence[Sequence[Scalar]]]:
    """Header and rows of raw values, as unitxt's operators see them.

    Raises:
        SerializationError: the table has no header, or one that unitxt refuses (a value that is no text).
    """
    try:
        header, *rows = table.unitxt_lines
    except TableError as error:
        raise SerializationError(f"{name}: {error}") from None
    labels = [label for label in header if isinstance(label, str)]
    if len(labels) != len(header):
        found = next(label for label in header if not isinstance(label, str))
        raise SerializationError(f"{name}: the header has {found!r}, expected text in every header cell")
    return labels, rows
