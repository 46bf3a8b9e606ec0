"""Scores in configurations that are set beside each other: over the same examples, and over how many."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.analysis.cube import cubes
from torr_plugin.analysis.frame import main_scores
from torr_plugin.leaderboard.configurations import (
    ConfigurationDifference,
    compared_configurations,
    configuration_differences,
    difference_map,
)
from torr_plugin.leaderboard.pages import compare
from torr_plugin.leaderboard.study import Study

from .pages import Page
from .rendered import rendered

Row = tuple[str, str, str, str, float]
SCORES = st.lists(
    st.tuples(
        st.sampled_from("ab"),
        st.sampled_from("de"),
        st.sampled_from("xyz"),
        st.sampled_from("1234"),
        st.floats(0, 1).map(lambda score: round(score, 3)),
    ),
    min_size=1,
    max_size=60,
    unique_by=lambda row: row[:4],
)


@settings(deadline=None)
@given(SCORES)
def test_two_models_are_compared_on_the_examples_of_both(
    rows: list[tuple[str, str, str, str, float]],
) -> None:
    """As a plain loop has it; over all data sets where all have the configuration."""
    columns = ["model", "dataset", "config", "example", "score"]
    frame = pd.DataFrame(rows, columns=columns).assign(metric="m", main=True)
    if set(frame["model"]) != {"a", "b"}:
        return
    found = configuration_differences(cubes(main_scores(frame)), "a", "b")
    by = {row[:4]: row[4] for row in rows}
    datasets = set(frame["dataset"])
    wished: dict[str, dict[str, list[float]]] = {name: {} for name in datasets}
    for (model, dataset, config, example), score in by.items():
        other = by.get(("b", dataset, config, example))
        if model == "a" and other is not None:
            wished[dataset].setdefault(config, []).append(score - other)
    for name in datasets:
        assert {config: (one.value, one.examples) for config, one in found[name].items()} == {
            config: (pytest.approx(np.mean(own), abs=1e-9), len(own)) for config, own in wished[name].items()
        }
    everywhere = {config for config in "xyz" if all(config in own for own in wished.values())}
    assert set(found["overall"]) == everywhere
    for config in everywhere:
        means = [np.mean(own[config]) for own in wished.values()]
        assert found["overall"][config].value == pytest.approx(np.mean(means), abs=1e-9)


def test_a_half_asked_format_takes_no_example_from_the_others(toon: Study) -> None:
    scores = toon.source.scores
    means = scores.groupby(["model", "serializer"], observed=True)["score"].mean()
    for one, other in combinations(toon.models, 2):
        for config, found in configuration_differences(toon.cubes, one, other)["toon"].items():
            name = config.partition("/")[0]
            assert found.examples == (109 if name == "csv" else 244)
            assert found.value == pytest.approx(means[one, name] - means[other, name], abs=1e-9)
    compared = compared_configurations(toon.cubes)
    assert {name: (own.asked, own.of) for name, own in compared.apart["toon"].items()} == {
        "csv/none/default": (109, 244)
    }
    assert {(own.shared, own.of) for own in compared.examples["toon"].values()} == {(244, 244)}
    for config, by_model in compared.scores["toon"].items():
        assert not config.startswith("csv")
        for model, mean in by_model.items():
            assert mean == pytest.approx(means[model, config.partition("/")[0]], abs=1e-9)


def test_the_page_says_over_how_many(toon: Study, tmp_path: Path) -> None:
    rendered(compare.files, toon, tmp_path)
    page = Page((tmp_path / toon.paths.compare).read_text(encoding="utf-8"))
    assert page.row("xml")[1] == "+0.307"
    assert page.row("csv")[1] == "+0.367 109 examples"
    assert "over 244 examples, unless a cell says otherwise" in page.text
    assert "grok-4.5 has the higher mean in 6 of 6 formats, gemini-3.6-flash in 0: not tested." in page.text


def test_equal_scores_have_neither_sign_nor_colour() -> None:
    found = {"c": ConfigurationDifference(-0.0001, 3), "d": ConfigurationDifference(0.0, 3)}
    view = difference_map(found, {"c": ("c", ""), "d": ("d", "")}, ("a", "b"), "", {})
    assert [(row[1].text, row[1].style) for row in view.rows] == [("0.000", "num")] * 2, "no colour"
    assert view.rows[1][1].style == "num"
    assert difference_map({}, {}, ("a", "b"), "", {}).lines == ("No configuration has scores of both.",)


def test_what_is_counted_has_its_name_and_is_said_not_to_be_tested() -> None:
    found = {name: ConfigurationDifference(0.1, 3) for name in "cd"}
    (line,) = difference_map(
        found, {"c": ("csv", "none"), "d": ("csv", "transpose")}, ("a", "b"), "", {}
    ).lines
    assert line == "a has the higher mean in 2 of 2 configurations, b in 0: not tested."
