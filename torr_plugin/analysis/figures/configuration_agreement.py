"""Agreement between configurations: W over the rankings that single configurations give (ToRR, Fig. 6a).

MERGED: Kendall's W over the rankings that single configurations give (ToRR, Fig. 6a).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..bootstrap import generator, interval
from ..charts.labels import Analysis, Lacking, basis, dataset_labels, endless, needed, without_noise
from ..charts.panels import Layout, dots
from ..charts.vega import Drawing
from ..complete import Block, common, complete
from ..cube import Cube, configuration_means
from ..estimates import ConfigurationSamples, Options, configuration_samples, number
from ..frame import OVERALL
from ..rankings import centred_ranks, friedman_p_value, kendall_w
from ..shrinkage import crossed_draws, stabilised

if TYPE_CHECKING:
    import numpy as np

    from ..arrays import Floats

METHOD = (
    "value: Kendall's W, corrected for ties, over the rankings that single configurations give (overall: by"
    " the unweighted mean over data sets, in the configurations that all have); chance: W of random "
    "rankings, 1 over their number; p: Friedman's chi-squared; interval: of the W that endless examples "
    "would show, for these models and configurations; estimate: the median of its draws, the best guess of "
    "that W. Noise pulls the value down, and a plain bootstrap pulls it again; so the resampled means "
    "(examples within each data set, arcsine of the root) are shrunk, models and their interaction with "
    "configurations each to the spread that noise leaves it, with a draw of that spread a resample, and the"
    " quantiles are of their W. Estimate and interval belong together; where scores are noisy the value may"
    " lie below both. Over simulated studies of other models each the interval covers at its level; for one"
    " set of models, above all with near ties, it may cover more or less often, and it is too short where "
    "scores are almost all 0 or 1"
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


def w_without_noise(
    values: Floats, samples: Floats, rng: np.random.Generator, level: float
) -> tuple[float, float, float]:
    """The W that endless examples would show, with its interval; see :data:`METHOD`.

    Args:
        values: means, (configurations x models), in [0, 1].
        samples: resampled, (resamples x configurations x models); overwritten. Resamples with a NaN, in which
            a configuration held no score of a model, are left out.
        rng: draws the spreads.
        level: e.g. 0.95.

    Returns:
        The estimate and the bounds; NaN where no resample has a figure.
    """
    import numpy as np

    there = ~np.isnan(samples).any(axis=(1, 2))
    if not there.any():
        return float("nan"), float("nan"), float("nan")
    draws = crossed_draws(stabilised(values), stabilised(samples if there.all() else samples[there]), rng)
    found = single_configuration_w(draws)
    (median, _), (low, high) = interval(found, 0.0), interval(found, level)
    return float(median), float(low), float(high)


def configuration_agreement(
    cubes: Sequence[Cube], options: Options, known: Mapping[str, ConfigurationSamples] | None = None
) -> dict[str, Any]:
    """W of every data set and overall, with chance level, p-value and interval.

    Args:
        cubes: of all data sets.
        options: resamples, level and seed are used; configurations are taken as given.
        known: data set -> its resampled means, of these configurations at least, where they are made already.

    Returns:
        Data set or "overall" -> ``value``; ``estimate``, ``low`` and ``high`` of the W that endless examples
        would show; ``chance``, ``p``, and ``raters`` (the configurations) and ``models`` that it is over;
        null where there is no W.
    """
    blocks = sorted((complete(cube) for cube in cubes), key=lambda block: block.dataset)
    shared = common(blocks)
    known = known or configuration_samples(cubes, options)
    found: dict[str, Any] = {}
    total: Floats | None = None
    means: Floats | None = None
    for block, part in zip(blocks, shared, strict=True):
        own, drawn = _means(block, known)
        of_part = (own, drawn) if part.scores is block.scores else _means(part, known)
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


def _means(block: Block, known: Mapping[str, ConfigurationSamples]) -> tuple[Floats, Floats]:
    """The means (configurations x models) and their resamples (resamples x configurations x models)."""
    samples = known[block.dataset].among(block.models, block.configurations)
    return configuration_means(block.scores).T, samples.transpose(2, 1, 0).copy()


def _figure(name: str, means: Floats, samples: Floats, options: Options) -> dict[str, Any]:
    configurations, models = means.shape
    value = float(single_configuration_w(means))
    estimate = low = high = float("nan")
    if not math.isnan(value):
        rng = generator(options.seed, "configuration agreement", name)
        estimate, low, high = w_without_noise(means, samples, rng, options.level)
    return {
        "value": number(value),
        "estimate": number(estimate),
        "low": number(low),
        "high": number(high),
        "chance": number(1 / configurations) if configurations > 1 else None,
        "p": number(friedman_p_value(value, configurations, models)),
        "raters": configurations,
        "models": models,
    }


def build(analysis: Analysis) -> Drawing:
    """A row a data set and one overall, with the agreement that random rankings would show."""
    found = needed(analysis, "configuration_agreement_intervals")
    names = {"overall": "overall", **dataset_labels(analysis)}
    rows = [
        {"row": label, "reference": found[name]["chance"], **figure}
        for name, label in names.items()
        if (figure := without_noise(found.get(name)))
    ]
    if not rows:
        raise Lacking("there is one model or one configuration only")
    layout = Layout(rows=list(names.values()), x="Kendall's W over single configurations", domain=(0, 1))
    lines = [
        f"{basis(analysis)}. 1: every configuration ranks the models alike; dashed: random rankings",
        f"Hollow: W of these scores. Filled, with lines: {endless(analysis, 'W')}",
    ]
    return dots(rows, layout, "Agreement of single configurations on the ranking of models", lines)
