"""Header tuples: the header trees of a table as TreeThinker writes them, ``(R0, 1, 2, City)``.

After RealHiTBench, section 4.1 and Table 17. In: a table. Out: tuples, and their text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from .header_tree import HeaderTree
    from .table import Table

Axis: TypeAlias = Literal["R", "C"]

AXES: tuple[Axis, ...] = ("C", "R")


@dataclass(frozen=True, slots=True)
class HeaderTuple:
    """One header of a table.

    Attributes:
        axis: ``R`` for a header of rows, ``C`` for one of columns.
        level: how many headers lie above it; 0 for the outermost, whose parent is ROOT at level -1.
        start: the first row (``C``: column) that it stands for, counted from 0 over the whole table as it is
            shown, header rows and header columns included: with one header row the first row of values is 1.
        end: the last one, included; equal to ``start`` for a leaf of one row.
        text: the label, not blank.
    """

    axis: Axis
    level: int
    start: int
    end: int
    text: str

    def __str__(self) -> str:
        """``(R0, 1, 2, City)``; a label that could be misread is written as JSON text."""
        text = self.text if _BARE.fullmatch(self.text) else json.dumps(self.text, ensure_ascii=False)
        return f"({self.axis}{self.level}, {self.start}, {self.end}, {text})"


_WORD = r"[^\s()\[\]{}|\\\"]+"  # without signs that could end the text
_BARE = re.compile(rf"(?=.{{1,200}}\Z)(?![*`'“‘«:]){_WORD}(?: {_WORD})*(?<![*`',;])")  # noqa: RUF001


def header_tuples(table: Table) -> tuple[HeaderTuple, ...]:
    """The labelled nodes of a table's trees, columns before rows, parents before their children.

    Children of a node with a blank label count as those of the node above it.
    """
    return (*_tuples_of("C", table.column_tree), *_tuples_of("R", table.row_tree))


def _tuples_of(axis: Axis, tree: HeaderTree) -> Iterator[HeaderTuple]:
    stack = [(0, node) for node in reversed(tree.roots)]
    while stack:
        level, node = stack.pop()
        if node.label:
            yield HeaderTuple(axis, level, node.start, node.stop - 1, node.label)
        stack += [(level + bool(node.label), child) for child in reversed(node.children)]


_HEADINGS = {"C": "Column headers, below ROOT:", "R": "Row headers, below ROOT:"}


def tree_text(tuples: Sequence[HeaderTuple]) -> str:
    """Both trees as indented lists of tuples, two spaces a level; empty without tuples."""
    parts = []
    for axis in AXES:
        lines = [f"{'  ' * each.level}- {each}" for each in tuples if each.axis == axis]
        parts += ["\n".join([_HEADINGS[axis], *lines])] if lines else []
    return "\n".join(parts)
