"""lighteval's details before and after June 2025, and its results, written as its EvaluationTracker does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from torr_plugin.core.errors import InputError
from torr_plugin.integrations.logs.board import BoardScores
from torr_plugin.integrations.logs.files import head_of
from torr_plugin.integrations.logs.lighteval import LIGHTEVAL

DATE, LATER = "2025-05-01T10-00-00.123456", "2025-07-01T10-00-00.123456"
TASK = "lighteval|gsm8k|0"


def read(path: Path) -> BoardScores:
    return LIGHTEVAL.scores(path)


def details(
    folder: Path, rows: list[dict[str, Any]], task: str = TASK, date: str = DATE, model: str = "org/m"
) -> Path:
    path = folder / "details" / model / date / f"details_{task}_{date}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def results(folder: Path, scores: dict[str, dict[str, float]], model: str = "org/m", **more: Any) -> Path:
    path = folder / "results" / model / f"results_{DATE}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"config_general": {"model_name": model}, "results": scores, **more}
    path.write_text(json.dumps(content, indent=2))
    return path


def new(place: int, score: float | None, **more: float | None) -> dict[str, Any]:
    doc = {"query": f"q{place}", "id": str(place), "choices": ["a"]}
    return {"doc": doc, "metric": {"em": score, **more}, "model_response": {"text": ["x"]}}


def old(place: int, score: float) -> dict[str, Any]:
    return {"example": f"q{place}", "gold": "['a']", "metrics": {"em": score}, "predictions": ["x"]}


def oldest(place: int, score: float) -> dict[str, Any]:
    return {"example": f"q{place}", "gold": "['a']", "metrics": f"{{'em': {score}}}", "predictions": "['x']"}


@pytest.mark.parametrize("row", [new, old, oldest])
def test_details_of_three_ages(tmp_path: Path, row: Any) -> None:
    path = details(tmp_path, [row(place, float(place % 3 == 0)) for place in range(10)])
    board = read(tmp_path)
    assert set(board.items["model"]) == {"org/m"}
    assert set(board.items["task"]) == {TASK}
    assert board.items["score"].tolist() == [1.0, 0, 0, 1, 0, 0, 1, 0, 0, 1]
    assert board.items["item"].tolist() == [str(place) for place in range(10)]
    assert board.items["same"].nunique() == 10
    assert board.main == {TASK: "em"}
    assert read(path).items.equals(board.items)


def test_nan_is_no_zero_and_a_kind_of_answer_that_was_not_asked_is_nothing(tmp_path: Path) -> None:
    rows = [new(place, 1.0, acc=None) for place in range(3)] + [
        new(place, None, acc=0.5) for place in range(3)
    ]
    rows[1]["metric"]["em"] = float("nan")
    items = read(details(tmp_path, rows)).items
    em, acc = items[items["metric"] == "em"], items[items["metric"] == "acc"]
    assert em["status"].tolist() == ["scored", "unscored", "scored"]
    assert (em["item"].tolist(), acc["item"].tolist()) == (["0", "1", "2"], ["0", "1", "2"])
    assert acc["score"].tolist() == [0.5, 0.5, 0.5]


def test_ids_that_start_again_in_another_split_are_counted_on(tmp_path: Path) -> None:
    items = read(details(tmp_path, [new(0, 1.0), new(1, 0.0), new(0, 0.0)])).items
    assert items["item"].tolist() == ["0", "1", "0 (2)"]


def test_the_newest_run_counts(tmp_path: Path) -> None:
    details(tmp_path, [new(0, 0.0)])
    details(tmp_path, [new(0, 1.0)], date=LATER)
    board = read(tmp_path)
    assert board.items["score"].tolist() == [1.0]
    assert f"2 runs of org/m; the newest counts, of {LATER}" in board.notes[0]


def test_means_where_there_are_no_details_and_no_means_of_tasks(tmp_path: Path) -> None:
    details(tmp_path, [new(0, 1.0)])
    scores = {
        TASK: {"em": 1.0, "em_stderr": 0.1},
        "lighteval|mmlu:law|5": {"acc": 0.5, "acc_stderr": 0.05},
        "lighteval|mmlu:_average|5": {"acc": 0.5},
        "all": {"em": 0.7},
        "wiki|0": {"perplexity": 12.5, "perplexity_stderr": float("nan")},
    }
    results(tmp_path, scores, config_tasks={"lighteval|mmlu:law": {"effective_num_docs": 100}})
    board = read(tmp_path)
    assert board.aggregates[["task", "metric", "score"]].to_numpy().tolist() == [
        ["lighteval|mmlu:law|5", "acc", 0.5],
        ["wiki|0", "perplexity", 12.5],
    ]
    assert board.aggregates["n"].tolist()[0] == 100
    assert board.aggregates["error"].isna().tolist() == [False, True]
    assert not board.scales["perplexity"].higher_is_better


def test_details_as_they_are_on_the_hub(tmp_path: Path) -> None:
    path = details(tmp_path, [new(0, 1.0)])
    hub = tmp_path / "details_org__m" / DATE / path.name
    hub.parent.mkdir(parents=True)
    path.rename(hub)
    assert set(read(hub).items["model"]) == {"org/m"}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"doc": "x"}], r"has the columns \['doc'\]; expected metric or metrics"),
        ([{"metrics": "__import__('os')"}], "expected scores by metric"),
        ([{"metrics": "{'em': " + "(" * 500 + "}"}], "expected scores by metric"),
        ([{"metric": {"text": "x"}}], "has no scores"),
    ],
)
def test_bad_details(tmp_path: Path, rows: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(details(tmp_path, rows))


def test_results_of_lm_eval_have_the_same_name_but_are_not_taken(tmp_path: Path) -> None:
    path = tmp_path / f"results_{DATE}.json"
    path.write_text('{"results": {}, "config": {"model": "hf"}}')
    assert LIGHTEVAL.holds is not None
    assert not LIGHTEVAL.holds(path, head_of(path))
    with pytest.raises(InputError, match="the key 'model_name' is missing"):
        read(path)
