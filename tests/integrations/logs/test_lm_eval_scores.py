"""The scores in runs of lm-eval: items where samples are all there, means elsewhere, joined by document."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.conftest import missing
from torr_plugin.core.errors import InputError
from torr_plugin.integrations.logs.board import BoardScores, MetricScale
from torr_plugin.integrations.logs.reading import read_scores

from ..importing.lm_eval_output import DATE, sample, write_run


def read(path: Path) -> BoardScores:
    return read_scores([path])


def by_metric(board: BoardScores) -> dict[str, list[Any]]:
    return {
        str(metric): [None if pd.isna(score) else score for score in scores]
        for metric, scores in board.items.groupby("metric", sort=False)["score"]
    }


def test_items_join_by_document_whatever_their_place(tmp_path: Path) -> None:
    write_run(tmp_path, "quiz", [sample(0), sample(1, "no")])
    moved = [sample(1) | {"doc_id": 0}, sample(0) | {"doc_id": 1}]
    write_run(tmp_path, "quiz", moved, args="pretrained=org/other")
    board = read(tmp_path)
    wide = board.items.pivot_table(index="item", columns="model", values="score")
    assert wide.to_dict("list") == {"org/model": [1.0, 0.0], "org/other": [1.0, 1.0]}
    assert board.main == {"quiz": "exact_match"}
    assert board.notes == ()


def test_documents_that_are_alike_stay_apart(tmp_path: Path) -> None:
    write_run(tmp_path, "quiz", [sample(i) | {"doc_hash": "a" * 64} for i in range(2)])
    assert read(tmp_path).items.item.tolist() == ["a" * 64, "a" * 64 + "#2"]


def test_filters_are_metrics_and_truths_and_lists_are_scores(tmp_path: Path) -> None:
    lines = [
        sample(i) | {"filter": name, "metrics": ["em", "lists", "pairs"]} | scores
        for i in range(2)
        for name, scores in {
            "strict-match": {"em": i == 1, "lists": [True, False], "pairs": [0, 1]},
            "none": {"em": float("nan") if i else 0.5, "lists": [True], "pairs": [1, 1]},
        }.items()
    ]
    write_run(tmp_path, "gsm8k", lines)
    board = read(tmp_path)
    assert by_metric(board) == {
        "em,strict-match": [0.0, 1.0],
        "lists,strict-match": [0.5, 0.5],
        "em": [0.5, None],
        "lists": [1.0, 1.0],
    }
    assert board.main == {"gsm8k": "em,strict-match"}
    assert set(board.items.status) == {"scored", "unscored"}
    assert board.notes == ()


def test_a_few_samples_are_never_a_mean(tmp_path: Path) -> None:
    more = {
        "n-samples": {name: {"original": 5000, "effective": 5000} for name in ("quiz", "rivers")},
        "results": {
            "quiz": {"alias": "quiz", "exact_match,none": 0.25, "exact_match_stderr,none": 0.01},
            "rivers": {"acc,none": 0.5, "acc_stderr,none": "N/A"},
            "a group of both": {"acc,none": 0.4},
        },
    }
    board = read(write_run(tmp_path, "quiz", [sample(0)], **more))
    assert board.items.empty
    assert board.aggregates[["task", "metric", "score", "n"]].to_numpy().tolist() == [
        ["quiz", "exact_match", 0.25, 5000],
        ["rivers", "acc", 0.5, 5000],
    ]
    assert board.aggregates.error.tolist()[0] == 0.01
    assert pd.isna(board.aggregates.error[1])
    assert board.notes == (
        "quiz: org/model has samples of 1 of 5,000; the run's means count",
        "rivers: org/model has no samples; the run's means count",
    )


def test_a_run_s_figure_that_is_no_mean_of_its_samples_is_said(tmp_path: Path) -> None:
    board = read(write_run(tmp_path, "quiz", [sample(0)], results={"quiz": {"exact_match,none": 0.7}}))
    assert board.notes == ("quiz: org/model: exact_match: the run reports 0.7, its samples have 1",)


def test_scales_say_what_is_better(tmp_path: Path) -> None:
    lower = {"higher_is_better": {"quiz": {"ppl": False}}}
    board = read(write_run(tmp_path, "quiz", [sample(0, ppl=12.5)], **lower))
    assert board.scales == {"ppl": MetricScale(0.0, None, higher_is_better=False)}


def test_files_by_themselves(tmp_path: Path) -> None:
    folder = write_run(tmp_path, "quiz", [sample(0)], results={"quiz": {"exact_match,none": 1.0}})
    samples, results = folder / f"samples_quiz_{DATE}.jsonl", folder / f"results_{DATE}.json"
    assert len(read(samples).items) == 1
    assert len(read(results).aggregates) == 1
    board = read_scores([results, samples])
    assert (len(board.items), len(board.aggregates)) == (1, 0)


def test_one_document_with_two_targets(tmp_path: Path) -> None:
    for model in ("a", "b"):
        write_run(tmp_path, "quiz", [sample(0) | {"target_hash": model}], args=f"pretrained=org/{model}")
    with pytest.raises(InputError, match="has two questions or targets"):
        read(tmp_path)


def test_a_real_run_that_kept_ten_samples_of_five_thousand(shared_data: Path) -> None:
    folder = shared_data / "harness_logs" / "lm_eval"
    if not folder.is_dir():
        missing("these logs are not here")
    board = read(folder)
    assert board.items.empty
    assert board.aggregates[["task", "score", "n"]].to_numpy().tolist() == [
        ["math_perturbed_full", 0.0, 5000],
        ["math_rephrased_full", 0.0004, 5000],
    ]
    assert board.versions == {"math_perturbed_full": "1.0", "math_rephrased_full": "1.0"}
