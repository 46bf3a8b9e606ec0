"""P-values of deviations, differences and ranges, and quantiles of configurations: as scipy's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats

from torr_plugin.analysis.cube import Cube
from torr_plugin.analysis.figures.configuration_quantiles import configuration_quantiles
from torr_plugin.analysis.figures.configurations import configuration_ranges
from torr_plugin.analysis.figures.deviations import Deviations, deviations
from torr_plugin.analysis.figures.factor_cubes import factor_cubes
from torr_plugin.analysis.multiplicity import holm_adjusted
from torr_plugin.analysis.options import Options
from torr_plugin.analysis.studentized_bootstrap import PairValues, studentized

from . import plain_parts as plain
from .made import study_of
from .plain_parts import Cell
from .test_choice import cubes_of, serializer_choice

FEW = Options(resamples=20)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@pytest.fixture
def students(monkeypatch: pytest.MonkeyPatch) -> None:
    """No difference counts as skewed."""
    monkeypatch.setattr("torr_plugin.analysis.studentized_bootstrap.SKEWED", np.inf)


def of_serializers(*cubes: Cube) -> dict[str, Deviations]:
    compared = factor_cubes(cubes, "serializer")
    assert compared is not None
    return deviations(compared, FEW)


@pytest.mark.usefixtures("students")
def test_deviations_have_scipys_t_test(rng: np.random.Generator) -> None:
    means = rng.random((2, 3, 12))
    found = of_serializers(cubes_of(means))["d"]
    away = means - means.mean(axis=1, keepdims=True)
    for model, own in enumerate(found.models.values()):
        for place, figure in enumerate(own.values()):
            assert figure.p == pytest.approx(stats.ttest_1samp(away[model, place], 0).pvalue)
    for place, figure in enumerate(found.all_models.values()):
        assert figure.p == pytest.approx(stats.ttest_1samp(away[:, place].mean(axis=0), 0).pvalue)


def test_overall_has_welchs_degrees_of_freedom(rng: np.random.Generator) -> None:
    a, b = rng.random((1, 2, 9)), rng.random((1, 2, 25))
    found = of_serializers(cubes_of(a, "a"), cubes_of(b, "b"))["overall"].models["m000"]
    away = [(one - one.mean(axis=1, keepdims=True))[0, 0] for one in (a, b)]
    test = stats.ttest_ind(away[0], -away[1], equal_var=False)
    assert found["s000"].p == pytest.approx(test.pvalue)


@pytest.mark.usefixtures("students")
def test_questions_on_one_table_are_clustered_as_in_statsmodels(rng: np.random.Generator) -> None:
    tables = np.array([0, 0, 0, 1, 1, 2, 3, 3, 3, 3, 4, 5])
    means = rng.random((1, 2, 12))
    found = of_serializers(replace(cubes_of(means), clusters=tables))["d"].models["m000"]["s000"]
    away = (means[0, 0] - means[0, 1]) / 2
    fit = sm.OLS(away, np.ones(12)).fit(
        cov_type="cluster", cov_kwds={"groups": tables, "use_correction": False}
    )
    error = fit.bse[0] * np.sqrt(6 / 5)
    assert found.p == pytest.approx(2 * stats.t.sf(abs(away.mean()) / error, 5))


def test_models_with_other_examples_count_by_their_own_means(rng: np.random.Generator) -> None:
    """Of models without a common example, the errors of the two means are independent."""
    means = rng.random((2, 2, 20))
    means[0, :, :8] = np.nan
    means[1, :, 8:] = np.nan
    found = of_serializers(cubes_of(means))["d"]
    away = [(means[m, 0] - means[m, 1]) / 2 for m in range(2)]
    one, other = away[0][8:], away[1][:8]
    value = (one.mean() + other.mean()) / 2
    assert found.all_models["s000"].value == pytest.approx(value)
    # 20 examples in all: the sums of squares over 19 * 20
    squares = ((one - one.mean()) ** 2).sum() / 12**2 + ((other - other.mean()) ** 2).sum() / 8**2
    error = np.sqrt(squares * 20 / 19) / 2
    assert found.all_models["s000"].p == pytest.approx(2 * stats.t.sf(abs(value) / error, 19))


def test_differences_of_perturbations_have_scipys_t_test(rng: np.random.Generator) -> None:
    cells = {
        Cell("m", "d", s, p, "x", f"e{e}"): float(rng.random())
        for s in ("a", "b")
        for p in ("none", "shuffle")
        for e in range(8)
    }
    found = plain.figures(plain.frame(cells))["perturbations"]["differences"]
    scores = pd.Series(cells)
    scores.index.names = list(Cell._fields)
    of_example = scores.groupby(["perturbation", "example"]).mean()
    change = of_example["shuffle"] - of_example["none"]
    assert found["d"]["m"]["shuffle"]["p"] == pytest.approx(stats.ttest_1samp(change, 0).pvalue)
    assert found["overall"] == found["d"]


def skewed_means(rng: np.random.Generator) -> np.ndarray:
    """One model, three serializers, 60 examples: the first is rarely better, but then by much."""
    means = 0.5 + 0.01 * rng.normal(size=(1, 3, 60))
    means[0, 0, :4] += 0.4
    return means


def test_skewed_deviations_are_bootstrapped_and_marked(rng: np.random.Generator) -> None:
    means = skewed_means(rng)
    found = of_serializers(cubes_of(means))["d"]
    own = means[0] - means[0].mean(axis=0)
    part = PairValues("d", own[[0]], np.arange(60))
    test = stats.ttest_1samp(own[0], 0)
    p_values, critical = studentized([part], np.abs([test.statistic]), np.array([59.0]), 0.95, 0)
    for figure in (found.models["m000"]["s000"], found.all_models["s000"]):
        assert figure.skewed
        assert figure.p == pytest.approx(p_values[0])
        error = own[0].std(ddof=1) / 60**0.5
        ends = own[0].mean() - critical[0] * error, own[0].mean() + critical[0] * error
        assert (figure.low, figure.high) == pytest.approx(ends)
    assert test.pvalue < 0.05 < p_values[0], "four examples alone show nothing"


def test_rounding_errors_of_equal_serializers_are_no_differences() -> None:
    means = np.full((1, 3, 40), 0.1)
    assert (means - means.mean(axis=1, keepdims=True)).all(), "0.1 three times has another mean"
    means[0, 0, :4] = 0.7
    figure = of_serializers(cubes_of(means))["d"].models["m000"]["s000"]
    assert figure.skewed
    assert figure.few, "of 40 questions, 36 do not differ"
    assert figure.p is not None
    assert figure.p >= 2 / 2**4


def test_skewed_ranges_and_changes_are_marked(rng: np.random.Generator) -> None:
    means = skewed_means(rng)
    (found,) = configuration_ranges(study_of([cubes_of(means)], FEW)).values()
    assert found.overall
    assert found.overall.skewed
    cells = {
        Cell("m", "d", "a", p, "x", f"e{e}"): means[0, place, e]
        for place, p in enumerate(("shuffle", "none", "transpose"))
        for e in range(60)
    }
    changes = plain.figures(plain.frame(cells))["perturbations"]["differences"]["overall"]["m"]
    assert changes["shuffle"]["skewed"] is True
    assert "skewed" not in changes["transpose"]


@pytest.mark.usefixtures("students")
def test_a_range_is_claimed_across_models_by_holms_procedure(rng: np.random.Generator) -> None:
    means = 0.5 + 0.05 * stats.zscore(rng.normal(size=(6, 3, 20)), axis=2, ddof=1)
    means[:, 1] += np.array([0.0, 0.02, 0.042, 0.044, 0.046, 0.2])[:, None]
    means[:, 2] += 0.001
    study = study_of([cubes_of(means)], FEW)
    found = [own.overall for own in configuration_ranges(study).values() if own.overall]
    expected = []
    for own in means:
        order = own.mean(axis=1).argsort()
        expected.append(min(1.0, 3 * stats.ttest_rel(own[order[-1]], own[order[0]]).pvalue))
    assert [own.p for own in found] == pytest.approx(expected)
    claimed = holm_adjusted(np.array(expected)) <= 0.05
    assert [own.claimed for own in found] == claimed.tolist()
    assert 0 < claimed.sum() < sum(p <= 0.05 for p in expected), "Holm's correction takes some back"


def test_one_configuration_has_no_p() -> None:
    study = study_of([cubes_of(np.full((1, 1, 4), 0.5))], FEW)
    (found,) = configuration_ranges(study).values()
    assert found.overall is not None
    assert (found.overall.p, found.overall.claimed) == (None, False)


def test_worse_allows_for_the_other_models_of_the_place(rng: np.random.Generator) -> None:
    base = rng.random(30)
    difference = stats.zscore(rng.normal(size=30), ddof=1)
    close = np.stack([base, base + 0.05 * (difference + 2.4 / np.sqrt(30))])  # t is 2.4
    alone = serializer_choice([cubes_of(close[None])], FEW)["m000"]["overall"][1]
    assert alone["worse"]
    assert 0.005 < alone["behind"]["p"] <= 0.05
    many = serializer_choice([cubes_of(np.stack([close] * 10))], FEW)
    assert not any(row["worse"] for rows in many.values() for row in rows["overall"])
    assert many["m000"]["overall"][1]["behind"] == alone["behind"], "other models change nothing else"


def test_quantiles_are_numpys_and_miss_configurations_without_a_score(rng: np.random.Generator) -> None:
    a, b = rng.random((2, 7, 5)), rng.random((2, 7, 9))
    a[1, 3] = np.nan
    found = configuration_quantiles([cubes_of(a, "a"), cubes_of(b, "b")])
    shares = ("5", "25", "50", "75", "95")
    expected = np.quantile(a[0].mean(axis=1), [0.05, 0.25, 0.5, 0.75, 0.95])
    assert found["m000"].datasets["a"] == pytest.approx(dict(zip(shares, expected, strict=True)))
    own = a[1, [0, 1, 2, 4, 5, 6]].mean(axis=1)
    assert found["m001"].datasets["a"]["50"] == pytest.approx(np.median(own))
    together = (a[0].mean(axis=1) + b[0].mean(axis=1)) / 2
    assert found["m000"].overall["95"] == pytest.approx(np.quantile(together, 0.95))
    nothing = configuration_quantiles([cubes_of(np.full((1, 2, 3), np.nan))])
    assert nothing["m000"].overall == dict.fromkeys(shares)
