"""The rows of the leaderboard, and what its script puts in their place."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.analysis import format_ranks, format_value, ranked_models
from torr_plugin.analysis.result import Interval
from torr_plugin.leaderboard.board import SHADES, board, board_data, shades
from torr_plugin.leaderboard.claims.tiers import ClaimedPlaces
from torr_plugin.leaderboard.results import StudyResults
from torr_plugin.leaderboard.study import Study
from torr_plugin.leaderboard.views import drawn_ends

from .rendered import with_results

pytestmark = pytest.mark.full

DATASETS = ["towns_qa", "facts"]
Places = Mapping[str, ClaimedPlaces]


@pytest.fixture(scope="module")
def analysis(small_study: Study) -> StudyResults:
    return small_study.analysis


@pytest.fixture(scope="module")
def places(small_study: Study) -> Places:
    return small_study.claims.places


def text(figure: Interval) -> str:
    return format_value(figure.value, figure.low, figure.high)


def test_rows_are_in_the_order_of_the_terminal(analysis: StudyResults, places: Places) -> None:
    rows = board(analysis, places).rows
    assert [row.model for row in rows] == ranked_models(analysis.results.to_json())
    assert [row.place for row in rows] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("dataset", ["overall", *DATASETS])
def test_rows_hold_the_figures_of_their_scope(analysis: StudyResults, places: Places, dataset: str) -> None:
    found = board(analysis, places, dataset)
    for row in found.rows:
        for name in ("performance", "robustness", "robustness_solvable", "worst", "best"):
            figures = getattr(analysis, name)[row.model]
            figure = figures.places()[dataset]
            shown = getattr(row, name)
            assert (shown.value, shown.numbers) == (text(figure), (figure.value, *drawn_ends(figure)))
        claimed = places[dataset]
        assert (row.tier, row.rank) == (claimed.tiers[row.model], format_ranks(claimed.ranks[row.model]))
        assert [shown.value for shown in row.datasets] == [
            text(analysis.performance[row.model].datasets[name]) for name in DATASETS
        ]
    values = [row.performance.numbers[0] or 0.0 for row in found.rows]
    assert values == sorted(values, reverse=True)


def test_a_model_without_a_figure_is_last(analysis: StudyResults, places: Places) -> None:
    first = board(analysis, places).rows[0].model
    nothing = Interval(value=None, low=None, high=None)
    figures = analysis.performance[first].model_copy(update={"overall": nothing})
    changed = with_results(analysis, performance={**analysis.performance, first: figures})
    row = board(changed, places).rows[-1]
    assert (row.model, row.performance.value) == (first, "\N{EN DASH}")


def test_the_script_gets_the_same_texts(analysis: StudyResults, places: Places) -> None:
    models = tuple(row.model for row in board(analysis, places).rows)
    data = board_data(analysis, places, {}, models)
    assert len(data["scopes"]) == 1 + len(DATASETS)
    for scope, dataset in zip(data["scopes"], ["overall", *DATASETS], strict=True):
        found = board(analysis, places, dataset)
        assert [models[place] for place in scope["order"]] == [row.model for row in found.rows]
        for row in found.rows:
            figures = scope["rows"][models.index(row.model)]
            assert figures[:2] == [row.rank, row.tier]
            assert figures[2][:2] == [row.performance.value, row.performance.bounds]
            assert figures[3][:2] == [row.headline_robustness.value, row.headline_robustness.bounds]
            assert figures[6][0] == row.worst.value
    for model, cells in zip(models, data["cells"], strict=True):
        row = next(each for each in board(analysis, places).rows if each.model == model)
        assert [cell[0] for cell in cells] == [shown.value for shown in row.datasets]
        assert [cell[5] for cell in cells] == list(row.dataset_styles)


@given(st.lists(st.none() | st.floats(0, 1), max_size=12))
def test_shades_keep_the_order_of_their_values(values: list[float | None]) -> None:
    found = shades(values)
    assert [shade is None for shade in found] == [value is None for value in values]
    known = sorted(
        (value, shade)
        for value, shade in zip(values, found, strict=True)
        if value is not None and shade is not None
    )
    assert [shade for _, shade in known] == sorted(shade for _, shade in known)
    assert all(0 <= shade < SHADES for _, shade in known)


def test_values_that_hardly_differ_are_not_painted() -> None:
    assert shades([0.5, 0.501, 0.502]) == [0, 0, 0]
    assert shades([0.1, None, 0.9]) == [0, None, SHADES - 1]
