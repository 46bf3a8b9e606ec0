"""Variance components of a fully crossed random design, models x configurations x examples, one score a cell.

Mean squares have known expectations (Cornfield and Tukey 1956; Brennan, "Generalizability Theory", 2001,
chapter 3), which are solved for the components. Scores have no holes (:func:`.complete.crossed`).

Components are of a data set, or of the mean over data sets, with draws of what each may be. Where examples
share tables, the mean squares with examples are those between tables: the components are those of an example
as it counts in a mean over n of them, n times the variance of that mean, and not those of single examples.
Predictions are then of studies that ask about a table as often as this one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..core.seeds import generator
from ..core.statistics import Floats, Integers, cluster_sums
from .cube import Cube
from .options import Options

MODEL, CONFIGURATION, EXAMPLE = "model", "configuration", "example"
MODEL_CONFIGURATION, MODEL_EXAMPLE = "model:configuration", "model:example"
CONFIGURATION_EXAMPLE, RESIDUAL = "configuration:example", "residual"
COMPONENTS = (
    MODEL,
    CONFIGURATION,
    EXAMPLE,
    MODEL_CONFIGURATION,
    MODEL_EXAMPLE,
    CONFIGURATION_EXAMPLE,
    RESIDUAL,
)
"""The sources of variance; ``residual`` is the three-way interaction, with all that is unexplained."""

_ROUNDING = 1e-20  # a mean square of rounding errors of scores in [0, 1]


@dataclass(frozen=True)
class MeanSquare:
    """A mean square and what is known of its own variance.

    Attributes:
        value: the sum of squares over its degrees of freedom.
        freedom: the degrees of freedom with which a scaled chi-square distribution describes it: those of
            normal effects, or fewer where its parts vary more than those of normal effects would.
    """

    value: float
    freedom: float


@dataclass(frozen=True)
class Anova:
    """The analysis of variance of one data set.

    Attributes:
        shape: numbers of models, configurations and examples.
        means: of the models, (models,).
        squares: a mean square for each of ``COMPONENTS``; without those with examples for a table of means.
    """

    shape: tuple[float, float, float]
    means: Floats
    squares: Mapping[str, MeanSquare]


def anova(scores: Floats, clusters: Integers | None = None) -> Anova:
    """The mean squares of the seven effects, those with examples between tables.

    Args:
        scores: (models x configurations x examples) without holes, at least two of each.
        clusters: the number of each example's table, from 0 on, at least two, (examples,); by default each
            example is about a table of its own.
    """
    models, configurations, examples = scores.shape
    average = scores.mean()
    centred = scores - average
    mc, me, ce = (centred.mean(axis=axis) for axis in (2, 1, 0))
    m, c, e = mc.mean(axis=1), mc.mean(axis=0), me.mean(axis=0)
    mc, me, ce = mc - m[:, None] - c, me - m[:, None] - e, ce - c[:, None] - e
    # in place: the cube is the one large array
    centred -= mc[:, :, None]
    centred -= me[:, None, :]
    centred -= (ce + c[:, None] + e)[None]
    centred -= m[:, None, None]
    if clusters is not None:
        e, me, ce, centred = (cluster_sums(effects, clusters) for effects in (e, me, ce, centred))
    tables = len(e)
    free = {"m": models - 1, "c": configurations - 1, "e": tables - 1}
    share = tables / examples  # G / (G - 1) times squared sums over E: E times the variance of a mean over E
    squares = {
        MODEL: _of_models(m, configurations * examples),
        CONFIGURATION: _main(c, models * examples),
        EXAMPLE: _main(e, models * configurations * share),
        MODEL_CONFIGURATION: _interaction((mc**2).sum(axis=0), free["m"] * free["c"], examples),
        MODEL_EXAMPLE: _interaction((me**2).sum(axis=0), free["m"] * free["e"], configurations * share),
        CONFIGURATION_EXAMPLE: _interaction(ce**2, free["c"] * free["e"], models * share),
        RESIDUAL: _interaction((centred**2).sum(axis=0), free["m"] * free["c"] * free["e"], share),
    }
    return Anova((models, configurations, examples), average + m, squares)


def two_way_anova(scores: Floats) -> Anova:
    """The mean squares of models, configurations and their interaction in a table of means.

    Args:
        scores: (models x configurations), at least two of each; the shape's number of examples is 1.
    """
    models, configurations = scores.shape
    m, c = scores.mean(axis=1) - scores.mean(), scores.mean(axis=0) - scores.mean()
    mc = scores - scores.mean() - m[:, None] - c
    squares = {
        MODEL: _of_models(m, configurations),
        CONFIGURATION: _main(c, models),
        MODEL_CONFIGURATION: _interaction((mc**2).sum(axis=0), (models - 1) * (configurations - 1), 1),
    }
    return Anova((models, configurations, 1), scores.mean(axis=1), squares)


def _of_models(effects: Floats, repeats: float) -> MeanSquare:
    """The models are given and no sample: how their effects are spread says nothing of degrees of freedom."""
    return MeanSquare(_main(effects, repeats).value, len(effects) - 1)


def _main(effects: Floats, repeats: float) -> MeanSquare:
    return _interaction(effects**2, len(effects) - 1, repeats)


def _interaction(parts: Floats, freedom: int, repeats: float) -> MeanSquare:
    """A mean square from the sums of squares of the levels of the facets over which it is an average.

    Args:
        parts: (levels,), or (configurations x tables).
        freedom: its degrees of freedom.
        repeats: how many scores an effect is the mean of; of sums over tables, times tables an example.
    """
    value = repeats * float(parts.sum()) / freedom
    return MeanSquare(value if value > _ROUNDING else 0.0, _freedom(parts, freedom))


def _freedom(parts: Floats, most: int) -> float:
    """Degrees of freedom of a chi-square with mean and variance of a mean of these parts, at most ``most``.

    A scaled chi-square X with v degrees of freedom has 2 E(X)**2 / Var(X) = v (Satterthwaite 1946). Of two
    facets the variances of the mean over each add up, less that of single cells, which is in both (Cameron,
    Gelbach and Miller 2011). With few levels they say little, so that normal theory bounds them.
    """
    mean = float(parts.mean())
    if mean <= 0:
        return float(most)
    facets = [
        _variance_of_mean(parts.mean(axis=1 - axis) if parts.ndim > 1 else parts)
        for axis in range(parts.ndim)
    ]
    variance = sum(facets)
    if parts.ndim > 1:
        variance = max(variance - _variance_of_mean(parts.ravel()), *facets)
    return round(min(most, 2 * mean**2 / variance), 9) if variance > 0 else float(most)


def _variance_of_mean(parts: Floats) -> float:
    """0 of fewer than three levels: of two, interactions are each other's mirror."""
    return float(parts.var(ddof=1)) / len(parts) if len(parts) > 2 else 0.0


