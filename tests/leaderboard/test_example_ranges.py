"""How far an example's score moves between configurations: against plain loops."""

from __future__ import annotations

import math
import statistics

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.leaderboard.example_scores import examples_by_difficulty, score_ranges, widest_ranges

Cube = dict[tuple[str, str, str, str], float]

cubes = st.dictionaries(
    st.tuples(
        st.sampled_from(["a", "b", "{x}"]),
        st.sampled_from(["d1", "d2"]),
        st.sampled_from(["e1", "e2", "e3"]),
        st.sampled_from(["csv/none/default", "html/none/default", "df/none/default"]),
    ),
    st.sampled_from([0.0, 0.25, 0.5, 1.0, math.nan]),
    max_size=54,
)


def frame(cube: Cube) -> pd.DataFrame:
    rows = [(*cell, score, True) for cell, score in cube.items()]
    # a second metric, which no figure of the page rests on
    rows += [(*cell, 1.0 - score, False) for cell, score in cube.items()]
    columns = ["model", "dataset", "example", "config", "score", "main"]
    found: pd.DataFrame = pd.DataFrame(rows, columns=columns)
    return found


@settings(deadline=None)  # the first one loads pandas
@given(cubes)
def test_ranges_are_what_loops_find(cube: Cube) -> None:
    expected: dict[tuple[str, str, str], dict[str, float]] = {}
    for (*cell, config), score in cube.items():
        if not math.isnan(score):
            expected.setdefault(tuple(cell), {})[config] = score  # type: ignore[arg-type]
    found = {(row.model, row.dataset, row.example): row for row in score_ranges(frame(cube)).itertuples()}
    assert set(found) == set(expected)
    for key, own in expected.items():
        row = found[key]
        low, high = min(own.values()), max(own.values())
        assert (row.low, row.high) == (low, high)
        assert row.mean == pytest.approx(statistics.fmean(own.values()))
        assert row.low_config == min(config for config, score in own.items() if score == low)
        assert row.high_config == min(config for config, score in own.items() if score == high)
        assert (row.lows, row.highs) == tuple(list(own.values()).count(end) for end in (low, high))


@settings(deadline=None)
@given(cubes)
def test_the_widest_come_first_and_none_that_stands_still(cube: Cube) -> None:
    found = score_ranges(frame(cube))
    moving = found[found["high"] > found["low"]]
    for model, own in widest_ranges(found, 2).items():
        widths = sorted((moving[moving["model"] == model]["high"] - moving["low"]).dropna(), reverse=True)
        assert [each.width for each in own] == pytest.approx(widths[:2])
    assert set(widest_ranges(found, 2)) == set(moving["model"])


@settings(deadline=None)
@given(cubes)
def test_examples_go_from_hard_to_easy_over_the_models_means(cube: Cube) -> None:
    for dataset in ("d1", "d2"):
        means: dict[str, dict[str, list[float]]] = {}
        for (model, own, example, _), score in cube.items():
            if own == dataset and not math.isnan(score):
                means.setdefault(example, {}).setdefault(model, []).append(score)
        found = examples_by_difficulty(score_ranges(frame(cube)), dataset)
        assert {each.example for each in found} == set(means)
        assert [each.mean for each in found] == sorted(each.mean for each in found)
        for each in found:
            of_models = [statistics.fmean(scores) for scores in means[each.example].values()]
            assert each.mean == pytest.approx(statistics.fmean(of_models))
            assert each.spread == pytest.approx(statistics.pstdev(of_models), abs=1e-12)
