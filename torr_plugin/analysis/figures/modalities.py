"""Tables as pictures against tables as text (HCT-QA, appendix D.2, RQ9, Fig. 38; D.5).

MERGED: Tables as pictures against tables as text (HCT-QA, Fig. 38).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..charts.labels import Analysis, Row, basis, intervals, known, labels, model_labels, needed
from ..charts.panels import Layout, dots, panel_labels
from ..charts.vega import Drawing
from ..cube import Cube, grouped, lacking_models, selected
from ..descriptions import Description
from ..estimates import Estimate, MeanOfEstimates, Options, resampled, weighted, weights
from ..frame import OVERALL
from ..statistics import example_means, mean_over_examples

if TYPE_CHECKING:
    from ..arrays import Booleans, Floats

IMAGE = "image"
"""The serializer whose output is a picture."""

KINDS = ("text", "image", "difference")


def modalities(
    cubes: Sequence[Cube], described: Mapping[str, Description], options: Options
) -> dict[str, Any]:
    """``modalities`` of ``analysis.json``.

    Args:
        cubes: of all data sets.
        described: model -> description, for families.
        options: resamples, level and seed are used.

    Returns:
        {"datasets": {data set or "overall": {"models": {model: M}, "mean": M, "families": {family: M}}}}; M =
        {"text": F, "image": F, "difference": F}, the mean scores with tables as text and as pictures, and
        picture less text over the examples that a model answered both ways; "mean" and "families" are
        unweighted means over the models that have the figure. F = {"value", "low", "high"}, with
        ``"complete": False`` where scores are missing. Data sets that were not asked both ways are left out;
        empty where none is left.
    """
    found = {cube.dataset: kinds for cube in cubes if (kinds := _of_dataset(cube, options))}
    if not found:
        return {}
    places = {**({OVERALL: _overall(list(found.values()))} if len(found) > 1 else {}), **found}
    models = cubes[0].models
    return {"datasets": {place: _place(models, kinds, described, options) for place, kinds in places.items()}}


@dataclass(frozen=True)
class _Kind:
    """The mean scores of text, of pictures, or their difference.

    Attributes:
        estimate: of every model.
        complete: whether a model has all scores that it rests on, (models,).
    """

    estimate: Estimate
    complete: Booleans


def _of_dataset(cube: Cube, options: Options) -> dict[str, _Kind]:
    parts = grouped(cube, "serializer")
    texts = [config for name, part in parts.items() if name != IMAGE for config in part.configurations]
    if IMAGE not in parts or not texts:
        return {}
    written = selected(cube, texts)
    text, image = example_means(written.scores), example_means(parts[IMAGE].scores)
    of_text, of_image = ~lacking_models(written), ~lacking_models(parts[IMAGE])
    kinds = (text, of_text), (image, of_image), (image - text, of_text & of_image)
    return {
        name: _Kind(_estimate(values, cube.dataset, options), complete)
        for name, (values, complete) in zip(KINDS, kinds, strict=True)
    }


def _estimate(values: Floats, dataset: str, options: Options) -> Estimate:
    return Estimate(mean_over_examples(values), resampled(values, dataset, options))


def _overall(found: Sequence[Mapping[str, _Kind]]) -> dict[str, _Kind]:
    import numpy as np

    means = {}
    for name in KINDS:
        total = MeanOfEstimates()
        for one in found:
            total.add(one[name].estimate)
        means[name] = _Kind(total.mean(), np.all([one[name].complete for one in found], axis=0))
    return means


def _place(
    models: Sequence[str],
    found: Mapping[str, _Kind],
    described: Mapping[str, Description],
    options: Options,
) -> dict[str, Any]:
    families: dict[str, list[int]] = {}
    for i, model in enumerate(models):
        family = described[model].family if model in described else None
        if family is not None:
            families.setdefault(family, []).append(i)
    return {
        "models": {model: _means(found, [i], options.level) for i, model in enumerate(models)},
        "mean": _means(found, range(len(models)), options.level),
        "families": {name: _means(found, rows, options.level) for name, rows in sorted(families.items())},
    }


def _means(found: Mapping[str, _Kind], rows: Sequence[int], level: float) -> dict[str, Any]:
    return {name: _mean(kind, rows, level) for name, kind in found.items()}


def _mean(kind: _Kind, rows: Sequence[int], level: float) -> dict[str, Any]:
    import numpy as np

    values = kind.estimate.values
    known = [i for i in rows if not np.isnan(values[i])]
    complete = bool(kind.complete[known].all())
    return weighted(kind.estimate, weights(len(values), known), level, complete=complete)


_SERIES = {"text": "as text", "image": "as a picture"}
_WIDTH = 240


def build(analysis: Analysis) -> Drawing:
    """A panel a data set, a row a model: its mean score with tables as text and as pictures."""
    found = needed(
        analysis, "modalities", "datasets", why="no tables were shown both as text and as pictures"
    )
    models, panels = model_labels(analysis), labels(found, panel_labels(_WIDTH))
    rows: list[Row] = [
        {"row": label, "series": series, "panel": panels[place], **figure}
        for place, own in found.items()
        for model, label in models.items()
        for key, series in _SERIES.items()
        if (figure := known(own["models"][model][key]))
    ]
    layout = Layout(
        rows=list(models.values()),
        series=list(_SERIES.values()),
        panels=list(panels.values()) if len(panels) > 1 else (),
        x="mean score, 0 to 1",
        width=_WIDTH,
        columns=3,
        step=11,
    )
    return dots(rows, layout, "Tables as text and as pictures", [basis(analysis), intervals(analysis)])
