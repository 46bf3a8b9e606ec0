"""Scores by kind of table, pooled over data sets, beside plain loops."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import combinations
from math import sqrt
from statistics import fmean
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtri, stdtrit

from tests.analysis.made import cube_frame, known_study
from torr_plugin.analysis import analyse
from torr_plugin.analysis.examples import size_class
from torr_plugin.analysis.figures.table_kinds import LEAST_EXAMPLES, MOST_FACETS, MOST_KINDS
from torr_plugin.core.statistics import clustered_means, score_bounds


@pytest.fixture(scope="module")
def study() -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    return known_study()


@pytest.fixture(scope="module")
def found(study: tuple[pd.DataFrame, dict[str, pd.DataFrame]]) -> dict[str, Any]:
    scores, told = study
    result: dict[str, Any] = analyse(scores, resamples=20, **told)["table_kinds"]
    return result


def value_of(row: dict[str, Any], facet: str) -> str | None:
    """What is known of an example, by the facet's name."""
    if facet == "data set":
        return str(row["dataset"])
    if facet == "number of cells":
        return size_class(row["cells"])
    known = {**json.loads(row["groups"]), **json.loads(row["properties"]).get("table", {})}.get(facet)
    return {True: "yes", False: "no"}.get(known, str(known)) if isinstance(known, bool) else str(known)


def wilson(mean: float, n: float, z: float) -> tuple[float, float]:
    centre = (mean + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(mean * (1 - mean) / n + z * z / (4 * n * n))
    return max(0.0, centre - half), min(1.0, centre + half)


def plain_interval(strata: Sequence[dict[str, list[float]]], level: float) -> tuple[float, float]:
    """Of the mean over all examples: data set -> table -> scores; no table of one kind, no equal scores."""
    quantile, total = (1 + level) / 2, sum(len(own) for tables in strata for own in tables.values())
    means, numbers, weights, freedom = [], [], [], []
    for tables in strata:
        scores = [score for own in tables.values() for score in own]
        n, mean, groups = len(scores), fmean(scores), len(tables)
        sums = [sum(score - mean for score in own) for own in tables.values()]
        variance = groups / (groups - 1) * sum(each**2 for each in sums) / n**2
        means.append(mean)
        numbers.append(n * mean * (1 - mean) / (n - 1) / variance)
        weights.append(n / total)
        freedom.append(groups - 1)
    rows = list(zip(weights, means, numbers, strict=True))
    wide = [w * np.ptp(wilson(m, n, float(ndtri(quantile)))) for w, m, n in rows]
    t = float(
        stdtrit(
            sum(w**2 for w in wide) ** 2 / sum(w**4 / f for w, f in zip(wide, freedom, strict=True)), quantile
        )
    )
    mean = sum(w * m for w, m, _ in rows)
    joint = mean * (1 - mean) / sum(w**2 * m * (1 - m) / n for w, m, n in rows)
    together = wilson(mean, joint, t)
    share = t * sqrt(sum(w**2 for w in wide)) / sum(wide)
    own = [wilson(m, n, share) for _, m, n in rows]
    ends = [sum(w * bounds[end] for w, bounds in zip(weights, own, strict=True)) for end in (0, 1)]
    return min(together[0], ends[0]), max(together[1], ends[1])


@pytest.mark.full
def test_every_kind_is_what_loops_find(
    study: tuple[pd.DataFrame, dict[str, pd.DataFrame]], found: dict[str, Any]
) -> None:
    scores, told = study
    known = told["examples"].to_dict("records")
    means = scores.groupby(["dataset", "example", "model"])["score"].mean()
    expected: dict[tuple[tuple[str, str], ...], list[dict[str, Any]]] = {}
    for row in known:
        for count in range(4):
            for facets in combinations(found["facets"], count):
                key = tuple((name, str(value_of(row, name))) for name in facets)
                expected.setdefault(key, []).append(row)
    enough = {key: rows for key, rows in expected.items() if len(rows) >= LEAST_EXAMPLES}
    kinds = {tuple(kind["of"].items()): kind for kind in found["kinds"]}
    assert set(kinds) == set(enough)
    for key, rows in enough.items():
        kind = kinds[key]
        tables = {(row["dataset"], json.loads(row["groups"])["table"]) for row in rows}
        assert (kind["examples"], kind["tables"]) == (len(rows), len(tables))
        assert kind["datasets"] == len({row["dataset"] for row in rows})
        for model, figure in kind["models"].items():
            strata: dict[str, dict[str, list[float]]] = {}
            for row in rows:
                table = json.loads(row["groups"])["table"]
                score = float(means[row["dataset"], row["example"], model])
                strata.setdefault(row["dataset"], {}).setdefault(table, []).append(score)
            every = [score for own in strata.values() for part in own.values() for score in part]
            assert figure["value"] == pytest.approx(fmean(every))
            if all(len(own) > 1 for own in strata.values()):
                assert (figure["low"], figure["high"]) == pytest.approx(
                    plain_interval(list(strata.values()), 0.95), abs=1e-9
                )


def test_facets_tell_examples_apart(found: dict[str, Any]) -> None:
    assert next(iter(found["facets"])) == "data set"
    assert len(found["facets"]) <= MOST_FACETS
    assert all(len(values) > 1 for values in found["facets"].values())
    assert "Conditions" not in found["facets"], "a property of the question"
    assert "table" not in found["facets"]
    assert found["kinds"][0]["of"] == {}
    assert len(found["kinds"]) <= MOST_KINDS


def test_a_study_that_knows_nothing_of_its_tables_has_none() -> None:
    assert "table_kinds" not in analyse(
        pd.concat([cube_frame(np.ones((2, 3, 12)), name) for name in "ab"]), resamples=20
    )


def test_weights_of_data_sets() -> None:
    rng = np.random.default_rng(5)
    parts = [clustered_means(rng.random((3, size)), np.arange(size) // 2) for size in (20, 12, 30)]
    even = np.ones((3, 3))
    assert np.array_equal(score_bounds(parts, 0.95), score_bounds(parts, 0.95, even))
    assert np.allclose(score_bounds(parts, 0.95), score_bounds(parts, 0.95, 7 * even))
    without = score_bounds(parts, 0.95, np.stack([np.ones(3), np.zeros(3), np.ones(3)]))
    assert np.allclose(without, score_bounds([parts[0], parts[2]], 0.95))
