"""Layouts: every combination that the table templates allow, and their order in a data set."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from ....core.seeds import seed as seeded
from .instance import ColumnSide, NamePosition, RowFormat, RowSide
from .parameters.loading import Parameters
from .parameters.models import Sample, Shuffle, TableTemplate, TableTemplates


@dataclass(frozen=True)
class Combination:
    """One family of tables in one layout: a generic template with each list reduced to one entry.

    Attributes:
        number: from 1, as the benchmark numbers the sets of a family: shuffle varies fastest, then the
            positions of names and of aggregates, the depths, the row format.
        levels: how many codes are kept on columns and on rows. Codes are counted, not their levels: the
            benchmark keeps the first d_c and d_r of the template's codes, and a hierarchy whole.
    """

    template: TableTemplate
    number: int
    shuffle: Shuffle
    name_positions: tuple[NamePosition, NamePosition]
    aggregate_positions: tuple[ColumnSide, RowSide]
    levels: tuple[int, int]
    row_format: RowFormat

    @property
    def name(self) -> str:
        """``Number_of_students_set17``."""
        return f"{self.template.valueName.replace(' ', '_')}_set{self.number}"

    @property
    def columns(self) -> tuple[tuple[str, Sample], ...]:
        """The codes kept on columns, each with its sample."""
        return tuple(zip(self.template.colCodes, self.template.colSamples, strict=True))[: self.levels[0]]

    @property
    def rows(self) -> tuple[tuple[str, Sample], ...]:
        """The codes kept on rows, each with its sample."""
        return tuple(zip(self.template.rowCodes, self.template.rowSamples, strict=True))[: self.levels[1]]


def combinations(templates: TableTemplates, template: TableTemplate) -> Iterator[Combination]:
    """Every layout of one family, in the benchmark's order.

    With the benchmark's own file 2 x 3 x 6 x 5 x 2 = 360 a family.
    """
    layouts = itertools.product(
        templates.row_format,
        templates.col_row_levels,
        templates.col_row_agg_pos,
        templates.col_row_name_pos,
        templates.shuffle,
    )
    for number, (row_format, levels, aggregates, names, shuffle) in enumerate(layouts, start=1):
        depths = int(levels[0]), int(levels[1])
        yield Combination(template, number, shuffle, names, aggregates, depths, row_format)


@dataclass(frozen=True, slots=True)
class PlannedTable:
    """One table to make: which combination, and the number of the variant, from 1."""

    combination: Combination
    replica: int


def plan_tables(parameters: Parameters, *, seed: int, tables: int | None = None) -> Iterator[PlannedTable]:
    """The first ``tables`` tables; without a number, every combination of every family ``replica`` times.

    The seed gives the order of each family's layouts; all of them come before any comes again. The order does
    not depend on the number of tables, so a smaller data set is the beginning of a larger one.
    """
    families = [_layouts(parameters, name, seed) for name in parameters.families]
    all_turns = max(map(len, families)) * parameters.tables.replica
    turns = itertools.count() if tables is not None else range(all_turns)
    planned = (
        PlannedTable(layouts[turn % len(layouts)], turn // len(layouts) + 1)
        for turn in turns
        for layouts in families
    )
    return itertools.islice(planned, tables)


def _layouts(parameters: Parameters, family: str, seed: int) -> list[Combination]:
    layouts = list(combinations(parameters.tables, parameters.families[family]))
    Random(seeded(seed, "hctqa", "plan", family)).shuffle(layouts)  # noqa: S311
    return layouts
