"""The minimum detectable difference: statsmodels' power, by hand, and what is shown of it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower

from tests.analysis.made import cube_frame
from torr_plugin.analysis import analysis_results
from torr_plugin.analysis.figures.detectable import DETECTABLE
from torr_plugin.analysis.power import least_detectable, surely_detectable


@pytest.mark.parametrize(("examples", "alpha"), [(20, 0.05), (100, 0.05), (100, 0.05 / 91), (1000, 0.1)])
def test_as_statsmodels_power(examples: int, alpha: float) -> None:
    effect = abs(TTestPower().solve_power(nobs=examples, alpha=alpha, power=0.8))
    error, freedom = np.array(examples**-0.5), np.array(examples - 1.0)
    assert least_detectable(error, freedom, alpha) == pytest.approx(effect, rel=0.02)
    reached = stats.t(freedom).cdf(
        least_detectable(error, freedom, alpha) / error - stats.t(freedom).ppf(1 - alpha / 2)
    )
    assert reached == pytest.approx(0.8)


@pytest.mark.parametrize("alpha", [0.05, 1e-3, 1e-5])
@pytest.mark.parametrize("freedom", [3.0, 19.0, 243.0])
def test_at_low_levels_and_few_degrees_of_freedom_the_power_is_that_of_the_noncentral_t(
    alpha: float, freedom: float
) -> None:
    found = surely_detectable(np.array(0.02), np.array(freedom), alpha)
    limit = stats.t(freedom).isf(alpha / 2)
    assert stats.nct(freedom, float(found) / 0.02).sf(limit) == pytest.approx(0.8, abs=1e-3)


@pytest.mark.parametrize("freedom", [1.0, 1.01, 1.2, 2.0])
@pytest.mark.parametrize("alpha", [1e-4, 3e-6, 1e-9])
def test_two_tables_and_a_very_low_level_have_one_too(alpha: float, freedom: float) -> None:
    """Where scipy's own does not return."""
    found = float(surely_detectable(np.array(0.02), np.array(freedom), alpha)) / 0.02
    limit = stats.t(freedom).isf(alpha / 2)
    # t exceeds the limit where the error of the standard error is small enough
    errors = np.sqrt(stats.chi2(freedom).ppf(np.linspace(0, 1, 20_001)[1:-1]) / freedom)
    assert stats.norm.sf(limit * errors - found).mean() == pytest.approx(0.8, abs=2e-3)


def test_it_is_of_the_middle_pair() -> None:
    rng = np.random.default_rng(0)
    scores = rng.random((3, 4, 200)) * np.array([1, 0.5, 0.2])[:, None, None]
    parts = {"a": scores, "b": rng.random((3, 2, 300))}
    frame = pd.concat([cube_frame(cube, name) for name, cube in parts.items()])
    found = analysis_results(frame, resamples=20, rankings=2, repeats=2)
    result = found.get(DETECTABLE)
    assert result is not None
    means = scores.mean(axis=1)
    errors = [(means[a] - means[b]).std(ddof=1) / 200**0.5 for a, b in ((0, 1), (0, 2), (1, 2))]
    t = stats.t(199)
    own = result.datasets["a"]
    assert own.difference == pytest.approx(np.median(errors) * (t.ppf(0.975) + t.ppf(0.8)))
    assert own.corrected == pytest.approx(np.median(errors) * (t.ppf(1 - 0.025 / 3) + t.ppf(0.8)))
    assert own.hardest == pytest.approx(
        float(surely_detectable(np.array(max(errors)), np.array(199.0), 0.05 / 3))
    )
    assert (own.pairs, result.power) == (3, 0.8)
    (line,) = DETECTABLE.lines(result)
    assert line == (
        f"detectable: {result.overall.corrected:.3f} for the median pair, "
        f"{result.overall.hardest:.3f} for any (80% power)"
    )
    assert DETECTABLE.from_json(DETECTABLE.to_json(result)) == result


def test_no_scores_differ_by_more_than_1() -> None:
    four = np.array([[1, 1, 1, 0], [0, 1, 0, 1], [1, 0, 0, 1.0]])[:, None]
    result = analysis_results(cube_frame(four), resamples=20).get(DETECTABLE)
    assert result is not None
    assert (result.overall.difference, result.overall.corrected) == (None, None)
    (table,) = DETECTABLE.tables
    assert [row[1:] for row in table.rows(result)] == [(None, None, None, 3)] * 2
    between = result.overall.model_copy(update={"difference": 0.9})
    assert DETECTABLE.lines(result.model_copy(update={"overall": between})) == [
        "detectable: none for the median pair, none for any (80% power)"
    ]


def test_models_that_never_differ_on_a_table_and_a_model_alone_say_nothing() -> None:
    one = np.array([[[0.2]], [[0.7]]])
    result = analysis_results(cube_frame(one), resamples=20).get(DETECTABLE)
    assert result is not None
    assert (result.overall.difference, result.overall.corrected, result.overall.pairs) == (None, None, 1)
    assert DETECTABLE.lines(result) == ["detectable: none (80% power)"]
    assert analysis_results(cube_frame(one[:1]), resamples=20).get(DETECTABLE) is None
