"""Tables as pictures against tables as text (HCT-QA, appendix D.2, RQ9, Fig. 38; D.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..configurations import grouped, selected
from ..cube import Cube
from ..figures import Estimate, MeanOfEstimates, Options
from ..frame import OVERALL
from ..labelling import resampled
from ..model_groups.described import Description
from ..parts.weighted import weighted, weights
from ..performance import example_means, mean_over_examples

if TYPE_CHECKING:
    from ..types import Floats

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
        unweighted means over the models that have the figure. Data sets that were not asked both ways are
        left out; empty where none is left.
    """
    estimates = {cube.dataset: found for cube in cubes if (found := _estimates(cube, options))}
    if not estimates:
        return {}
    places = {**({OVERALL: _overall(list(estimates.values()))} if len(estimates) > 1 else {}), **estimates}
    models = cubes[0].models
    return {"datasets": {place: _place(models, found, described, options) for place, found in places.items()}}


def _estimates(cube: Cube, options: Options) -> dict[str, Estimate]:
    parts = grouped(cube, "serializer")
    texts = [config for name, part in parts.items() if name != IMAGE for config in part.configurations]
    if IMAGE not in parts or not texts:
        return {}
    image, text = example_means(parts[IMAGE].scores), example_means(selected(cube, texts).scores)
    return {
        name: _estimate(values, cube.dataset, options)
        for name, values in zip(KINDS, (text, image, image - text), strict=True)
    }


def _estimate(values: Floats, dataset: str, options: Options) -> Estimate:
    return Estimate(mean_over_examples(values), resampled(values, dataset, options))


def _overall(found: Sequence[Mapping[str, Estimate]]) -> dict[str, Estimate]:
    totals = {name: MeanOfEstimates() for name in KINDS}
    for one in found:
        for name, total in totals.items():
            total.add(one[name])
    return {name: total.mean() for name, total in totals.items()}


def _place(
    models: Sequence[str],
    found: Mapping[str, Estimate],
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


def _means(found: Mapping[str, Estimate], rows: Sequence[int], level: float) -> dict[str, Any]:
    import numpy as np

    return {
        name: weighted(one, weights(len(one.values), [i for i in rows if not np.isnan(one.values[i])]), level)
        for name, one in found.items()
    }
