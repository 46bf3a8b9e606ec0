"""Highest minus lowest serializer score per model and data set (ToRR, Table 5).

MERGED: Highest minus lowest serializer score per model and data set (ToRR, Table 5).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..charts.heat import Heat, heat
from ..charts.labels import (
    Analysis,
    Lacking,
    Row,
    basis,
    dataset_labels,
    intervals,
    known,
    labels,
    model_labels,
    needed,
    unnamed,
)
from ..charts.panels import Layout, dots, panel_labels
from ..charts.vega import SEQUENTIAL, Drawing
from ..cube import Cube, grouped, lacking_models
from ..estimates import Options, resampled
from ..extremes import extremes
from ..statistics import example_means, mean_over_examples
from .configurations import named, of


def serializer_range(cubes: Sequence[Cube], options: Options) -> dict[str, Any]:
    """The difference between the best and the worst serializer, each a mean over its configurations.

    Values are those of the data, intervals allow for the choice of the best and the worst, see
    :mod:`.extremes`. Of equal serializers the first by name is taken.

    Args:
        cubes: of all data sets.
        options: resamples, level and seed are used; configurations are taken as given.

    Returns:
        model -> {data set: {"value", "low", "high", "best", "worst"}}, null where a model has no score;
        without the data sets that have one serializer, or whose scores do not say them; empty if all are so.
    """
    found: dict[str, dict[str, Any]] = {model: {} for model in cubes[0].models}
    for cube in cubes:
        for model, figure in _of_dataset(cube, options).items():
            found[model][cube.dataset] = figure
    return found if any(found.values()) else {}


def _of_dataset(cube: Cube, options: Options) -> dict[str, dict[str, Any]]:
    import numpy as np

    groups = grouped(cube, "serializer")
    if len(groups) < 2:
        return {}
    names = sorted(groups)
    means = np.stack([example_means(groups[name].scores) for name in names], axis=1)
    samples = resampled(means, cube.dataset, options)
    ends = extremes(mean_over_examples(means), samples, options.level)
    lacks = lacking_models(cube)
    return {
        model: {
            **of(ends.range, m, lacks),
            "best": named(names, ends.best_index[m]),
            "worst": named(names, ends.worst_index[m]),
        }
        for m, model in enumerate(cube.models)
    }


MOST_CELLS = 300
"""Of a heat map; texts take long to draw, and more of them nobody reads."""

_WIDTH = 105
_TITLE = "Best less worst serializer, per model and data set"


def build(analysis: Analysis) -> Drawing:
    """A row a model, a column a data set."""
    found = needed(analysis, "serializers", "range", why=unnamed("serializers"))
    models, datasets = model_labels(analysis), dataset_labels(analysis)
    rows = [
        {"row": label, "column": datasets[dataset], **figure}
        for model, label in models.items()
        for dataset, entry in found.get(model, {}).items()
        if dataset in datasets and (figure := known(entry))
    ]
    if not rows:
        raise Lacking("there is one serializer only")
    if len(rows) > MOST_CELLS:
        return _panels(analysis, rows)
    top = max(row["value"] for row in rows) or 1.0
    layout = Heat(
        list(models.values()),
        list(datasets.values()),
        "range of scores",
        SEQUENTIAL,
        (0.0, top),
        (0.55 * top, 2.0),
    )
    lines = [_meaning(analysis), intervals(analysis).replace("Lines", "Small figures")]
    return heat(rows, layout, _TITLE, lines)


def _panels(analysis: Analysis, rows: Sequence[Row]) -> Drawing:
    """The same for many models: a panel a data set, a row a model."""
    names = labels(analysis["settings"]["examples"], panel_labels(_WIDTH))
    shorter = dict(zip(dataset_labels(analysis).values(), names.values(), strict=True))
    layout = Layout(
        rows=list(model_labels(analysis).values()),
        panels=list(names.values()),
        x="range of scores",
        width=_WIDTH,
    )
    placed = [{**row, "panel": shorter[row["column"]]} for row in rows]
    return dots(placed, layout, _TITLE, [_meaning(analysis), intervals(analysis)])


def _meaning(analysis: Analysis) -> str:
    picked = "The mean score with the best serializer less that with the worst, both picked on these scores"
    return f"{basis(analysis)}. {picked}"
