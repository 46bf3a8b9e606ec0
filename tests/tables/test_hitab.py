"""HiTab's tables and header trees: made ones, and all that there are."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.papers.realhitbench.complexity import Complexity
from torr_plugin.tables import Table, TableError
from torr_plugin.tables.header_tree import HeaderNode, HeaderTree, walk
from torr_plugin.tables.readers.hitab import hitab

from .hitab_trees import HiTabTrees, hitab_regions_cut, hitab_trees

Content = dict[str, Any]
Path_ = tuple[str, ...]


def node(row: int, column: int, *children: Content) -> Content:
    return {"row_index": row, "column_index": column, "children": list(children)}


def region(first: tuple[int, int], last: tuple[int, int]) -> dict[str, int]:
    return {
        "first_row": first[0],
        "last_row": last[0],
        "first_column": first[1],
        "last_column": last[1],
    }


def content(**changes: object) -> Content:
    """Ferries of two coasts: a corner over the unit too, levels that only ``left_root`` has."""
    made: Content = {
        "title": "ferries",
        "texts": [
            ["port", "2019", "", "all"],
            ["", "in", "out", ""],
            ["", "number", "", ""],
            ["coast", "4", "6", "10"],
            ["bay", "1", "2", "3"],
            ["inland", "", "", ""],
            ["lake", "7", "8", "15"],
        ],
        "merged_regions": [
            region((0, 0), (2, 0)),
            region((0, 1), (0, 2)),
            region((0, 3), (1, 3)),
            region((2, 1), (2, 3)),
            region((5, 0), (5, 5)),
        ],
        "top_root": node(-1, -1, node(0, 1, node(1, 1), node(1, 2)), node(0, 3)),
        "left_root": node(-1, -1, node(2, 1, node(3, 0, node(4, 0)), node(5, 0, node(6, 0)))),
        "top_header_rows_num": 3,
        "left_header_columns_num": 1,
    }
    return {**made, **changes}


def line_paths(tree: HeaderTree) -> list[Path_]:
    """The labels of each line, whether or not a leaf covers several."""
    return [path for path, leaf in walk(tree.roots) for _ in range(leaf.start, leaf.stop)]


def labels(tree: HeaderTree) -> list[tuple[int, str, int, int]]:
    """Level, text and lines of each label."""
    found: list[tuple[int, str, int, int]] = []
    stack = [(0, root) for root in reversed(tree.roots)]
    while stack:
        level, own = stack.pop()
        found += [(level, own.label, own.start, own.stop)] if own.label else []
        stack += [(level + bool(own.label), child) for child in reversed(own.children)]
    return found


def test_spans_depth_and_title_are_read() -> None:
    table = hitab(str(content()))
    assert (table.header_rows, table.header_columns, table.title) == (2, 1, "ferries")
    assert [[(cell.text, cell.rowspan, cell.colspan) for cell in row] for row in table.rows[:3]] == [
        [("port", 3, 1), ("2019", 1, 2), ("all", 2, 1)],
        [("in", 1, 1), ("out", 1, 1)],
        [("number", 1, 3)],
    ]
    assert table.column_paths[1:] == (("2019", "in"), ("2019", "out"), ("all",))
    assert hitab(content(), title="mine", notes=["a note"]).title == "mine"


def test_a_region_that_reaches_too_far_is_cut_and_counted() -> None:
    assert hitab(content()).rows[5][0].colspan == 4
    assert hitab_regions_cut(content()) == 1
    assert hitab_regions_cut(content(merged_regions=[])) == 0


def test_paths_are_those_from_the_roots() -> None:
    trees = hitab_trees(content())
    assert trees.columns.paths == (("2019", "in"), ("2019", "out"), ("all",))
    assert trees.rows.paths == (
        ("number",),
        ("number", "coast"),
        ("number", "coast", "bay"),
        ("number", "inland"),
        ("number", "inland", "lake"),
    )
    assert trees.rows.roots == (
        HeaderNode(
            "number",
            2,
            7,
            (
                HeaderNode("", 2, 3),
                HeaderNode("coast", 3, 5, (HeaderNode("", 3, 4), HeaderNode("bay", 4, 5))),
                HeaderNode("inland", 5, 7, (HeaderNode("", 5, 6), HeaderNode("lake", 6, 7))),
            ),
        ),
    )


def test_levels_in_one_column_become_indentation() -> None:
    table = hitab(content(), indent=True)
    assert [line[0].text for line in table.grid[3:]] == ["coast", "  bay", "inland", "  lake"]
    assert HiTabTrees(table.column_tree, table.row_tree) == hitab_trees(content())


def test_a_title_of_rows_above_the_first_row_label_is_in_the_body() -> None:
    texts = [["port", "in"], ["coast", ""], ["bay", "1"]]
    top, left = node(-1, -1, node(0, 1)), node(-1, -1, node(2, 0))
    made = content(texts=texts, merged_regions=[region((1, 0), (1, 1))], top_root=top, left_root=left)
    assert hitab(made).header_rows == 1
    assert hitab(made).row_tree.paths == (("coast",), ("coast", "bay"))
    assert hitab_trees(made).rows.paths == ((), ("bay",))


def test_a_line_of_two_labels_is_the_first_ones() -> None:
    top = node(-1, -1, node(0, 1), node(0, 1), node(0, 3))
    assert hitab_trees(content(top_root=top)).columns.paths == (("2019",), ("all",))


def test_a_table_with_labels_on_one_axis_alone() -> None:
    texts = [["in", None], ["4", "6"]]
    plain = {"texts": texts, "merged_regions": [], "left_root": node(-1, -1), "top_root": node(-1, -1)}
    above = hitab(content(**plain | {"top_root": node(-1, -1, node(0, 0), node(0, 1))}))
    assert (above.header_rows, above.header_columns, above.rows[0][1].text) == (1, 0, "")
    beside = content(**plain | {"left_root": node(-1, -1, node(0, 0), node(1, 0))})
    assert (hitab(beside).header_rows, hitab(beside).header_columns) == (0, 1)
    assert hitab_trees(beside).rows.paths == (("in",), ("4",))
    assert hitab_trees(beside).columns.paths == ((),)
    assert hitab(content(**plain)).header_rows == 0


def _deep(levels: int) -> Content:
    made = node(3, 0)
    for _ in range(levels):
        made = node(3, 0, made)
    return made


MISTAKES: list[tuple[object, str]] = [
    ("{'texts': [", "expected a dict"),
    ("[1]", r"the table is '\[1\]'; expected"),
    (3, "the table is int; expected"),
    (content(texts="a"), "the table's texts is 'a'; expected a list"),
    (content(texts=[]), "the table's texts are empty"),
    (content(texts=[["a", "b"], ["c"]]), "row 1 of the table's texts has 1 cell, expected 2"),
    (content(merged_regions=None), "the table's merged_regions is 'None'; expected a list"),
    (content(merged_regions=[{"first_row": 0}]), "region 0 of the table's merged_regions is"),
    (content(merged_regions=[region((9, 0), (9, 1))]), "at row 9, column 0; the table has 7 x 4 places"),
    (content(merged_regions=[region((0, 0), (1, 1)), region((1, 1), (1, 2))]), "row 1 of the table"),
    (content(top_root=None), "the table's top_root is 'None'; expected a dict with 'children'"),
    (content(left_root=node(-1, -1, node(1, 7))), "a node of the table's left_root is at row 1, column 7"),
    (content(left_root=_deep(800)), "the table's left_root is nested more than 100 levels deep"),
    (content(left_root={"children": [{"row_index": "1"}]}), "expected 'row_index' and 'column_index'"),
]


@pytest.mark.parametrize(("wrong", "message"), MISTAKES, ids=[message[:40] for _, message in MISTAKES])
def test_mistakes_are_one_clear_line(wrong: Any, message: str) -> None:
    with pytest.raises(TableError, match=message) as raised:
        hitab(wrong)
    assert "\n" not in str(raised.value)


Groups = list[tuple[str, list[str]]]
WORDS = st.text("abcdefg", min_size=1, max_size=3)
GROUPS: st.SearchStrategy[Groups] = st.lists(
    st.tuples(WORDS, st.lists(WORDS, max_size=3)), min_size=1, max_size=4
)


def made_of(columns: Groups, rows: Groups) -> tuple[Content, list[Path_], list[Path_]]:
    """A table with labels over columns and above rows, and the paths of its columns and rows."""
    head, below, top, regions, across = [""], [""], [], [], []
    for label, inner in columns:
        at = len(head)
        top.append(node(0, at, *[node(1, at + i) for i in range(len(inner))]))
        head += [label, *[""] * (len(inner) - 1)]
        below += inner or [""]
        regions += [region((0, at), (0, at + len(inner) - 1) if inner else (1, at))]
        across += [(label, each) for each in inner] or [(label,)]
    texts, left, down = [head, below], [], []
    for label, inner in rows:
        at = len(texts)
        left.append(node(at, 0, *[node(at + i, 0) for i in range(1, len(inner) + 1)]))
        texts += [[each, *"1" * (len(head) - 1)] for each in (label, *inner)]
        down += [(label,), *[(label, each) for each in inner]]
    roots = {"top_root": node(-1, -1, *top), "left_root": node(-1, -1, *left)}
    return content(texts=texts, merged_regions=regions, **roots), across, down


@settings(max_examples=60)
@given(GROUPS, GROUPS)
def test_any_two_levels_come_back(columns: Groups, rows: Groups) -> None:
    made, across, down = made_of(columns, rows)
    trees, table = hitab_trees(made), hitab(made, indent=True)
    assert line_paths(trees.columns) == across
    assert line_paths(trees.rows) == down
    assert HiTabTrees(table.column_tree, table.row_tree) == trees


# the published tables


@cache
def _rows(path: Path) -> list[dict[str, str]]:
    return pq.read_table(path, columns=["table_id", "linked_cells", "table_content"]).to_pylist()


@pytest.fixture(scope="module")
def published(shared_data: Path) -> dict[str, Content]:
    """The 1,002 tables of both splits: 498 of test, 504 of validation."""
    rows = [row for split in ("test", "validation") for row in _rows(shared_data / f"hitab/{split}.parquet")]
    texts = {row["table_id"]: row["table_content"] for row in rows}
    return {name: ast.literal_eval(text) for name, text in texts.items()}


TOO_WIDE = {
    *("104_totto12360-3", "124_totto14665-1", "170_totto20195-2", "235_totto26748-2", "260_totto29384-1"),
    *("271_totto30784-3", "324_totto36817-2", "35_totto4080-4", "362_totto41358-3", "387_totto44676-2"),
    *("39_totto4419-1", "39_totto4486-4", "434_totto50089-4", "456_totto52588-4", "492_totto56167-3"),
    *("501_totto57274-1", "509_totto58220-0", "55_totto6269-4", "566_totto64769-2", "59_totto6844-0"),
    *("65_20_nsf20316-tab001", "79_totto9112-2"),
}


@pytest.mark.full
class TestPublished:
    def test_22_tables_of_test_have_regions_beyond_their_width(
        self, published: dict[str, Content], shared_data: Path
    ) -> None:
        of_test = {row["table_id"] for row in _rows(shared_data / "hitab/test.parquet")}
        cut = {name for name, own in published.items() if hitab_regions_cut(own)}
        assert (len(of_test), len(published)) == (498, 1002)
        assert cut & of_test == TOO_WIDE
        assert len(cut) == 35

    @pytest.mark.parametrize("split", ["test", "validation", "corrected_2025"])
    def test_linked_cells_are_found_under_their_paths(
        self, published: dict[str, Content], shared_data: Path, split: str
    ) -> None:
        """Headers name the line that they are linked on; the paths of a value's lines lead to its text."""
        tables = {name: (hitab(own), hitab_trees(own)) for name, own in published.items()}
        rows = _rows(shared_data / f"hitab/{split}.parquet")
        found = [_is_found(*tables[row["table_id"]], ast.literal_eval(row["linked_cells"])) for row in rows]
        assert sum(found) / len(found) > 0.99

    def test_trees_agree_with_the_roots(self, published: dict[str, Content]) -> None:
        """Columns differ by units written below them; rows, read as published, by lost indentation."""
        shares = {}
        for indent in (False, True):
            read = [(hitab(own, indent=indent), hitab_trees(own)) for own in published.values()]
            for axis, pairs in {
                "columns": [(table.column_tree, trees.columns) for table, trees in read],
                "rows": [(table.row_tree, trees.rows) for table, trees in read],
            }.items():
                equal = sum(labels(ours) == labels(theirs) for ours, theirs in pairs)
                lines = [
                    own == other
                    for ours, theirs in pairs
                    for own, other in zip(line_paths(ours), line_paths(theirs), strict=True)
                ]
                shares[axis, indent] = (equal, round(sum(lines) / len(lines), 3))
        assert shares["columns", False] == shares["columns", True] == (926, 0.969)
        assert shares["rows", False] == (789, 0.86)
        assert shares["rows", True] == (964, 0.982)

    def test_complexity_beside_the_papers(self, published: dict[str, Content]) -> None:
        """Table 8 has 57.91, 47.10, 33.98 and 55.64, as a model rates an unstated choice of tables."""
        found = [Complexity.of(hitab(own, indent=True)) for own in published.values()]
        means = [
            sum(getattr(each, part) for each in found) / len(found)
            for part in ("header_hierarchy", "content_partition", "implicit_multi_table", "supplement")
        ]
        assert means == pytest.approx([57.91, 47.10, 33.98, 20.0], abs=10)


