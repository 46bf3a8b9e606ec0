"""Win rates of serializers and perturbations (ToRR, appendix C; Fig. 10, 11 and 15)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..configurations import grouped
from ..cube import Cube
from ..figures import Options
from ..frame import OVERALL
from ..labelling import Marked, mean_over_datasets, nested, resampled
from ..performance import divided, example_means
from ..rounding import ROUNDING

if TYPE_CHECKING:
    from ..types import Booleans, Floats


def example_win_rates(scores: Floats) -> Floats:
    """Per model and example, how many others each thing beats, over all wins on that example.

    ToRR, appendix C: scores (0.5, 0.2, 0.2, 0.9) are counted as (2, 0, 0, 3) and become (0.4, 0, 0, 0.6).
    Equal scores are a win for neither.

    Args:
        scores: one score a thing, (models x things x examples); NaN takes no part.

    Returns:
        (models x things x examples), sums to 1 over things; NaN on examples without a win.
    """
    import numpy as np

    # mean scores that differ by rounding errors alone are equal
    rounded = np.round(scores, ROUNDING)
    beaten = np.zeros(scores.shape)
    for thing in range(scores.shape[1]):
        beaten[:, thing] = (rounded[:, thing : thing + 1] > rounded).sum(axis=1)
    return divided(beaten, beaten.sum(axis=1, keepdims=True))


def win_rates(cubes: Sequence[Cube], part: str, options: Options) -> dict[str, Any]:
    """Win rates of the serializers or perturbations, with intervals over examples.

    A serializer's score on an example is the mean over its configurations (its perturbations and designs), as
    the paper has one score a serializer; so with perturbations, of which ``none`` is one. A figure of a model
    and data set is the mean over the examples that have a win; one of a data set over all its models'
    examples that have one, each model and example counting alike. "overall", and a model's over all, are
    unweighted means over the data sets with a win, of the names that all data sets have, compared among
    themselves.

    Args:
        cubes: of all data sets.
        part: "serializer" or "perturbation".
        options: resamples, level and seed are used; configurations are taken as given.

    Returns:
        {"overall": {name: F}, "models": {model: {name: F}}, "datasets": {data set: {name: F}}}, F = {"value",
        "low", "high"}, null where nothing wins, ``"complete": False`` where scores are missing or a data set
        has no win; empty where the scores do not say the parts.
    """
    groups = [grouped(cube, part) for cube in cubes]
    if not all(groups):
        return {}
    shared = sorted(name for name in groups[0] if all(name in group for group in groups))
    datasets, per_model, pooled = {}, [], []
    for cube, group in zip(cubes, groups, strict=True):
        names = sorted(group)
        of_models, of_all = _rates(shared, group, cube.dataset, options)
        own = of_all if names == shared else _rates(names, group, cube.dataset, options)[1]
        datasets[cube.dataset] = _named(names, own, options.level)
        per_model.append(of_models)
        pooled.append(of_all)
    models, mean = cubes[0].models, mean_over_datasets(per_model)
    return {
        OVERALL: _named(shared, mean_over_datasets(pooled), options.level),
        "models": nested([models, shared], mean.values, mean.samples, options.level, mean.complete),
        "datasets": datasets,
    }


def _named(names: Sequence[str], rates: Marked, level: float) -> dict[str, Any]:
    found: dict[str, Any] = nested([[OVERALL], names], rates.values, rates.samples, level, rates.complete)
    return dict(found[OVERALL])


def _rates(
    names: Sequence[str], groups: Mapping[str, Cube], dataset: str, options: Options
) -> tuple[Marked, Marked]:
    """Win rates among the named groups: per model, (models x names), and of all models, (1 x names)."""
    import numpy as np

    cube = next(iter(groups.values()))
    means = np.empty((len(cube.models), len(names), len(cube.examples)))
    complete = np.ones(means.shape[:2], dtype=bool)
    for i, name in enumerate(names):
        means[:, i] = example_means(groups[name].scores)
        complete[:, i] = ~np.isnan(groups[name].scores).any(axis=(1, 2))
    # who lacks a score is not beaten by the others either, so that all names' figures miss something
    complete[:] = complete.all(axis=1, keepdims=True)
    counted = _counted(means)
    samples = resampled(counted, dataset, options)
    of_models = Marked(_shares(counted.sum(axis=-1)), _shares(samples), complete)
    absent: Booleans = np.asarray(np.isnan(means).all(axis=(1, 2)))
    all_complete: Booleans = np.asarray(complete.all(axis=0, keepdims=True))
    pooled = Marked(
        _shares(counted.sum(axis=(0, -1))[None]),
        _shares(samples.sum(axis=0)[None]),
        all_complete,
    )
    return replace(of_models, absent=absent), pooled


def _counted(means: Floats) -> Floats:
    """Each example's win rates, 0 where nothing wins, and last whether something does.

    (models x names x examples) -> (models x names + 1 x examples).
    """
    import numpy as np

    rates = example_win_rates(means)
    won = ~np.isnan(rates).all(axis=1, keepdims=True)
    return np.concatenate([np.where(won, rates, 0.0), won.astype(float)], axis=1)


def _shares(counted: Floats) -> Floats:
    """Sums of win rates over numbers of examples with a win, the last along axis 1."""
    return divided(counted[:, :-1], counted[:, -1:])
