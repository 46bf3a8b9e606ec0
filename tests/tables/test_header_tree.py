"""Header trees: what lies under what, from spans, blanks, indentation and label rows."""

from __future__ import annotations

from hypothesis import given

from torr_plugin.tables import Cell, Table
from torr_plugin.tables.header_tree import column_tree, label_rows, row_tree
from torr_plugin.testing import tables


def spanned(*rows: list[tuple[str, int, int]], header_rows: int = 2, header_columns: int = 0) -> Table:
    cells = tuple(tuple(Cell(*cell) for cell in row) for row in rows)
    return Table(cells, header_rows=header_rows, header_columns=header_columns)


TWO_YEARS = spanned(
    [("Area", 2, 1), ("2019", 1, 2), ("2020", 1, 2)],
    [("Male", 1, 1), ("Female", 1, 1), ("male", 1, 1), ("Female.", 1, 1)],
    [("North", 1, 1), *[(str(n), 1, 1) for n in range(4)]],
    header_columns=1,
)


def test_merged_headers_make_a_tree_over_the_body_columns() -> None:
    tree = TWO_YEARS.column_tree
    assert tree.paths == (("2019", "Male"), ("2019", "Female"), ("2020", "male"), ("2020", "Female."))
    assert [(node.start, node.stop) for node in tree.roots] == [(1, 3), (3, 5)]
    assert (tree.depth, tree.is_nested) == (2, True)


def test_blanks_of_the_canonical_layout_mean_what_merged_cells_do() -> None:
    canonical = Table.of_texts(
        [
            ["Area", "2019", "", "2020", ""],
            ["", "Male", "Female", "male", "Female."],
            ["North", "0", "1", "2", "3"],
        ],
        header_rows=2,
        header_columns=1,
    )
    assert canonical.column_tree == TWO_YEARS.column_tree


def test_a_label_over_two_lines_is_no_parent_of_its_neighbour() -> None:
    table = Table.of_texts(
        [["Year", "Births", "Deaths", ""], ["", "", "Male", "Female"], ["1", "2", "3", "4"]],
        header_rows=2,
        header_columns=1,
    )
    assert table.column_tree.paths == (("Births",), ("Deaths", "Male"), ("Deaths", "Female"))


def test_rows_below_a_label_row_are_its_children() -> None:
    table = Table.of_texts(
        [["Age", "n"], ["Men", ""], ["young", "1"], ["old", "2"], ["Women", ""], ["young", "3"]],
        header_columns=1,
    )
    assert table.row_tree.paths == (
        ("Men",),
        ("Men", "young"),
        ("Men", "old"),
        ("Women",),
        ("Women", "young"),
    )


def test_leading_spaces_put_rows_under_the_row_above() -> None:
    table = Table.of_texts(
        [
            ["", "n"],
            ["Crime", "9"],
            ["  Theft", "4"],
            ["\u00a0\u00a0\u00a0\u00a0car", "3"],
            ["  Fraud", "5"],
            ["All", "9"],
        ],
        header_columns=1,
    )
    assert table.row_tree.paths == (
        ("Crime",),
        ("Crime", "Theft"),
        ("Crime", "Theft", "car"),
        ("Crime", "Fraud"),
        ("All",),
    )


def test_a_blank_first_header_cell_puts_rows_under_the_label_beside_it() -> None:
    table = Table.of_texts(
        [["", "", "n"], ["Import", "", "9"], ["", "Milk", "4"], ["", "Tea", "5"], ["Total", "", "9"]],
        header_columns=2,
    )
    assert table.row_tree.paths == (("Import",), ("Import", "Milk"), ("Import", "Tea"), ("Total",))
    assert table.row_tree.roots[0].stop == 4


def test_a_row_that_names_itself_ends_a_group_whose_rows_do_not() -> None:
    table = Table.of_texts(
        [["", "", "n"], ["Import", "", ""], ["", "Milk", "4"], ["Total", "", "9"]], header_columns=2
    )
    assert table.row_tree.paths == (("Import",), ("Import", "Milk"), ("Total",))


