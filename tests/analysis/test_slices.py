"""Scores by kind of example, beside loops over the rows."""

from __future__ import annotations

import json
from statistics import fmean
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.analysis.made import cube_frame, known_study
from torr_plugin.analysis import AnalysisError, analyse
from torr_plugin.analysis.examples import CLASSES, size_class, slice_means
from torr_plugin.analysis.options import Options


def plain_mean(scores: pd.DataFrame, examples: set[str], model: str, dataset: str) -> float:
    """The mean over examples of the mean over configurations."""
    per_example: dict[str, list[float]] = {}
    for row in scores.to_dict("records"):
        if row["dataset"] == dataset and row["model"] == model and row["example"] in examples:
            per_example.setdefault(row["example"], []).append(row["score"])
    return fmean(fmean(values) for values in per_example.values())


def having(told: dict[str, pd.DataFrame], dataset: str, of: str, name: str, value: object) -> set[str]:
    frame = told["examples"]
    rows = frame[frame["dataset"] == dataset].to_dict("records")
    key = "groups" if of == "groups" else "properties"
    return {
        row["example"]
        for row in rows
        if (json.loads(row[key]) if of == "groups" else json.loads(row[key])[of])[name] == value
    }


@pytest.mark.full
def test_means_are_those_of_a_loop_over_the_rows() -> None:
    scores, told = known_study()
    found = analyse(scores, resamples=20, **told)["slices"]
    assert list(found) == ["a", "b", "overall"]
    for dataset in ("a", "b"):
        own = found[dataset]
        assert (own["examples"], own["tables"]) == (72, 24)
        for value in "xy":
            examples = having(told, dataset, "groups", "source", value)
            got = own["groups"]["source"][value]
            plain = {m: plain_mean(scores, examples, m, dataset) for m in ("m0", "m1", "m2")}
            assert {m: f["value"] for m, f in got["models"].items()} == pytest.approx(plain)
            assert got["overall"]["value"] == pytest.approx(fmean(plain.values()))
            assert got["examples"] == len(examples)
        nested = own["properties"]["table"]["Row Nesting"]
        means = [
            plain_mean(scores, having(told, dataset, "table", "Row Nesting", flag), "m1", dataset)
            for flag in (True, False)
        ]
        assert nested["difference"]["models"]["m1"]["value"] == pytest.approx(means[0] - means[1])
        assert nested["difference"]["overall"]["high"] < 0
        assert nested["present"]["tables"] == nested["absent"]["tables"] == 12
        assert list(own["values"]["question"]["Conditions"]) == ["0", "1", "2"]
        assert "Conditions" not in own["properties"]["question"]
        assert list(own["values"]["table"]["complexity"]) == ["low", "medium", "high"]
        assert list(own["values"]["table"]["length"]) == ["under 10K", "20K and more"]
        examples = having(told, dataset, "table", "complexity", "low")
        low = own["values"]["table"]["complexity"]["low"]
        assert low["models"]["m1"]["value"] == pytest.approx(plain_mean(scores, examples, "m1", dataset))
        assert low["tables"] == 8
        assert own["properties"]["table"]["Flat"]["absent"]["overall"] == {
            "value": None,
            "low": None,
            "high": None,
        }
    assert found["overall"]["tables"] == 48
    assert list(found["a"]["groups"]["template"]) == [str(i) for i in range(12)]


@pytest.mark.full
def test_overall_stacks_the_examples_of_all_data_sets() -> None:
    scores, told = known_study()
    found = analyse(scores, resamples=5, **told)["slices"]
    parts = [found[name]["groups"]["source"]["x"]["models"]["m0"]["value"] for name in ("a", "b")]
    assert found["overall"]["groups"]["source"]["x"]["models"]["m0"]["value"] == pytest.approx(fmean(parts))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1000))
