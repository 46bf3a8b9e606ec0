"""Paired tests on studies whose truth is known: their size, wrong claims of whole families, their power."""

from __future__ import annotations

import numpy as np
import pytest

from tests.analysis.made import as_cube
from torr_plugin.analysis.cube import Cube
from torr_plugin.analysis.estimates import Estimate
from torr_plugin.analysis.multiplicity import holm_adjusted
from torr_plugin.analysis.options import Options
from torr_plugin.analysis.paired_scores import COMPARED, PairedScores, model_tests
from torr_plugin.analysis.paired_tests import example_differences, paired_test
from torr_plugin.analysis.power import least_detectable
from torr_plugin.analysis.studentized_bootstrap import SKEWED, PairValues, studentized
from torr_plugin.core.statistics import clustered_means

STUDIES = 1000
MODELS = 4
UPPER = np.triu_indices(MODELS, k=1)

pytestmark = pytest.mark.release


def p_values(means: np.ndarray, clusters: np.ndarray) -> np.ndarray:
    """(studies x models x examples) -> (studies x pairs): as ``bootstrapped``, all studies together."""
    tests = [paired_test([example_differences(one, clusters)]) for one in means]
    models = np.triu_indices(means.shape[1], k=1)
    found, skewness, difference, error, freedom = (
        np.stack([getattr(test, name)[models] for test in tests])
        for name in ("p_values", "skewness", "difference", "error", "freedom")
    )
    rows = np.nonzero(np.abs(skewness) > SKEWED)
    values = np.round(means[:, models[0]] - means[:, models[1]], 12)[rows]
    observed = np.abs(difference[rows]) / error[rows]
    for start in range(0, len(values), 500):
        some = slice(start, start + 500)
        part = PairValues("d", values[some], clusters)
        own = studentized([part], observed[some], freedom[rows][some], 0.95, 0)[0]
        found[rows[0][some], rows[1][some]] = own
    return found


def share_with_a_claim(found: np.ndarray) -> float:
    """Of studies in which Holm's correction leaves any pair significant at 5 %."""
    return float(np.mean([(holm_adjusted(one) <= 0.05).any() for one in found]))


def binary(rng: np.random.Generator, n: int, p: float) -> np.ndarray:
    """Two configurations, right or wrong; an example is easy or hard for all models."""
    ease = rng.beta(4 * p, 4 * (1 - p), (STUDIES, 1, 1, n))
    return (rng.random((STUDIES, MODELS, 2, n)) < ease).mean(axis=2)


def tied(rng: np.random.Generator, n: int, p: float) -> np.ndarray:
    """Scores in tenths, many of them 0 or 1."""
    return np.round(np.clip(rng.normal(p, 0.3, (STUDIES, MODELS, n)), 0, 1), 1)


def skewed(rng: np.random.Generator, n: int, p: float) -> np.ndarray:
    """Equal means; two models are rarely far better than that, two rarely far worse."""
    side = np.array([1, -1, 1, -1])[:, None]
    return p + side * 0.1 * (rng.exponential(size=(STUDIES, MODELS, n)) - 1)


@pytest.mark.parametrize(
    ("kind", "n", "p"),
    [
        *(
            (binary, n, p)
            for n, p in ((20, 0.5), (20, 0.99), (100, 0.9), (300, 0.99), (1000, 0.5), (1000, 0.99))
        ),
        *((tied, n, p) for n, p in ((20, 0.5), (20, 0.9), (300, 0.99))),
        *((skewed, n, p) for n, p in ((50, 0.5), (300, 0.5))),
    ],
)
def test_a_family_of_equal_models_is_claimed_to_differ_as_rarely_as_the_level_says(
    kind: object, n: int, p: float
) -> None:
    means = kind(np.random.default_rng(n), n, p)  # type: ignore[operator]
    assert share_with_a_claim(p_values(means, np.arange(n))) <= 0.05 + 0.02


@pytest.mark.parametrize("icc", [0.06, 0.2])
def test_questions_on_one_table_are_no_independent_evidence(icc: float) -> None:
    """60 tables with 1 to 9 questions: 5 % by clusters, 8 to 20 % by questions."""
    rng, studies = np.random.default_rng(1), 4 * STUDIES
    tables = np.repeat(np.arange(60), rng.integers(1, 10, 60))
    of_table = rng.normal(0, icc**0.5, (studies, 2, 60))[..., tables]
    means = of_table + rng.normal(0, (1 - icc) ** 0.5, (studies, 2, len(tables)))
    by_table, by_question = (
        float((p_values(means, clusters) <= 0.05).mean()) for clusters in (tables, np.arange(len(tables)))
    )
    assert by_table == pytest.approx(0.05, abs=0.015)
    assert by_question > 0.07


@pytest.mark.parametrize("statistic", COMPARED)
def test_answers_lost_at_random_add_no_claims(statistic: str) -> None:
    rng, n = np.random.default_rng(2), 40
    found = []
    for _ in range(STUDIES):
        ease = rng.beta(2, 1, (1, 1, n))
        scores = (rng.random((MODELS, 3, n)) < ease).astype(float)
        scores[rng.random(scores.shape) < np.array([0.0, 0.02, 0.1, 0.3])[:, None, None]] = np.nan
        known = Estimate(np.zeros(MODELS), np.zeros((MODELS, 1)))
        cube: Cube = as_cube(scores)
        (tests, _) = model_tests([PairedScores(cube, statistic)], known, [known], Options())
        found.append(tests.test.p_values[UPPER])
    assert share_with_a_claim(np.stack(found)) <= 0.05 + 0.02


@pytest.mark.parametrize(("n", "kind"), [(30, "continuous"), (200, "continuous"), (300, "binary")])
def test_the_detectable_difference_is_found_four_times_of_five(n: int, kind: str) -> None:
    rng, studies = np.random.default_rng(3), 4 * STUDIES
    if kind == "continuous":
        error = 0.2 / n**0.5
        noise = rng.normal(0, 0.2, (studies, n))
        shift = float(least_detectable(np.array(error), np.array(n - 1.0), 0.05))
        values = noise + shift
    else:  # a tenth of the answers differ
        shift = float(least_detectable(np.array((0.1 / n) ** 0.5), np.array(n - 1.0), 0.05))
        values = rng.choice(
            [-1.0, 0.0, 1.0], p=[(0.1 - shift) / 2, 0.9, (0.1 + shift) / 2], size=(studies, n)
        )
    means = np.stack([values, np.zeros_like(values)], axis=1)
    assert clustered_means(values, np.arange(n)).mean.mean() == pytest.approx(shift, rel=0.05)
    assert (p_values(means, np.arange(n)) <= 0.05).mean() == pytest.approx(0.8, abs=0.05)
