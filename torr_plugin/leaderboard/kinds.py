"""Tables of scores by kind of example: of tables over all data sets, of questions on one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..analysis.figures.slices import Slice, Slices
from ..analysis.figures.table_kinds import DATASET, TableKinds
from ..analysis.limits import score_limit
from ..analysis.result import NOTHING, Interval
from .views import FigureText, View, ViewCell, Whisker, figure_cell, figure_text, number_cell

MOST_ROWS = 60
"""Rows of a table on the page; all are in analysis.json."""
MOST_COLUMNS = 8
"""Values of a facet that are columns."""
QUESTION = "question"


@dataclass(frozen=True)
class KindRow:
    """A kind of example: its name, how many examples are of it, and one figure per column."""

    name: str
    examples: int
    figures: tuple[FigureText, ...]


@dataclass(frozen=True)
class KindTable:
    """Rows of one sort of kind; ``more`` rows are left out."""

    title: str
    first: str
    columns: tuple[str, ...]
    rows: tuple[KindRow, ...]
    more: int


def facet_tables(found: TableKinds, models: Mapping[str, ViewCell]) -> tuple[View, ...]:
    """The models by each facet of tables but the data set, over all data sets; ``models``: as heads of rows.

    A row a model, a column a value of the facet; the other way round of many values.
    """
    tables = []
    for name in found.facets:
        own = [kind for kind in found.kinds if list(kind.of) == [name]]
        if name == DATASET or len(own) < 2:
            continue
        down = len(own) > MOST_COLUMNS
        grid = [
            (ViewCell(_capital(name) if down else "Model"), *(ViewCell(kind.of[name]) for kind in own)),
            (ViewCell("Examples"), *(number_cell(kind.examples) for kind in own)),
            *((head, *(mean_cell(kind.models[model]) for kind in own)) for model, head in models.items()),
        ]
        head, *rows = zip(*grid, strict=True) if down else grid
        tables.append(View(tuple(cell.text for cell in head), tuple(rows), title=f"By {name}"))
    return tuple(tables)


def mean_cell(mean: Interval, mark: Whisker | None = None) -> ViewCell:
    """A mean score, grey where it is so near 0 or 1 that it says little."""
    return figure_cell(mean, "num at-limit" if score_limit(mean.value) else "num", mark)


def dataset_kinds(slices: Slices, models: tuple[str, ...]) -> tuple[KindTable, ...]:
    """By values of properties of a data set's questions, and by yes and no of questions and tables."""
    return (*_question_tables(slices, models), *_property_tables(slices, len(models)))


def _question_tables(slices: Slices, models: tuple[str, ...]) -> Iterator[KindTable]:
    columns = (*(("Mean of all models",) if len(models) > 1 else ()), *models)
    for name, values in slices.values.get(QUESTION, {}).items():
        if len(values) > 1:
            rows = [
                KindRow(value, own.examples, tuple(map(figure_text, _of_models(own, models))))
                for value, own in values.items()
            ]
            yield _table(f"By {name} of the question", _capital(name), columns, rows)


def _of_models(own: Slice, models: tuple[str, ...]) -> list[Interval]:
    mean = [own.overall] if len(models) > 1 else []
    return [*mean, *(own.models.get(model, NOTHING) for model in models)]


def _property_tables(slices: Slices, models: int) -> Iterator[KindTable]:
    for part, properties in slices.properties.items():
        rows = [
            KindRow(
                name,
                own.present.examples,
                tuple(figure_text(each.overall) for each in (own.present, own.absent, own.difference)),
            )
            for name, own in properties.items()
            if own.present.examples and own.absent.examples
        ]
        if rows:
            title = f"By property of the {part}" + (", mean of all models" if models > 1 else "")
            yield _table(title, "Property", ("With it", "Without it", "Difference"), rows)


def _capital(name: str) -> str:
    return name[:1].upper() + name[1:]


def _table(title: str, first: str, columns: tuple[str, ...], rows: list[KindRow]) -> KindTable:
    return KindTable(title, first, columns, tuple(rows[:MOST_ROWS]), max(0, len(rows) - MOST_ROWS))
