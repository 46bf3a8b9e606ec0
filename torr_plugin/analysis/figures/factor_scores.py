"""Scores by serializer and by perturbation: means, deviations from them, and win rates (ToRR, appendix C)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from ...core.seeds import generator
from ..arrays import ROUNDING, Booleans, Floats
from ..bootstrap import resampled_means
from ..charts.labels import ChartContext, bounds_row, require_several, unique_labels
from ..charts.panels import DotLayout, dot_chart, panel_labels
from ..charts.vega import Spec
from ..cube import Cube, by_factor
from ..estimates import Estimate, Marked, MeanOfEstimates, labelled, mean_over_datasets, nested, resampled
from ..figure import FigureChart, FigureTable, Row
from ..frame import OVERALL
from ..options import Options
from ..result import INTERVAL, FigureResult, Interval, interval_cells
from ..statistics import example_means, mean_over_examples, ratio_or_nan

Factor = Literal["serializer", "perturbation"]
"""What configurations are made of: their scores are looked at by the levels of one factor at a time."""

IntervalsByName = dict[str, dict[str, Interval]]
LevelScores = dict[str, dict[str, dict[str, Interval]]]
"""Data set or "overall" -> serializer or perturbation -> model -> mean score."""

DEVIATIONS_METHOD = (
    "a serializer's (or perturbation's) mean score less the unweighted mean over all of them, paired by "
    "example; an example that lacks a score in one of them takes no part. all_models: the unweighted mean "
    "over the models. Where all models' rows are alike, formats differ but do not interact with models"
)


class Deviations(FigureResult):
    """How far each serializer or perturbation lies from the mean over them, for all models and for each.

    ``all_models`` is over the models that have a figure, empty where none has.
    """

    all_models: dict[str, Interval] = {}
    models: dict[str, dict[str, Interval]] = {}


class WinRates(FigureResult):
    """Shares of the wins of serializers or perturbations: over all, per model, per data set."""

    overall: dict[str, Interval] = {}
    models: dict[str, dict[str, Interval]] = {}
    datasets: dict[str, dict[str, Interval]] = {}


def level_scores(cubes: Sequence[Cube], factor: Factor, options: Options) -> LevelScores:
    """Mean scores per serializer or perturbation, with intervals over examples.

    Args:
        cubes: of all data sets.
        factor: which.
        options: resamples, level and seed are used; configurations are taken as given.

    Returns:
        Empty where the scores do not say the factor. "overall" is the unweighted mean over data sets, of the
        names that all of them have.
    """
    estimates = {cube.dataset: _estimates(by_factor(cube, factor), cube.dataset, options) for cube in cubes}
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


def deviations(cubes: Sequence[Cube], factor: Factor, options: Options) -> dict[str, Deviations]:
    """Each serializer's or perturbation's mean score less the mean over them, see ``DEVIATIONS_METHOD``.

    "overall" is the unweighted mean over the data sets, of the names that all data sets have, less
    their mean.

    Args:
        cubes: of all data sets.
        factor: which.
        options: resamples, level and seed are used; configurations are taken as given.

    Returns:
        data set or "overall" -> deviations; a data set that has not two names is left out, and so is
        "overall" where not two are shared.
    """
    groups = [by_factor(cube, factor) for cube in cubes]
    shared = sorted(set(groups[0]).intersection(*groups))
    found: dict[str, Deviations] = {}
    total = []
    for cube, group in zip(cubes, groups, strict=True):
        names = sorted(group)
        if len(names) < 2:
            continue
        figures = _from_mean(cube, [group[name] for name in names], options)
        found[cube.dataset] = _deviations(cube.models, names, figures, options.level)
        if len(shared) > 1:
            same = names == shared
            total.append(figures if same else _from_mean(cube, [group[name] for name in shared], options))
    if total:
        together = _deviations(cubes[0].models, shared, mean_over_datasets(total), options.level)
        found = {OVERALL: together, **found}
    return found


def _from_mean(cube: Cube, parts: Sequence[Cube], options: Options) -> Marked:
    means = np.stack([example_means(part.scores) for part in parts], axis=1)
    away = means - means.mean(axis=1, keepdims=True)
    complete = ~np.stack([np.isnan(part.scores).any(axis=(1, 2)) for part in parts], axis=1)
    absent = np.isnan(away).all(axis=(1, 2))
    whole = np.broadcast_to(complete.all(axis=1, keepdims=True), complete.shape)
    return Marked(mean_over_examples(away), resampled(away, cube.dataset, options), whole, absent)


def _deviations(models: Sequence[str], names: Sequence[str], figures: Marked, level: float) -> Deviations:
    own = nested([models, names], figures.values, figures.samples, level, figures.complete)
    return Deviations(all_models=_together(names, figures, level), models=own)


def _together(names: Sequence[str], figures: Marked, level: float) -> dict[str, Interval]:
    """The mean over the models that have figures."""
    known = ~np.isnan(figures.values).any(axis=1)
    if not known.any():
        return {}
    values, samples = (
        array[known].mean(axis=0, keepdims=True) for array in (figures.values, figures.samples)
    )
    complete: Booleans = np.asarray(figures.complete.all(axis=0, keepdims=True))
    return _of_all(names, Marked(values, samples, complete), level)


def _of_all(names: Sequence[str], figures: Marked, level: float) -> dict[str, Interval]:
    """Name -> figure, of one row."""
    found = nested([[OVERALL], names], figures.values, figures.samples, level, figures.complete)
    return dict(found[OVERALL])


def example_win_rates(scores: Floats) -> Floats:
    """Per model and example, how many others each thing beats, over all wins on that example.

    ToRR, appendix C: scores (0.5, 0.2, 0.2, 0.9) are counted as (2, 0, 0, 3) and become (0.4, 0, 0, 0.6).
    Equal scores are a win for neither.

    Args:
        scores: one score a thing, (models x things x examples); NaN takes no part.

    Returns:
        (models x things x examples), sums to 1 over things; NaN on examples without a win.
    """
    # mean scores that differ by rounding errors alone are equal
    rounded = np.round(scores, ROUNDING)
    beaten = np.zeros(scores.shape)
    for thing in range(scores.shape[1]):
        beaten[:, thing] = (rounded[:, thing : thing + 1] > rounded).sum(axis=1)
    return ratio_or_nan(beaten, beaten.sum(axis=1, keepdims=True))


def win_rates(cubes: Sequence[Cube], factor: Factor, options: Options) -> WinRates | None:
    """Win rates of the serializers or perturbations, with intervals over examples.

    A serializer's score on an example is the mean over its configurations (its perturbations and designs), as
    the paper has one score a serializer; so with perturbations, of which ``none`` is one. A figure of a model
    and data set is the mean over the examples that have a win; one of a data set over all its models'
    examples that have one, each model and example counting alike. "overall", and a model's over all, are
    unweighted means over the data sets with a win, of the names that all data sets have, compared among
    themselves.

    Args:
        cubes: of all data sets.
        factor: which.
        options: resamples, level and seed are used; configurations are taken as given.

    Returns:
        Nothing (null) where nothing wins, ``complete`` False where scores are missing or a data set has no
        win; None where the scores do not say the factor.
    """
    groups = [by_factor(cube, factor) for cube in cubes]
    if not all(groups):
        return None
    shared = sorted(name for name in groups[0] if all(name in group for group in groups))
    datasets, per_model, pooled = {}, [], []
    for cube, group in zip(cubes, groups, strict=True):
        names = sorted(group)
        of_models, of_all = _rates(shared, group, cube.dataset, options)
        own = of_all if names == shared else _rates(names, group, cube.dataset, options)[1]
        datasets[cube.dataset] = _of_all(names, own, options.level)
        per_model.append(of_models)
        pooled.append(of_all)
    models, mean = cubes[0].models, mean_over_datasets(per_model)
    return WinRates(
        overall=_of_all(shared, mean_over_datasets(pooled), options.level),
        models=nested([models, shared], mean.values, mean.samples, options.level, mean.complete),
        datasets=datasets,
    )


def _rates(
    names: Sequence[str], groups: Mapping[str, Cube], dataset: str, options: Options
) -> tuple[Marked, Marked]:
    """Win rates among the named groups: per model, (models x names), and of all models, (1 x names)."""
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
    rates = example_win_rates(means)
    won = ~np.isnan(rates).all(axis=1, keepdims=True)
    return np.concatenate([np.where(won, rates, 0.0), won.astype(float)], axis=1)


def _shares(counted: Floats) -> Floats:
    """Sums of win rates over numbers of examples with a win, the last along axis 1."""
    return ratio_or_nan(counted[:, :-1], counted[:, -1:])


def score_rows(result: LevelScores) -> Iterator[Row]:
    """A row a mean score: data set, serializer or perturbation, model; or in another order of nesting."""
    for first, inner in result.items():
        for second, last in inner.items():
            for third, own in last.items():
                yield first, second, third, *interval_cells(own)


def _deviation_rows(result: Mapping[str, Deviations]) -> Iterator[Row]:
    """The mean over all models first, with an empty cell for the model."""
    for dataset, found in result.items():
        for name, own in found.all_models.items():
            yield dataset, None, name, *interval_cells(own)
        for model, names in found.models.items():
            for name, own in names.items():
                yield dataset, model, name, *interval_cells(own)


def _win_rate_rows(result: WinRates) -> Iterator[Row]:
    for name, own in result.overall.items():
        yield OVERALL, None, name, *interval_cells(own)
    for of, places in (("model", result.models), ("dataset", result.datasets)):
        for place, names in places.items():
            for name, own in names.items():
                yield of, place, name, *interval_cells(own)


def score_table(factor: Factor, about: str) -> FigureTable:
    """The table of :func:`level_scores`."""
    header = ("dataset", factor, "model", *INTERVAL)
    return FigureTable(f"{factor}_scores", header, score_rows, about, lambda result: result.scores)


def deviation_table(factor: Factor, about: str) -> FigureTable:
    """The table of :func:`deviations`."""
    header = ("dataset", "model", factor, *INTERVAL)
    return FigureTable(
        f"{factor}_deviations", header, _deviation_rows, about, lambda result: result.deviations
    )


def win_rate_table(factor: Factor) -> FigureTable:
    """The table of :func:`win_rates`."""
    header = ("of", "name", factor, *INTERVAL)
    about = f"share of wins of each {factor}"
    return FigureTable(f"{factor}_win_rates", header, _win_rate_rows, about, lambda result: result.win_rates)


def unnamed(factor: Factor) -> str:
    """Why there is nothing per serializer or perturbation."""
    return f"the scores do not say the {factor}s of all configurations"


_WIDTH = 100
_MEANING = "share of wins: how many others one beats on an example, over all wins on it"


def win_rate_chart(factor: Factor, source: str = "") -> FigureChart:
    """A row a serializer or perturbation (Fig. 15)."""

    def build(rates: Mapping[str, Interval], context: ChartContext) -> Spec:
        require_several(rates, factor)
        names = unique_labels(sorted(rates, key=lambda name: -(rates[name].value or 0.0)))
        rows = [
            {"row": label, "reference": 1 / len(rates), **figure}
            for name, label in names.items()
            if (figure := bounds_row(rates[name]))
        ]
        layout = DotLayout(rows=list(names.values()), x=_MEANING.split(":", maxsplit=1)[0], format="~%")
        return dot_chart(rows, layout, f"Win rates of {factor}s", _win_lines(context, len(rates)))

    return FigureChart(
        f"{factor}_win_rates", build, source, unnamed(factor), lambda result: result.win_rates.overall
    )


def win_rate_chart_by(
    factor: Factor, of: Literal["models", "datasets"], title: str, source: str
) -> FigureChart:
    """A row a model or data set, a panel a serializer (Fig. 10 and 11)."""

    def build(rates: Mapping[str, Mapping[str, Interval]], context: ChartContext) -> Spec:
        found = list(dict.fromkeys(name for rate in rates.values() for name in rate))
        require_several(found, factor)
        names = unique_labels(found, panel_labels(_WIDTH))
        rows_of = context.model_labels() if of == "models" else context.dataset_labels()
        rows = [
            {"row": label, "panel": names[name], "reference": 1 / len(names), **figure}
            for row, label in rows_of.items()
            for name, rate in rates.get(row, {}).items()
            if (figure := bounds_row(rate))
        ]
        layout = DotLayout(
            rows=list(rows_of.values()),
            panels=list(names.values()),
            x="share of wins",
            width=_WIDTH,
            columns=4 if len(names) > 5 else 5,
            format="~%",
        )
        return dot_chart(rows, layout, title, _win_lines(context, len(names)))

    def part(result: Any) -> Any:
        return getattr(result.win_rates, of)

    return FigureChart(f"{factor}_win_rates_{of}", build, source, unnamed(factor), part)


def _win_lines(context: ChartContext, count: int) -> list[str]:
    chance = f"dashed: equal shares (1 in {count})"
    return [f"{context.basis}. {_MEANING.capitalize()}; {chance}", context.intervals]
