"""How much better or worse than in its mean a model does with a serializer, or under a perturbation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from ..configurations import grouped
from ..cube import Cube
from ..figures import Options
from ..frame import OVERALL
from ..labelling import Marked, mean_over_datasets, nested, resampled
from ..performance import example_means, mean_over_examples

if TYPE_CHECKING:
    from ..types import Booleans

METHOD = (
    "a serializer's (or perturbation's) mean score less the unweighted mean over all of them, paired by "
    "example; an example that lacks a score in one of them takes no part. all_models: the unweighted mean "
    "over the models. Where all models' rows are alike, formats differ but do not interact with models"
)


def deviations(cubes: Sequence[Cube], part: str, options: Options) -> dict[str, Any]:
    """Each serializer's or perturbation's mean score less the mean over them, see ``METHOD``.

    "overall" is the unweighted mean over the data sets, of the names that all data sets have, less
    their mean.

    Args:
        cubes: of all data sets.
        part: "serializer" or "perturbation".
        options: resamples, level and seed are used; configurations are taken as given.

    Returns:
        data set or "overall" -> {"all_models": {name: F}, "models": {model: {name: F}}}, F = {"value", "low",
        "high"}, the former of the models that have a figure, empty where none has; a data set that has not
        two names is left out, and so is "overall" where not two are shared.
    """
    groups = [grouped(cube, part) for cube in cubes]
    shared = sorted(set(groups[0]).intersection(*groups))
    found: dict[str, Any] = {}
    total = []
    for cube, group in zip(cubes, groups, strict=True):
        names = sorted(group)
        if len(names) < 2:
            continue
        figures = _of(cube, [group[name] for name in names], options)
        found[cube.dataset] = _named(cube.models, names, figures, options.level)
        if len(shared) > 1:
            total.append(figures if names == shared else _of(cube, [group[name] for name in shared], options))
    if total:
        together = _named(cubes[0].models, shared, mean_over_datasets(total), options.level)
        found = {OVERALL: together, **found}
    return found


def _of(cube: Cube, parts: Sequence[Cube], options: Options) -> Marked:
    import numpy as np

    means = np.stack([example_means(part.scores) for part in parts], axis=1)
    away = means - means.mean(axis=1, keepdims=True)
    complete = ~np.stack([np.isnan(part.scores).any(axis=(1, 2)) for part in parts], axis=1)
    absent = np.isnan(away).all(axis=(1, 2))
    whole = np.broadcast_to(complete.all(axis=1, keepdims=True), complete.shape)
    return Marked(mean_over_examples(away), resampled(away, cube.dataset, options), whole, absent)


def _named(models: Sequence[str], names: Sequence[str], figures: Marked, level: float) -> dict[str, Any]:
    own = nested([models, names], figures.values, figures.samples, level, figures.complete)
    return {"all_models": _together(names, figures, level), "models": own}


def _together(names: Sequence[str], figures: Marked, level: float) -> dict[str, Any]:
    """The mean over the models that have figures."""
    import numpy as np

    known = ~np.isnan(figures.values).any(axis=1)
    if not known.any():
        return {}
    values, samples = (
        array[known].mean(axis=0, keepdims=True) for array in (figures.values, figures.samples)
    )
    complete: Booleans = np.asarray(figures.complete.all(axis=0, keepdims=True))
    return cast("dict[str, Any]", nested([[OVERALL], names], values, samples, level, complete)[OVERALL])