def components(squares: Mapping[str, Floats], shape: tuple[float, float, float]) -> dict[str, Floats]:
    """The components from the mean squares, unbiased, negative ones as they are.

    Brennan (2001), section 3.4: with M models, C configurations, E examples e.g. E(MS model:configuration) =
    s(residual) + E s(model:configuration) and E(MS model) = s(residual) + E s(model:configuration) + C
    s(model:example) + C E s(model).

    Args:
        squares: for each of ``COMPONENTS`` its mean square, or an array of draws of it.
        shape: numbers of models, configurations and examples.
    """
    models, configurations, examples = shape
    mc, me, ce = squares[MODEL_CONFIGURATION], squares[MODEL_EXAMPLE], squares[CONFIGURATION_EXAMPLE]
    rest = squares[RESIDUAL]
    return {
        MODEL: (squares[MODEL] - mc - me + rest) / (configurations * examples),
        CONFIGURATION: (squares[CONFIGURATION] - mc - ce + rest) / (models * examples),
        EXAMPLE: (squares[EXAMPLE] - me - ce + rest) / (models * configurations),
        MODEL_CONFIGURATION: (mc - rest) / examples,
        MODEL_EXAMPLE: (me - rest) / configurations,
        CONFIGURATION_EXAMPLE: (ce - rest) / models,
        RESIDUAL: rest,
    }


def values(found: Anova) -> dict[str, Floats]:
    """The mean squares as numbers, for :func:`components`."""
    return {name: np.asarray(square.value) for name, square in found.squares.items()}


def drawn(square: MeanSquare, rng: np.random.Generator, draws: int) -> Floats:
    """What the expectation of a mean square may be, (draws,): its value times v over a chi-square with v.

    The generalized pivotal quantity of a mean square (Weerahandi 1993; Burdick, Borror and Montgomery 2005,
    section 2.4): quantiles of functions of such draws are confidence bounds.
    """
    result: Floats = square.value * square.freedom / rng.chisquare(square.freedom, draws)
    return result


