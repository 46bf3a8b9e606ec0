"""Lengths of answers against scores, beside loops over the rows."""

from __future__ import annotations

import pandas as pd
import pytest
from scipy.stats import spearmanr

from tests.analysis.made import known_study
from torr_plugin.analysis import AnalysisError, analyse


@pytest.mark.full
def test_verbosity_is_the_mean_of_the_counts() -> None:
    scores, told = known_study()
    found = analyse(scores, resamples=30, **told)["verbosity"]
    assert list(found) == ["a", "b", "overall"]
    joined = told["lengths"].merge(scores, on=["model", "dataset", "config", "example"])
    for dataset, own in found.items():
        if dataset == "overall":
            continue
        means = {}
        for model, figures in own["models"].items():
            rows = joined[(joined["dataset"] == dataset) & (joined["model"] == model)]
            per_example = rows.groupby("example")[["values", "score"]].mean()
            assert figures["values"]["value"] == pytest.approx(rows["values"].mean())
            assert figures["score"]["value"] == pytest.approx(rows["score"].mean())
            assert figures["correlation"] == pytest.approx(
                spearmanr(per_example["values"], per_example["score"]).statistic
            )
            assert figures["values"]["low"] < figures["values"]["value"] < figures["values"]["high"]
            means[model] = per_example.mean()
        over = spearmanr(
            [m["values"] for m in means.values()], [m["score"] for m in means.values()]
        ).statistic
        assert own["correlation"] == pytest.approx(over)
        assert own["truth"] == pytest.approx(1.5)


@pytest.mark.full
def test_overall_holds_the_answers_of_all_data_sets() -> None:
    scores, told = known_study()
    lengths = told["lengths"]
    shorter = lengths[(lengths["dataset"] == "a") | (lengths["example"] < "e009")]
    found = analyse(scores, resamples=30, **{**told, "lengths": shorter})["verbosity"]["overall"]
    counted = shorter.merge(scores, on=["model", "dataset", "config", "example"])
    rows = counted[counted["model"] == "m1"].groupby(["dataset", "example"])[["values", "score"]].mean()
    own = found["models"]["m1"]
    assert own["values"]["value"] == pytest.approx(rows["values"].mean())
    assert own["score"]["value"] == pytest.approx(rows["score"].mean())
    assert own["correlation"] == pytest.approx(spearmanr(rows["values"], rows["score"]).statistic)
    truth = shorter.drop_duplicates(["dataset", "example"])["truth"].mean()
    assert found["truth"] == pytest.approx(truth)
    assert own["values"]["low"] < own["values"]["value"] < own["values"]["high"]


@pytest.mark.full
def test_figures_over_what_is_there_say_so() -> None:
    scores, told = known_study()
    hole = scores.index[(scores["model"] == "m0") & (scores["dataset"] == "a")][0]
    found = analyse(
        scores.drop(hole), resamples=5, examples=told["examples"], lengths=told["lengths"].drop(hole)
    )
    modalities, verbosity = found["modalities"]["scores"], found["verbosity"]
    for place in ("a", "overall"):
        assert modalities[place]["m0"]["text"]["complete"] is False
        assert found["modalities"]["differences"][place]["m0"]["picture"]["complete"] is False
        assert found["modalities"]["average"][place]["picture"]["complete"] is False
        assert modalities[place]["m0"]["image"]["complete"] is False, "the same examples"
        assert "complete" not in modalities[place]["m1"]["text"]
        assert verbosity[place]["models"]["m0"]["values"]["complete"] is False
        assert "complete" not in verbosity[place]["models"]["m1"]["score"]
    assert "complete" not in str(modalities["b"]) + str(verbosity["b"])


def test_answers_that_nobody_counted_are_in_neither_mean() -> None:
    scores, told = known_study(datasets=("a",))
    lengths = told["lengths"].query("config == 'html/none/x' and example != 'e000'")
    found = analyse(scores, resamples=5, lengths=lengths)["verbosity"]["a"]["models"]["m0"]
    rows = scores.query("config == 'html/none/x' and example != 'e000' and model == 'm0'")
    assert found["score"]["value"] == pytest.approx(rows["score"].mean())


def test_unknown_answers_are_passed_over_and_a_missing_column_is_said() -> None:
    scores, told = known_study(datasets=("a",))
    stranger = told["lengths"].assign(model="stranger")
    with_stranger = pd.concat([told["lengths"], stranger])
    first, second = (
        analyse(scores, resamples=5, lengths=frame) for frame in (told["lengths"], with_stranger)
    )
    assert first["verbosity"] == second["verbosity"]
    with pytest.raises(AnalysisError, match="lengths: no column 'truth'"):
        analyse(scores, resamples=5, lengths=told["lengths"].drop(columns="truth"))
