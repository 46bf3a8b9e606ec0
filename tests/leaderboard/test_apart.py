"""Who is not separated from whom, and the bars that say so."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.analysis import analysis_results
from torr_plugin.leaderboard.pairwise import MOST_LANES, Bar, bars, not_separated, separated
from torr_plugin.leaderboard.results import StudyResults
from torr_plugin.leaderboard.study import Study

from .rendered import with_results


@pytest.fixture(scope="module")
def analysis(small_study: Study) -> StudyResults:
    return small_study.analysis


def test_overall_the_named_pairs_are_separated_and_no_others(analysis: StudyResults) -> None:
    apart = separated(analysis)
    named = analysis.separability.overall.pairs_separated
    assert named is not None
    real = {frozenset(pair.models) for pair in named if pair.paired}
    assert 0 < len(real) < 10, "the study should have both kinds of pairs"
    for first, second in combinations(analysis.performance, 2):
        assert apart(first, second) is (frozenset((first, second)) in real)
        assert apart(second, first) is apart(first, second)


def test_one_example_a_data_set_separates_none() -> None:
    """Neither its intervals nor its tests can say anything."""
    import pandas as pd

    rows = [
        {"model": model, "dataset": dataset, "config": "c", "example": "e", "metric": "m", "score": score}
        for model, score in (("a", 0.9), ("b", 0.5), ("c", 0.1))
        for dataset in ("x", "y")
    ]
    found = StudyResults(analysis_results(pd.DataFrame(rows), resamples=20))
    overall = found.separability.overall
    assert (overall.value, overall.paired, len(overall.pairs_separated or ())) == (0.0, 0.0, 0)
    assert not_separated(["a", "b", "c"], separated(found)) == {
        "a": ("b", "c"),
        "b": ("a", "c"),
        "c": ("a", "b"),
    }


def test_on_a_data_set_they_are_those_of_its_own_tests(analysis: StudyResults) -> None:
    apart = separated(analysis, "facts")
    assert len(analysis.pairs) == 10
    for pair in analysis.pairs:
        assert apart(*pair.models) is pair.performance.datasets["facts"].paired


def test_a_pair_that_was_not_tested_is_neither(analysis: StudyResults) -> None:
    older = with_results(analysis, pairs=[])
    assert separated(older, "facts")("aster-large", "aster-small") is None
    assert not_separated(list(analysis.performance), separated(older, "facts"))["aster-large"] == ()
    assert bars(list(analysis.performance), separated(older, "facts")) == ()


def test_bars_join_runs_and_stand_beside_each_other() -> None:
    """a-b-c are alike, and so are c-d; d and e differ."""
    alike = {frozenset(pair) for pair in ("ab", "ac", "bc", "cd")}
    found = bars("abcde", lambda first, second: frozenset((first, second)) not in alike)
    assert found == (Bar(0, 2, 0), Bar(2, 3, 1))


@given(st.integers(1, 9).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.sampled_from(range(n * n))))))
def test_bars_are_the_longest_runs_without_a_separated_pair(given: tuple[int, set[int]]) -> None:
    count, cells = given
    alike = {frozenset(divmod(cell, count)) for cell in cells}
    models = [str(place) for place in range(count)]

    def apart(first: str, second: str) -> bool:
        return frozenset((int(first), int(second))) not in alike

    runs = {
        (first, last)
        for first, last in combinations(range(count), 2)
        if all(frozenset(pair) in alike for pair in combinations(range(first, last + 1), 2))
    }
    longest = {
        run
        for run in runs
        if not any(other != run and other[0] <= run[0] and run[1] <= other[1] for other in runs)
    }
    found = bars(models, apart)
    assert {(bar.first, bar.last) for bar in found} == longest
    for bar, other in combinations(found, 2):
        assert bar.lane != other.lane or bar.last < other.first or other.last < bar.first
    assert all(bar.lane < MOST_LANES for bar in found)


def test_more_bars_than_lanes_are_left_out() -> None:
    """Models alike up to a distance: as many bars stand side by side as that distance."""
    models = [str(place) for place in range(60)]
    found = bars(models, lambda first, second: abs(int(first) - int(second)) > 20)
    assert max(bar.lane for bar in found) == MOST_LANES - 1
    assert len(found) < 40
