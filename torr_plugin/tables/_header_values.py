"""The header tree as a value: nodes with what they cover, and what a tree of them tells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ._header_shapes import alike


@dataclass(frozen=True, slots=True)
class HeaderNode:
    """One header label and what lies under it.

    ``start`` and ``stop`` are the grid columns that it covers (in a row tree the rows), ``stop`` excluded. A
    blank label is a place that no label of its own names: a column without a header, or the line of a row
    that is itself the parent of the rows below it.
    """

    label: str
    start: int
    stop: int
    children: tuple[HeaderNode, ...] = ()

    @property
    def is_nested(self) -> bool:
        """Whether labels lie under this one."""
        return any(child.label for child in self.children)


@dataclass(frozen=True)
class HeaderTree:
    """The header nodes of one axis: ``roots`` cover the body's columns (or rows) in order without a gap."""

    roots: tuple[HeaderNode, ...]

    @cached_property
    def _branches(self) -> tuple[tuple[tuple[str, ...], HeaderNode], ...]:
        """Every leaf, in order, with the labels on the way to it."""
        return tuple(walk(self.roots))

    @property
    def leaves(self) -> tuple[HeaderNode, ...]:
        """The nodes with nothing below them, in order; a merged one covers several columns (or rows)."""
        return tuple([leaf for _, leaf in self._branches])

    @property
    def paths(self) -> tuple[tuple[str, ...], ...]:
        """For each leaf, in order, the labels from the outermost in; a leaf that nothing names has ``()``."""
        return tuple([path for path, _ in self._branches])

    @property
    def depth(self) -> int:
        """How many labels the longest path has."""
        return max((len(path) for path, _ in walk(self.roots)), default=0)

    @property
    def is_nested(self) -> bool:
        """Whether any label lies under another."""
        return any(root.is_nested for root in self.roots)

    @property
    def balanced(self) -> bool:
        """Whether all branches that nest are equally deep (HCT-QA, A.1); a label without children is none."""
        inside = [root for root in self.roots if root.is_nested]
        return len({len(path) for path, leaf in walk(inside) if leaf.label}) <= 1

    @property
    def symmetric(self) -> bool:
        """Whether the parents of the highest level that has more than one hold the same labels (HCT-QA, A.1).

        Labels without children do not count; a level with one parent is passed over. A nested tree in which
        no level has two is not symmetric; one that does not nest has nothing that could differ.
        """
        level = [root for root in self.roots if root.is_nested]
        while len(level) == 1:
            level = [child for child in level[0].children if child.is_nested]
        return alike(level) if level else not self.is_nested


def walk(roots: Sequence[HeaderNode]) -> Iterator[tuple[tuple[str, ...], HeaderNode]]:
    """The leaves in order with their paths, without recursion: a header can be as deep as a file is long."""
    stack: list[tuple[tuple[str, ...], HeaderNode]] = [((), node) for node in reversed(roots)]
    while stack:
        above, node = stack.pop()
        path = (*above, node.label) if node.label else above
        if not node.children:
            yield path, node
        stack += [(path, child) for child in reversed(node.children)]
