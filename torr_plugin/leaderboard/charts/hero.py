"""The one picture of a study: on its overview, and as the image by which links to it are shown elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analysis.charts.drawing import chart_context
from ...analysis.charts.labels import ChartContext, NoChart
from ...analysis.charts.vega import Spec
from ...analysis.figures.model_scores import MODEL_SCORES, ModelScores
from ...analysis.figures.performance_robustness import TIER_COLOURS, PictureSize, model_picture
from ..text import visible
from .chart import Chart

if TYPE_CHECKING:
    from ..study import Study

NAME = "performance_robustness"
"""Its files among the downloads, which have the site's tiers too."""

_WIDE, _NARROW, _OF_SHARED = PictureSize(580, 265), PictureSize(286, 330), PictureSize(520, 175)


def hero_chart(study: Study) -> Chart | None:
    """Performance against robustness, a labelled mark a model; None where no model has both figures."""
    scores, context = _of(study)
    try:
        wide, narrow = (model_picture(scores, context, size) for size in (_WIDE, _NARROW))
    except NoChart:
        return None
    rows = wide["datasets"]["rows"]
    told = ", ".join(f"{row['label']} {row['x_value']:.2f} and {row['y_value']:.2f}" for row in rows)
    grey = (
        " Grey: so near their limits that the figures say little." if any(row["grey"] for row in rows) else ""
    )
    unnamed = max(sum(not row["named"] for row in each["datasets"]["rows"]) for each in (wide, narrow))
    without = " Names without room stand in the table." if unnamed else ""
    lines = "In brackets: tiers; lines:" if context.tiers else "Lines:"
    last = len(TIER_COLOURS)
    alike = f" Tiers from {last} on share a colour." if max(context.tiers.values(), default=0) > last else ""
    return Chart(
        "hero",
        "Performance and robustness",
        f"Each model's performance, from left to right, and robustness, upwards, with intervals: {told}.",
        wide,
        download=NAME,
        narrow=narrow,
        note=f"{lines} {study.level} intervals.{alike}{grey}{without}",
    )


def share_picture(study: Study) -> Spec | None:
    """The same for the share image, with the study's name above it; None of one configuration."""
    if not study.analysis.varied:
        return None
    scores, context = _of(study)
    try:
        spec = model_picture(scores, context, _OF_SHARED)
    except NoChart:
        return None
    subtitle = [context.basis, *spec["title"]["subtitle"][2:]]
    title = {"text": str(visible(study.title))[:60], "subtitle": subtitle, "fontSize": 19}
    return {**spec, "title": {**spec["title"], **title}}


def _of(study: Study) -> tuple[ModelScores, ChartContext]:
    """The figures, and the study with its tiers as the site's pages claim them."""
    results = study.analysis.results
    return results[MODEL_SCORES], chart_context(results, study.tiers)
