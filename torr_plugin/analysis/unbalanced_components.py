"""Variance components of a crossed random design with holes, one score a cell at most.

Henderson's first method (Henderson, "Estimation of variance and covariance components", Biometrics 1953;
Searle, Casella and McCulloch, "Variance Components", 1992, section 5.3): the uncorrected sums of squares of
all groupings have expectations that are linear in the components, whatever is missing, as long as it is
missing at random. Without holes the solution is that of the analysis of variance.

It gives the components of examples. Those of models, configurations and the two together are those of the
table of cell means, less what the examples add to each (:func:`example_numbers`): as unbiased, and their
errors are those of the means that models are ranked by. Draws are of the mean squares of a design without
holes and with as many scores an effect (harmonic means), with the freedoms of the scores that are there.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np

from ..core.statistics import Booleans, Floats, Integers, mean_over_examples, ratio_or_nan, table_count
from .variance_components import (
    COMPONENTS,
    CONFIGURATION,
    CONFIGURATION_EXAMPLE,
    EXAMPLE,
    MODEL,
    MODEL_CONFIGURATION,
    MODEL_EXAMPLE,
    RESIDUAL,
    Anova,
    Components,
    MeanSquare,
    Numbers,
    anova,
    composite_components,
    dataset_components,
)

_AXES = (0, 1, 2)
_GROUPINGS = tuple(axes for size in (1, 2, 3) for axes in combinations(_AXES, size))
"""Of models, configurations and examples, in the order of ``COMPONENTS``."""


def henderson_components(scores: Floats) -> dict[str, float]:
    """The seven components, unbiased, negative ones as they are.

    Args:
        scores: (models x configurations x examples), NaN is a hole; at least two of each.

    Returns:
        For each of ``COMPONENTS`` its estimate; NaN for all where what is there cannot tell them apart.
    """
    present = ~np.isnan(scores)
    filled = np.where(present, scores - scores[present].mean(), 0.0)  # squares of small numbers are exact
    smaller = ((), *_GROUPINGS[:-1])
    counts = {axes: _summed(present, axes) for axes in smaller}
    observed = [_squares(_summed(filled, axes), counts[axes]) for axes in smaller]
    observed.append(float((filled**2).sum()))
    total = float(counts[()].sum())
    expected = [
        [total, *(_coefficient(counts, axes, component) for component in _GROUPINGS)] for axes in smaller
    ]
    expected.append([total] * (len(_GROUPINGS) + 1))
    matrix = np.array(expected)
    if np.linalg.matrix_rank(matrix / total) < len(matrix):
        return dict.fromkeys(COMPONENTS, float("nan"))
    _, *components = np.linalg.solve(matrix, np.array(observed))
    return dict(zip(COMPONENTS, map(float, components), strict=True))


def _summed(values: Floats, kept: tuple[int, ...]) -> Floats:
    others = tuple(axis for axis in _AXES if axis not in kept)
    summed: Floats = np.asarray(values.sum(axis=others, keepdims=True), dtype=float)
    return summed


def _squares(sums: Floats, counts: Floats) -> float:
    """The sum over groups of n times the squared mean."""
    return float(np.divide(sums**2, counts, out=np.zeros_like(sums), where=counts > 0).sum())


def _coefficient(
    counts: dict[tuple[int, ...], Floats], axes: tuple[int, ...], component: tuple[int, ...]
) -> float:
    """What a component of variance 1 adds to the expected sum of squares of a grouping."""
    both = tuple(sorted({*axes, *component}))
    if both == _AXES:  # each effect is in one score of the group: n times 1 / n a group
        return float((counts[axes] > 0).sum())
    within = np.broadcast_to(counts[axes], counts[both].shape)
    return float(np.divide(counts[both] ** 2, within, out=np.zeros_like(within), where=within > 0).sum())


_ROUNDING = 1e-20  # a mean square of rounding errors of scores in [0, 1]
_NOTHING = 1e-14  # a share that is a rounding error
_GROUPS = 10  # of tables in the jackknife
_FITS = 6  # of holes


def holed_components(
    scores: Floats, clusters: Integers, rng: np.random.Generator, draws: int
) -> Components | None:
    """The components of one data set with holes.

    Args:
        scores: (models x configurations x examples), NaN is a hole; at least two of each, an example a score
            and a model one in every configuration.
        clusters: the number of each example's table, from 0 on, at least two, (examples,).
        rng: for the draws.
        draws: how many.

    Returns:
        None where what is there cannot tell the components apart.
    """
    found = equivalent_anova(scores, clusters)
    if found is None:
        return None
    _, configurations, examples = scores.shape
    part = replace(
        dataset_components(found, rng, draws),
        configurations=configurations,
        examples=(examples,),
        numbers=example_numbers(~np.isnan(scores)),
    )
    return composite_components(mean_over_examples(scores), [part], rng, draws)


def equivalent_anova(scores: Floats, clusters: Integers) -> Anova | None:
    """The mean squares that the components with examples would have in a design without holes.

    Freedoms, and how far the mean squares between tables are above those of examples, are those of the
    scores with their holes filled (:func:`filled`). A freedom is less where a jackknife that leaves out a
    group of tables at a time finds that Henderson's estimates vary more.

    Returns:
        None where what is there cannot tell the components apart. Mean squares without examples are those of
        the filled scores.
    """
    values = _mean_squares(scores)
    if np.isnan(values[RESIDUAL]):
        return None
    whole = filled(scores)
    apart, together = anova(whole), anova(whole, clusters)
    variances = _jackknife_variances(scores, clusters)
    found = dict(together.squares)
    for name, value in values.items():
        own, single = together.squares[name], apart.squares[name].value
        effect = own.value / single if single > 0 else 1.0
        varied = 2 * value**2 / variances[name] if variances[name] > 0 else own.freedom
        freedom = max(1.0, min(own.freedom, varied))
        found[name] = MeanSquare(value * effect if abs(value) > _ROUNDING else 0.0, freedom)
    models, configurations = _harmonic_numbers(scores)
    return Anova((models, configurations, scores.shape[2]), together.means, found)


def _mean_squares(scores: Floats) -> dict[str, float]:
    """Those with examples, of a design without holes that has Henderson's components."""
    parts = henderson_components(scores)
    models, configurations = _harmonic_numbers(scores)
    rest = parts[RESIDUAL]
    me, ce = rest + configurations * parts[MODEL_EXAMPLE], rest + models * parts[CONFIGURATION_EXAMPLE]
    example = me + ce - rest + models * configurations * parts[EXAMPLE]
    return {EXAMPLE: example, MODEL_EXAMPLE: me, CONFIGURATION_EXAMPLE: ce, RESIDUAL: rest}


