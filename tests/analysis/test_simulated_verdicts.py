"""The one verdict on simulated studies whose truth is known: false "differs", and coverage."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from scipy.stats import beta

from torr_plugin.analysis.compare import VerdictFamily, compare
from torr_plugin.analysis.estimates import ExampleValues

LEVEL = 0.95

Part = tuple[np.ndarray, np.ndarray]


def drawn(
    rng: np.random.Generator,
    means: Sequence[float],
    examples: int,
    per_table: int = 1,
    *,
    kind: str = "right or wrong",
    ways: int = 1,
) -> Part:
    """Mean scores of models with these true means, (models x examples), and the examples' tables.

    Examples are hard for all models together, and so are tables; each table suits some models.
    """
    clusters = np.arange(examples) // per_table
    tables, models = clusters.max() + 1, len(means)
    shared = 0.8 * rng.normal(size=examples) + 0.8 * rng.normal(size=tables)[clusters]
    own = 0.5 * rng.normal(size=(models, tables))[:, clusters]
    noise = rng.normal(size=(models, ways, examples))
    place = (shared + own[:, None] + noise) / np.sqrt(0.64 + 0.64 + 0.25 + 1)
    true = np.array(means)[:, None, None]
    if kind == "right or wrong":
        scores = (place < ndtri(true)).astype(float)
    elif kind == "overlap":
        scores = beta.ppf(1 - ndtr(place), 2 * true, 2 * (1 - true))
    else:  # of nearly all examples the same score
        scores = np.where(rng.random(place.shape) < 0.06, rng.random(place.shape), ndtr(shared))
        means = [0.0] * models
    return scores.mean(axis=1), clusters


def family(parts: Sequence[Part]) -> VerdictFamily:
    """All pairs of models."""
    first, second = np.triu_indices(len(parts[0][0]), k=1)
    return compare([ExampleValues(scores[first] - scores[second], tables) for scores, tables in parts], LEVEL)


def rates(
    means: Sequence[float], examples: int, per_table: int, datasets: int, studies: int, **options: object
) -> tuple[float, float]:
    """In which share of studies all intervals hold the truth; and some pair differs that does not."""
    rng = np.random.default_rng(17)
    first, second = np.triu_indices(len(means), k=1)
    true = np.array(means)[first] - np.array(means)[second]
    if options.get("kind") == "nearly alike":
        true = np.zeros_like(true)
    held, wrong = 0, 0
    for _ in range(studies):
        found = family([drawn(rng, means, examples, per_table, **options) for _ in range(datasets)])  # type: ignore[arg-type]
        unsaid = np.isnan(found.low)
        held += bool(((found.low <= true + 1e-9) & (true - 1e-9 <= found.high) | unsaid).all())
        wrong += bool((found.differs & (true == 0)).any())
    return held / studies, wrong / studies


PAIRS = [
    ((p, q), examples, per_table, datasets)
    for p, q in ((0.02, 0.02), (0.02, 0.06), (0.1, 0.3), (0.5, 0.5), (0.95, 0.98), (0.98, 0.98))
    for examples, per_table in ((20, 1), (50, 5), (200, 1))
    for datasets in (1, 3)
]


@pytest.mark.release
@pytest.mark.parametrize(("means", "examples", "per_table", "datasets"), PAIRS)
def test_intervals_of_right_or_wrong_answers_cover(
    means: tuple[float, float], examples: int, per_table: int, datasets: int
) -> None:
    held, wrong = rates(means, examples, per_table, datasets, 1000)
    assert held >= 0.93
    assert wrong <= 0.05 + 0.015


@pytest.mark.release
@pytest.mark.parametrize("kind", ["overlap", "nearly alike"])
@pytest.mark.parametrize(("examples", "per_table"), [(20, 1), (50, 1), (50, 5)])
@pytest.mark.parametrize("datasets", [1, 3])
def test_intervals_of_other_scores_cover(kind: str, examples: int, per_table: int, datasets: int) -> None:
    held, wrong = rates((0.3, 0.3), examples, per_table, datasets, 1000, kind=kind)
    assert held >= 0.93
    assert wrong <= 0.05 + 0.015


@pytest.mark.release
@pytest.mark.parametrize("means", [(0.02, 0.06), (0.1, 0.3), (0.9, 0.98), (0.5, 0.5)])
def test_intervals_of_answers_in_five_ways_cover(means: tuple[float, float]) -> None:
    assert rates(means, 20, 1, 1, 1000, ways=5)[0] >= 0.93
    assert rates(means, 50, 5, 1, 1000, ways=5)[0] >= 0.93


TEN = [
    ({"kind": kind, "ways": ways}, mean, examples, per_table)
    for kind, ways, mean in (
        ("right or wrong", 1, 0.05),
        ("right or wrong", 1, 0.5),
        ("right or wrong", 5, 0.2),
        ("overlap", 1, 0.3),
        ("nearly alike", 1, 0.3),
    )
    for examples, per_table in ((20, 1), (50, 5), (100, 1))
]


@pytest.mark.release
@pytest.mark.parametrize(("options", "mean", "examples", "per_table"), TEN)
def test_ten_equal_models_hardly_ever_differ(
    options: dict[str, object], mean: float, examples: int, per_table: int
) -> None:
    assert rates([mean] * 10, examples, per_table, 1, 1000, **options)[1] <= 0.05 + 0.015


@pytest.mark.parametrize(("means", "per_table"), [((0.02, 0.06), 1), ((0.1, 0.3), 5), ([0.5] * 6, 1)])
def test_quickly(means: Sequence[float], per_table: int) -> None:
    held, wrong = rates(means, 50, per_table, 1, 60)
    assert held >= 0.95 - 3 * (0.05 * 0.95 / 60) ** 0.5
    assert wrong <= 0.05 + 3 * (0.05 * 0.95 / 60) ** 0.5