def drawn_model_variance(means: Floats, error: Floats, rng: np.random.Generator) -> Floats:
    """What the variance among the given models' expected scores may be, (draws,).

    The parametric bootstrap of the observed means, moved so that its mean is the unbiased estimate: noise of
    variance ``error`` is in the observed variance once, and in that of a resample twice.

    Args:
        means: observed, (models,).
        error: the variance of an observed mean's error, (draws,); negative counts as 0.
        rng: draws the noise.
    """
    error = np.maximum(error, 0.0)
    noise = rng.normal(size=(len(error), len(means))) * np.sqrt(error)[:, None]
    # sorted, so that the order of the models changes nothing
    result: Floats = (np.sort(means) + noise).var(axis=1, ddof=1) - 2 * error
    return result


_ADDED = {MODEL: MODEL_EXAMPLE, CONFIGURATION: CONFIGURATION_EXAMPLE, MODEL_CONFIGURATION: RESIDUAL}
"""Effect in a table of means over examples -> the component of which examples add an n-th to it."""


@dataclass(frozen=True)
class Components:
    """Components and what else a decision study needs.

    Attributes:
        means: the models', (models,).
        estimates: for each of ``COMPONENTS`` the unbiased estimate, negative ones as they are.
        draws: the same, (draws,) each.
        error: the relative error variance of fresh means over as many configurations and examples; negative
            parts count as 0.
        error_draws: (draws,).
        configurations: of the study.
        examples: of the study, a number a data set.
    """

    means: Floats
    estimates: Mapping[str, Floats]
    draws: Mapping[str, Floats]
    error: Floats
    error_draws: Floats
    configurations: int
    examples: tuple[int, ...]


def dataset_components(found: Anova, rng: np.random.Generator, draws: int) -> Components:
    """The components of one data set without holes.

    The models are those of the study, so the draws of their variance are of its error alone; configurations
    and examples are samples.
    """
    _, configurations, examples = map(int, found.shape)
    squares = {name: drawn(found.squares[name], rng, draws) for name in COMPONENTS}
    estimates, parts = (components(each, found.shape) for each in (values(found), squares))
    noise = (squares[MODEL_CONFIGURATION] + squares[MODEL_EXAMPLE] - squares[RESIDUAL]) / (
        configurations * examples
    )
    parts[MODEL] = drawn_model_variance(found.means, noise, rng)
    return Components(
        found.means,
        estimates,
        parts,
        _own_error([estimates], configurations, (examples,)),
        _own_error([parts], configurations, (examples,)),
        configurations,
        (examples,),
    )


def composite_components(
    scores: Floats, parts: Sequence[Components], rng: np.random.Generator, draws: int
) -> Components:
    """The components of the unweighted mean over D data sets, which are all there are (a fixed facet).

    Multivariate generalizability theory (Brennan 2001, chapters 9 and 10) with the weights 1 / D:
    configurations are the same on all data sets, so the composite's components of model, configuration and
    model:configuration include their covariances between data sets. They are estimated from the means over
    data sets and examples, less what the examples add. Examples are each data set's own, so the components
    with them are sums over data sets over D**2: the error variance with one example a data set.

    Args:
        scores: mean over data sets of the means over examples, (models x configurations).
        parts: the data sets' components, of the same models and configurations.
        rng: for the composite's own draws.
        draws: how many.
    """
    found = two_way_anova(scores)
    configurations = scores.shape[1]
    squares = {name: drawn(found.squares[name], rng, draws) for name in found.squares}
    examples = tuple(part.examples[0] for part in parts)
    estimated = [part.estimates for part in parts]
    sampled = [part.draws for part in parts]
    estimates = _composite(values(found), estimated, examples, scores.shape)
    composed = _composite(squares, sampled, examples, scores.shape)
    noise = squares[MODEL_CONFIGURATION] / configurations + _added(sampled, MODEL, examples)
    composed[MODEL] = drawn_model_variance(found.means, noise, rng)
    return Components(
        found.means,
        estimates,
        composed,
        _own_error(estimated, configurations, examples, estimates),
        _own_error(sampled, configurations, examples, composed),
        configurations,
        examples,
    )