def test_a_row_without_text_parts_no_group() -> None:
    rows = [["", "2019"], ["Coast", "3"], ["  Bay", "1"], ["", ""], ["  Cape", "2"], ["", ""], ["Lake", "9"]]
    table = Table.of_texts(rows, header_rows=1, header_columns=1)
    inside = [("Coast",), ("Coast", "Bay"), ("Coast",), ("Coast", "Cape")]
    assert list(table.row_tree.paths) == [*inside, (), ("Lake",)]


def unit(text: str, corner: str = "") -> list[tuple[str, int, int]]:
    return [(corner, 1, 1), (text, 1, 2)]


def test_a_unit_over_the_columns_of_the_body_is_over_the_rows_below() -> None:
    table = spanned(
        [("", 1, 1), ("2019", 1, 1), ("2020", 1, 1)],
        unit("percent"),
        [("Total", 1, 1), ("1", 1, 1), ("2", 1, 1)],
        [("  Men", 1, 1), ("1", 1, 1), ("2", 1, 1)],
        [("Rural", 1, 1), ("3", 1, 1), ("4", 1, 1)],
        unit("number"),
        [("Total", 1, 1), ("5", 1, 1), ("6", 1, 1)],
        unit("not asked", corner="Urban"),
        header_rows=1,
        header_columns=1,
    )
    assert table.row_tree.paths == (
        ("percent",),
        ("percent", "Total"),
        ("percent", "Total", "Men"),
        ("percent", "Rural"),
        ("number",),
        ("number", "Total"),
        ("number", "Urban"),
    )
    assert label_rows(table) == (1, 5), "a value for all columns is no label of rows"


def test_a_corner_that_reaches_down_beside_a_unit_is_no_row_label() -> None:
    table = spanned(
        [("Region", 2, 1), ("2019", 1, 1), ("2020", 1, 1)],
        [("percent", 1, 2)],
        [("North", 1, 1), ("1", 1, 1), ("2", 1, 1)],
        header_rows=1,
        header_columns=1,
    )
    assert table.row_tree.paths == (("percent",), ("percent", "North"))


def test_a_row_that_is_not_indented_ends_a_group_whose_rows_are() -> None:
    rows = [["", "2019"], ["Coast", ""], ["  Bay", "1"], ["  Cape", "2"], ["All", "3"]]
    table = Table.of_texts(rows, header_rows=1, header_columns=1)
    assert table.row_tree.paths == (("Coast",), ("Coast", "Bay"), ("Coast", "Cape"), ("All",))


def test_without_headers_every_line_is_a_leaf_without_a_name() -> None:
    table = Table.of_texts([["1", "2"], ["3", "4"]], header_rows=0)
    assert table.column_tree.paths == ((), ())
    assert table.row_tree.paths == ((), ())
    assert not table.column_tree.is_nested


def test_a_header_as_deep_as_a_file_is_long_is_read() -> None:
    depth = 1500  # above the limit of recursion
    table = Table.of_texts([*[[str(i)] for i in range(depth)], ["x"]], header_rows=depth)
    assert table.column_tree.depth == depth


@given(tables())
def test_leaves_cover_each_axis_in_order(table: Table) -> None:
    for tree, start, stop in (
        (column_tree(table), table.header_columns, table.n_columns),
        (row_tree(table), table.header_rows, table.n_rows),
    ):
        edges = [start]
        for leaf in tree.leaves:
            assert leaf.start == edges[-1] < leaf.stop
            edges.append(leaf.stop)
        assert edges[-1] == stop
        for root in tree.roots:
            assert all(root.start <= child.start < child.stop <= root.stop for child in root.children)


def named(table: Table) -> Table:
    """The same cells with a text of its own in each, so that none is blank, equal or indented."""
    rows = tuple(
        tuple(Cell(f"r{r}c{c}", cell.rowspan, cell.colspan) for c, cell in enumerate(row))
        for r, row in enumerate(table.rows)
    )
    return table.replace(rows=rows)


def expanded(paths: tuple[tuple[str, ...], ...], widths: list[int]) -> list[tuple[str, ...]]:
    return [path for path, width in zip(paths, widths, strict=True) for _ in range(width)]


@given(tables().map(named))
def test_paths_are_those_of_the_table_where_no_label_is_blank(table: Table) -> None:
    tree = column_tree(table)
    widths = [leaf.stop - leaf.start for leaf in tree.leaves]
    assert expanded(tree.paths, widths) == list(table.column_paths[table.header_columns :])
