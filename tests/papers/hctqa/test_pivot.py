"""From an instance to a table: spans, row groups, aggregates at every level, unbalanced hierarchies."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.papers.hctqa.generator.instance import Aggregate, HctInstance, TableAxis
from torr_plugin.papers.hctqa.generator.layout.lines import rounded_text
from torr_plugin.papers.hctqa.generator.layout.pivot import hct_table
from torr_plugin.papers.hctqa.generator.layout.relational import relational
from torr_plugin.tables import Table

from .grid_oracle import cells
from .small import axis, instance

DAYS = ("Day", ("Mon", "Tue"))
TILLS = ("Till", ("T1", "T2"))
HALLS = ("Hall", ("North", "South"))
SEAS = TableAxis(
    ("Sea", "Port"), ((0, 1),), (("High sea", "High sea"), ("Baltic", "Riga"), ("Baltic", "Kiel"))
)


def grid(table: Table) -> list[str]:
    """A line a row; a merged cell's text stands in every place it covers."""
    return ["|".join(cell.text for cell in row) for row in table.grid]


def spans(table: Table) -> list[list[tuple[str, int, int]]]:
    return [
        [(cell.text, cell.rowspan, cell.colspan) for cell in row if cell.rowspan > 1 or cell.colspan > 1]
        for row in table.rows
    ]


def test_aggregates_on_both_axes_at_every_level() -> None:
    made = instance(axis(DAYS, TILLS), axis(HALLS), Aggregate("Total", "sum", "right", "bottom"))
    table = hct_table(made)
    assert grid(table) == [
        "|Mon|Mon|Mon|Tue|Tue|Tue|Total",
        "|T1|T2|Total|T1|T2|Total|",
        "North|1|2|3|3|4|7|10",
        "South|5|6|11|7|8|15|26",
        "Total|6|8|14|10|12|22|36",
    ]
    assert (table.header_rows, table.header_columns, table.title) == (2, 1, "Family")
    assert spans(table)[0] == [("", 2, 1), ("Mon", 1, 3), ("Tue", 1, 3)]


def test_aggregates_to_the_left_and_on_top() -> None:
    made = instance(axis(DAYS), axis(HALLS, TILLS), Aggregate("Mean", "avg", "left", "top"), decimals=2)
    assert grid(hct_table(made)) == [
        "||Mean|Mon|Tue",
        "Mean||4.50|4.00|5.00",
        "North|Mean|2.50|2.00|3.00",
        "North|T1|1.50|1.00|2.00",
        "North|T2|3.50|3.00|4.00",
        "South|Mean|6.50|6.00|7.00",
        "South|T1|5.50|5.00|6.00",
        "South|T2|7.50|7.00|8.00",
    ]


@pytest.mark.parametrize(
    ("aggregate", "expected"),
    [
        (
            None,
            ["||Mon|Tue", "North|North|North|North", "|T1|1|2", "|T2|3|4", "South|South|South|South",
             "|T1|5|6", "|T2|7|8"],
        ),
        (
            Aggregate("Most", "max", "none", "top"),
            ["||Mon|Tue", "North|North|3|4", "|T1|1|2", "|T2|3|4", "South|South|7|8", "|T1|5|6", "|T2|7|8",
             "Most||7|8"],
        ),
        (
            Aggregate("Least", "min", "none", "bottom"),
            ["||Mon|Tue", "North|North|North|North", "|T1|1|2", "|T2|3|4", "|Least|1|2",
             "South|South|South|South", "|T1|5|6", "|T2|7|8", "|Least|5|6", "Least||1|2"],
        ),
    ],
)  # fmt: skip
def test_indented_rows(aggregate: Aggregate | None, expected: list[str]) -> None:
    made = instance(axis(DAYS), axis(HALLS, TILLS), aggregate, row_format="indent")
    assert grid(hct_table(made)) == expected


def test_one_level_of_rows_is_not_indented() -> None:
    plain = instance(axis(DAYS), axis(HALLS))
    indented = instance(axis(DAYS), axis(HALLS), row_format="indent")
    assert hct_table(plain) == hct_table(indented)


def test_a_value_without_values_below_it_fills_its_hierarchy_s_levels() -> None:
    total = Aggregate("Total", "sum", "right", "bottom")
    table = hct_table(instance(SEAS, axis(HALLS), total))
    assert grid(table) == [
        "|High sea|Baltic|Baltic|Baltic|Total",
        "|High sea|Riga|Kiel|Total|",
        "North|1|2|3|5|6",
        "South|4|5|6|11|15",
        "Total|5|7|9|16|21",
    ]
    assert ("High sea", 2, 1) in spans(table)[0]
    for row_format in ("new", "indent"):
        beside = hct_table(instance(axis(DAYS), SEAS, row_format=row_format))
        assert ("High sea", 1, 2) in spans(beside)[1]


