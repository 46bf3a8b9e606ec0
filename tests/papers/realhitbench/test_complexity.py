"""Complexity and length of tables, on tables small enough to compute by hand."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings

from torr_plugin.papers.realhitbench.complexity import Complexity
from torr_plugin.tables import Cell, Table
from torr_plugin.tables.measures import MeasuredProperties, length, measures
from torr_plugin.tables.readers.documents import html
from torr_plugin.tables.table import CellStyle
from torr_plugin.testing import tables

RELATION = Table.flat(["Name", "Team", "Points"], [["Ada", "Reds", "3"], ["Bo", "Blues", "5"]])


def of(rows: Sequence[str], **changes: object) -> Table:
    """A table in HTML, a row each."""
    return html(f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>").replace(**changes)


def test_a_relation_has_none() -> None:
    assert Complexity.of(RELATION) == Complexity(0.0, 0.0, 0.0, 0.0)
    assert Complexity.of(RELATION).level == "low"


def test_two_years_of_two_columns_each() -> None:
    """One label above each column: half way to 100; two groups of the same columns: 1 - 1/2."""
    table = Table(
        (
            (Cell("Port", rowspan=2), Cell("2019", colspan=2), Cell("2020", colspan=2)),
            tuple(map(Cell, ("In", "Out", "In", "Out"))),
            *(tuple(map(Cell, (port, "1", "2", "3", "4"))) for port in ("North", "South")),
        ),
        header_rows=2,
        header_columns=1,
    )
    assert Complexity.of(table) == Complexity(50.0, 0.0, 50.0, 0.0)
    assert Complexity.of(table).total == 25.0
    assert Complexity.of(table).level == "medium"


GROUPS = (
    *("<th>Region<th>2019", "<td colspan=2>Coast", "<td>Bay<td>1", "<td>Cape<td>2"),
    "<td colspan=2>Inland",
)


def test_sections_of_rows() -> None:
    """Two rows and one, 1 - (4 + 1) / 9; three of five rows are below a label, two are labels."""
    found = Complexity.of(of([*GROUPS, "<td>Lake<td>3"], header_rows=1, header_columns=1))
    assert found.content_partition == pytest.approx(400 / 9)
    assert found.header_hierarchy == pytest.approx(100 * (1 - 2 ** -(3 / 5)))
    assert found.implicit_multi_table == 0.0


def test_groups_of_the_same_rows_are_several_tables() -> None:
    found = Complexity.of(of([*GROUPS, "<td>BAY<td>3", "<td>Cape<td>4"], header_rows=1, header_columns=1))
    assert found.implicit_multi_table == 50.0


def test_a_blank_row_parts_a_table() -> None:
    rows = [["a", "1"], ["b", "2"], ["", ""], ["c", "3"], ["d", "4"]]
    assert Complexity.of(Table.flat(["x", "y"], rows)).content_partition == 50.0


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        (["Name", "Age", "Name", "Age"], [["Ada", "3", "Bo", "4"]]),
        (["Name", "Age"], [["Ada", "3"], ["name", "age"], ["Bo", "4"]]),
    ],
    ids=["beside itself", "below itself"],
)
def test_a_header_that_is_repeated(header: list[str], rows: list[list[str]]) -> None:
    assert Complexity.of(Table.flat(header, rows)).implicit_multi_table == 50.0


def test_one_label_on_all_columns_is_no_repeated_header() -> None:
    assert Complexity.of(Table.flat(["x", "x", "x", "x"], [["a", "b", "c", "d"]])).implicit_multi_table == 0.0


def test_supplements_are_counted() -> None:
    table = RELATION.replace(title="Games", notes=("* Won by default.",))
    assert Complexity.of(table).supplement == 40.0
    head, first, second = table.rows
    bold, filled = CellStyle(bold=True), CellStyle(fill="#ff0000")
    marked = (Cell("Ada*"), Cell("Reds", style=bold), Cell("3", style=filled))
    assert Complexity.of(table.replace(rows=(head, marked, second))).supplement == 100.0
    bold_header = tuple([Cell(cell.text, style=CellStyle(bold=True)) for cell in head])
    assert Complexity.of(table.replace(rows=(bold_header, first, second))).supplement == 40.0, (
        "as headers are"
    )


@settings(max_examples=60)
@given(tables())
def test_each_is_between_0_and_100(table: Table) -> None:
    found = Complexity.of(table)
    parts = list(found.parts.values())
    assert all(0.0 <= part <= 100.0 for part in parts)
    assert min(parts) <= found.total <= max(parts)
    assert found == Complexity.of(table.replace(rows=table.rows))


@pytest.mark.parametrize(
    ("characters", "expected"),
    [(30_000, "under 10K"), (40_000, "10K to 20K"), (79_000, "10K to 20K"), (80_000, "20K and more")],
)
def test_length_counts_four_characters_a_token(characters: int, expected: str) -> None:
    assert length(Table.flat(["x"], [["a" * characters]])) == expected


def test_a_table_too_large_for_latex_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torr_plugin.tables.serializers.structure._MOST_PLACES", 0)
    large = Table(((Cell("a"),), (Cell("b", 3),), (), ()))
    assert length(large) == "20K and more"


def test_properties_are_measured_once_and_when_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    for name in measures.names():
        monkeypatch.setitem(measures._values, name, lambda _, name=name: asked.append(name) or name)  # type: ignore[misc]
    found = MeasuredProperties(RELATION, ["length", "complexity"])
    assert list(found) == ["length", "complexity"]
    assert len(found) == 2
    assert asked == []
    assert found["complexity"] == found["complexity"] == "complexity"
    assert asked == ["complexity"]
    with pytest.raises(KeyError):
        found["complexity and length"]


def test_both_together() -> None:
    found = MeasuredProperties(RELATION, ["complexity and length"])
    assert dict(found) == {"complexity and length": "low, under 10K"}
