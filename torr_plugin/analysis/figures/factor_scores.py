"""Scores by serializer and by perturbation: means and win rates (ToRR, appendix C)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...core.statistics import ROUNDING, Booleans, Floats, ratio_or_nan
from ..base_designs import at_one_design, design_of_comparison
from ..charts.labels import bounds_row, unique_labels
from ..charts.panels import DotLayout, dot_chart, panel_labels
from ..charts.vega import Spec
from ..cube import Cube, by_factor
from ..estimates import Estimate, mean_of_estimates, mean_over_datasets, mean_scores, resampled
from ..figure import FigureTable
from ..options import Options
from ..result import INTERVAL, OVERALL, FigureResult, Interval
from ..shared_examples import Factor, noun
from ..study import StudyScores
from .compared_over import over_shared
from .factor_cubes import (
    FactorCubes,
    Groups,
    examples_compared,
    formats_of_pairs,
    level_means,
    own_cells,
)

LevelScores = dict[str, dict[str, dict[str, Interval]]]
"""Data set or "overall" -> serializer or perturbation -> model -> mean score."""


class WinRates(FigureResult):
    """Rates of wins of serializers or perturbations: over all, per model, per data set."""

    overall: dict[str, Interval] = {}
    models: dict[str, dict[str, Interval]] = {}
    datasets: dict[str, dict[str, Interval]] = {}


class OwnLevelScores(FigureResult):
    """The figures of the paper over each serializer's, or perturbation's, own scores, alike or not."""

    scores: LevelScores
    win_rates: WinRates


def level_scores(compared: FactorCubes, options: Options) -> LevelScores:
    """Mean scores per serializer or perturbation, with intervals over examples.

    Args:
        compared: of all data sets.
        options: the level is used; configurations are taken as given.

    Returns:
        "overall" is the unweighted mean over data sets, of the names that all of them have.
    """
    found = {
        cube.dataset: _estimates(groups, cube)
        for cube, groups in zip(compared.cubes, compared.datasets, strict=True)
    }
    together = [
        found[cube.dataset] if groups is own else _estimates(groups, cube)
        for cube, own, groups in zip(compared.cubes, compared.datasets, compared.together, strict=True)
    ]
    overall = {name: mean_of_estimates([own[name] for own in together]) for name in compared.shared}
    return {
        place: {name: own.intervals(options.level, compared.models) for name, own in estimates.items()}
        for place, estimates in {OVERALL: overall, **found}.items()
    }


def _estimates(groups: Groups, whole: Cube) -> dict[str, Estimate]:
    """Name -> mean score of every model."""
    means, lacks = level_means(whole, groups)
    together, names = mean_scores(means, whole.clusters, ~lacks), sorted(groups)
    return {name: together.at(np.s_[:, names.index(name)]) for name in groups}


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


def win_rates(compared: FactorCubes, options: Options) -> WinRates:
    """Win rates of the serializers or perturbations, with intervals over examples.

    A serializer's score on an example is the mean over its configurations (its perturbations and designs), as
    the paper has one score a serializer; so with perturbations, of which ``none`` is one. A figure of a model
    and data set is the mean over the examples that have a win; one of a data set over all its models'
    examples that have one, each model and example counting alike. "overall", and a model's over all, are
    unweighted means over the data sets with a win, of the names that all data sets have, compared among
    themselves.

    Args:
        compared: of all data sets.
        options: resamples, level and seed are used; configurations are taken as given.

    Returns:
        Nothing (null) where nothing wins, ``complete`` False where scores are missing or a data set has no
        win.
    """
    shared, level = sorted(compared.shared), options.level
    datasets, per_model, pooled = {}, [], []
    for cube, own, together in zip(compared.cubes, compared.datasets, compared.together, strict=True):
        of_models, of_all = _rates(cube, together, options)
        whole = of_all if together is own else _rates(cube, own, options)[1]
        datasets[cube.dataset] = whole.intervals(level, sorted(own))
        per_model.append(of_models)
        pooled.append(of_all)
    return WinRates(
        overall=mean_over_datasets(pooled).intervals(level, shared),
        models=mean_over_datasets(per_model).intervals(level, compared.models, shared),
        datasets=datasets,
    )


def _rates(cube: Cube, groups: Groups, options: Options) -> tuple[Estimate, Estimate]:
    """Win rates within the groups of a data set: per model, (models x names), and of all models, (names,)."""
    means, lacks = level_means(cube, groups)
    counted = _counted(means)
    samples = resampled(counted, cube, options)
    # who lacks a score is not beaten by the others either, so that all names' figures miss something
    complete = np.broadcast_to(~lacks.any(axis=1, keepdims=True), means.shape[:2])
    absent: Booleans = np.asarray(np.isnan(means).all(axis=(1, 2)))
    of_models = Estimate(_shares(counted.sum(axis=-1)), (), _shares(samples), complete, absent)
    value, drawn = _shares(counted.sum(axis=(0, -1))[None])[0], _shares(samples.sum(axis=0)[None])[0]
    return of_models, Estimate(value, (), drawn, np.all(complete, axis=0))


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


def beside(compared: FactorCubes, cubes: Sequence[Cube], options: Options) -> dict[str, Any]:
    """What stands beside the figures of serializers, or perturbations, on equal terms.

    Args:
        compared: those that are compared.
        cubes: with all of them.
        options: how intervals are made.

    Returns:
        ``examples``; ``own_cells`` where there are such.
    """
    found: dict[str, Any] = {"examples": examples_compared(compared)}
    own = own_cells(cubes, compared.factor)
    if own is not None:
        found["own_cells"] = OwnLevelScores(
            scores=level_scores(own, options), win_rates=win_rates(own, options)
        )
    return found


def at_designs(study: StudyScores, factor: Factor) -> dict[str, Any]:
    """``at_design``: data set -> the design at which its serializers, or perturbations, are compared.

    Nothing where no data set has several designs, and several of what is compared at one of them.
    """
    base = study.base_design
    found = {
        cube.dataset: name
        for cube in study.cubes
        if (name := design_of_comparison(cube, factor, base))
        and len(by_factor(at_one_design(cube, factor, base), factor)) > 1
    }
    return {"at_design": found} if found else {}


def design_notes(study: StudyScores) -> list[str]:
    """At which design serializers and perturbations are compared, where there are several."""
    factors: tuple[Factor, ...] = ("serializer", "perturbation")
    see = f"; {_SEE_DESIGNS}" if formats_of_pairs(study.cubes, study.bases) else ""
    designs = [at_designs(study, factor).get("at_design", {}) for factor in factors]
    names = {name for own in designs for name in own.values()}
    if len(names) == 1:
        compared = " and ".join(
            f"{noun(factor)}s" for factor, own in zip(factors, designs, strict=True) if own
        )
        return [f"{compared} are compared at the design {names.pop()!r} alone{see}"]
    return [
        f"{noun(factor)}s are compared at the design {name!r} alone on {', '.join(where)}{see}"
        for factor, own in zip(factors, designs, strict=True)
        for name in dict.fromkeys(own.values())
        if (where := [dataset for dataset, at in own.items() if at == name])
    ]


_SEE_DESIGNS = "what other designs change is in the figure 'designs'"


def score_table(factor: Factor, about: str) -> FigureTable:
    """The table of :func:`level_scores`."""
    header = ("dataset", factor, "model", *INTERVAL)
    over = over_shared(factor)
    return FigureTable(f"{factor}_scores", header, about=about, part=lambda result: result.scores, over=over)


def win_rate_table(factor: Factor) -> FigureTable:
    """The table of :func:`win_rates`."""

    def part(result: Any) -> dict[str, Any] | None:
        return None if result.win_rates is None else rate_parts(result.win_rates)

    about = f"ToRR's share of wins of each {noun(factor)}"
    over = over_shared(factor)
    return FigureTable(f"{factor}_win_rates", rate_header(factor), about=about, part=part, over=over)


def rate_header(factor: Factor) -> tuple[str, ...]:
    """The columns of a table of win rates."""
    return ("of", "name", factor, *INTERVAL)


def rate_parts(rates: WinRates) -> dict[str, Any]:
    """Win rates as the rows of a table hold them."""
    return {OVERALL: {None: rates.overall}, "model": rates.models, "dataset": rates.datasets}


def unnamed(factor: Factor) -> str:
    """Why there is nothing per serializer or perturbation."""
    return f"the scores do not say the {noun(factor)}s of all configurations"


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
