"""A table as bytes: CSV for spreadsheets, JSON records, Parquet with typed columns, Markdown for people."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, get_args

import pyarrow as pa
import pyarrow.parquet as pq

from .number_format import ABSENT

Row = Sequence[object]
Format = Literal["csv", "json", "parquet"]
FORMATS: tuple[Format, ...] = get_args(Format)

_FORMULA = ("=", "+", "-", "@", "\t")
"""What a spreadsheet takes for the beginning of a formula."""

_TEXTS = frozenset(["best", "config", "dropped", "end", "family", "model", "name", "of", "other", "worst"])
"""Columns that hold names, also where all of them are absent; any other without a value is of numbers."""


def written_as(header: Row, rows: Sequence[Row], forms: Sequence[Format]) -> Iterator[bytes]:
    """A table in several formats, one after the other; its columns are made once.

    Args:
        header: names of the columns; of equal ones the later are numbered in JSON and Parquet.
        rows: cells are text, numbers, booleans or None; any other is written as its text, and NaN as None.
        forms: which.
    """
    columns = _columns(header, rows) if any(form != "csv" for form in forms) else {}
    for form in forms:
        if form == "csv":
            yield _csv(header, rows)
        else:
            yield _json(columns, len(rows)) if form == "json" else _parquet(columns)


def markdown(header: Row, rows: Sequence[Row]) -> bytes:
    """A table for people: numbers with three decimals, a dash where there is none."""
    numbers = [any(isinstance(row[place], float) for row in rows) for place in range(len(header))]
    ruler = "|".join(" ---: " if number else " --- " for number in numbers)
    lines = [_markdown_row(header), f"|{ruler}|", *map(_markdown_row, rows)]
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")


def _markdown_row(cells: Row) -> str:
    return f"| {' | '.join(map(_markdown_cell, cells))} |"


def _markdown_cell(cell: object) -> str:
    """A name on one line; its bars and angle brackets do not count as Markdown."""
    if isinstance(cell, float):
        return f"{cell:.3f}"
    text = ABSENT if cell is None else " ".join(str(cell).split())
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")


def _csv(header: Row, rows: Sequence[Row]) -> bytes:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    for row in rows:
        writer.writerow([_text(cell) if isinstance(cell, str) else cell for cell in row])
    return buffer.getvalue().encode("utf-8", "replace")


def _text(name: str) -> str:
    """A name as a cell: a spreadsheet must not take it for a formula."""
    # Python 3.10 cannot write a NUL, and up to 3.12 a carriage return stands unquoted and ends the row
    text = name.replace("\0", "\N{REPLACEMENT CHARACTER}").replace("\r", "\N{REPLACEMENT CHARACTER}")
    return f"'{text}" if text.startswith(_FORMULA) else text


def _columns(header: Row, rows: Sequence[Row]) -> dict[str, list[Any]]:
    """Name -> the cells of a column, plain."""
    names: list[str] = []
    for cell in header:
        name, number = str(cell), 1
        while name in names:
            number += 1
            name = f"{cell} {number}"
        names.append(name)
    return {
        name: [_plain(row[place]) if place < len(row) else None for row in rows]
        for place, name in enumerate(names)
    }


def _plain(cell: object) -> str | float | bool | None:
    if cell is None or isinstance(cell, (bool, int)):
        return cell
    if isinstance(cell, float):
        return cell if math.isfinite(cell) else None
    text = str(cell)
    # half a surrogate pair is no text for anyone who reads the file
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _json(columns: Mapping[str, Sequence[object]], rows: int) -> bytes:
    """One record a line, so that a file can also be read line by line."""
    names, cells = list(columns), list(columns.values())
    records = [
        json.dumps({name: column[row] for name, column in zip(names, cells, strict=True)}, ensure_ascii=False)
        for row in range(rows)
    ]
    body = ",\n".join(records)
    return (f"[\n{body}\n]\n" if records else "[]\n").encode("utf-8", "replace")


def _parquet(columns: Mapping[str, Sequence[Any]]) -> bytes:
    arrays = [_array(name, cells) for name, cells in columns.items()]
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_arrays(arrays, names=list(columns)), buffer, compression="zstd")
    return buffer.getvalue()


def _array(name: str, cells: Sequence[Any]) -> pa.Array:
    """A column: whole numbers, numbers, booleans, or text where anything else is among them."""
    kinds = {type(cell) for cell in cells if cell is not None}
    if not kinds:
        return pa.array(cells, pa.string() if name in _TEXTS else pa.float64())
    if kinds == {bool}:
        return pa.array(cells, pa.bool_())
    if kinds == {int} and all(abs(cell) < 2**63 for cell in cells if cell is not None):
        return pa.array(cells, pa.int64())
    if kinds <= {int, float}:
        return pa.array([None if cell is None else float(cell) for cell in cells], pa.float64())
    return pa.array([None if cell is None else str(cell) for cell in cells], pa.string())
