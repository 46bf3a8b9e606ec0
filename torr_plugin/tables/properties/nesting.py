"""Nesting of columns and rows: whether headers lie under headers, and whether the branches are alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..header_tree import HeaderNode, HeaderTree
from . import names, terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .layout import Layout


def column_nesting(layout: Layout) -> dict[str, bool]:
    """The properties of the columns' nesting."""
    tree = layout.table.column_tree
    return _properties(
        tree,
        _has_siblings(tree) or _pairs(tree),
        names.MULTI_LEVEL_COLUMN,
        (names.BALANCED_COLUMN, names.UNBALANCED_COLUMN),
        (names.SYMMETRIC_COLUMN, names.ASYMMETRIC_COLUMN),
    )


def row_nesting(layout: Layout) -> dict[str, bool]:
    """The properties of the rows' nesting.

    A label row is a heading and no parent, unless its rows leave the label's column blank for it.
    """
    tree = without_groups(layout)
    return _properties(
        tree,
        _has_siblings(tree) or (not layout.inferred and _pairs(tree)),
        names.ROW_NESTING,
        (names.BALANCED_ROW, names.UNBALANCED_ROW),
        (names.SYMMETRIC_ROW, names.ASYMMETRIC_ROW),
    )


def without_groups(layout: Layout) -> HeaderTree:
    """The tree of the rows with headings taken out of it: the rows below them are roots again."""
    groups = set(layout.groups)
    roots: list[HeaderNode] = []
    stack = list(reversed(layout.table.row_tree.roots))
    while stack:
        node = stack.pop()
        below = [child for child in node.children if child.label]
        if node.start in groups and not any(_leaves_blank(layout, child) for child in below):
            stack += reversed(below)
        else:
            roots.append(node)
    return HeaderTree(tuple(roots))


def _leaves_blank(layout: Layout, node: HeaderNode) -> bool:
    return layout.table.header_columns > 1 and not layout.table.grid[node.start][0].text.strip()


def without_totals(tree: HeaderTree) -> HeaderTree:
    """The same without the leaves that are called a total: they sum branches up and are none themselves."""
    return HeaderTree(_kept(tree.roots))


def _kept(nodes: Sequence[HeaderNode]) -> tuple[HeaderNode, ...]:
    kept = [node for node in nodes if node.is_nested or not terms.stands_alone(node.label)] or nodes
    return tuple([HeaderNode(node.label, node.start, node.stop, _kept(node.children)) for node in kept])


def _properties(
    tree: HeaderTree, nests: bool, nested: str, depth: tuple[str, str], labels: tuple[str, str]
) -> dict[str, bool]:
    balanced, symmetric = nests and without_totals(tree).balanced, nests and tree.symmetric
    return {
        nested: nests,
        depth[0]: balanced,
        depth[1]: nests and not balanced,
        labels[0]: symmetric,
        labels[1]: nests and not symmetric,
    }


def _has_siblings(tree: HeaderTree) -> bool:
    """Whether some label has two others under it."""
    stack = list(tree.roots)
    while stack:
        node = stack.pop()
        if sum(1 for child in node.children if child.label) > 1:
            return True
        stack += node.children
    return False


def _pairs(tree: HeaderTree) -> bool:
    """Whether most labels have one under them, if only one.

    Where few have, that is as often a text of two lines that a scanner took apart; and two columns of words
    beside each other are a code and its meaning unless the source says that both are headers.
    """
    return 2 * sum(root.is_nested for root in tree.roots) > len(tree.roots)