def _composite(
    squares: Mapping[str, Floats],
    parts: Sequence[Mapping[str, Floats]],
    examples: Sequence[int],
    shape: tuple[int, ...],
) -> dict[str, Floats]:
    """Components of the composite from the mean squares of its models x configurations table."""
    models, configurations = shape
    mc = squares[MODEL_CONFIGURATION]
    once = (1,) * len(parts)
    return {
        MODEL: (squares[MODEL] - mc) / configurations - _added(parts, MODEL, examples),
        CONFIGURATION: (squares[CONFIGURATION] - mc) / models - _added(parts, CONFIGURATION, examples),
        EXAMPLE: _summed(parts, EXAMPLE, once),
        MODEL_CONFIGURATION: mc - _added(parts, MODEL_CONFIGURATION, examples),
        MODEL_EXAMPLE: _summed(parts, MODEL_EXAMPLE, once),
        CONFIGURATION_EXAMPLE: _summed(parts, CONFIGURATION_EXAMPLE, once),
        RESIDUAL: _summed(parts, RESIDUAL, once),
    }


def _added(parts: Sequence[Mapping[str, Floats]], effect: str, examples: Sequence[int]) -> Floats:
    """What the examples of all data sets add to the variance of an effect in the mean over data sets."""
    return _summed(parts, _ADDED[effect], examples)


def _summed(parts: Sequence[Mapping[str, Floats]], name: str, examples: Sequence[int]) -> Floats:
    """The variance of the mean over data sets of a component's means over their examples."""
    total: Floats = np.sum([part[name] / n for part, n in zip(parts, examples, strict=True)], axis=0)
    return total / len(parts) ** 2


def _own_error(
    parts: Sequence[Mapping[str, Floats]],
    configurations: int,
    examples: tuple[int, ...],
    composite: Mapping[str, Floats] | None = None,
) -> Floats:
    """The relative error variance with the study's numbers, each component counted from 0 on."""
    mc = (composite or parts[0])[MODEL_CONFIGURATION]
    me, rest = (_summed(parts, name, examples) for name in (MODEL_EXAMPLE, RESIDUAL))
    total: Floats = (
        np.maximum(mc, 0.0) / configurations + np.maximum(me, 0.0) + np.maximum(rest, 0.0) / configurations
    )
    return total


def one_configuration_components(cubes: Sequence[Cube], options: Options) -> Components | None:
    """Components of models and examples in one configuration, those with configurations 0.

    Of several data sets they are those of the models' mean over them, as in :func:`composite_components`.

    Args:
        cubes: of the same models, without holes.
        options: resamples (draws here) and seed are used.

    Returns:
        None where there are not two models, or two tables of each data set.
    """
    if len(cubes[0].models) < 2 or min(cube.tables for cube in cubes) < 2:
        return None
    rng = generator(options.seed, "one configuration")
    tables = [cube.scores[:, 0] for cube in cubes]
    squares = []
    for scores, cube in zip(tables, cubes, strict=True):
        rest = scores - scores.mean(axis=0) - scores.mean(axis=1, keepdims=True) + scores.mean()
        sums = cluster_sums(rest, cube.clusters)
        count = sums.shape[1]
        freedom = (len(scores) - 1) * (count - 1)
        squares.append(_interaction((sums**2).sum(axis=0), freedom, count / scores.shape[1]))
    own = [np.asarray(square.value) for square in squares]
    sampled = [drawn(square, rng, options.resamples) for square in squares]
    examples = tuple(scores.shape[1] for scores in tables)
    means: Floats = np.mean([scores.mean(axis=1) for scores in tables], axis=0)
    parts = [[{MODEL_EXAMPLE: one} for one in each] for each in (own, sampled)]
    error, error_draws = (_summed(each, MODEL_EXAMPLE, examples) for each in parts)
    once = (1,) * len(cubes)
    nothing = dict.fromkeys(COMPONENTS, np.zeros(()))
    return Components(
        means=means,
        estimates={
            **nothing,
            MODEL: means.var(ddof=1) - error,
            MODEL_EXAMPLE: _summed(parts[0], MODEL_EXAMPLE, once),
        },
        draws={
            **nothing,
            MODEL: drawn_model_variance(means, error_draws, rng),
            MODEL_EXAMPLE: _summed(parts[1], MODEL_EXAMPLE, once),
        },
        error=error,
        error_draws=error_draws,
        configurations=1,
        examples=examples,
    )
