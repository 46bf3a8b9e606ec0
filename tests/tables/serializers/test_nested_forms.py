"""The forms for nested headers: labels as keys, labels as paths."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import given, settings

from torr_plugin.tables import Cell, ParseError, Table, serializers
from torr_plugin.tables.flattening import flattened
from torr_plugin.tables.header_tree import column_tree, label_rows, row_tree
from torr_plugin.tables.strategies import flat_tables, hierarchical_tables, tables

NESTED, PATHS = serializers.get("json_nested"), serializers.get("markdown_paths")

HEAD = (
    (Cell("", 2, 2), Cell("2019", 1, 2), Cell("Total", 2)),
    (Cell("m"), Cell("f")),
)
BESIDE = Table(
    (
        *HEAD,
        (Cell("West", 2), Cell("Doha"), Cell("1"), Cell("2"), Cell.of(3)),
        (Cell("Rayyan"), Cell("4"), Cell("5"), Cell.of(9)),
        (Cell("Sum", 1, 2), Cell("5"), Cell("7"), Cell.of(12)),
    ),
    header_rows=2,
    header_columns=2,
    title="T",
)
INDENTED = Table(
    (
        *HEAD,
        (Cell("West", 1, 2), Cell("5"), Cell("7"), Cell("12")),
        (Cell(""), Cell("Doha"), Cell("1"), Cell("2"), Cell("3")),
    ),
    header_rows=2,
    header_columns=2,
)
LABELLED = Table(
    (
        (Cell("City"), Cell("m"), Cell("f")),
        (Cell("All"), Cell("9"), Cell("9")),
        (Cell("West", 1, 3),),
        (Cell("Doha"), Cell("1"), Cell("2")),
    ),
    header_columns=1,
)


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (
            BESIDE,
            '{"title": "T",\n"header_rows": 2,\n"header_columns": 2,\n"table": {\n'
            '"West": {"Doha": {"2019": {"m": "1", "f": "2"}, "Total": 3}, '
            '"Rayyan": {"2019": {"m": "4", "f": "5"}, "Total": 9}},\n'
            '"Sum": {"2019": {"m": "5", "f": "7"}, "Total": 12}\n}}',
        ),
        (
            INDENTED,
            '{"header_rows": 2,\n"header_columns": 2,\n"rows": "indent",\n"table": {\n'
            '"West": {"": {"2019": {"m": "5", "f": "7"}, "Total": "12"}, '
            '"Doha": {"2019": {"m": "1", "f": "2"}, "Total": "3"}}\n}}',
        ),
        (
            LABELLED,
            '{"corner": "City",\n"rows": "labels",\n"table": {\n"All": {"m": "9", "f": "9"},\n'
            '"West": {"Doha": {"m": "1", "f": "2"}}\n}}',
        ),
        (
            Table.flat(["a", "b"], [["1", 2], ["3", None]]),
            '{"header_columns": 0,\n"table": [\n{"a": "1", "b": 2},\n{"a": "3", "b": null}\n]}',
        ),
    ],
    ids=["beside", "indented", "labelled", "flat"],
)
def test_nested_looks(table: Table, expected: str) -> None:
    assert NESTED.serialize(table) == expected
    assert NESTED.parse(expected) == table


def numbered(table: Table) -> Table:
    """The table with labels that all differ."""
    body, side = table.header_rows, table.header_columns
    rows = [
        tuple(
            Cell(f"{cell.text}.{r}.{c}", cell.rowspan, cell.colspan)
            if cell.text and (r < body or c < side)
            else cell
            for c, cell in row
        )
        for r, row in enumerate(table.placed_rows)
    ]
    return table.replace(rows=tuple(rows))


@given(table=hierarchical_tables().map(numbered))
@settings(max_examples=60)
def test_every_tree_of_different_labels_is_nested(table: Table) -> None:
    text = NESTED.serialize(table)
    assert '"table": {' in text
    assert NESTED.parse(text) == table


@given(table=hierarchical_tables())
def test_what_is_no_tree_is_written_as_json_does(table: Table) -> None:
    text = NESTED.serialize(table)
    assert NESTED.parse(text) == table
    if "table" not in json.loads(text):
        assert text == serializers.get("json").serialize(table)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"table": 1}', r"no row of 'table' has column labels of 1 level\(s\)"),
        ('{"table": {"a": {"b": 1}, "c": {"d": 1}}}', "'c' in 'table' holds no row, nor rows below it"),
        ('{"table": {"a": {"b": [1]}}}', r"a value is '\[1\]'; expected a text, a number"),
        ('{"table": {"a": {"b": 1}}, "x": 1}', "unknown key 'x'; expected title, header_rows"),
        (
            '{"table": {"a": {"b": 1}}, "header_rows": 9999999}',
            "'header_rows' is '9999999'; expected a number",
        ),
        ('{"table": {"a": {"b": 1}}, "rows": "x"}', "'rows' is 'x'; expected nested, indent or labels"),
        ('{"table": {"a": {"b": 1}}, "corner": 3}', "'corner' is '3'; expected a text"),
        (
            '{"table": [{"b": 1}, {"c": 1}], "header_columns": 0}',
            "a row of 'table' is .*; expected the labels",
        ),
        ('{"table": {"a": {"b": 1}}, "title": 3}', "expected a text in 'title'"),
        (
            '{"header_columns": 2, "rows": "indent", "table": {"a": {"": {"b": 1}, "x": {"b": 2}}, '
            '"c": {"d": {"b": 1}}}}',
            "'c' in 'table' has no values of its own",
        ),
        (
            '{"table": ' + '{"a": ' * 900 + "1" + "}" * 901,
            "no row of 'table'|nested too deeply|is no JSON|holds no row",
        ),
    ],
)
def test_what_is_wrong_is_said(text: str, message: str) -> None:
    with pytest.raises(ParseError, match=f"^json_nested: .*(?:{message})"):
        NESTED.parse(text)


def test_paths_look() -> None:
    assert PATHS.serialize(BESIDE) == (
        "<!-- title: T -->\n|  |  | 2019 / m | 2019 / f | Total |\n| --- | --- | --- | --- | --- |\n"
        "| West | Doha | 1 | 2 | 3 |\n| West | Rayyan | 4 | 5 | 9 |\n| Sum |  | 5 | 7 | 12 |"
    )
    assert PATHS.serialize(INDENTED).split("\n")[2:] == [
        "| West |  | 5 | 7 | 12 |",
        "| West | Doha | 1 | 2 | 3 |",
    ]
    assert PATHS.serialize(LABELLED).split("\n")[2:] == ["| All | 9 | 9 |", "| West / Doha | 1 | 2 |"]


@given(table=hierarchical_tables())
@settings(max_examples=60)
def test_every_value_stands_beside_its_whole_path(table: Table) -> None:
    flat, side = flattened(table), table.header_columns
    assert flat.is_flat
    columns = [" / ".join(path) for path in column_tree(table).paths]
    assert [cell.text for cell in flat.rows[0][side:]] == columns
    found = [" / ".join(cell.text for cell in row[:side] if cell.text) for row in flat.body]
    assert found == [" / ".join(path) for path in line_paths(table)]
    shown = [r for r in range(table.header_rows, table.n_rows) if r not in with_rows_below(table)]
    assert [[cell.text for cell in row[side:]] for row in flat.body] == [
        [cell.text if cell.colspan == 1 else "" for cell in table.grid[r][side:]] for r in shown
    ]
    assert PATHS.parse(PATHS.serialize(table)) == flat


def with_rows_below(table: Table) -> set[int]:
    labels = label_rows(table)
    return {r for r in labels if r + 1 < table.n_rows and r + 1 not in labels}


def line_paths(table: Table) -> Iterator[tuple[str, ...]]:
    tree = row_tree(table)
    for leaf, path in zip(tree.leaves, tree.paths, strict=True):
        if leaf.start not in with_rows_below(table):
            yield path


@given(table=tables())
def test_no_text_of_any_table_is_lost(table: Table) -> None:
    written = "\0".join(cell.text for row in flattened(table).rows for cell in row)
    for row in table.rows:
        for cell in row:
            assert cell.text.strip() in written


@given(table=flat_tables())
@settings(max_examples=30)
def test_a_flat_table_is_plain_markdown(table: Table) -> None:
    assert PATHS.serialize(table) == serializers.get("markdown").serialize(table)


def test_row_groups_under_labels_of_two_kinds_are_not_nested_into_one_another() -> None:
    head = (Cell(""), Cell("2019"), Cell("2020"))
    north = ((Cell("North", 1, 3),), (Cell("Wheat"), Cell("1"), Cell("2")))
    south = ((Cell("South"), Cell(""), Cell("")), (Cell("Rye"), Cell("3"), Cell("4")))
    table = Table((head, *north, *south), header_columns=1)
    text = serializers.get("json_nested").serialize(table)
    assert text == serializers.get("json").serialize(table)
    assert serializers.get("json_nested").parse(text) == table
