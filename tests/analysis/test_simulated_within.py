"""Claims within a model at their stated rates: simulated studies with tables of several questions and holes.

The models of a simulated cube are studies, or the models of several, so that a thousand are one analysis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Literal

import numpy as np
import pytest

from torr_plugin.analysis.cube import Cube
from torr_plugin.analysis.figures.configurations import configuration_ranges
from torr_plugin.analysis.figures.design_differences import DesignDifferences, design_differences
from torr_plugin.analysis.figures.design_interaction import design_interaction
from torr_plugin.analysis.figures.deviations import deviations
from torr_plugin.analysis.figures.factor_cubes import factor_cubes
from torr_plugin.analysis.figures.serializer_choice import serializer_choice
from torr_plugin.analysis.multiplicity import benjamini_hochberg
from torr_plugin.analysis.options import Options

from .made import study_of

pytestmark = pytest.mark.release

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


@pytest.mark.parametrize("right_or_wrong", [True, False])
def test_no_design_of_any_model_is_claimed_to_differ_wrongly_too_often(right_or_wrong: bool) -> None:
    """1,000 studies of 3 models with 5 designs in 4 formats, all equal: 12 tests over formats, 48 within."""
    rng, claims = np.random.default_rng(4), []
    names = [("x", "x_a", "x_b", "x_c", "x_d"), ("csv", "html", "json", "xml")]
    configs = tuple(f"{serializer}/none/{design}" for design, serializer in product(*names))
    parts = _parts(configs)
    for _ in range(1000):
        chance = simulated(rng, 3, np.full(len(configs), 0.5), tables=25, each=2, holes="none")
        scores = chance.scores
        if right_or_wrong:
            scores = (rng.random(scores.shape) < np.clip(scores, 0, 1)).astype(float)
        cube = replace(chance, configurations=configs, scores=scores, parts=parts)
        over, within = design_differences([cube], dict.fromkeys(names[0][1:], "x"), Options(resamples=2))
        claims.append([_any_claimed(over), any(map(_any_claimed, within.values()))])
    rates = np.mean(claims, axis=0)
    assert (rates <= allowed(1000)).all()
    assert (rates > 0.015).all(), "the correction is not far too strong"


@pytest.mark.parametrize("tables", [50, 150])
def test_shares_of_design_and_format_cover(tables: int) -> None:
    """500 models with 3 designs in 4 formats, all of the same true means, on two questions a table."""
    models, designs, formats = 500, ("x", "x_a", "x_b"), ("csv", "html", "json", "xml")
    rng = np.random.default_rng(5)
    configs = tuple(f"{serializer}/none/{design}" for design, serializer in product(designs, formats))
    of_design, of_format = np.array([-0.1, 0, 0.1])[:, None], np.array([0.05, -0.05, 0, 0])
    together = np.outer([1, -1, 0], [0.06, 0, 0, -0.06])
    together = together - together.mean(axis=0) - together.mean(axis=1, keepdims=True) + together.mean()
    chance = simulated(
        rng, models, 0.5 + (of_design + of_format + together).ravel(), tables=tables, each=2, holes="none"
    )
    scores = (rng.random(chance.scores.shape) < np.clip(chance.scores, 0, 1)).astype(float)
    parts = _parts(configs)
    cube = replace(chance, configurations=configs, scores=scores, parts=parts)
    found = design_interaction([cube], Options(resamples=300))
    truth = {"design": of_design.var(), "serializer": of_format.var(), "interaction": together.var()}
    for name, variance in truth.items():
        share = variance / sum(truth.values())
        own = [getattr(places["d"], name) for places in found.values()]
        covered = np.mean([one.low <= share <= one.high for one in own])
        assert covered > 0.95 - 4 * np.sqrt(0.95 * 0.05 / models), name
        assert np.mean([one.value for one in own]) == pytest.approx(share, abs=0.03)


def _parts(configs: Sequence[str]) -> dict[str, dict[str, str]]:
    named = [dict(zip(("serializer", "perturbation", "design"), c.split("/"), strict=True)) for c in configs]
    return {part: {c: of[part] for c, of in zip(configs, named, strict=True)} for part in named[0]}


def _any_claimed(found: DesignDifferences) -> bool:
    return any(own.claimed for by_design in found["d"].values() for own in by_design.values())
