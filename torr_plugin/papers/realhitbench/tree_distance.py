"""The edit distance of ordered trees, after Zhang and Shasha (1989)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...tables.header_tree import HeaderNode

MOST_COMPARISONS = 1_000_000
"""The most comparisons of two nodes that a distance may take."""


@dataclass(frozen=True, slots=True)
class FlatTree:
    """A forest below a root without a label, its nodes in postorder.

    Attributes:
        labels: of the nodes; the root is the last one.
        first_leaves: for each node the place of the leftmost leaf below it, or its own.
        key_roots: the nodes with a sibling on their left, and the root.
    """

    labels: Sequence[str]
    first_leaves: Sequence[int]
    key_roots: Sequence[int]

    @property
    def size(self) -> int:
        """The nodes below the root."""
        return len(self.labels) - 1

    @property
    def work(self) -> int:
        """How many nodes are looked at for each one of the other tree: those below every key root."""
        return sum(root - self.first_leaves[root] + 1 for root in self.key_roots)


def flat_tree(roots: Sequence[HeaderNode], most: int | None = None) -> FlatTree:
    """Flatten a forest, or the first ``most`` nodes of it, parents before their children."""
    labels, children = _preorder(roots, most)
    order = list(_postorder(children))
    place = {node: at for at, node in enumerate(order)}
    first_leaves: list[int] = []
    for at, node in enumerate(order):
        first_leaves.append(first_leaves[place[children[node][0]]] if children[node] else at)
    last_with = {leaf: at for at, leaf in enumerate(first_leaves)}
    return FlatTree([labels[node] for node in order], first_leaves, sorted(last_with.values()))


def _preorder(roots: Sequence[HeaderNode], most: int | None) -> tuple[list[str], list[list[int]]]:
    """Labels and children of the nodes, by their places in preorder; the root is at 0."""
    labels, children = [""], [list[int]()]
    stack = [(0, node) for node in reversed(roots)]
    while stack and (most is None or len(labels) <= most):
        above, node = stack.pop()
        own = len(labels)
        children[above].append(own)
        labels.append(node.label)
        children.append([])
        stack += [(own, child) for child in reversed(node.children)]
    return labels, children


def _postorder(children: Sequence[Sequence[int]]) -> Iterator[int]:
    stack = [(0, False)]
    while stack:
        node, is_done = stack.pop()
        if is_done:
            yield node
        else:
            stack.append((node, True))
            stack += [(child, False) for child in reversed(children[node])]


def comparable_trees(
    one: Sequence[HeaderNode], other: Sequence[HeaderNode], most: int = MOST_COMPARISONS
) -> tuple[FlatTree, FlatTree]:
    """Two forests, cut to as many first nodes (by halves) as can be compared in ``most`` comparisons."""
    first, second = flat_tree(one), flat_tree(other)
    size = max(first.size, second.size)
    while first.work * second.work > most and size > 1:
        size //= 2
        first, second = flat_tree(one, size), flat_tree(other, size)
    return first, second


def tree_distance(one: FlatTree, other: FlatTree) -> int:
    """The fewest insertions, deletions and relabellings of nodes that make one tree the other."""
    distances = [[0] * len(other.labels) for _ in one.labels]
    for root in one.key_roots:
        for other_root in other.key_roots:
            _compare(one, other, root, other_root, distances)
    return distances[-1][-1]


def _compare(one: FlatTree, other: FlatTree, root: int, other_root: int, distances: list[list[int]]) -> None:
    """Fill in the distances of the subtrees on the leftmost branches below two key roots.

    ``forest[x][y]`` is the distance of the first x nodes below the one and the first y below the other.
    """
    first, other_first = one.first_leaves[root], other.first_leaves[other_root]
    forest = [list(range(other_root - other_first + 2))]
    for node in range(first, root + 1):
        above = forest[-1]
        line = [above[0] + 1]
        reached = one.first_leaves[node] - first
        for y, other_node in enumerate(range(other_first, other_root + 1)):
            other_reached = other.first_leaves[other_node] - other_first
            if reached or other_reached:
                mapped = forest[reached][other_reached] + distances[node][other_node]
                line.append(min(above[y + 1] + 1, line[y] + 1, mapped))
            else:
                mapped = above[y] + (one.labels[node] != other.labels[other_node])
                line.append(min(above[y + 1] + 1, line[y] + 1, mapped))
                distances[node][other_node] = line[-1]
        forest.append(line)
