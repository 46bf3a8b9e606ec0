"""unitxt's own loop over resamples is the reference."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

from torr_plugin.integrations.unitxt import register

NAMES = ["exact_match", "f1", "same", "absent"]


def scores(count: int, seed: int) -> list[dict[str, float]]:
    chance = random.Random(seed)
    made = [
        {"exact_match": float(chance.random() < 0.4), "f1": chance.random(), "same": 0.25, "absent": math.nan}
        for _ in range(count)
    ]
    for each in made[5::5]:
        each["f1"] = math.nan
    return made


@pytest.fixture(scope="module")
def metric() -> Any:
    register()
    from unitxt.artifact import fetch_artifact

    return fetch_artifact("metrics.torr.exact_match")[0]


@pytest.mark.parametrize(("count", "method"), [(2, "BCa"), (3, "BCa"), (40, "BCa"), (40, "percentile")])
def test_intervals_are_those_of_unitxts_own_loop(metric: Any, count: int, method: str) -> None:
    from unitxt.metrics import ConfidenceIntervalMixin

    metric.ci_method, metric.n_resamples = method, 400
    data = scores(count, seed=count)
    expected = ConfidenceIntervalMixin.bootstrap(metric, data, NAMES)
    found = metric.bootstrap(data, NAMES)
    assert list(found) == list(expected)
    assert found == pytest.approx(expected, abs=1e-12, nan_ok=True)
    assert found["f1_ci_low"] < found["f1_ci_high"]
    assert math.isnan(found["absent_ci_low"])


def test_many_instances_are_taken_in_parts(metric: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from torr_plugin.integrations.unitxt import artifacts as unitxt_intervals

    data = scores(30, seed=1)
    whole = metric.bootstrap(data, NAMES)
    monkeypatch.setattr(unitxt_intervals, "_AT_ONCE", 500)
    assert metric.bootstrap(data, NAMES) == pytest.approx(whole, abs=1e-12, nan_ok=True)


def test_of_equal_scores_the_interval_is_the_mean_even_where_it_is_no_binary_fraction(metric: Any) -> None:
    found = metric.bootstrap([{"exact_match": 0.1}] * 2, ["exact_match"])  # unitxt's rounding makes it NaN
    assert found == {"exact_match_ci_low": 0.1, "exact_match_ci_high": 0.1}
