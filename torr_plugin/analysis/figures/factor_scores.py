"""Figures of parts of the cube: per configuration, per serializer, per perturbation.

MERGED: How much better or worse than in its mean a model does with a serializer, or under a perturbation.
MERGED: Win rates of serializers and perturbations (ToRR, appendix C; Fig. 10, 11 and 15).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from ..arrays import ROUNDING
from ..bootstrap import generator, resampled_means
from ..charts.labels import (
    Analysis,
    basis,
    dataset_labels,
    intervals,
    known,
    labels,
    model_labels,
    needed,
    several,
    unnamed,
)
from ..charts.panels import Layout, dots, panel_labels
from ..charts.vega import Drawing
from ..cube import Cube, grouped
from ..estimates import (
    Estimate,
    Marked,
    MeanOfEstimates,
    Options,
    labelled,
    mean_over_datasets,
    nested,
    resampled,
)
from ..frame import OVERALL
from ..statistics import divided, example_means, mean_over_examples

if TYPE_CHECKING:
    from ..arrays import Booleans, Floats


def by_part(cubes: Sequence[Cube], part: str, options: Options) -> dict[str, Any]:
    """Mean scores per serializer or perturbation, with intervals over examples.

    Args:
        cubes: of all data sets.
        part: "serializer" or "perturbation".
        options: resamples, level and seed are used; configurations are taken as given.

    Returns:
        data set or "overall" -> name -> model -> {"value", "low", "high"}; empty where the scores do not say
        the parts. "overall" is the unweighted mean over data sets, of the names that all of them have.
    """
    estimates = {cube.dataset: _estimates(grouped(cube, part), cube.dataset, options) for cube in cubes}
    if not all(estimates.values()):
        return {}
    shared = [
        name for name in estimates[cubes[0].dataset] if all(name in found for found in estimates.values())
    ]
    overall = {name: _mean([found[name] for found in estimates.values()]) for name in shared}
    models = cubes[0].models
    return {
        place: {name: labelled(models, estimate, options.level) for name, estimate in found.items()}
        for place, found in {OVERALL: overall, **estimates}.items()
    }


def _estimates(groups: Mapping[str, Cube], dataset: str, options: Options) -> dict[str, Estimate]:
    """Name -> mean score of every model; all names share their resamples, those of the other figures."""
    import numpy as np

    if not groups:
        return {}
    means = [example_means(cube.scores) for cube in groups.values()]
    rng = generator(options.seed, "examples", dataset)
    samples = np.split(resampled_means(np.concatenate(means), rng, options.resamples), len(means))
    return {
        name: Estimate(mean_over_examples(mean), drawn)
        for name, mean, drawn in zip(groups, means, samples, strict=True)
    }


def _mean(estimates: Sequence[Estimate]) -> Estimate:
    total = MeanOfEstimates()
    for estimate in estimates:
        total.add(estimate)
    return total.mean()


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
        datasets[cube.dataset] = _named_win_rates(names, own, options.level)
        per_model.append(of_models)
        pooled.append(of_all)
    models, mean = cubes[0].models, mean_over_datasets(per_model)
    return {
        OVERALL: _named_win_rates(shared, mean_over_datasets(pooled), options.level),
        "models": nested([models, shared], mean.values, mean.samples, options.level, mean.complete),
        "datasets": datasets,
    }


def _named_win_rates(names: Sequence[str], rates: Marked, level: float) -> dict[str, Any]:
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


_WIDTH = 100
_MEANING = "share of wins: how many others one beats on an example, over all wins on it"


def serializers_overall(analysis: Analysis) -> Drawing:
    """A row a serializer."""
    return _overall(analysis, "serializers", "Win rates of serializers")


def serializers_by_model(analysis: Analysis) -> Drawing:
    """A row a model, a panel a serializer (Fig. 10)."""
    return _by(analysis, "serializers", "models", "Win rates of serializers per model")


def serializers_by_dataset(analysis: Analysis) -> Drawing:
    """A row a data set, a panel a serializer (Fig. 11)."""
    return _by(analysis, "serializers", "datasets", "Win rates of serializers per data set")


def perturbations_overall(analysis: Analysis) -> Drawing:
    """A row a perturbation (Fig. 15)."""
    return _overall(analysis, "perturbations", "Win rates of perturbations")


def _overall(analysis: Analysis, parts: str, title: str) -> Drawing:
    rates = needed(analysis, parts, "win_rates", "overall", why=unnamed(parts))
    several(rates, parts[:-1])
    names = labels(sorted(rates, key=lambda name: -(rates[name]["value"] or 0.0)))
    rows = [
        {"row": label, "reference": 1 / len(rates), **figure}
        for name, label in names.items()
        if (figure := known(rates[name]))
    ]
    layout = Layout(rows=list(names.values()), x=_MEANING.split(":", maxsplit=1)[0], format="~%")
    return dots(rows, layout, title, _lines(analysis, len(rates)))


def _by(analysis: Analysis, parts: str, of: str, title: str) -> Drawing:
    rates: Mapping[str, Mapping[str, Any]] = needed(analysis, parts, "win_rates", of, why=unnamed(parts))
    found = list(dict.fromkeys(name for rate in rates.values() for name in rate))
    several(found, parts[:-1])
    names = labels(found, panel_labels(_WIDTH))
    rows_of = model_labels(analysis) if of == "models" else dataset_labels(analysis)
    rows = [
        {"row": label, "panel": names[name], "reference": 1 / len(names), **figure}
        for row, label in rows_of.items()
        for name, rate in rates.get(row, {}).items()
        if (figure := known(rate))
    ]
    layout = Layout(
        rows=list(rows_of.values()),
        panels=list(names.values()),
        x="share of wins",
        width=_WIDTH,
        columns=4 if len(names) > 5 else 5,
        format="~%",
    )
    return dots(rows, layout, title, _lines(analysis, len(names)))


def _lines(analysis: Analysis, count: int) -> list[str]:
    chance = f"dashed: equal shares (1 in {count})"
    return [f"{basis(analysis)}. {_MEANING.capitalize()}; {chance}", intervals(analysis)]
