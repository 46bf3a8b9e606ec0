"""Questions on tables whose groups may change places, with answers worked out from the table as shown.

RealHiTBench's structure comprehending asks the same question about a table and about one with parts
exchanged (section 3.3). Here some questions name a value by its headers, so that the answer stays, and others
by the place of a group, so that it may change.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import TYPE_CHECKING, TypeAlias

from ...tables import Table
from ...tables.header_tree import HeaderNode, HeaderTree, walk
from .generator.combinations import combinations
from .generator.layout.pivot import hct_table
from .generator.parameters.loading import Parameters
from .generator.sampling import sample_instance
from .small_tables import limited_parameters

if TYPE_CHECKING:
    from ...catalog.generated import Row

NESTED = {
    "row_format": ("new", "indent"),
    "col_row_levels": (("2", "2"),),
    "col_row_agg_pos": (("none", "none"),),
}
"""Layouts with groups on both axes and without totals; with ``indent`` the groups of rows are sub-tables."""

ORDINALS = {0: "first", 1: "second", -1: "last"}
JOINT = " / "

Path: TypeAlias = "tuple[str, ...]"


@dataclass(frozen=True)
class GroupAt:
    """Asks for the label of a group: 0 for the first, -1 for the last."""

    of_rows: bool
    number: int

    def __call__(self, table: Table) -> str | None:
        """The label; None if the table has no such group."""
        group = _group(table.row_tree if self.of_rows else table.column_tree, self.number)
        return group.label if group else None


@dataclass(frozen=True)
class Line:
    """A row or column: by its path, or within a group given by number.

    In a group the path is that below the group's label; an empty one means the first line.
    """

    path: Path = ()
    group: int | None = None

    def find(self, tree: HeaderTree) -> int | None:
        """Its place in the grid; None if the tree has no such line."""
        roots = tree.roots
        if self.group is not None:
            group = _group(tree, self.group)
            roots = group.children if group else ()
        found = (leaf.start for path, leaf in walk(roots) if leaf.label and self.path in (path, ()))
        return next(found, None)


@dataclass(frozen=True)
class ValueAt:
    """Asks for the value in a row and a column."""

    row: Line
    column: Line

    def __call__(self, table: Table) -> str | None:
        """The value's text; None if the table has no such row or column."""
        row, column = self.row.find(table.row_tree), self.column.find(table.column_tree)
        return None if row is None or column is None else table.grid[row][column].text


def structure_comprehending(random: Random, number: int) -> Iterator[Row]:
    """Five questions on one table, one of each kind; topics alternate.

    Each row has ``recompute``, which gives the answer on any table that shows the same groups.
    """
    table = _table(random, number)
    row, column = _path(table.row_tree, random), _path(table.column_tree, random)
    groups = random.choice([*ORDINALS]), random.choice([*ORDINALS])
    for kind, (question, recompute) in _questions(row, column, *groups).items():
        answer = recompute(table)
        if answer is not None:
            yield {
                "table": table,
                "question": question,
                "answer": answer,
                "kind": kind,
                "recompute": recompute,
            }


def _questions(row: Path, column: Path, rows: int, columns: int) -> dict[str, tuple[str, GroupAt | ValueAt]]:
    """A question of each kind, with what answers it; ``rows`` and ``columns`` are numbers of groups."""
    in_row, in_column = f"in the row {JOINT.join(row)}", f"in the column {JOINT.join(column)}"
    row_group = f"{ORDINALS[rows]} group of rows from the top"
    column_group = f"{ORDINALS[columns]} group of columns from the left"
    return {
        "named": (
            f"What is the value {in_row} and {in_column}?",
            ValueAt(Line(row), Line(column)),
        ),
        "row group": (
            f"What is the label of the {row_group}?",
            GroupAt(of_rows=True, number=rows),
        ),
        "column group": (
            f"What is the label of the {column_group}?",
            GroupAt(of_rows=False, number=columns),
        ),
        "in a row group": (
            f"What is the value {in_column} and in the first row of the {row_group}?",
            ValueAt(Line(group=rows), Line(column)),
        ),
        "in a column group": (
            f"What is the value {in_row} and in the first column of the {column_group}?",
            ValueAt(Line(row), Line(group=columns)),
        ),
    }


@cache
def _parameters() -> Parameters:
    return limited_parameters(NESTED)


def _table(random: Random, number: int) -> Table:
    tables = _parameters().tables
    layouts = list(combinations(tables, tables.tables[number % len(tables.tables)]))
    chosen = random.choice(layouts)
    return hct_table(sample_instance(_parameters(), chosen, 1, seed=random.getrandbits(64)))


def _group(tree: HeaderTree, number: int) -> HeaderNode | None:
    groups = [root for root in tree.roots if root.is_nested]
    return groups[number] if -len(groups) <= number < len(groups) else None


def _path(tree: HeaderTree, random: Random) -> Path:
    return random.choice([path for path, leaf in walk(tree.roots) if leaf.label])
