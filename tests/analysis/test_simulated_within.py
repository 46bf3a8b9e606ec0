"""Claims within a model at their stated rates: simulated studies with tables of several questions and holes.

The models of a simulated cube are studies, or the models of several, so that a thousand are one analysis.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

from torr_plugin.analysis.cube import Cube
from torr_plugin.analysis.figures.configurations import configuration_ranges
from torr_plugin.analysis.figures.deviations import deviations
from torr_plugin.analysis.figures.factor_cubes import factor_cubes
from torr_plugin.analysis.figures.serializer_choice import serializer_choice
from torr_plugin.analysis.multiplicity import benjamini_hochberg
from torr_plugin.analysis.options import Options

from .made import study_of

pytestmark = pytest.mark.simulation

Holes = Literal["none", "random", "hard"]


def simulated(
    rng: np.random.Generator, models: int, truth: np.ndarray, *, tables: int, each: int, holes: Holes
) -> Cube:
    """Scores around true means of formats, (formats,) or (models x formats).

    Questions on one table share part of what makes a format err there (an intraclass correlation of .2), and
    are easy or hard in all formats. ``random``: each answer is lost with a probability of 3 %; ``hard``: the
    first format loses half of its answers to the hardest third of the examples.
    """
    examples, formats = tables * each, truth.shape[-1]
    clusters = np.repeat(np.arange(tables), each)
    shape = models, formats, examples
    hard = rng.normal(0, 0.12, (models, 1, examples))
    of_table = rng.normal(0, 0.1 * 0.2**0.5, (models, formats, tables))[:, :, clusters]
    scores = truth[..., None] + hard + of_table + rng.normal(0, 0.1 * 0.8**0.5, shape)
    if holes == "random":
        scores[rng.random(shape) < 0.03] = np.nan
    if holes == "hard":
        lost = (hard[:, 0] < np.quantile(hard, 1 / 3)) & (rng.random((models, examples)) < 0.5)
        scores[:, 0][lost] = np.nan
    names = [tuple(f"{letter}{i:04d}" for i in range(n)) for letter, n in zip("mse", shape, strict=True)]
    parts = {"serializer": {name: name for name in names[1]}}
    return Cube("d", "em", *names, scores, parts, clusters, np.ones(shape[1:], dtype=bool))


def allowed(studies: int, rate: float = 0.05) -> float:
    """A share that a rate exceeds in less than 1 of 700 simulations."""
    return rate + 3 * float(np.sqrt(rate * (1 - rate) / studies))


@pytest.mark.parametrize("holes", ["none", "random", "hard"])
def test_no_serializer_of_any_model_is_called_worse_wrongly_too_often(holes: Holes) -> None:
    """1,000 studies of 4 models with 5 equal serializers; uncorrected, some 18 % would hold a false claim."""
    studies, models = 1000, 4
    cube = simulated(
        np.random.default_rng(1), studies * models, np.full(5, 0.5), tables=25, each=2, holes=holes
    )
    compared = factor_cubes([cube], "serializer")
    assert compared is not None
    found = serializer_choice(compared, Options(resamples=2))
    p_values = np.array([[row.behind.p for row in found[model].overall] for model in cube.models])
    claimed = (models * p_values.reshape(studies, -1) <= 0.05).any(axis=1).mean()
    assert 0.02 <= claimed <= allowed(studies)
    uncorrected = (p_values.reshape(studies, -1) <= 0.05).any(axis=1).mean()
    assert uncorrected > 0.12, "the correction is needed"


@pytest.mark.parametrize("holes", ["none", "random"])
@pytest.mark.parametrize("effect", [0.0, 0.04])
def test_false_discoveries_among_deviations_are_as_rare_as_stated(holes: Holes, effect: float) -> None:
    """1,000 pages of 5 models and 8 formats, of which half differ from the mean, or none."""
    studies, models = 1000, 5
    truth = 0.5 + effect * np.array([1, -1, 1, -1, 0, 0, 0, 0])
    cube = simulated(np.random.default_rng(2), studies * models, truth, tables=30, each=2, holes=holes)
    compared = factor_cubes([cube], "serializer")
    assert compared is not None
    found = deviations(compared, Options(resamples=2))["d"].models
    p_values = np.array([[figure.p for figure in found[model].values()] for model in cube.models])
    claimed = np.array([benjamini_hochberg(page) <= 0.05 for page in p_values.reshape(studies, -1)])
    true = np.tile(truth == 0.5, models)
    shares = claimed[:, true].sum(axis=1) / np.maximum(claimed.sum(axis=1), 1)
    assert shares.mean() <= allowed(studies, 0.05 if effect == 0 else 0.025)
    if effect:
        assert claimed[:, ~true].mean() > 0.5, "and half of the real ones are found"


@pytest.mark.parametrize("holes", ["none", "random", "hard"])
@pytest.mark.parametrize("spread", [0.0, 0.03, 0.2])
def test_the_range_of_configurations_holds_the_truth(holes: Holes, spread: float) -> None:
    """1,000 studies of 8 configurations; a claimed range of equal ones is as rare as stated."""
    studies, truth = 1000, 0.5 + spread * np.linspace(-0.5, 0.5, 8)
    cube = simulated(np.random.default_rng(3), studies, truth, tables=30, each=2, holes=holes)
    found = [own.overall for own in configuration_ranges(study_of([cube], Options(resamples=300))).values()]
    ranges = np.array([(own.range.low, own.range.high) for own in found if own is not None])
    covered = ((ranges[:, 0] <= spread + 1e-9) & (spread - 1e-9 <= ranges[:, 1])).mean()
    assert covered >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / studies)
    claimed = np.mean([own.p <= 0.05 for own in found if own is not None and own.p is not None])
    if spread == 0:
        assert claimed <= allowed(studies)
    if spread == 0.2:
        assert claimed > 0.99
