"""The regression on properties, beside a plain sandwich, a formula of statsmodels, a published example."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t as student

from tests.analysis.made import known_study
from torr_plugin.analysis import analyse
from torr_plugin.papers.hctqa.figures.least_squares import effective_clusters, fitted, regression_design
from torr_plugin.papers.hctqa.figures.regression import mean_scores


def plain_fit(
    y: np.ndarray, columns: np.ndarray, clusters: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Coefficients, errors and p-values as the formulas say: normal equations, and a loop over clusters."""
    x = np.column_stack([np.ones(len(y)), columns])
    n, k = x.shape
    bread = np.linalg.inv(x.T @ x)
    beta = bread @ x.T @ y
    rest = y - x @ beta
    meat = np.zeros((k, k))
    if clusters is None:
        for i in range(n):
            meat += rest[i] ** 2 * np.outer(x[i], x[i])
        meat *= n / (n - k)
        freedom = n - k
    else:
        names = sorted(set(clusters.tolist()))
        for name in names:
            own = x[clusters == name].T @ rest[clusters == name]
            meat += np.outer(own, own)
        g = len(names)
        meat *= g / (g - 1) * (n - 1) / (n - k)
        freedom = g - 1
    errors = np.sqrt(np.diag(bread @ meat @ bread))
    return beta, errors, 2 * student.sf(np.abs(beta / errors), freedom)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 4), st.booleans())
