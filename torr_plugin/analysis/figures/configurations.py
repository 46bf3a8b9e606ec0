"""The worst and the best configuration of each model, and how far they lie apart (ToRR, Fig. 3).

MERGED: Each model's worst and best configuration (ToRR, Fig. 3).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..charts.labels import Analysis, basis, intervals, known, model_labels, needed
from ..charts.panels import Layout, dots
from ..charts.vega import Drawing
from ..cube import Cube, common_configurations, configuration_means, lacking_models, selected
from ..estimates import ConfigurationSamples, Options, configuration_samples, figure, number
from ..extremes import Bounds, Extremes, extremes
from ..frame import OVERALL

if TYPE_CHECKING:
    from ..arrays import Booleans, Floats


def configuration_range(
    cubes: Sequence[Cube], options: Options, known: Mapping[str, ConfigurationSamples] | None = None
) -> dict[str, Any]:
    """Per model the configurations with the lowest and the highest mean score, and their difference.

    The best of many on the data is optimistic, and the worst pessimistic (a selection effect): values are
    those of the data, intervals allow for the choice, see :mod:`.extremes`. "overall" is of the unweighted
    means over data sets, of the configurations that all of them have. Of equal configurations the first by
    name is taken.

    Args:
        cubes: of all data sets.
        options: resamples, level and seed are used; configurations are taken as given.
        known: data set -> its resampled means, of these configurations at least, where they are made already.

    Returns:
        model -> {"overall": R, "datasets": {data set: R}}, R = {"worst": {"config", "value", "low", "high"},
        "best": the same, "range": {"value", "low", "high"}}; null where a model has no score.
    """
    import numpy as np

    shared = sorted(common_configurations(cubes))
    known = known or configuration_samples(cubes, options)
    totals, lacking = _Totals(len(cubes)), []
    per_dataset = {}
    for cube in cubes:
        names = sorted(cube.configurations)
        values = configuration_means(selected(cube, names).scores)
        samples = known[cube.dataset].among(cube.models, names)
        lacks = lacking_models(cube)
        per_dataset[cube.dataset] = _labelled(names, extremes(values, samples, options.level), lacks)
        index = [names.index(name) for name in shared]
        totals.add(values[:, index], samples[:, index])
        lacking.append(lacks)
    overall = _overall(shared, totals, np.any(lacking, axis=0), options.level)
    return {
        model: {OVERALL: overall[m], "datasets": {name: found[m] for name, found in per_dataset.items()}}
        for m, model in enumerate(cubes[0].models)
    }


class _Totals:
    """Adds up scores and their resamples, and so holds those of one data set at a time beside the sum."""

    def __init__(self, datasets: int) -> None:
        self.values: Floats | float = 0.0
        self.samples: Floats | float = 0.0
        self._datasets = datasets

    def add(self, values: Floats, samples: Floats) -> None:
        self.values = self.values + values / self._datasets
        self.samples = self.samples + samples / self._datasets


def _overall(shared: Sequence[str], totals: _Totals, lacks: Booleans, level: float) -> list[dict[str, Any]]:
    import numpy as np

    if not shared:
        nothing = np.full(len(lacks), np.nan)
        none = (nothing, nothing, nothing)
        nowhere = np.full(len(lacks), -1)
        return _labelled(shared, Extremes(nowhere, nowhere, none, none, none), lacks)
    return _labelled(shared, extremes(np.asarray(totals.values), np.asarray(totals.samples), level), lacks)


def _labelled(names: Sequence[str], found: Extremes, lacks: Booleans) -> list[dict[str, Any]]:
    """R of each model."""
    return [
        {
            "worst": {"config": named(names, found.worst_index[m]), **of(found.worst, m, lacks)},
            "best": {"config": named(names, found.best_index[m]), **of(found.best, m, lacks)},
            "range": of(found.range, m, lacks),
        }
        for m in range(len(lacks))
    ]


def named(names: Sequence[str], index: int) -> str | None:
    """The name at a place; None for -1."""
    return names[index] if index >= 0 else None


def of(bounds: Bounds, row: int, lacks: Booleans) -> dict[str, Any]:
    """A row's figure, marked where scores are missing."""
    value, low, high = (float(array[row]) for array in bounds)
    return figure(value, low, high, complete=not lacks[row])


_SERIES = {"worst": "worst configuration", "best": "best configuration"}


def build(analysis: Analysis) -> Drawing:
    """A row a model: its mean score in the configurations that suit it least and best."""
    found = needed(analysis, "configuration_range")
    models = model_labels(analysis)
    rows = [
        {"row": label, "series": series, **figure}
        for model, label in models.items()
        for end, series in _SERIES.items()
        if (figure := known((found[model]["overall"] or {}).get(end)))
    ]
    layout = Layout(
        rows=list(models.values()),
        series=list(_SERIES.values()),
        x="mean score over data sets, 0 to 1",
        step=11,
    )
    title = "The worst and the best configuration of each model"
    return dots(rows, layout, title, [basis(analysis), intervals(analysis)])


def by_configuration(cubes: Sequence[Cube]) -> dict[str, dict[str, dict[str, float | None]]]:
    """Mean scores: data set or "overall" -> configuration -> model -> score.

    "overall" is the unweighted mean over data sets, of the configurations that all of them have.
    """
    import numpy as np

    shared = common_configurations(cubes)
    overall = np.mean([configuration_means(selected(cube, shared).scores) for cube in cubes], axis=0)
    means = {cube.dataset: (cube.configurations, configuration_means(cube.scores)) for cube in cubes}
    means = {OVERALL: (tuple(shared), overall), **means}
    return {
        place: {
            config: {model: number(values[m, c]) for m, model in enumerate(cubes[0].models)}
            for c, config in enumerate(configurations)
        }
        for place, (configurations, values) in means.items()
    }
