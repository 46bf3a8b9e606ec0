"""Agreement between configurations: W over the rankings that single configurations give (ToRR, Fig. 6a)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..bootstrap import generator, interval, resampled_means
from ..complete import Block, common, complete
from ..configurations import configuration_means
from ..cube import Cube
from ..figures import Options, number
from ..frame import OVERALL
from .concordance import friedman_p_value, kendall_w
from .denoise import crossed_draws, stabilised
from .rankings import centred_ranks

if TYPE_CHECKING:
    import numpy as np

    from ..types import Floats

METHOD = (
    "value: Kendall's W, corrected for ties, over the rankings that single configurations give (overall: by "
    "the unweighted mean over data sets, in the configurations that all have); chance: W of random "
    "rankings, 1 over their number; p: Friedman's chi-squared; interval: of the W that endless examples "
    "would show, for these models and configurations. Noise pulls the value down, and a plain bootstrap "
    "pulls it again; so the resampled means (examples within each data set, arcsine of the root) are "
    "shrunk, models and their interaction with configurations each to the spread that noise leaves it, with "
    "a draw of that spread a resample, and the quantiles are of their W. The interval may thus lie above "
    "the value. Over simulated studies of other models each it covers at its level; for one set of models, "
    "above all with near ties, it may cover more or less often, and it is too short where scores are almost "
    "all 0 or 1"
)


def single_configuration_w(means: Floats) -> Floats:
    """W over the rankings by each configuration's means.

    Args:
        means: (... x configurations x models), without NaN.

    Returns:
        (...); NaN with fewer than two configurations or models, and where all rankings tie all models.
    """
    import numpy as np

    if min(means.shape[-2:]) < 2:
        return np.full(means.shape[:-2], np.nan)
    return kendall_w(centred_ranks(means))


def w_interval(
    values: Floats, samples: Floats, rng: np.random.Generator, level: float
) -> tuple[float, float]:
    """The interval of W; see :data:`METHOD`.

    Args:
        values: means, (configurations x models), in [0, 1].
        samples: resampled, (resamples x configurations x models); overwritten. Resamples with a NaN, in which
            a configuration held no score of a model, are left out.
        rng: draws the spreads.
        level: e.g. 0.95.

    Returns:
        The bounds; NaN where no resample has a figure.
    """
    import numpy as np

    there = ~np.isnan(samples).any(axis=(1, 2))
    if not there.any():
        return float("nan"), float("nan")
    draws = crossed_draws(stabilised(values), stabilised(samples if there.all() else samples[there]), rng)
    low, high = interval(single_configuration_w(draws), level)
    return float(low), float(high)


def configuration_agreement(cubes: Sequence[Cube], options: Options) -> dict[str, Any]:
    """W of every data set and overall, with chance level, p-value and interval.

    Args:
        cubes: of all data sets.
        options: resamples, level and seed are used; configurations are taken as given.

    Returns:
        Data set or "overall" -> ``value``, ``low``, ``high``, ``chance``, ``p``, and ``raters`` (the
        configurations) and ``models`` that it is over; null where there is no W.
    """
    blocks = sorted((complete(cube) for cube in cubes), key=lambda block: block.dataset)
    shared = common(blocks)
    found: dict[str, Any] = {}
    total: Floats | None = None
    means: Floats | None = None
    for block, part in zip(blocks, shared, strict=True):
        own, drawn = _means(block, options)
        of_part = (own, drawn) if part.scores is block.scores else _means(part, options)
        means = of_part[0] if means is None else means + of_part[0]
        total = of_part[1].copy() if total is None else total + of_part[1]
        found[block.dataset] = _figure(block.dataset, own, drawn, options)
    assert means is not None  # noqa: S101 (there is a data set)
    assert total is not None  # noqa: S101
    if len(blocks) == 1:
        overall = found[blocks[0].dataset]
    else:
        overall = _figure(OVERALL, means / len(blocks), total / len(blocks), options)
    return {**{cube.dataset: found[cube.dataset] for cube in cubes}, OVERALL: overall}


def _means(block: Block, options: Options) -> tuple[Floats, Floats]:
    """The means (configurations x models) and their resamples (resamples x configurations x models)."""
    means = configuration_means(block.scores).T
    cells = block.scores.swapaxes(0, 1).reshape(means.size, block.scores.shape[2])
    samples = resampled_means(cells, generator(options.seed, "examples", block.dataset), options.resamples)
    return means, samples.T.reshape(options.resamples, *means.shape)


def _figure(name: str, means: Floats, samples: Floats, options: Options) -> dict[str, Any]:
    configurations, models = means.shape
    value = float(single_configuration_w(means))
    low = high = float("nan")
    if not math.isnan(value):
        rng = generator(options.seed, "configuration agreement", name)
        low, high = w_interval(means, samples, rng, options.level)
    return {
        "value": number(value),
        "low": number(low),
        "high": number(high),
        "chance": number(1 / configurations) if configurations > 1 else None,
        "p": number(friedman_p_value(value, configurations, models)),
        "raters": configurations,
        "models": models,
    }
