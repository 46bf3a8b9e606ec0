"""Which places a model may take."""

from __future__ import annotations

from ..charts.labels import Analysis, basis, intervals, model_labels, several
from ..charts.panels import Layout, dots
from ..charts.vega import Drawing


def build(analysis: Analysis) -> Drawing:
    """A row a model: its place by performance, and the places that resampled examples give it."""
    models = model_labels(analysis)
    several(models, "model")
    places = {model: place for place, model in enumerate(models, 1)}
    rows = [
        {"row": label, "value": places[model], "low": ranks[0], "high": ranks[1]}
        for model, label in models.items()
        if (ranks := analysis["rank_intervals"][model])
    ]
    layout = Layout(
        rows=list(models.values()),
        x="rank by performance, 1 the best",
        domain=(0.5, len(models) + 0.5),
        ticks=_ticks(len(models)),
    )
    return dots(rows, layout, "Rank of each model", [basis(analysis), intervals(analysis)])


def _ticks(places: int) -> list[int]:
    """The first place and every fifth, or so many that they can be read; all of few."""
    step = 1 if places <= 20 else 5 * -(-places // 100)
    return sorted({1, *range(step, places + 1, step)})
