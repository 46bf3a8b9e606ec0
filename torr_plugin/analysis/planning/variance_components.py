"""Variance components of a fully crossed random design, models x configurations x examples, one score a cell.

Mean squares have known expectations (Cornfield and Tukey 1956; Brennan, "Generalizability Theory", 2001,
chapter 3), which are solved for the components. The functions take arrays without holes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

    from ..types import Floats

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

    shape: tuple[int, int, int]
    means: Floats
    squares: Mapping[str, MeanSquare]


def anova(scores: Floats) -> Anova:
    """The mean squares of the seven effects.

    Args:
        scores: (models x configurations x examples) without holes, at least two of each.
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
    free = {"m": models - 1, "c": configurations - 1, "e": examples - 1}
    squares = {
        MODEL: _of_models(m, configurations * examples),
        CONFIGURATION: _main(c, models * examples),
        EXAMPLE: _main(e, models * configurations),
        MODEL_CONFIGURATION: _interaction((mc**2).sum(axis=0), free["m"] * free["c"], examples),
        MODEL_EXAMPLE: _interaction((me**2).sum(axis=0), free["m"] * free["e"], configurations),
        CONFIGURATION_EXAMPLE: _interaction(ce**2, free["c"] * free["e"], models),
        RESIDUAL: _interaction((centred**2).sum(axis=0), free["m"] * free["c"] * free["e"], 1),
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


def _of_models(effects: Floats, repeats: int) -> MeanSquare:
    """The models are given and no sample: how their effects are spread says nothing of degrees of freedom."""
    return MeanSquare(_main(effects, repeats).value, len(effects) - 1)


def _main(effects: Floats, repeats: int) -> MeanSquare:
    return _interaction(effects**2, len(effects) - 1, repeats)


def _interaction(parts: Floats, freedom: int, repeats: int) -> MeanSquare:
    """A mean square from the sums of squares of the levels of the facets over which it is an average.

    Args:
        parts: (levels,), or (configurations x examples).
        freedom: its degrees of freedom.
        repeats: how many scores an effect is the mean of.
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


def components(squares: Mapping[str, Floats], shape: tuple[int, int, int]) -> dict[str, Floats]:
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
    import numpy as np

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
    import numpy as np

    error = np.maximum(error, 0.0)
    noise = rng.normal(size=(len(error), len(means))) * np.sqrt(error)[:, None]
    # sorted, so that the order of the models changes nothing
    result: Floats = (np.sort(means) + noise).var(axis=1, ddof=1) - 2 * error
    return result
