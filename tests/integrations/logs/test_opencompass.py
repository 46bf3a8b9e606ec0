"""OpenCompass's result files and summaries, as its evaluators and summarizer write them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from torr_plugin.core.errors import InputError
from torr_plugin.integrations.logs.board import BoardScores
from torr_plugin.integrations.logs.opencompass import OPENCOMPASS


def read(path: Path) -> BoardScores:
    return OPENCOMPASS.scores(path)


def result(
    folder: Path, dataset: str, content: Any, model: str = "qwen", run: str = "20260101_000000"
) -> Path:
    path = folder / run / "results" / model / f"{dataset}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=4))
    return path


def graded(*scores: Any, key: str = "correct", **more: Any) -> dict[str, Any]:
    flat = [one for each in scores for one in (each if isinstance(each, list) else [each])]
    entries = [
        {
            "example_abbr": f"s_{at}",
            "pred": ["x"],
            "refr": ["a"],
            key: each if isinstance(each, list) else [each],
        }
        for at, each in enumerate(scores)
    ]
    return {"accuracy": 100 * sum(flat) / len(flat), "details": entries, **more}


@pytest.mark.parametrize("key", ["correct", "is_correct", "cascade_correct"])
def test_each_word_for_correct(tmp_path: Path, key: str) -> None:
    result(tmp_path, "gsm8k", graded(True, False, True, key=key))
    board = read(tmp_path)
    assert board.items["score"].tolist() == [1.0, 0.0, 1.0]
    assert set(board.items["metric"]) == {"correct"}
    assert (set(board.items["model"]), set(board.items["task"])) == ({"qwen"}, {"gsm8k"})
    assert board.notes == ()


def test_replicates_and_details_as_an_object(tmp_path: Path) -> None:
    result(tmp_path, "aime", graded([True, False], [True, True]))
    result(
        tmp_path,
        "ppl",
        {"accuracy": 50.0, "details": {"type": "PPL", "0": {"correct": True}, "1": {"correct": False}}},
    )
    items = read(tmp_path).items
    aime = items[items["task"] == "aime"]
    assert aime[["item", "replicate", "score"]].to_numpy().tolist() == [
        ["0", 0, 1],
        ["0", 1, 0],
        ["1", 0, 1],
        ["1", 1, 1],
    ]
    assert items[items["task"] == "ppl"]["score"].tolist() == [1.0, 0.0]


def test_the_target_is_the_same_however_often_it_was_asked(tmp_path: Path) -> None:
    result(tmp_path, "aime", graded([True, False]))
    result(tmp_path, "aime", graded([True, False, True]), model="llama")
    assert read(tmp_path).items["same"].nunique() == 1


def test_parts_start_at_0_and_are_joined(tmp_path: Path) -> None:
    result(tmp_path, "mmlu_0", graded(True, True, False))
    result(tmp_path, "mmlu_1", graded(False, True))
    result(tmp_path, "bbh_0", graded(True))  # a data set of this name, not a part
    result(tmp_path, "mmlu_0_replica0", graded(True))  # what a judge said
    board = read(tmp_path)
    mmlu = board.items[board.items["task"] == "mmlu"]
    assert mmlu[["item", "score"]].to_numpy().tolist() == [["0", 1], ["1", 1], ["2", 0], ["3", 0], ["4", 1]]
    assert set(board.items["task"]) == {"mmlu", "bbh_0"}


def test_a_part_that_is_missing_is_refused(tmp_path: Path) -> None:
    for part in (0, 1, 3):
        result(tmp_path, f"mmlu_{part}", graded(True))
    with pytest.raises(InputError, match=r"half-written run: mmlu_2\.json is missing beside it"):
        read(tmp_path)


def test_means_alone_failures_and_the_newest_run(tmp_path: Path) -> None:
    result(tmp_path, "race", {"type": "x", "f1": 40.0, "accuracy": 61.25})
    result(tmp_path, "race", {"accuracy": 62.5}, run="20260201_000000")
    result(tmp_path, "bad", {"error": "out of memory"})
    board = read(tmp_path)
    assert board.aggregates[["task", "metric", "score", "digits"]].to_numpy().tolist() == [
        ["race", "accuracy (%)", 62.5, 1]
    ]
    assert board.scales["accuracy (%)"].high == 100.0
    assert any("the newest counts, 20260201_000000" in note for note in board.notes)
    assert any(note == "bad: failed for qwen, and is left out" for note in board.notes)


def test_an_accuracy_that_is_not_that_of_the_details_is_said(tmp_path: Path) -> None:
    content = graded(True, False)
    content["accuracy"] = 33.3  # it leaves samples out of the details, but counts them
    result(tmp_path, "math", content)
    assert read(tmp_path).notes == ("math: OpenCompass's accuracy of qwen is 33.3, its details' 50",)


def test_a_summary_without_its_groups(tmp_path: Path) -> None:
    path = tmp_path / "summary" / "summary_20260101_000000.csv"
    path.parent.mkdir()
    path.write_text(
        "dataset,version,metric,mode,qwen,llama\narc,a1b2c3,accuracy,gen,81.20,-\nrace,a1b2c4,accuracy,gen,61.25,60.00\n"
        "mean of both,-,naive_average,gen,71.22,60.00\nnone,-,-,-,-,-\n"
    )
    board = read(tmp_path)
    assert board.aggregates[["model", "task", "score"]].to_numpy().tolist() == [
        ["qwen", "arc", 81.2],
        ["qwen", "race", 61.25],
        ["llama", "race", 60.0],
    ]
    assert set(board.aggregates["digits"]) == {2}
    assert board.notes == ("left out, as means of others or without results: mean of both, none",)


def test_cut_files(tmp_path: Path) -> None:
    path = result(tmp_path, "gsm8k", graded(True))
    path.write_text(path.read_text()[:-20])
    with pytest.raises(InputError, match="is not JSON that can be read"):
        read(tmp_path)
    wrong = tmp_path / "summary_20260101_000000.csv"
    wrong.write_text("model,score\nm,1\n")
    with pytest.raises(InputError, match=r"has the columns \['model', 'score'\]"):
        read(wrong)
