"""How many tables the examples are about, and what that costs: the design effect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from ...core.statistics import clustered_means
from ..figure import Figure, FigureTable, Row
from ..result import FigureResult, number
from ..study import StudyScores


class ExampleTables(FigureResult):
    """Examples of a data set, the tables that they are about, and the design effect.

    ``design_effect``: the variance of a performance over that of as many examples about tables of their own
    (Kish, "Survey Sampling", 1965, section 5.4), the median over models; None where no performance varies.
    """

    examples: int
    tables: int
    design_effect: float | None


def example_tables(study: StudyScores) -> dict[str, ExampleTables] | None:
    """Data set -> its tables, where examples share them; None where none do."""
    found = {}
    for cube, statistics in zip(study.cubes, study.example_statistics, strict=True):
        if cube.tables < len(cube.examples):
            effects = clustered_means(statistics["performance"], cube.clusters).design_effect
            known = effects[~np.isnan(effects)]
            found[cube.dataset] = ExampleTables(
                examples=len(cube.examples),
                tables=cube.tables,
                design_effect=number(np.median(known)) if len(known) else None,
            )
    return found or None


def _rows(result: Mapping[str, ExampleTables]) -> Iterator[Row]:
    for dataset, own in result.items():
        yield dataset, own.examples, own.tables, own.design_effect


class ExampleTablesFigure(Figure[dict[str, ExampleTables]]):
    """Examples, tables and the design effect of each data set whose examples share tables."""

    key = "tables"
    tables = (
        FigureTable(
            "tables",
            ("dataset", "examples", "tables", "design_effect"),
            _rows,
            "how many tables the examples are about, and the design effect",
        ),
    )

    def compute(self, study: StudyScores) -> dict[str, ExampleTables] | None:
        """Count them."""
        return example_tables(study)


EXAMPLE_TABLES = ExampleTablesFigure()
