"""How complex a table is: the four dimensions of RealHiTBench (Wu et al. 2025, section 3.2 and Table 8).

There a language model rates them from a picture of the table's text; here they are computed from the table,
so that the same table has the same figures for everybody. Each is 0 for a plain relation without a title and
at most 100. Section 3.2 says what they are about, the formulas are ours.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import groupby, repeat
from statistics import fmean
from typing import TYPE_CHECKING

from ...core.names import COMPLEXITY
from ...tables.header_depth import with_header_depth
from ...tables.header_tree import HeaderNode, HeaderTree, label_rows, walk

if TYPE_CHECKING:
    from ...tables.table import Table

MEDIUM, HIGH = 20.0, 40.0
"""The least totals of tables of medium and of high complexity."""

_MARK = re.compile(r"[*†‡§¶¹²³⁰-⁹]|\S\s*[(\[][a-z0-9][)\]]$")


@dataclass(frozen=True, slots=True)
class Complexity:
    """The complexity of a table, 0 to 100 each.

    Attributes:
        header_hierarchy: 100 (1 - 2^-x), x being how many labels above the innermost ones name a column, in
            the mean over columns, and a row.
        content_partition: how likely two rows are in different sections: under other labels, or with a blank
            row between them.
        implicit_multi_table: 100 c (1 - 1/k) where k groups with the same labels below hold a share c of the
            columns, or of the rows; a table whose header is repeated is k such groups.
        supplement: 20 for each of title, notes, footnote marks in cells, fills, and bold body cells.
    """

    header_hierarchy: float
    content_partition: float
    implicit_multi_table: float
    supplement: float

    @classmethod
    def of(cls, table: Table) -> Complexity:
        """Compute the complexity of a table.

        Header rows and columns that the source does not mark are inferred, as for HCT-QA's properties.
        """
        known = with_header_depth(table)
        columns, rows = known.column_tree, known.row_tree
        return cls(
            header_hierarchy=100 * (1 - 2 ** -(_labels_above(columns) + _labels_above(rows))),
            content_partition=100 * _partition(known),
            implicit_multi_table=100 * (1 - (1 - _column_copies(known)) * (1 - _copies(rows))),
            supplement=20 * sum(_supplements(table)),
        )

    @property
    def parts(self) -> dict[str, float]:
        """The four by name."""
        return {part.name: getattr(self, part.name) for part in fields(self)}

    @property
    def total(self) -> float:
        """The mean of the four."""
        return fmean(self.parts.values())

    @property
    def level(self) -> str:
        """``low`` below a total of 20, ``medium`` below 40, else ``high``."""
        return COMPLEXITY[(self.total >= MEDIUM) + (self.total >= HIGH)]


def _groups(tree: HeaderTree) -> Iterator[tuple[tuple[HeaderNode, ...], HeaderNode]]:
    """Each line's leaf, below the labels that it shares with other lines.

    A label above a single line, such as a name beside its team, makes no hierarchy.
    """
    stack: list[tuple[tuple[HeaderNode, ...], HeaderNode]] = [((), root) for root in reversed(tree.roots)]
    while stack:
        above, node = stack.pop()
        if not node.children:
            yield from repeat((above, node), node.stop - node.start)
        own = (*above, node) if node.stop - node.start > 1 else above
        stack += [(own, child) for child in reversed(node.children)]


def _labels_above(tree: HeaderTree) -> float:
    """How many labels are above the innermost one of a line, in the mean."""
    above = [max(len(groups) - (not leaf.label), 0) for groups, leaf in _groups(tree)]
    return sum(above) / len(above)


def _partition(table: Table) -> float:
    """The probability that two rows, drawn with replacement, are in different sections."""
    labels = set(label_rows(table))
    sections: list[tuple[int, ...] | None] = []
    for r, (groups, _) in enumerate(_groups(table.row_tree), table.header_rows):
        if not any(cell.text.strip() for cell in table.grid[r]):
            sections.append(None)
        elif r not in labels:
            sections.append(tuple([group.start for group in groups]))
    sizes = [len(list(rows)) for section, rows in groupby(sections) if section is not None]
    return 1 - sum(size**2 for size in sizes) / sum(sizes) ** 2 if sizes else 0.0


def _copies(tree: HeaderTree) -> float:
    """The largest c (1 - 1/k) of groups beside each other with the same labels below."""
    size = tree.roots[-1].stop - tree.roots[0].start
    families = [tree.roots, *(node.children for node in tree.nodes if node.children)]
    return max(_shares(family, size) for family in families)


def _shares(siblings: Sequence[HeaderNode], size: int) -> float:
    lines: dict[tuple[tuple[str, ...], ...], list[int]] = {}
    for node in siblings:
        labels = tuple([tuple(map(str.casefold, path)) for path, leaf in walk(node.children) if leaf.label])
        if len(labels) > 1:
            lines.setdefault(labels, []).append(node.stop - node.start)
    return max((sum(own) / size * (1 - 1 / len(own)) for own in lines.values()), default=0.0)


def _column_copies(table: Table) -> float:
    """The copies among columns, the header written again beside itself or below itself among them."""
    below = 1 + _repeated_headers(table)
    beside = _period(table.column_paths)
    return max(_copies(table.column_tree), 1 - 1 / below, 1 - 1 / beside)


def _repeated_headers(table: Table) -> int:
    """How many body rows have the texts of the last header row, two of them at least."""
    if not table.header_rows:
        return 0
    texts = Counter(tuple([cell.text.strip().casefold() for cell in row]) for row in table.grid)
    head = tuple([cell.text.strip().casefold() for cell in table.grid[table.header_rows - 1]])
    return texts[head] - 1 if len(set(head) - {""}) > 1 else 0


def _period(paths: Sequence[tuple[str, ...]]) -> int:
    """How many times the labels of at least two columns are repeated to make all of them."""
    width = len(paths)
    for period in range(2, width // 2 + 1):
        if width % period == 0 and len(set(paths[:period])) > 1 and paths[period:] == paths[:-period]:
            return width // period
    return 1


def _supplements(table: Table) -> tuple[bool, ...]:
    cells = [cell for row in table.rows for cell in row]
    body = [cell for row in table.rows[table.header_rows :] for cell in row]
    return (
        bool(table.title.strip()),
        bool(table.notes),
        any(_MARK.search(cell.text) for cell in cells),
        any(cell.style and cell.style.fill for cell in cells),
        any(cell.style and cell.style.bold for cell in body),
    )