def test_resamples_draw_whole_clusters(seed: int) -> None:
    """Every resampled mean is one that a draw of whole clusters can give: clusters of equal values."""
    rng = np.random.default_rng(seed)
    clusters = rng.integers(0, 4, 30)
    clusters = np.unique(clusters, return_inverse=True)[1]
    values = clusters[None, :].astype(float) ** 2
    means, drawn = slice_means(
        values, [np.ones(30, dtype=bool)], clusters, Options(resamples=50, seed=seed), "x"
    )
    many, sizes = int(clusters.max()) + 1, np.bincount(clusters)
    possible = set()
    for tables in np.ndindex(*[many] * many):
        weight = sizes[list(tables)]
        possible.add(round(float((weight * np.array(tables) ** 2).sum() / weight.sum()), 9))
    assert {round(float(mean), 9) for mean in drawn[0, 0]} <= possible
    assert means[0, 0] == pytest.approx(values.mean())


def test_draws_that_are_kept_are_those_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    values, clusters = rng.random((2, 40)), np.repeat(np.arange(10), 4)
    options, masks = Options(resamples=20), [np.arange(40) < 30]

    def samples(use: str) -> np.ndarray:
        return slice_means(values, masks, clusters, options, use)[1]

    kept = [samples(use) for use in ("a", "a", "b")]
    monkeypatch.setattr("torr_plugin.analysis.bootstrap._MOST_KEPT", 0)
    anew = [samples(use) for use in ("a", "a", "b")]
    assert all(np.array_equal(*pair) for pair in zip(kept, anew, strict=True))
    assert not np.array_equal(kept[0], kept[2])


@pytest.mark.full
def test_intervals_that_draw_tables_cover_where_those_that_draw_examples_do_not() -> None:
    rng = np.random.default_rng(5)
    clusters = np.repeat(np.arange(40), 6)
    whole = [np.ones(240, dtype=bool)]
    inside = naive = 0
    for study in range(200):
        values = (0.5 + rng.normal(0, 0.2, 40)[clusters] + rng.normal(0, 0.1, 240))[None, :]
        options = Options(resamples=200, seed=study)
        for units, by_table in ((clusters, True), (np.arange(240), False)):
            samples = slice_means(values, whole, units, options, "x")[1][0, 0]
            covered = np.quantile(samples, 0.025) <= 0.5 <= np.quantile(samples, 0.975)
            inside += bool(covered) and by_table
            naive += bool(covered) and not by_table
    assert 0.88 <= inside / 200 <= 0.99
    assert naive / 200 < 0.75


def test_holes_are_left_out_of_a_slice() -> None:
    values = np.array([[1.0, np.nan, 0.0, np.nan]])
    masks = [np.array([True, True, False, False]), np.array([False, False, False, True])]
    means, drawn = slice_means(values, masks, np.arange(4), Options(resamples=5), "x")
    assert means[0, 0] == 1.0
    assert np.isnan(means[0, 1])
    assert np.isnan(drawn[0, 1]).all()


@pytest.mark.full
def test_a_slice_with_holes_says_so_and_others_do_not() -> None:
    scores, told = known_study()
    of_model = (scores["model"] == "m0") & (scores["dataset"] == "a") & (scores["example"] == "e001")
    found = analyse(scores.drop(scores.index[of_model][0]), resamples=5, **told)["slices"]
    for place in ("a", "overall"):
        sources, rank = found[place]["groups"]["source"], found[place]["properties"]["question"]["Rank"]
        for lacking in (sources["y"], rank["present"], rank["difference"]):
            assert lacking["models"]["m0"]["complete"] is lacking["overall"]["complete"] is False
            assert "complete" not in lacking["models"]["m1"]
        assert "complete" not in str(sources["x"]) + str(rank["absent"])
    assert "complete" not in str(found["b"])


@pytest.mark.full
def test_an_example_that_nobody_answered_makes_no_slice_surer() -> None:
    scores, told = known_study(datasets=("a",))
    failed = scores["example"] == "e001"
    found = [
        analyse(frame, resamples=5, **told)["slices"]["a"]["groups"]["source"]["y"]
        for frame in (scores.assign(score=scores["score"].mask(failed)), scores[~failed])
    ]
    for own in found:
        own["overall"].pop("complete", None)
    assert found[0]["overall"] == pytest.approx(found[1]["overall"])


