"""The picture by which links to a study are shown elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analysis.charts.labels import ChartContext, NoChart
from ...analysis.charts.render import chart_context
from ...analysis.charts.vega import Spec
from ...analysis.figures.model_scores import MODEL_SCORES, ModelScores
from ...analysis.figures.performance_robustness import PictureSize, model_picture
from ..text import visible

if TYPE_CHECKING:
    from ..study import Study

_SIZE = PictureSize(520, 175)


def share_picture(study: Study) -> Spec | None:
    """Performance against robustness under the study's name; None of one configuration."""
    if not study.analysis.varied:
        return None
    scores, context = _of(study)
    try:
        spec = model_picture(scores, context, _SIZE)
    except NoChart:
        return None
    subtitle = [context.basis, *spec["title"]["subtitle"][2:]]
    title = {"text": str(visible(study.title))[:60], "subtitle": subtitle, "fontSize": 19}
    return {**spec, "title": {**spec["title"], **title}}


def _of(study: Study) -> tuple[ModelScores, ChartContext]:
    """The figures, and the study with its tiers as the site's pages claim them."""
    results = study.analysis.results
    return results[MODEL_SCORES], chart_context(results, study.tiers)
