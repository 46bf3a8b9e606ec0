"""The rows of the table of models: order, groups, figures, and what stands there for a part of the study."""

from __future__ import annotations

from dataclasses import replace

import pytest

from torr_plugin.analysis import format_percent, format_percent_bounds, ranked_models
from torr_plugin.analysis.result import Interval
from torr_plugin.leaderboard.board import ALL, Board, boards
from torr_plugin.leaderboard.percents import percent_text
from torr_plugin.leaderboard.study import Study

from .rendered import with_results

DATASETS = ["towns_qa", "facts"]


@pytest.fixture(scope="module")
def parts(small_study: Study) -> dict[str, Board]:
    return {part.name: part for part in boards(small_study)}


def test_all_questions_come_first_then_data_sets_formats_and_layout_changes(
    small_study: Study, parts: dict[str, Board]
) -> None:
    names = list(parts)
    assert names[:3] == [ALL, "on towns_qa", "on facts"]
    assert names[-1] == "kept"
    formats = {name.removeprefix("in ") for name in names[3:-1]}
    assert formats == set(small_study.source.scores["serializer"].astype(str))


def test_rows_are_in_the_order_of_the_terminal(small_study: Study, parts: dict[str, Board]) -> None:
    assert [row.model for row in parts[ALL].rows] == ranked_models(small_study.analysis.results.to_json())


@pytest.mark.parametrize(("name", "place"), [(ALL, "overall"), *((f"on {name}", name) for name in DATASETS)])
def test_rows_hold_the_figures_of_their_part(
    small_study: Study, parts: dict[str, Board], name: str, place: str
) -> None:
    analysis = small_study.analysis
    for row in parts[name].rows:
        right = analysis.performance[row.model].places()[place]
        assert row.right.value == format_percent(right.value, right.low, right.high)
        assert row.right.bounds == format_percent_bounds(right.low, right.high)
        same = analysis.robustness_5[row.model].places()[place].value
        assert row.flips is not None
        assert row.flips.numbers[0] == pytest.approx(1 - (same or 0))
        assert row.formats is not None
        assert (row.formats.low.numbers[0] or 0) <= (row.formats.high.numbers[0] or 0)
        datasets = [analysis.performance[row.model].datasets[each].value for each in DATASETS]
        assert [figure.numbers[0] for figure in row.datasets] == datasets
    values = [row.right.numbers[0] or 0.0 for row in parts[name].rows]
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize(("name", "place"), [(ALL, "overall"), ("on facts", "facts")])
def test_groups_are_those_of_the_analysis(
    small_study: Study, parts: dict[str, Board], name: str, place: str
) -> None:
    tiers = small_study.tied_groups[place]
    groups = parts[name].groups
    assert [{tiers[row.model] for row in group.rows} for group in groups] == [
        {number} for number in range(1, len(groups) + 1)
    ]
    first = groups[0]
    assert first.title == (
        "First"
        if len(first.rows) == 1
        else f"Tied for first: none of these {len(first.rows)} differs from the best"
    )


def test_a_format_has_its_own_means_and_no_groups(small_study: Study, parts: dict[str, Board]) -> None:
    part = next(part for name, part in parts.items() if name.startswith("in ") and name.endswith("csv"))
    chosen = small_study.analysis.serializers
    assert chosen is not None
    for row in part.rows:
        every = chosen.choice.models[row.model].overall
        own = next(each for each in every if f"in {each.name}" == part.name)
        assert row.right.numbers[0] == own.value
    assert [group.title for group in part.groups] == [""]
    assert "no groups" in part.notes[0]


def test_a_model_without_a_figure_is_last(small_study: Study) -> None:
    analysis = small_study.analysis
    first = next(boards(small_study)).rows[0].model
    nothing = Interval(value=None, low=None, high=None)
    figures = analysis.performance[first].model_copy(update={"overall": nothing})
    groups = [[model for model in group if model != first] for group in analysis.tiers.overall]
    tiers = analysis.tiers.model_copy(update={"overall": [group for group in groups if group]})
    changed = with_results(analysis, performance={**analysis.performance, first: figures}, tiers=tiers)
    study = replace(small_study, source=replace(small_study.source, analysis=changed))
    row = next(boards(study)).rows[-1]
    assert (row.model, row.right.value, row.right.sort) == (first, "\N{EN DASH}", "")


@pytest.mark.parametrize(
    ("figure", "text"),
    [
        ((0.744, 0.70, 0.76), ("74%", "70\N{EN DASH}76")),
        ((0.744, 0.742, 0.746), ("74.4%", "74.2\N{EN DASH}74.6")),
        ((0.004, 0.0, 0.02), ("<1%", "0\N{EN DASH}2")),
        ((0.997, 0.98, 1.0), (">99%", "98\N{EN DASH}100")),
        ((1.0, 1.0, 1.0), ("100%", "")),
        ((0.0, None, None), ("0%", "")),
        ((None, None, None), ("\N{EN DASH}", "")),
    ],
)
def test_percents_are_whole_unless_the_interval_is_narrow(
    figure: tuple[float | None, float | None, float | None], text: tuple[str, str]
) -> None:
    found = percent_text(Interval(value=figure[0], low=figure[1], high=figure[2]))
    assert (found.value, found.bounds) == text
