"""The one picture of a study: on its overview, and as the image by which links to it are shown elsewhere."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...analysis.charts.drawing import chart_context
from ...analysis.charts.labels import ChartContext, NoChart
from ...analysis.charts.vega import Spec
from ...analysis.figures.model_scores import MODEL_SCORES, ModelScores
from ...analysis.figures.performance_robustness import PictureSize, model_picture
from ..text import visible
from .chart import Chart

if TYPE_CHECKING:
    from ..study import Study

NAME = "performance_robustness"
"""Its files among the downloads."""

SHARED = (1200, 630)
"""Pixels of the share image, in the proportions that other sites show."""

_WIDE, _NARROW, _OF_SHARED = PictureSize(500, 260), PictureSize(300, 320), PictureSize(520, 175)
_PIXELS = 2  # of the share image, for one of the drawing
_EDGE = 18


def hero_chart(study: Study) -> Chart | None:
    """Performance against robustness, a labelled mark a model; None where no model has both figures."""
    scores, context = _of(study)
    try:
        wide, narrow = (model_picture(scores, context, size) for size in (_WIDE, _NARROW))
    except NoChart:
        return None
    rows = wide["datasets"]["rows"]
    told = ", ".join(f"{row['label']} {row['x_value']:.2f} and {row['y_value']:.2f}" for row in rows)
    return Chart(
        "hero",
        "Performance and robustness",
        f"Each model's performance, from left to right, and robustness, upwards, with intervals: {told}.",
        wide,
        0,
        download=NAME,
        narrow=narrow,
        note=". ".join(wide["title"]["subtitle"][1:]) + ".",
    )


def share_picture(study: Study) -> Spec | None:
    """The same for the share image, with the study's name above it."""
    scores, context = _of(study)
    try:
        spec = model_picture(scores, context, _OF_SHARED)
    except NoChart:
        return None
    subtitle = [context.basis, *spec["title"]["subtitle"][2:]]
    title = {"text": str(visible(study.title))[:60], "subtitle": subtitle, "fontSize": 19}
    return {**spec, "title": {**spec["title"], **title}}


def _of(study: Study) -> tuple[ModelScores, ChartContext]:
    results = study.analysis.results
    return results[MODEL_SCORES], chart_context(results)


def on_canvas(svg: str) -> str:
    """A drawing in the middle of the share image."""
    width, height = (side / _PIXELS for side in SHARED)
    found = re.search(r'width="([0-9.]+)" height="([0-9.]+)" viewBox="([^"]+)"', svg)
    if found is None:
        return svg
    scale = min((width - 2 * _EDGE) / float(found[1]), (height - _EDGE) / float(found[2]))
    wide, tall = scale * float(found[1]), scale * float(found[2])
    x, y = (width - wide) / 2, (height - tall) / 2
    placed = f'x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{tall:.1f}" viewBox="{found[3]}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}">'
        f'<rect width="100%" height="100%" fill="white"/>{svg.replace(found[0], placed, 1)}</svg>'
    )
