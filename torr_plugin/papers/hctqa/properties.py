"""Which of HCT-QA's table properties a table's headers show (Table 6): nesting, balance, symmetry, groups."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ...tables.header_depth import with_header_depth
from ...tables.header_tree import HeaderNode, HeaderTree, label_rows
from . import property_names as names
from .symmetry import alike, is_symmetric, nested_nodes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ...tables.table import Table


def detect(table: Table) -> dict[str, bool]:
    """Which of HCT-QA's properties of headers a table has, one entry a name of :data:`names.DETECTED`.

    They are read from the header trees. Aggregation, and with it whether a table is a plain relation, takes
    a person or the data set's own annotation; ``Split Header Cell`` takes the picture.
    """
    settled = with_header_depth(table)
    columns, rows = settled.column_tree, _without_groups(settled)
    inferred = settled.header_columns != table.header_columns
    column_nests = _has_siblings(columns) or _pairs(columns)
    row_nests = _has_branches(rows) or (not inferred and _pairs(rows) and not _repeats(rows))
    grid = settled.grid
    found = (
        *_properties(columns, column_nests, lambda node: not grid[0][node.start].text.strip()),
        *_properties(rows, row_nests, lambda node: not grid[node.start][0].text.strip()),
        bool(label_rows(settled)),
    )
    return dict(zip(names.DETECTED, found, strict=True))


def _without_groups(table: Table) -> HeaderTree:
    """The tree of rows without headings, whose rows become roots.

    A label row is a heading and no parent, unless its rows leave the label's column blank for it.
    """
    groups = set(label_rows(table))
    roots: list[HeaderNode] = []
    stack = list(reversed(table.row_tree.roots))
    while stack:
        node = stack.pop()
        below = [child for child in node.children if child.label]
        if node.start in groups and not any(_leaves_blank(table, child) for child in below):
            stack += reversed(below)
        else:
            roots.append(node)
    return HeaderTree(tuple(roots))


def _leaves_blank(table: Table, node: HeaderNode) -> bool:
    return table.header_columns > 1 and not table.grid[node.start][0].text.strip()


def _is_balanced(tree: HeaderTree) -> bool:
    """Whether all branches that nest are equally deep.

    A leaf that is called a total sums branches up and is none itself.
    """
    return len(set(_depths(tree))) <= 1


def _is_titled_in_part(tree: HeaderTree, untitled: Callable[[HeaderNode], bool]) -> bool:
    """Whether only a title over some branches makes depths differ: Total beside Nationality / Citizens.

    All innermost parents then have the same labels, and a root among them is a total or is below a blank,
    where it has no title.
    """
    parents = [node for node in nested_nodes(tree.roots) if any(_is_leaf(child) for child in node.children)]
    inner = set(map(id, parents))
    roots = [node for node in tree.roots if id(node) in inner]
    return (
        0 < len(roots) < len(parents)
        and all(_is_leaf(child) for node in parents for child in node.children)
        and all(names.stands_alone(node.label) or untitled(node) for node in roots)
        and alike(parents)
    )


def _is_leaf(node: HeaderNode) -> bool:
    return bool(node.label) and not node.is_nested


def _depths(tree: HeaderTree) -> Iterator[int]:
    """How many labels lead to each leaf below a root, totals left out; a label written twice is one."""
    stack = [(node, 0) for node in _branches(tree.roots)]
    while stack:
        node, above = stack.pop()
        children = _branches(node.children)
        if not children and node.label and above:
            yield above + 1
        twice = len(children) == 1 and children[0].label == node.label
        below = above + (bool(node.label) and not twice)
        stack += [(child, below) for child in children]


def _branches(nodes: Sequence[HeaderNode]) -> Sequence[HeaderNode]:
    return [node for node in nodes if node.is_nested or not names.stands_alone(node.label)] or nodes


def _properties(
    tree: HeaderTree,
    nests: bool,
    untitled: Callable[[HeaderNode], bool],
) -> tuple[bool, bool, bool, bool, bool]:
    """Whether it nests, and if so balanced or not, symmetric or not."""
    titled = nests and _is_titled_in_part(tree, untitled)
    balanced, symmetric = titled or (nests and _is_balanced(tree)), titled or (nests and is_symmetric(tree))
    return nests, balanced, nests and not balanced, symmetric, nests and not symmetric


def _has_siblings(tree: HeaderTree) -> bool:
    """Whether some label has two others under it."""
    return any(sum(bool(child.label) for child in node.children) > 1 for node in nested_nodes(tree.roots))


def _has_branches(tree: HeaderTree) -> bool:
    """Whether some label has two others under it, not counting totals.

    Where two labels have one and a total under them, totals belong to groups.
    """
    beside_total = 0
    for node in nested_nodes(tree.roots):
        labels = [child.label for child in node.children if child.label]
        branches = [label for label in labels if not names.stands_alone(label)]
        beside_total += len(branches) == 1 < len(labels)
        if len(branches) > 1 or beside_total > 1:
            return True
    return False


def _pairs(tree: HeaderTree) -> bool:
    """Whether most labels have at least one label under them.

    Where few have, that is as often a text of two lines that a scanner took apart; and two columns of words
    beside each other are a code and its meaning unless the source says that both are headers.
    """
    return 2 * sum(root.is_nested for root in tree.roots) > len(tree.roots)


def _repeats(tree: HeaderTree) -> bool:
    """Whether neighbours have the same label: written out on each line, as in a relation, it is no parent."""
    return any(a.label and a.label == b.label for a, b in pairwise(tree.roots))
