"""Whether header nodes hold the same labels below them, without recursion: a header can be very deep."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._header_values import HeaderNode

_FOOTNOTE = re.compile(r"\s*(?:\s\d|[+*†‡↑↓]|\(\d\))\W*$")


def alike(parents: Sequence[HeaderNode]) -> bool:
    """Whether nodes hold the same labels on all levels below them.

    Case, blanks and marks do not count, nor does a footnote's number behind a label unless it is what tells
    neighbours apart (``Type 1`` beside ``Type 2``).
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
    """The same after ``read``; not so where it makes two labels of one parent the same."""
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