def test_a_fit_is_that_of_the_formulas(seed: int, names: int, clustered: bool) -> None:
    rng = np.random.default_rng(seed)
    clusters = rng.integers(0, 15, 90)
    columns = rng.integers(0, 2, (90, names)).astype(float)
    y = rng.random(90) + rng.normal(0, 0.3, 15)[clusters]
    beta, errors, p = plain_fit(y, columns, clusters if clustered else None)
    fit = fitted(y, columns, clusters if clustered else None, 0.9)
    np.testing.assert_allclose(fit.coefficients, beta, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(fit.errors, errors, rtol=1e-8)
    np.testing.assert_allclose(fit.p, p, rtol=1e-6, atol=1e-12)
    freedom = len(set(clusters.tolist())) - 1 if clustered else 90 - names - 1
    np.testing.assert_allclose(fit.high - fit.coefficients, student.ppf(0.95, freedom) * errors, rtol=1e-7)
    assert fit.r2 == pytest.approx(np.corrcoef(y, np.column_stack([np.ones(90), columns]) @ beta)[0, 1] ** 2)


class TestPublished:
    """Petersen's made panel, 500 firms in 10 years: the figures on his page, which R and Stata give too.

    M. Petersen, "Estimating standard errors in finance panel data sets", Rev. of Financial Studies 22, 2009;
    kellogg.northwestern.edu/faculty/petersen, "Test data and results". The file comes with statsmodels.
    """

    @pytest.fixture(scope="class")
    def panel(self) -> np.ndarray:
        import statsmodels.stats

        return np.loadtxt(Path(statsmodels.stats.__file__).parent / "tests" / "test_data.txt")

    def test_errors_clustered_by_firm(self, panel: np.ndarray) -> None:
        fit = fitted(panel[:, 3], panel[:, 2:3], panel[:, 0].astype(int), 0.95)
        assert np.round(fit.coefficients, 4).tolist() == [0.0297, 1.0348]
        assert np.round(fit.errors, 4).tolist() == [0.0670, 0.0506]
        assert round(fit.r2, 4) == 0.2078

    def test_whites_errors(self, panel: np.ndarray) -> None:
        fit = fitted(panel[:, 3], panel[:, 2:3], None, 0.95)
        assert np.round(fit.errors, 4).tolist() == [0.0284, 0.0284]


def test_a_fit_is_that_of_a_formula() -> None:
    rng = np.random.default_rng(7)
    frame = pd.DataFrame(rng.integers(0, 2, (120, 3)), columns=["nested", "total", "label"])
    frame = frame.assign(table=rng.integers(0, 20, 120), recall=rng.random(120))
    formula = smf.ols("recall ~ nested + total + label", frame)
    columns = frame[["nested", "total", "label"]].to_numpy(dtype=float)
    for clusters, how in (
        (frame["table"].to_numpy(), {"cov_type": "cluster", "cov_kwds": {"groups": frame["table"]}}),
        (None, {"cov_type": "HC1"}),
    ):
        theirs = formula.fit(**how, use_t=True)
        ours = fitted(frame["recall"].to_numpy(), columns, clusters, 0.95)
        for mine, other in (
            (ours.coefficients, theirs.params),
            (ours.errors, theirs.bse),
            (ours.p, theirs.pvalues),
            (ours.high, theirs.conf_int()[1]),
        ):
            np.testing.assert_allclose(mine, other.to_numpy(), rtol=1e-9)
        assert ours.r2 == pytest.approx(theirs.rsquared)


@pytest.mark.full
def test_intervals_cover_a_known_effect_as_often_as_they_say_where_tables_share_an_error() -> None:
    """400 made studies; the same without clusters covers far less, which is why tables are clusters."""
    rng = np.random.default_rng(1)
    clusters = np.repeat(np.arange(60), 5)
    inside = naive = 0
    for _ in range(400):
        column = rng.integers(0, 2, 60)[clusters].astype(float)[:, None]
        y = 0.5 - 0.1 * column[:, 0] + rng.normal(0, 0.2, 60)[clusters] + rng.normal(0, 0.1, 300)
        fit, alone = fitted(y, column, clusters, 0.95), fitted(y, column, None, 0.95)
        inside += bool(fit.low[1] <= -0.1 <= fit.high[1])
        naive += bool(alone.low[1] <= -0.1 <= alone.high[1])
    assert 0.92 <= inside / 400 <= 0.98
    assert naive / 400 < 0.8


class TestDesign:
    SCORED = np.ones(20, dtype=bool)
    EACH = np.arange(20)

    def test_of_what_adds_up_the_most_frequent_is_dropped(self) -> None:
        balanced = [i % 4 == 0 for i in range(20)]
        unbalanced = [i % 4 == 1 for i in range(20)]
        nested = [a or b for a, b in zip(balanced, unbalanced, strict=True)]
        found = regression_design(
            {"nested": nested, "balanced": balanced, "unbalanced": unbalanced}, self.SCORED, self.EACH
        )
        assert found.names == ("balanced", "unbalanced")
        assert found.dropped == {"nested": "follows from rarer ones"}

    def test_what_does_not_vary_or_is_unknown_is_dropped_and_said(self) -> None:
        half = [None if i % 2 else True for i in range(20)]
        one = [None, *[i % 3 == 0 for i in range(19)]]
        found = regression_design(
            {"all": [True] * 20, "none": [False] * 20, "half": half, "one": one}, self.SCORED, self.EACH
        )
        assert found.names == ("one",)
        assert found.dropped == {
            "all": "present in all examples",
            "none": "absent from all examples",
            "half": "unknown of 10 of 20 examples",
        }
        assert found.rows.tolist() == [False, *[True] * 19]
        assert found.columns[:, 0].tolist() == [float(i % 3 == 0) for i in range(19)]

    def test_what_one_table_alone_tells_apart_is_dropped(self) -> None:
        """Errors by table are near 0 for a property of one table alone: its p-value would mean nothing."""
        tables = np.repeat(np.arange(30), 4)
        alone = [bool(t == 7) for t in tables]
        rare = [bool(t % 5 == 0) for t in tables]
        nearly = [r or a for r, a in zip(rare, alone, strict=True)]
        found = regression_design(
            {"alone": alone, "rare": rare, "nearly": nearly}, np.ones(120, dtype=bool), tables
        )
        assert found.names == ("rare",)
        reason = "differs from rarer ones on too few tables"
        assert found.dropped == {"alone": reason, "nearly": reason}

    def test_the_effective_number_of_tables(self) -> None:
        assert effective_clusters(np.ones(12), np.repeat(np.arange(4), 3)) == pytest.approx(4)
        assert effective_clusters(np.array([0.0, 0.0, 5.0]), np.arange(3)) == pytest.approx(1)

    def test_without_anything_scored_nothing_is_left(self) -> None:
        found = regression_design({"one": [True, False]}, np.zeros(2, dtype=bool), np.arange(2))
        assert found.names == ()

    @settings(max_examples=50, deadline=None)
    @given(st.integers(0, 10_000), st.integers(1, 8))
    def test_the_columns_have_full_rank_with_an_intercept_and_span_all(self, seed: int, names: int) -> None:
        # every row many times over, so that no property rests on too few tables
        rng = np.random.default_rng(seed)
        columns = np.repeat(rng.integers(0, 2, (12, names)).astype(bool), 8, axis=0)
        properties = {f"p{i}": [bool(v) for v in columns[:, i]] for i in range(names)}
        found = regression_design(properties, np.ones(96, dtype=bool), np.arange(96))
        assert "differs from rarer ones on too few tables" not in found.dropped.values()
        ones = np.ones((96, 1))
        kept = np.hstack([ones, found.columns])
        every = np.hstack([ones, columns.astype(float)])
        assert np.linalg.matrix_rank(kept) == kept.shape[1] == np.linalg.matrix_rank(every)


def test_only_examples_that_all_models_answered_count() -> None:
    means, scored = mean_scores(np.array([[1.0, 0.0, np.nan], [0.0, 1.0, 1.0], [np.nan] * 3]))
    assert means[:2].tolist() == [0.5, 0.5]
    assert scored.tolist() == [True, True, False]


@pytest.mark.full
def test_in_the_analysis_it_is_the_regression_of_the_mean_over_models() -> None:
    scores, told = known_study()
    found = analyse(scores, resamples=5, **told)["regression"]["datasets"]
    assert list(found) == ["a", "b", "overall"]
    own = scores[scores["dataset"] == "a"].groupby("example")["score"].mean().sort_index()
    table = np.arange(len(own)) // 3
    steps = [table // 8 == 2, table // 8 == 0, table // 2 % 2 == 0]
    columns = np.column_stack([*steps, table % 2, table % 3 == 0]).astype(float)
    fit = found["a"]["table"]["examples"]
    beta, errors, p = plain_fit(own.to_numpy(), columns, table)
    assert list(fit["coefficients"]) == [
        *("complexity: medium", "complexity: high", "length: 20K and more"),
        *("Row Nesting", "Row Aggregation"),
    ]
    assert fit["dropped"] == {"Flat": "present in all examples"}
    for i, name in enumerate(fit["coefficients"], 1):
        got = fit["coefficients"][name]
        assert [got["value"], got["error"]] == pytest.approx([beta[i], errors[i]])
        assert got["p"] == pytest.approx(p[i], rel=1e-4)
    assert fit["coefficients"]["Row Nesting"]["high"] < 0
    assert (fit["rows"], fit["tables"], fit["left_out"]) == (72, 24, 0)
    assert found["overall"]["table"]["examples"]["tables"] == 48
    assert list(found["a"]["question"]) == ["examples"]
    means = own.groupby(table).mean().to_numpy()
    first = np.unique(table, return_index=True)[1]
    plain = plain_fit(means, columns[first], None)
    over_tables = found["a"]["table"]["tables"]["coefficients"]["Row Nesting"]
    assert [over_tables["value"], over_tables["error"]] == pytest.approx([plain[0][4], plain[1][4]])


def test_too_few_tables_are_not_regressed_and_that_is_said() -> None:
    scores, told = known_study(tables=4, datasets=("a",))
    found = analyse(scores, resamples=5, **told)
    assert "regression" not in found
    (note,) = (each for each in found["notes"] if "regress" in each)
    assert note.startswith("too few tables")
    assert note.endswith("properties of a")


@pytest.mark.full
def test_it_does_not_depend_on_the_order_of_rows() -> None:
    scores, told = known_study(datasets=("a",))
    shuffled = scores.sample(frac=1, random_state=3)
    mixed = {name: frame.sample(frac=1, random_state=4) for name, frame in told.items()}
    first, second = (analyse(s, resamples=5, **t) for s, t in ((scores, told), (shuffled, mixed)))
    value = first["regression"]["datasets"]["a"]["table"]["examples"]["coefficients"]["Row Nesting"]["value"]
    other = second["regression"]["datasets"]["a"]["table"]["examples"]["coefficients"]["Row Nesting"]["value"]
    assert value == pytest.approx(other)
    assert isinstance(mixed["examples"], pd.DataFrame)


@pytest.mark.full
@pytest.mark.parametrize("score", [0.0, 0.3, 1.0])
def test_scores_that_are_all_alike_are_not_regressed(score: float) -> None:
    scores, told = known_study(datasets=("a",))
    found = analyse(scores.assign(score=score), resamples=5, **told)
    assert "regression" not in found
    assert any("scores all alike" in note for note in found["notes"])
    assert json.dumps(found, allow_nan=False)


@pytest.mark.full
def test_what_explains_everything_has_no_error_and_the_rest_no_p() -> None:
    """Else the ratio of two rounding errors would look like a finding."""
    scores, told = known_study(datasets=("a",))
    table = scores["example"].str[1:].astype(int) // 3
    found = analyse(scores.assign(score=0.8 - 0.3 * (table % 2)), resamples=5, **told)
    for over in ("examples", "tables"):
        fit = found["regression"]["datasets"]["a"]["table"][over]
        nested, other = (fit["coefficients"][name] for name in ("Row Nesting", "Row Aggregation"))
        assert (nested["value"], nested["error"], nested["p"], fit["r2"]) == (-0.3, 0.0, 0.0, 1.0)
        assert (other["value"], other["error"], other["p"]) == (0.0, 0.0, None)
    assert json.dumps(found, allow_nan=False)
