"""How far serializers, or perturbations, lie from the mean over them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...core.statistics import mean_over_examples, mean_over_models
from ..cube import Cube
from ..estimates import Estimate, mean_over_datasets, resampled
from ..figure import FigureTable
from ..options import Options
from ..result import CONTRAST, OVERALL, Contrast, FigureResult, contrast_rows
from ..shared_examples import Factor
from ..studentized_bootstrap import PairValues, difference_test
from .factor_cubes import FactorCubes, Groups, level_means

METHOD = (
    "a format's (or perturbation's) mean score less the unweighted mean over all of them, paired by "
    "example; an example that lacks a score in one of them takes no part. all_models: the unweighted mean "
    "over the models. Where all models' rows are alike, formats differ but do not interact with models. p: "
    "of the two-sided t test that a deviation is 0, over whole tables where they are known, each by itself; "
    "skewed: p and the interval by the symmetric studentized bootstrap"
)


class Deviations(FigureResult):
    """How far each serializer or perturbation lies from the mean over them, for all models and for each.

    ``all_models`` is over the models that have a figure, empty where none has.
    """

    all_models: dict[str, Contrast] = {}
    models: dict[str, dict[str, Contrast]] = {}


def deviations(compared: FactorCubes, options: Options) -> dict[str, Deviations]:
    """Each serializer's or perturbation's mean score less the mean over them, see ``METHOD``.

    "overall" is the unweighted mean over the data sets, of the names that all data sets have, less
    their mean.

    Args:
        compared: of all data sets.
        options: resamples, level and seed are used; configurations are taken as given.

    Returns:
        data set or "overall" -> deviations; a data set with fewer than two names is left out, and so is
        "overall" where fewer than two are shared.
    """
    found: dict[str, Deviations] = {}
    total = []
    models = compared.models
    for cube, own, together in zip(compared.cubes, compared.datasets, compared.together, strict=True):
        if len(own) < 2:
            continue
        alone = _dataset_deviations(cube, own, options)
        found[cube.dataset] = _deviations(models, sorted(own), [alone], options)
        if len(together) > 1:
            total.append(alone if together is own else _dataset_deviations(cube, together, options))
    if total:
        found = {OVERALL: _deviations(models, sorted(compared.shared), total, options), **found}
    return found


@dataclass(frozen=True)
class _DatasetDeviations:
    """Deviations on a data set: an example each, (models x names x examples), and their means."""

    values: PairValues
    means: Estimate


def _dataset_deviations(cube: Cube, groups: Groups, options: Options) -> _DatasetDeviations:
    means, lacks = level_means(cube, groups)
    values = means - means.mean(axis=1, keepdims=True)
    complete = np.broadcast_to(~lacks[:, None], values.shape[:2])
    absent = np.isnan(values).all(axis=(1, 2))
    figures = Estimate(mean_over_examples(values), resampled(values, cube, options), complete, absent)
    return _DatasetDeviations(PairValues(cube.dataset, values, cube.clusters), figures)


def _deviations(
    models: Sequence[str], names: Sequence[str], parts: Sequence[_DatasetDeviations], options: Options
) -> Deviations:
    """The unweighted mean over data sets."""
    figures = parts[0].means if len(parts) == 1 else mean_over_datasets([part.means for part in parts])
    test = difference_test([part.values for part in parts], options)
    known = ~np.isnan(figures.values).any(axis=1)
    found: dict[str, Any] = {"models": figures.contrasts(test, models, names)}
    if not known.any():
        return Deviations(all_models={}, **found)
    values, samples = (array[known].mean(axis=0) for array in (figures.values, figures.samples))
    together = Estimate(values, samples, np.all(figures.complete, axis=0))
    over_models = [replace(part.values, values=mean_over_models(part.values.values[known])) for part in parts]
    return Deviations(all_models=together.contrasts(difference_test(over_models, options), names), **found)


def deviation_table(
    factor: Factor, about: str, over: Callable[[Any], str], field: str = "deviations"
) -> FigureTable:
    """The table of :func:`deviations`: the mean over all models first, with an empty cell for the model.

    Args:
        factor: which.
        about: what it holds.
        over: as of a :class:`~..figure.FigureTable`.
        field: of the result.
    """

    def part(result: Any) -> dict[str, Any]:
        found: dict[str, Deviations] = getattr(result, field)
        return {place: {None: own.all_models, **own.models} for place, own in found.items()}

    header = ("dataset", "model", factor, *CONTRAST)
    return FigureTable(f"{factor}_{field}", header, contrast_rows, about, part, over)