def _harmonic_numbers(scores: Floats) -> tuple[float, float]:
    """Of models with a score in a configuration of an example, and of configurations of a model's example."""
    counts = [(~np.isnan(scores)).sum(axis=axis) for axis in (0, 1)]
    known = [count[count > 0] for count in counts]
    models, configurations = (len(count) / float((1 / count).sum()) for count in known)
    return models, configurations


def _jackknife_variances(scores: Floats, clusters: Integers) -> dict[str, float]:
    """Of :func:`_mean_squares`, by the delete-a-group jackknife (Kott 2001); 0 of what has none."""
    groups = min(_GROUPS, table_count(clusters))
    found = [_mean_squares(scores[:, :, clusters % groups != group]) for group in range(groups)]
    return {
        name: float(np.nan_to_num(np.var([one[name] for one in found]) * (groups - 1))) for name in found[0]
    }


def filled(scores: Floats) -> Floats:
    """The scores with each hole filled by its expectation from all pairs of model, configuration and example.

    Holes begin with the expectation from model, configuration and example alone, and are refitted a few
    times (the expectation step of EM for a crossed design without three-way interaction).
    """
    holes = np.isnan(scores)
    m, c, e = (_means(scores, axes) for axes in ((1, 2), (0, 2), (0, 1)))
    result: Floats = np.where(holes, m + c + e - 2 * np.nanmean(scores), scores)
    for _ in range(_FITS if holes.any() else 0):
        mc, me, ce = (result.mean(axis=axis, keepdims=True) for axis in (2, 1, 0))
        c, e = mc.mean(axis=0, keepdims=True), me.mean(axis=0, keepdims=True)
        m = mc.mean(axis=1, keepdims=True)
        fitted = mc + me + ce
        fitted += m.mean() - m - c - e
        np.copyto(result, fitted, where=holes)
    return result


def _means(scores: Floats, axes: tuple[int, ...]) -> Floats:
    present = ~np.isnan(scores)
    sums = np.where(present, scores, 0.0).sum(axis=axes, keepdims=True)
    return ratio_or_nan(sums, present.sum(axis=axes, keepdims=True).astype(float))


def example_numbers(present: Booleans) -> Numbers:
    """What examples add to the table of cell means, in expectation, as numbers they are divided by.

    A component's effects enter the cells of the table with weights; the expected mean square of an effect of
    the table is that of these weights. Model: (its mean square - that of model:configuration) over the
    configurations; configuration likewise; model:configuration: the mean square itself.

    Args:
        present: (models x configurations x examples), a score in every cell of models and configurations.

    Returns:
        As in :class:`.variance_components.Components`; without what adds nothing.
    """
    weights = present / present.sum(axis=2, keepdims=True)
    models, configurations, _ = weights.shape
    free_m, free_c = models - 1, configurations - 1
    rows, columns = weights.mean(axis=1), weights.mean(axis=0)  # of models, of configurations
    both = rows.mean(axis=0)
    around_rows, around_columns = ((weights - part) ** 2 for part in (rows[:, None], columns))
    inner = weights - rows[:, None] - columns + both
    once = float((weights**2).sum()) / (models * configurations)
    model = {
        EXAMPLE: configurations * ((rows - both) ** 2).sum() / free_m,
        MODEL_EXAMPLE: configurations * (rows**2).sum() / models,
        CONFIGURATION_EXAMPLE: around_columns.sum() / (configurations * free_m),
        RESIDUAL: once,
    }
    configuration = {
        EXAMPLE: models * ((columns - both) ** 2).sum() / free_c,
        MODEL_EXAMPLE: around_rows.sum() / (models * free_c),
        CONFIGURATION_EXAMPLE: models * (columns**2).sum() / configurations,
        RESIDUAL: once,
    }
    together = {
        EXAMPLE: (inner**2).sum() / (free_m * free_c),
        MODEL_EXAMPLE: around_rows.sum() / (models * free_c),
        CONFIGURATION_EXAMPLE: around_columns.sum() / (configurations * free_m),
        RESIDUAL: once,
    }
    return {
        MODEL: _reciprocals({name: (model[name] - together[name]) / configurations for name in model}),
        CONFIGURATION: _reciprocals(
            {name: (configuration[name] - together[name]) / models for name in configuration}
        ),
        MODEL_CONFIGURATION: _reciprocals(together),
    }


def _reciprocals(shares: dict[str, float]) -> dict[str, float]:
    return {name: float(1 / share) for name, share in shares.items() if abs(share) > _NOTHING}