def _is_found(table: Table, trees: HiTabTrees, linked: dict[str, Any]) -> bool:
    first = (table.header_rows, table.header_columns)
    rows, columns = line_paths(trees.rows), line_paths(trees.columns)

    def leads_to(row: int, column: int, value: object) -> bool:
        if row < first[0] or column < first[1]:
            return False
        own = rows[row - first[0]], columns[column - first[1]]
        places = [(r, c) for r, path in enumerate(rows, first[0]) if path == own[0] for c in _of(own[1])]
        return any(_value(table.grid[r][c].text) == _value(value) for r, c in places)

    def _of(path: Path_) -> list[int]:
        return [c for c, own in enumerate(columns, first[1]) if own == path]

    def names(row: int, column: int, paths: list[Path_], line: int) -> bool:
        return 0 <= line < len(paths) and table.grid[row][column].text.strip() in paths[line]

    values = [leads_to(*place, value) for place, value in _cells(linked["quantity_link"])]
    entities = linked["entity_link"]
    top = [names(r, c, columns, c - first[1]) for (r, c), _ in _cells(entities["top"])]
    left = [names(r, c, rows, r - first[0]) for (r, c), _ in _cells(entities["left"])]
    return all([*values, *top, *left])


def _cells(links: dict[str, dict[str, object]]) -> Iterator[tuple[tuple[int, int], object]]:
    for cells in links.values():
        yield from ((ast.literal_eval(place), value) for place, value in cells.items())


def _value(value: object) -> object:
    text = str(value).translate(str.maketrans("", "", ",%$")).strip()
    try:
        return float(text)
    except ValueError:
        return text
