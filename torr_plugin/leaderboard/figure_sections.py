"""Sections of the figures that name a page: their words, charts and tables, from the figure itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from ..analysis import AnalysisResults, Figure, FigureTable
from ..analysis.charts.labels import ChartContext
from ..analysis.charts.render import chart_context
from ..analysis.figure import figures
from ..analysis.registered import own_figures
from ..core.errors import PluginError, blamed, nearest
from .charts.chart import Chart, figure_chart
from .navigation import LABELS
from .results import StudyResults
from .text import slug
from .views import View, ViewCell

MOST_ROWS = 60
"""Of a table on a page; the downloads have them all."""


@dataclass(frozen=True)
class FigureTableView:
    """A table of a figure: what it holds, its first rows, and how many more there are."""

    name: str
    about: str
    view: View
    more: int


@dataclass(frozen=True)
class FigureSection:
    """A figure on a page; ``name`` is its anchor."""

    name: str
    title: str
    explanation: str
    lines: tuple[str, ...]
    charts: tuple[Chart, ...]
    tables: tuple[FigureTableView, ...]


def figure_sections(
    analysis: StudyResults, tiers: Mapping[str, int]
) -> tuple[Mapping[str, tuple[FigureSection, ...]], tuple[str, ...]]:
    """Page -> the sections of the figures that name it, and a note for each plugin's figure that failed.

    ``tiers``: the site's, for charts.
    """
    found: dict[str, list[FigureSection]] = {}
    notes = []
    context, pages = chart_context(analysis.results, tiers), dict(LABELS)
    for figure in figures.values():
        result = _result(analysis.results, figure)
        if not figure.page or result is None:
            continue
        try:
            with blamed("figure", figure.key, figures.origin(figure.key)):
                if figure.page not in pages:
                    raise ValueError(f"unknown page {figure.page!r}; {nearest(figure.page, pages)}")
                found.setdefault(figure.page, []).append(_section(figure, result, context))
        except PluginError as error:
            notes.append(f"{error}; its section was left out")
    return {page: tuple(sections) for page, sections in found.items()}, tuple(notes)


def _result(results: AnalysisResults, figure: Figure[Any]) -> Any:
    return results.get(figure) if figure in own_figures() else results.plugins.get(figure.key)


def _section(figure: Figure[Any], result: Any, context: ChartContext) -> FigureSection:
    name = f"figure-{slug(figure.key)}"
    return FigureSection(
        name=name,
        title=figure.title or figure.key,
        explanation=figure.explanation,
        lines=tuple(figure.lines(result)),
        charts=tuple(
            found for chart in figure.charts if (found := figure_chart(chart, result, context)) is not None
        ),
        tables=tuple(_tables(figure.tables, result)),
    )


def _tables(tables: Sequence[FigureTable], result: Any) -> Iterator[FigureTableView]:
    for table in tables:
        part = table.part(result)
        if not part:
            continue
        rows = iter(table.rows(part))
        shown = tuple(tuple(map(_cell, row)) for row in islice(rows, MOST_ROWS))
        if shown:
            name = slug(f"figure-{table.name}")
            yield FigureTableView(
                name, table.about, View(tuple(table.columns(part)), shown), sum(1 for _ in rows)
            )


def _cell(value: object) -> ViewCell:
    if value is None:
        return ViewCell("\N{EN DASH}", style="num")
    if isinstance(value, bool):
        return ViewCell("yes" if value else "no")
    if isinstance(value, float):
        return ViewCell(f"{value:.3f}", style="num")
    return ViewCell(f"{value:,}", style="num") if isinstance(value, int) else ViewCell(str(value))
