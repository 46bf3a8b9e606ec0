"""Scores by serializer and by perturbation: means, deviations from them, and win rates (ToRR, appendix C)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from ..charts.labels import ChartContext, bounds_row, require_several, unique_labels
from ..charts.panels import DotLayout, dot_chart, panel_labels
from ..charts.vega import Spec
from ..cube import Cube, by_factor, lacking_models
from ..estimates import Estimate, mean_of_estimates, mean_over_datasets, resampled
from ..figure import FigureChart, FigureTable
from ..options import Options
from ..result import INTERVAL, OVERALL, FigureResult, Interval
from ..statistics import ROUNDING, Booleans, Floats, example_means, mean_over_examples, ratio_or_nan

Factor = Literal["serializer", "perturbation"]
"""What configurations are made of: their scores are looked at by the levels of one factor at a time."""

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
    found = {cube.dataset: _estimates(by_factor(cube, factor), cube, options) for cube in cubes}
    if not all(found.values()):
        return {}
    shared = [name for name in found[cubes[0].dataset] if all(name in own for own in found.values())]
    overall = {name: mean_of_estimates([own[name] for own in found.values()]) for name in shared}
    return {
        place: {name: own.intervals(options.level, cubes[0].models) for name, own in estimates.items()}
        for place, estimates in {OVERALL: overall, **found}.items()
    }


def _estimates(groups: Mapping[str, Cube], whole: Cube, options: Options) -> dict[str, Estimate]:
    """Name -> mean score of every model; all names share their resamples, those of the other figures."""
    if not groups:
        return {}
    means = np.stack([example_means(cube.scores) for cube in groups.values()])
    each = zip(groups, mean_over_examples(means), resampled(means, whole, options), strict=True)
    return {name: Estimate(values, samples) for name, values, samples in each}


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


def _from_mean(cube: Cube, parts: Sequence[Cube], options: Options) -> Estimate:
    means = np.stack([example_means(part.scores) for part in parts], axis=1)
    away = means - means.mean(axis=1, keepdims=True)
    complete = ~np.any([lacking_models(part) for part in parts], axis=0)[:, None]
    absent = np.isnan(away).all(axis=(1, 2))
    samples = resampled(away, cube, options)
    return Estimate(mean_over_examples(away), samples, np.broadcast_to(complete, away.shape[:2]), absent)


def _deviations(models: Sequence[str], names: Sequence[str], figures: Estimate, level: float) -> Deviations:
    known = ~np.isnan(figures.values).any(axis=1)
    found: dict[str, Any] = {"models": figures.intervals(level, models, names)}
    if not known.any():
        return Deviations(all_models={}, **found)
    values, samples = (array[known].mean(axis=0) for array in (figures.values, figures.samples))
    together = Estimate(values, samples, np.all(figures.complete, axis=0))
    return Deviations(all_models=together.intervals(level, names), **found)


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
        of_models, of_all = _rates(shared, group, options)
        own = of_all if names == shared else _rates(names, group, options)[1]
        datasets[cube.dataset] = own.intervals(options.level, names)
        per_model.append(of_models)
        pooled.append(of_all)
    return WinRates(
        overall=mean_over_datasets(pooled).intervals(options.level, shared),
        models=mean_over_datasets(per_model).intervals(options.level, cubes[0].models, shared),
        datasets=datasets,
    )


def _rates(names: Sequence[str], groups: Mapping[str, Cube], options: Options) -> tuple[Estimate, Estimate]:
    """Win rates among the named groups: per model, (models x names), and of all models, (names,)."""
    cube = next(iter(groups.values()))
    means = np.empty((len(cube.models), len(names), len(cube.examples)))
    # who lacks a score is not beaten by the others either, so that all names' figures miss something
    lacks = np.zeros(len(cube.models), dtype=bool)
    for i, name in enumerate(names):
        means[:, i] = example_means(groups[name].scores)
        lacks |= lacking_models(groups[name])
    counted = _counted(means)
    samples = resampled(counted, cube, options)
    complete = np.broadcast_to(~lacks[:, None], means.shape[:2])
    absent: Booleans = np.asarray(np.isnan(means).all(axis=(1, 2)))
    of_models = Estimate(_shares(counted.sum(axis=-1)), _shares(samples), complete, absent)
    pooled = _shares(counted.sum(axis=(0, -1))[None])[0], _shares(samples.sum(axis=0)[None])[0]
    return of_models, Estimate(*pooled, np.all(complete, axis=0))


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


def score_table(factor: Factor, about: str) -> FigureTable:
    """The table of :func:`level_scores`."""
    header = ("dataset", factor, "model", *INTERVAL)
    return FigureTable(f"{factor}_scores", header, about=about, part=lambda result: result.scores)


def deviation_table(factor: Factor, about: str) -> FigureTable:
    """The table of :func:`deviations`: the mean over all models first, with an empty cell for the model."""

    def part(result: Any) -> dict[str, Any]:
        return {place: {None: own.all_models, **own.models} for place, own in result.deviations.items()}

    return FigureTable(
        f"{factor}_deviations", ("dataset", "model", factor, *INTERVAL), about=about, part=part
    )


def win_rate_table(factor: Factor) -> FigureTable:
    """The table of :func:`win_rates`."""

    def part(result: Any) -> dict[str, Any] | None:
        rates = result.win_rates
        if rates is None:
            return None
        return {OVERALL: {None: rates.overall}, "model": rates.models, "dataset": rates.datasets}

    header = ("of", "name", factor, *INTERVAL)
    return FigureTable(f"{factor}_win_rates", header, about=f"share of wins of each {factor}", part=part)


def unnamed(factor: Factor) -> str:
    """Why there is nothing per serializer or perturbation."""
    return f"the scores do not say the {factor}s of all configurations"


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
        names = {name for rate in rates.values() for name in rate}
        require_several(names, factor)
        return panel_chart(
            rates,
            context.model_labels() if of == "models" else context.dataset_labels(),
            title,
            _win_lines(context, len(names)),
            reference=1 / len(names),
            x="share of wins",
            width=100,
            columns=4 if len(names) > 5 else 5,
            format="~%",
        )

    return FigureChart(
        f"{factor}_win_rates_{of}",
        build,
        source,
        unnamed(factor),
        lambda result: getattr(result.win_rates, of),
    )


def panel_chart(
    found: Mapping[str, Mapping[str, Interval]],
    rows_of: Mapping[str, str],
    title: str,
    lines: Sequence[str],
    *,
    reference: float | None = None,
    **layout: Any,
) -> Spec:
    """A row a model or data set, a panel a serializer or perturbation.

    Args:
        found: model or data set -> serializer or perturbation -> figure.
        rows_of: model or data set -> label.
        title: what is shown.
        lines: what it rests on.
        reference: where a dashed line stands.
        layout: fields of :class:`DotLayout`.
    """
    names = unique_labels(
        dict.fromkeys(name for own in found.values() for name in own), panel_labels(layout["width"])
    )
    mark = {} if reference is None else {"reference": reference}
    rows = [
        {"row": label, "panel": names[name], **mark, **figure}
        for row, label in rows_of.items()
        for name, own in found.get(row, {}).items()
        if (figure := bounds_row(own))
    ]
    panels = DotLayout(rows=list(rows_of.values()), panels=list(names.values()), **layout)
    return dot_chart(rows, panels, title, lines)


def _win_lines(context: ChartContext, count: int) -> list[str]:
    chance = f"dashed: equal shares (1 in {count})"
    return [f"{context.basis}. {_MEANING.capitalize()}; {chance}", context.intervals]
