"""Whether a header tree is symmetric (HCT-QA, A.1), and whether nodes hold the same labels."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from ...tables.header_tree import HeaderNode, HeaderTree

_FOOTNOTE = re.compile(r"\s*(?:\s\d|[+*†‡↑↓]|\(\d\))\W*$")


def is_symmetric(tree: HeaderTree) -> bool:
    """Whether the parents on the highest level with several have the same labels below.

    Labels without children do not count. A nested tree without such a level is not symmetric; a tree without
    nesting is.
    """
    level = [root for root in tree.roots if root.is_nested]
    while len(level) == 1:
        level = [child for child in level[0].children if child.is_nested]
    return alike(level) if level else not tree.is_nested


def alike(parents: Sequence[HeaderNode]) -> bool:
    """Whether nodes hold the same labels on all levels below them.

    Case, blanks and marks do not count, nor does a footnote's number after a label, unless neighbours differ
    in it alone (``Type 1`` beside ``Type 2``).
    """
    return _are_equal(parents, _plain) or _are_equal(parents, _without_footnote)


def nested_nodes(roots: Iterable[HeaderNode]) -> Iterator[HeaderNode]:
    """All nodes with labels under them, parents before their children."""
    stack = [node for node in roots if node.is_nested]
    while stack:
        node = stack.pop()
        yield node
        stack += [child for child in node.children if child.is_nested]


def _are_equal(parents: Sequence[HeaderNode], read: Callable[[str], str]) -> bool:
    """Whether nodes have equal labels after ``read``; False if it makes two labels of one parent equal."""
    order = list(nested_nodes(parents))
    numbers: dict[tuple[tuple[str, int], ...], int] = {}
    shape_of: dict[int, int] = {}
    for node in reversed(order):
        labelled = [child for child in node.children if child.label]
        shape = tuple([(read(child.label), shape_of.get(id(child), -1)) for child in labelled])
        if read is not _plain and len({label for label, _ in shape}) < len(shape):
            return False
        shape_of[id(node)] = numbers.setdefault(shape, len(numbers))
    return len({shape_of.get(id(node), -1) for node in parents}) == 1


def _plain(label: str) -> str:
    kept = "".join([sign for sign in label.casefold() if sign.isalnum() or sign in "%+"])
    return kept or label


def _without_footnote(label: str) -> str:
    return _plain(_FOOTNOTE.sub("", label) or label)
