"""Variance components of a data set, or of the mean over data sets, with draws of what each may be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

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
    components,
    drawn,
    drawn_model_variance,
    two_way_anova,
    values,
)

if TYPE_CHECKING:
    import numpy as np

    from ..types import Floats


@dataclass(frozen=True)
class Components:
    """Components and what else a decision study needs.

    Attributes:
        means: the models', (models,).
        estimates: for each of ``COMPONENTS`` the unbiased estimate, negative ones as they are.
        draws: the same, (draws,) each.
        error: the relative error variance of ``means``; negative parts count as 0.
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
    """The components of one data set.

    The models are those of the study, so the draws of their variance are of its error alone; configurations
    and examples are samples.
    """
    estimates = components(values(found), found.shape)
    squares = {name: drawn(found.squares[name], rng, draws) for name in COMPONENTS}
    parts = components(squares, found.shape)
    _, configurations, examples = found.shape
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
    examples = tuple(part.examples[0] for part in parts)
    configurations = scores.shape[1]
    squares = {name: drawn(found.squares[name], rng, draws) for name in found.squares}
    estimated = [part.estimates for part in parts]
    sampled = [part.draws for part in parts]
    estimates = _composite(values(found), estimated, examples, scores.shape)
    composed = _composite(squares, sampled, examples, scores.shape)
    noise = squares[MODEL_CONFIGURATION] / configurations + _summed(sampled, MODEL_EXAMPLE, examples)
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
    examples: tuple[int, ...],
    shape: tuple[int, ...],
) -> dict[str, Floats]:
    """Components of the composite from the mean squares of its models x configurations table."""
    models, configurations = shape
    mc = squares[MODEL_CONFIGURATION]
    once = (1,) * len(parts)
    return {
        MODEL: (squares[MODEL] - mc) / configurations - _summed(parts, MODEL_EXAMPLE, examples),
        CONFIGURATION: (squares[CONFIGURATION] - mc) / models
        - _summed(parts, CONFIGURATION_EXAMPLE, examples),
        EXAMPLE: _summed(parts, EXAMPLE, once),
        MODEL_CONFIGURATION: mc - _summed(parts, RESIDUAL, examples),
        MODEL_EXAMPLE: _summed(parts, MODEL_EXAMPLE, once),
        CONFIGURATION_EXAMPLE: _summed(parts, CONFIGURATION_EXAMPLE, once),
        RESIDUAL: _summed(parts, RESIDUAL, once),
    }


def _summed(parts: Sequence[Mapping[str, Floats]], name: str, examples: Sequence[int]) -> Floats:
    """The variance of the mean over data sets of a component's means over their examples."""
    import numpy as np

    total: Floats = np.sum([part[name] / n for part, n in zip(parts, examples, strict=True)], axis=0)
    return total / len(parts) ** 2


def _own_error(
    parts: Sequence[Mapping[str, Floats]],
    configurations: int,
    examples: tuple[int, ...],
    composite: Mapping[str, Floats] | None = None,
) -> Floats:
    """The relative error variance with the study's numbers, each component counted from 0 on."""
    import numpy as np

    mc = (composite or parts[0])[MODEL_CONFIGURATION]
    me, rest = (_summed(parts, name, examples) for name in (MODEL_EXAMPLE, RESIDUAL))
    total: Floats = (
        np.maximum(mc, 0.0) / configurations + np.maximum(me, 0.0) + np.maximum(rest, 0.0) / configurations
    )
    return total