def test_a_study_that_is_told_nothing_has_nothing_of_this() -> None:
    scores = cube_frame([[[0.5, 1.0, 0.0]], [[0.0, 1.0, 0.0]]])
    rows = [
        {
            "dataset": "d",
            "example": f"e{e:04d}",
            "groups": f'{{"table": "t{e}"}}',
            "properties": "{}",
            "cells": 4,
        }
        for e in range(3)
    ]
    plain, with_frame = (
        analyse(scores, resamples=5),
        analyse(scores, resamples=5, examples=pd.DataFrame(rows)),
    )
    assert plain == with_frame
    assert not {"slices", "regression", "verbosity", "modalities"} & set(plain)


@pytest.mark.full
def test_what_is_known_of_other_examples_is_said() -> None:
    """As where a scores file is analysed with another card than that of its data set."""
    scores, told = known_study(datasets=("a",))
    frame = told["examples"]
    other = analyse(scores, resamples=5, examples=frame.assign(dataset="b"))
    assert "slices" not in other
    assert "no figures by kind of example: what is known is of b, the scores are of a" in other["notes"]
    some = analyse(scores, resamples=5, examples=frame[frame["example"] >= "e010"])
    assert "a: nothing is known of 10 examples, which are in no figure by kind of example" in some["notes"]
    assert not any("is known" in note for note in analyse(scores, resamples=5, examples=frame)["notes"])


def test_one_table_alone_has_no_interval() -> None:
    scores, told = known_study(datasets=("a",))
    frame = told["examples"]
    only = frame.assign(
        properties=[json.dumps({"table": {"Rare": name < "e003"}}) for name in frame["example"]]
    )
    found = analyse(scores, resamples=5, examples=only)["slices"]["a"]["properties"]["table"]["Rare"]
    assert found["present"]["tables"] == 1
    for part in (found["present"], found["difference"]):
        assert part["overall"]["value"] is not None
        assert part["overall"]["low"] is part["overall"]["high"] is None
    assert found["absent"]["overall"]["low"] is not None


@pytest.mark.full
def test_a_group_that_names_examples_is_left_out_and_said() -> None:
    scores, told = known_study(datasets=("a",))
    named = told["examples"].assign(
        groups=[json.dumps({"name": name, "source": "x"}) for name in told["examples"]["example"]]
    )
    found = analyse(scores, resamples=5, examples=named)
    assert list(found["slices"]["a"]["groups"]) == ["source"]
    assert "a: name with more than 40 values: no scores by it" in found["notes"]
    # without the group that says the table, each example is one of its own
    assert found["slices"]["a"]["tables"] == 72


@pytest.mark.full
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"groups": "[]"}, "examples: row 1: groups is '[]'; expected a JSON object"),
        ({"groups": "x" * 1000}, "examples: row 1: groups is 'xxx"),
        ({"properties": '{"table": 3}'}, "examples: row 1: properties of 'table'"),
        ({"properties": '{"table": {"a": [1]}}'}, "examples: row 1: properties of 'table'"),
        ({"cells": None}, ""),
    ],
)
def test_what_cannot_be_read_is_one_clear_line(change: dict[str, Any], message: str) -> None:
    scores, told = known_study(datasets=("a",))
    frame = told["examples"].assign(**change)
    if not message:
        assert analyse(scores, resamples=5, examples=frame)["slices"]["a"]["cells"] == {}
        return
    with pytest.raises(AnalysisError) as raised:
        analyse(scores, resamples=5, examples=frame)
    assert str(raised.value).startswith(message)
    assert len(str(raised.value)) < 200
    with pytest.raises(AnalysisError, match="no column 'cells'"):
        analyse(scores, resamples=5, examples=frame.drop(columns="cells"))


@given(st.integers(0, 10**9))
def test_a_size_is_in_the_class_that_names_it(cells: int) -> None:
    name = size_class(cells)
    numbers = [int(word) for word in name.split() if word.isdigit()]
    low = numbers[0] if len(numbers) == 2 else numbers[0] + 1 if name.startswith("over") else 0
    high = numbers[-1] if not name.startswith("over") else 10**9
    assert low <= cells <= high
    assert name in CLASSES
