"""The header trees that HiTab publishes, to compare with those that tables show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from torr_plugin.tables.header_tree import HeaderNode, HeaderTree
from torr_plugin.tables.readers.hitab import hitab

Content = dict[str, Any]
ROWS, COLUMNS = 0, 1


class HiTabTrees(NamedTuple):
    """The trees of a table's column and row headers, from the roots that HiTab gives."""

    columns: HeaderTree
    rows: HeaderTree


def hitab_trees(content: Content) -> HiTabTrees:
    """The trees over the body of the table that the reader makes.

    As in ``Table.row_tree``, a parent with a line of its own has a leaf with a blank label for it, and so has
    a line that is in no tree.
    """
    table = hitab(content)
    size, first = (table.n_rows, table.n_columns), (table.header_rows, table.header_columns)
    nodes = _Nodes(content, size)
    return HiTabTrees(
        *[
            HeaderTree(tuple(nodes.over(content[root]["children"], axis, first[axis], size[axis])))
            for root, axis in (("top_root", COLUMNS), ("left_root", ROWS))
        ]
    )


def hitab_regions_cut(content: Content) -> int:
    """How many merged regions reach beyond the table."""
    height, width = len(content["texts"]), len(content["texts"][0])
    return sum(
        each["last_row"] >= height or each["last_column"] >= width for each in content["merged_regions"]
    )


class _Nodes:
    def __init__(self, content: Content, size: tuple[int, int]) -> None:
        self.texts = content["texts"]
        self.ends = {
            (each["first_row"], each["first_column"]): (
                min(each["last_row"], size[0] - 1),
                min(each["last_column"], size[1] - 1),
            )
            for each in content["merged_regions"]
        }

    def over(self, labels: Sequence[Content], axis: int, start: int, stop: int) -> list[HeaderNode]:
        """Nodes that cover the lines from ``start`` to ``stop``; of two on one line the first has it."""
        found: list[HeaderNode] = []
        edges = [*[self._lines(label, axis)[0] for label in labels[1:]], stop]
        position = start
        for label, edge in zip(labels, edges, strict=False):
            first, last = self._lines(label, axis)
            first, last = max(first, position), min(last, edge)
            if first < last:
                found += [HeaderNode("", position, first)] if position < first else []
                found += self._node(label, axis, first, last)
                position = last
        return [*found, *([HeaderNode("", position, stop)] if position < stop else [])]

    def _node(self, label: Content, axis: int, start: int, stop: int) -> list[HeaderNode]:
        text = str(self.texts[label["row_index"]][label["column_index"]] or "").strip()
        below = self.over(label["children"], axis, start, stop) if label["children"] else []
        named = any(node.label for node in below)
        return [HeaderNode(text, start, stop, tuple(below) if named else ())] if text or not named else below

    def _lines(self, label: Content, axis: int) -> tuple[int, int]:
        """The first line of a label or of those below it, and the one behind their last."""
        places = list(_places(label))
        first = min(place[axis] for place in places)
        return first, max(self.ends.get(place, place)[axis] for place in places) + 1


def _places(label: Content) -> Iterator[tuple[int, int]]:
    yield label["row_index"], label["column_index"]
    for child in label["children"]:
        yield from _places(child)
