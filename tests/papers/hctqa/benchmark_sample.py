"""The benchmark's published sample as instances, rebuilt from its HTML and its relational tables."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import get_args

from torr_plugin.papers.hctqa.generator.instance import Aggregate, HctInstance, RowFormat, TableAxis
from torr_plugin.papers.hctqa.generator.layout.relational import Relational
from torr_plugin.tables import Table, readers

COLUMNS = {
    "Number_of_accidents": ("Gender", "Year", "Quarter"),
    "Number_of_students": ("Nationality", "Year", "Quarter"),
}
AGGREGATES = {"Number_of_accidents": ("Average", "avg", 2), "Number_of_students": ("Total", "sum", 0)}
POSITIONS = (
    ("none", "none"),
    ("none", "bottom"),
    ("none", "top"),
    ("right", "none"),
    ("right", "bottom"),
    ("right", "top"),
)
"""The order of the benchmark's own ``col_row_agg_pos``; 6 sets each: 3 name positions by 2 shuffles."""


@dataclass(frozen=True)
class Sampled:
    """A table of the sample: as published, and as an instance."""

    table: Table
    relational: Relational
    instance: HctInstance


def sampled(data: Path) -> Iterator[Sampled]:
    """All 120 tables of the published sample."""
    import pandas as pd

    frame = pd.read_parquet(data / "hctqa" / "synthetic_sample.parquet").drop_duplicates("table_id")
    for row in frame.itertuples():
        table, rows = readers.get("html")(str(row.table_html)), relational_of(str(row.relational_csv))
        yield Sampled(
            table, rows, _instance(str(row.table_id), str(row.family), int(str(row.table_set)), table, rows)
        )


def relational_of(text: str) -> Relational:
    """The relational table in a file of the benchmark: a line of names, one of SQL's names, the rows."""
    names, sql_names, *rows = [row for row in csv.reader(io.StringIO(text)) if row]
    return Relational(tuple(names), tuple(sql_names), tuple((*row[:-1], Decimal(row[-1])) for row in rows))


def texts(table: Table) -> list[list[tuple[str, int, int]]]:
    """All cells with their spans, without hard spaces."""
    return [
        [(cell.text.replace("\xa0", "").strip(), cell.rowspan, cell.colspan) for cell in row]
        for row in table.rows
    ]


def _values(rows: Relational, place: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(row[place]) for row in rows.rows))


def _instance(table_id: str, family: str, number: int, table: Table, rows: Relational) -> HctInstance:
    names = rows.names[:-1]
    values = {name: _values(rows, place) for place, name in enumerate(names)}
    above = [name for name in names if name in COLUMNS[family]]
    beside = [name for name in names if name not in COLUMNS[family]]
    head = [cell.text for line in table.grid[: len(above)] for cell in line]
    left = [line[place].text for place in range(len(beside)) for line in table.grid]
    columns, lines = _axis(_shown(head, above, values), values), _axis(_shown(left, beside, values), values)
    cells = {frozenset(zip(names, row[:-1], strict=True)): row[-1] for row in rows.rows}
    name, function, decimals = AGGREGATES[family]
    formats: Sequence[RowFormat] = get_args(RowFormat)
    return HctInstance(
        table_id,
        family,
        columns,
        lines,
        tuple(
            tuple(_cell(cells, columns, lines, leaf, row) for leaf in columns.leaves) for row in lines.leaves
        ),
        Aggregate(name, function, *POSITIONS[(number - 1) // 6 % 6]),  # type: ignore[arg-type]
        formats[(number - 1) // 180],
        decimals,
        names,
    )


def _cell(
    cells: dict[frozenset[tuple[str, object]], object],
    columns: TableAxis,
    rows: TableAxis,
    leaf: Sequence[str],
    row: Sequence[str],
) -> Decimal:
    pairs = itertools.chain(
        zip(columns.attributes, leaf, strict=True), zip(rows.attributes, row, strict=True)
    )
    value = cells[frozenset(pairs)]
    assert isinstance(value, Decimal)
    return value


def _shown(labels: Sequence[str], names: Sequence[str], values: dict[str, tuple[str, ...]]) -> list[str]:
    """The attributes in the order in which their values turn up."""
    found = [name for label in labels for name in names if label.strip() in values[name]]
    return list(dict.fromkeys(found))


def _axis(names: Sequence[str], values: dict[str, tuple[str, ...]]) -> TableAxis:
    leaves = tuple(itertools.product(*(values[name] for name in names)))
    return TableAxis(tuple(names), tuple((place,) for place in range(len(names))), leaves)
