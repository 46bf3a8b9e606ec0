"""HCT-QA's canonical CSV, written and read."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.tables import Cell, ParseError, Table, TableError, readers, serializers
from torr_plugin.tables.header_tree import HeaderTree, column_tree, row_tree
from torr_plugin.testing import hierarchical_tables

CANONICAL = serializers.get("canonical_csv")


@given(table=hierarchical_tables())
def test_round_trip_where_the_depth_is_given_and_every_label_stands_once(table: Table) -> None:
    text = CANONICAL.serialize(table)
    assert readers.get("canonical_csv")(text, table.header_rows, table.header_columns) == table
    lines = list(csv.reader(io.StringIO(text)))
    for r, line in enumerate(table.origins):
        for c, origin in enumerate(line):
            assert lines[r][c] == (table.grid[r][c].text if origin == (r, c) else "")


@given(table=hierarchical_tables(blank_corner=True), title=st.sampled_from(["", "a\nb", "#"]))
def test_round_trip_where_the_corner_is_blank(table: Table, title: str) -> None:
    named = table.replace(title=title, notes=(title,) if title else ())
    assert CANONICAL.parse(CANONICAL.serialize(named)) == named


rectangles = st.integers(1, 5).flatmap(
    lambda width: st.lists(
        st.lists(st.sampled_from(["", "", "a", "2019", "1.5", "b,c"]), min_size=width, max_size=width),
        min_size=2,
        max_size=6,
    )
)


@given(lines=rectangles, heads=st.integers(0, 5), sides=st.integers(0, 4))
@settings(max_examples=60)
def test_any_rectangle_is_read_and_loses_nothing(lines: list[list[str]], heads: int, sides: int) -> None:
    told = (min(heads, len(lines) - 1), min(sides, len(lines[0]) - 1))
    output = io.StringIO()
    csv.writer(output, quoting=csv.QUOTE_ALL).writerows(lines)
    for depths in (told, (None, None)):
        table = readers.get("canonical_csv")(output.getvalue(), *depths)
        written = list(csv.reader(io.StringIO(CANONICAL.serialize(table))))
        assert written == lines


def test_a_labelled_corner() -> None:
    text = "City,,2019,,Total\n,,m,f,\nWest,Doha,1,2,3\n,Rayyan,4,5,6\nSum,,5,7,9\n"
    table = readers.get("canonical_csv")(text, title="t")
    assert (table.header_rows, table.header_columns, table.title) == (2, 2, "t")
    assert table.rows == (
        (Cell("City", 2, 2), Cell("2019", 1, 2), Cell("Total", 2)),
        (Cell("m"), Cell("f")),
        (Cell("West", 2), Cell("Doha"), Cell("1"), Cell("2"), Cell("3")),
        (Cell("Rayyan"), Cell("4"), Cell("5"), Cell("6")),
        (Cell("Sum", 1, 2), Cell("5"), Cell("7"), Cell("9")),
    )


def test_groups_under_labels_and_an_empty_header() -> None:
    text = '"","a","b"\nSindh,,\nx,1,2\ny,3,4\n'
    table = readers.get("canonical_csv")(text)
    assert (table.header_rows, table.header_columns) == (1, 1)
    assert table.rows[1] == (Cell("Sindh", 1, 3),)
    flat = readers.get("canonical_csv")("name,year\nx,1\n")
    assert flat == Table.flat(["name", "year"], [["x", "1"]])


def test_a_text_of_several_lines_stays_whole_in_its_place() -> None:
    table = Table(
        ((Cell("", 1), Cell("v")), (Cell("two\nlines", 2), Cell("1")), (Cell("2"),)), header_columns=1
    )
    assert CANONICAL.serialize(table) == '"","v"\n"two\nlines","1"\n"","2"'


def test_a_deep_header_is_no_deep_recursion() -> None:
    text = "\n".join([',"a"'] * 1500 + ['"r","1"'])
    assert readers.get("canonical_csv")(text).header_rows == 1500


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"the table has 0 row\(s\); expected a header and at least one body row"),
        ("a,b\n1", "row 1 of the table has 1 cell, expected 2 as in row 0"),
        ('"a', "canonical_csv: line 1 has a field with an unmatched quotation mark"),
    ],
)
def test_what_is_wrong_is_said(text: str, message: str) -> None:
    with pytest.raises(TableError, match=message):
        readers.get("canonical_csv")(text)
    with pytest.raises(ParseError, match=f"^(canonical_csv: )?{message}"):
        CANONICAL.parse(text)
    with pytest.raises(TableError, match="expected a CSV text"):
        readers.get("canonical_csv")(None)  # type: ignore[arg-type]


def test_the_benchmarks_own_csv_byte_for_byte(shared_data: Path) -> None:
    import pyarrow.parquet as pq

    path = shared_data / "hctqa" / "synthetic_sample.parquet"
    rows = pq.read_table(path, columns=["table_id", "table_html", "table_csv"]).to_pylist()
    tables = {row["table_id"]: row for row in rows}
    assert len(tables) == 120
    for row in tables.values():
        table = readers.get("html")(row["table_html"])
        assert CANONICAL.serialize(table) + "\n" == row["table_csv"]
        read = CANONICAL.parse(row["table_csv"])
        assert (read.header_rows, read.header_columns) == (table.header_rows, table.header_columns)
        assert named(column_tree(read)) == named(column_tree(table))
        assert named(row_tree(read)) == named(row_tree(table))


def named(tree: HeaderTree) -> list[tuple[str, ...]]:
    return [tuple(label for label in path if label.strip()) for path in tree.paths]
