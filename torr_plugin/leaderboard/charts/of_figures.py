"""Charts of the analysis on a page: the same that ``torr analyse`` writes, in the page's look."""

from __future__ import annotations

from typing import Any

from ...analysis import FigureChart
from ...analysis.charts.labels import ChartContext, NoChart
from ..text import slug
from .chart import Chart


def figure_chart(chart: FigureChart, result: Any, context: ChartContext, download: str = "") -> Chart | None:
    """A chart of a figure; None where the study has no such chart.

    Args:
        chart: the figure's.
        result: of the figure.
        context: the study.
        download: the stem of its files, as in :class:`.chart.Chart`.
    """
    part = chart.part(result)
    if not part:
        return None
    try:
        drawn = dict(chart.build(part, context))
    except NoChart:
        return None
    heading = drawn.get("title", {})
    title = heading if isinstance(heading, str) else heading.get("text", chart.name)
    subtitle = () if isinstance(heading, str) else heading.get("subtitle", ())
    description = " ".join((f"{title}.", *subtitle))
    return Chart(slug(f"figure-{chart.name}"), title, description, drawn, download=download)