def test_integers_are_shown_with_decimals_where_asked() -> None:
    assert grid(hct_table(instance(axis(DAYS), axis(HALLS), decimals=2)))[1:] == [
        "North|1.00|2.00",
        "South|3.00|4.00",
    ]


@given(st.integers(-(10**9), 10**9), st.integers(1, 400), st.integers(2, 4), st.sampled_from([0, 2]))
def test_numbers_are_rounded_half_to_even(number: int, count: int, scale: int, decimals: int) -> None:
    exact = Decimal(number).scaleb(-scale) / count
    if exact != exact.quantize(Decimal("1e-20")):
        exact = Decimal(number).scaleb(-scale) / count  # never a tie, for its fraction does not end
    expected = str(exact.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_EVEN))
    assert rounded_text(number, count, scale, decimals) in (expected, expected.removeprefix("-"))


ATTRIBUTES = [("Day", "abc"), ("Till", "de"), ("Hall", "fgh"), ("Door", "ij")]


@st.composite
def instances(draw: st.DrawFn) -> HctInstance:
    """Any layout of up to four attributes, with a hierarchy at times."""
    order = draw(st.permutations(ATTRIBUTES))
    chosen = [(name, tuple(values[: draw(st.integers(1, 3))])) for name, values in order]
    cut = draw(st.integers(1, 3))
    columns, rows = axis(*chosen[:cut]), axis(*chosen[cut:][: draw(st.integers(1, 2))])
    if draw(st.booleans()):
        columns = SEAS
    aggregate = draw(
        st.none()
        | st.builds(
            Aggregate,
            st.just("Total"),
            st.sampled_from(["sum", "avg", "min", "max"]),
            st.sampled_from(["none", "left", "right"]),
            st.sampled_from(["none", "top", "bottom"]),
        )
    )
    return instance(columns, rows, aggregate, row_format=draw(st.sampled_from(["new", "indent"])), decimals=2)


@settings(max_examples=60)
@given(instances())
def test_the_rows_behind_a_table_are_read_back_from_its_grid(made: HctInstance) -> None:
    total = made.aggregate.name if made.aggregate else None
    read = cells(hct_table(made), made.columns.attributes, made.rows.attributes, total)
    rows = relational(made)
    expected = [dict(zip(rows.sql_names, row, strict=True)) for row in rows.rows]
    assert sorted(map(_sorted_items, read)) == sorted(map(_sorted_items, expected))


def _sorted_items(row: dict[str, str | Decimal]) -> list[tuple[str, str]]:
    return sorted((name, f"{value:.2f}" if name == "Value" else str(value)) for name, value in row.items())


@dataclass(frozen=True)
class GridCell:
    """A number of the body with the labels above it and beside it, outermost first."""

    column: tuple[str, ...]
    row: tuple[str, ...]
    text: str


def grid_cells(table: Table) -> Iterator[GridCell]:
    """Every cell of the body with its labels, aggregates among them.

    The one label of a group's row is the parent of the rows below it that begin with a blank.
    """
    side = table.header_columns
    above = [
        tuple(line[column].text for line in table.grid[: table.header_rows])
        for column in range(table.n_columns)
    ]
    parent = ""
    for row in range(table.header_rows, table.n_rows):
        labels = [cell.text for cell in table.grid[row][:side]]
        parent = labels[0] or parent
        covers_all = len(set(table.origins[row][:side])) == 1 < side
        is_group = covers_all and row + 1 < table.n_rows and not table.grid[row + 1][0].text
        own = (parent,) if is_group else (parent, *labels[1:])
        for column in range(side, table.n_columns):
            if table.origins[row][column][1] >= side:
                yield GridCell(above[column], own, table.grid[row][column].text)


@settings(max_examples=60)
@given(instances())
def test_every_aggregate_is_that_of_the_cells_under_its_labels(made: HctInstance) -> None:
    """Recomputed from the grid: an aggregate is over the plain cells that share its other labels."""
    aggregate = made.aggregate
    if aggregate is None:
        return
    found = list(grid_cells(hct_table(made)))
    plain = [cell for cell in found if "Total" not in (*cell.column, *cell.row) and _deep(cell.row, made)]
    function = {"sum": sum, "avg": statistics.mean, "min": min, "max": max}[aggregate.function]
    for cell in found:
        column, row = (
            tuple(label for label in path if label not in ("Total", "")) for path in (cell.column, cell.row)
        )
        if "Total" in (*cell.column, *cell.row):
            under = [
                Decimal(one.text)
                for one in plain
                if one.column[: len(column)] == column and one.row[: len(row)] == row
            ]
            expected = Decimal(function(under)).quantize(Decimal("0.01"), ROUND_HALF_EVEN)
            assert Decimal(cell.text) == expected, cell


def _deep(row: tuple[str, ...], made: HctInstance) -> bool:
    """Whether a row has all its labels; the row that an aggregate fills has the group's alone."""
    return len(row) == len(made.rows.attributes)
