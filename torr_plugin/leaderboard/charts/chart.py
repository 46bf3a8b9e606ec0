"""A chart on a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...analysis import FigureChart
from ...analysis.charts.labels import ChartContext, NoChart
from ..text import slug


@dataclass(frozen=True)
class Chart:
    """A chart, ready for ``macros/charts.html``.

    Attributes:
        name: its place on the page: small letters, digits and hyphens, unique on the page.
        title: what is shown, a line.
        description: the same for those who do not see it: what is on which axis, and what it says.
        specification: of Vega-Lite, rows within, without colours or fonts of text, which are the theme's.
    """

    name: str
    title: str
    description: str
    specification: Mapping[str, Any]


def figure_chart(chart: FigureChart, result: Any, context: ChartContext) -> Chart | None:
    """A chart that ``torr analyse`` writes too; None where the study has no such chart."""
    if not chart.part(result):
        return None
    try:
        drawn = dict(chart.drawn(result, context))
    except NoChart:
        return None
    heading = drawn.get("title", {})
    title = heading if isinstance(heading, str) else heading.get("text", chart.name)
    subtitle = () if isinstance(heading, str) else heading.get("subtitle", ())
    description = " ".join((f"{title}.", *subtitle))
    return Chart(slug(f"figure-{chart.name}"), title, description, drawn)
