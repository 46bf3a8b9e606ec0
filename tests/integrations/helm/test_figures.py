"""Figures of runs with and without holes, beside the analysis's own; without HELM."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from torr_plugin.analysis import analyse
from torr_plugin.core.errors import InputError
from torr_plugin.integrations.helm.figures import RunScores, figure_cell, labels, read_scores, study_figures

NAMES = ("performance", "robustness", "worst", "best", "robustness_solvable")


def runs(hole: bool = False) -> list[RunScores]:
    """Two models on two data sets in three configurations; with a hole where the first model is worst."""
    rng = np.random.default_rng(5)
    found = []
    for model in ("a", "b"):
        for dataset in ("d", "e"):
            for config in ("html/none/x", "csv/none/x", "df/none/x"):
                scores: dict[str, float | None] = {
                    f"e{number}": float(value) for number, value in enumerate(rng.random(8).round(3))
                }
                found.append(RunScores("s", model, dataset, config, scores))
    if hole:
        d = [each.scores for each in found if (each.model, each.dataset) == ("a", "d")]
        worst = min(d, key=lambda scores: scores["e0"] or 0.0)
        worst["e0"] = None  # type: ignore[index]
    return found


def frame(measured: list[RunScores]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "model": each.model,
                "dataset": each.dataset,
                "config": each.config,
                "example": example,
                "metric": "m",
                "score": score,
            }
            for each in measured
            for example, score in each.scores.items()
        ]
    )


def test_without_holes_the_figures_are_the_analysis_s() -> None:
    found, expected = study_figures(runs()), analyse(frame(runs()))
    for name in NAMES:
        assert found[name] == expected[name]
    assert found["holes"]["complete"]


def test_an_example_with_a_hole_is_in_no_figure_of_its_model() -> None:
    measured = runs(hole=True)
    found = study_figures(measured)
    whole = frame(measured)
    whole = whole[~((whole.model == "a") & (whole.dataset == "d") & (whole.example == "e0"))]
    expected = analyse(whole)
    for name in NAMES:
        figure = found[name]["a"]["datasets"]["d"]
        assert figure == expected[name]["a"]["datasets"]["d"]
        assert figure["complete"] is False
        assert found[name]["b"] == study_figures(runs())[name]["b"]
    assert (found["holes"]["missing"], found["holes"]["expected"]) == (1, 96)
    assert found["examples"]["d"] == {"a": {"whole": 7, "of": 8}, "b": {"whole": 8, "of": 8}}


def test_a_hole_in_the_worst_configuration_raises_the_range_of_the_rest_but_not_ours() -> None:
    """What leaving the missing score out would say of the example that has it."""
    before = study_figures(runs())["robustness"]["a"]["datasets"]["d"]["value"]
    scores = (
        frame(runs(hole=True))
        .query("model == 'a' and dataset == 'd'")
        .pivot_table("score", "example", "config")
    )
    silent = float((1 - (scores.max(axis=1) - scores.min(axis=1))).mean())
    ours = study_figures(runs(hole=True))["robustness"]["a"]["datasets"]["d"]["value"]
    assert silent > before
    assert ours != pytest.approx(silent)


def test_a_configuration_that_only_others_have_is_a_hole() -> None:
    measured = [each for each in runs() if (each.model, each.dataset, each.config) != ("a", "d", "df/none/x")]
    found = study_figures(measured)
    assert found["holes"]["missing"] == 8
    assert found["performance"]["a"]["datasets"]["d"]["value"] is None
    assert found["performance"]["a"]["overall"]["value"] is None
    assert found["performance"]["b"]["overall"]["value"] is not None


def test_of_two_runs_of_one_cell_the_later_counts() -> None:
    later = RunScores("s", "a", "d", "html/none/x", {f"e{number}": 1.0 for number in range(8)})
    found = study_figures([*runs(), later])
    replaced = [later if (e.model, e.dataset, e.config) == ("a", "d", "html/none/x") else e for e in runs()]
    assert found["performance"] == study_figures(replaced)["performance"]


def test_a_cell_shows_value_interval_and_holes() -> None:
    figures = study_figures(runs(hole=True))
    value, text, told = figure_cell("torr_robustness", figures, "a", "d")
    figure = figures["robustness"]["a"]["datasets"]["d"]
    assert value == figure["value"]
    assert text == f"{figure['value']:.3f} [{figure['low']:.3f}, {figure['high']:.3f}]*"
    assert "7 of 8 examples without a hole" in told
    assert "*missing: d " in told
    assert figure_cell("torr_holes", figures, "a", None)[:2] == (1.0, "1")
    assert "*" not in figure_cell("torr_robustness", figures, "b", "d")[1]
    assert figure_cell("torr_robustness", figures, "a", None)[1].endswith("*")


def test_a_figure_over_fewer_configurations_than_the_study_s_says_so() -> None:
    figures = study_figures(runs())
    whole = {**figures, "of_study": {"d": 3, "e": 3}}
    assert "configurations" not in figure_cell("torr_robustness", whole, "a", None)[1]
    partly = {**figures, "of_study": {"d": 3, "e": 35, "f": 35}}
    assert "configurations" not in figure_cell("torr_robustness", partly, "a", "d")[1]
    assert figure_cell("torr_robustness", partly, "a", "e")[1].endswith("] (3 of 35 configurations)")
    assert figure_cell("torr_performance", partly, "a", None)[1].endswith("] (6 of 73 configurations)")


def test_a_model_asked_in_several_ways_is_several_models() -> None:
    plain = {"model_deployment": "a/b", "method": "generation", "temperature": 0.0, "max_tokens": 40}
    chat = {**plain, "method": "chat"}
    other = {**plain, "model_deployment": "c/d", "max_tokens": 7}
    assert labels([plain, chat, other]) == ["a/b", "a/b (chat)", "c/d"]
    warm = {**plain, "temperature": 0.7}
    assert labels([plain, warm, chat]) == ["a/b (temperature=0.0)", "a/b (temperature=0.7)", "a/b (chat)"]


def test_statistics_are_read_and_a_missing_score_is_none(tmp_path: Path) -> None:
    stats = [
        {"instance_id": "a", "stats": [{"name": {"name": "torr_score"}, "count": 1, "mean": 0.5}]},
        {"instance_id": "b", "stats": [{"name": {"name": "torr_score"}, "count": 0}]},
        {"instance_id": "a", "stats": [{"name": {"name": "num_references"}, "count": 1, "mean": 1.0}]},
    ]
    (tmp_path / "per_instance_stats.json").write_text(json.dumps(stats))
    assert read_scores(tmp_path) == {"a": 0.5, "b": None}


@pytest.mark.parametrize("text", ["{", "[1]", '{"a": 1}', '[{"instance_id": 1}]', "null"])
def test_what_is_no_statistics_is_said(tmp_path: Path, text: str) -> None:
    (tmp_path / "per_instance_stats.json").write_text(text)
    with pytest.raises(InputError, match=r"per_instance_stats\.json: found no statistics"):
        read_scores(tmp_path)


def test_no_statistics_at_all_are_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_scores(tmp_path)


def test_whole_tables_are_resampled_where_they_are_known() -> None:
    tables = {"d": {f"e{number}": f"t{number // 4}" for number in range(8)}}
    found, expected = (
        study_figures(runs(), tables),
        analyse(
            frame(runs()).assign(
                cluster=lambda rows: [
                    tables.get(dataset, {}).get(example, example)
                    for dataset, example in zip(rows["dataset"], rows["example"], strict=True)
                ]
            )
        ),
    )
    for name in NAMES:
        assert found[name] == expected[name]
    assert found["tables"] == {"d": {"examples": 8, "tables": 2}, "e": {"examples": 8, "tables": 8}}
    assert (
        "over 8 examples (of 2 tables, resampled whole)"
        in figure_cell("torr_performance", found, "a", "d")[2]
    )
