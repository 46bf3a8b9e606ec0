"""Any paths as one board: the reader is found by content, and what cannot be compared is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from torr_plugin.core.errors import InputError
from torr_plugin.integrations.logs.board import (
    AGGREGATE_COLUMNS,
    ITEM_COLUMNS,
    BoardScores,
    MetricScale,
    joined,
)
from torr_plugin.integrations.logs.checks import checked
from torr_plugin.integrations.logs.reading import read_scores

from ..importing import lm_eval_output
from . import test_lighteval


def items(*rows: tuple[str, str, float], same: str = "", metric: str = "acc") -> BoardScores:
    """Items of one task: model, item and score."""
    whole = [(m, "t", "", item, 0, metric, score, "scored", "", same) for m, item, score in rows]
    return BoardScores(items=pd.DataFrame(whole, columns=list(ITEM_COLUMNS)))


def aggregate(model: str, score: float, metric: str = "acc") -> BoardScores:
    rows = [(model, "t", "", metric, score, 10.0, float("nan"), -1)]
    return BoardScores(aggregates=pd.DataFrame(rows, columns=list(AGGREGATE_COLUMNS)))


def scores_file(path: Path, model: str = "m") -> Path:
    rows = [
        {"model": model, "dataset": "d", "config": "c", "example": str(e), "metric": metric, "score": score}
        | {"main": metric == "f1"}
        for e in range(3)
        for metric, score in {"f1": e / 2, "em": float(e == 2)}.items()
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    frame = pd.DataFrame(rows)
    frame.loc[0, "score"] = None
    frame.to_parquet(path) if path.suffix == ".parquet" else frame.to_csv(path, index=False)
    return path


def test_a_run_and_a_scores_file(tmp_path: Path) -> None:
    run = scores_file(tmp_path / "runs" / "a" / "scores.parquet").parent
    pd.DataFrame(
        [
            {"dataset": "d", "example": str(e), "groups": json.dumps({"table": f"t{e // 2}"})}
            | {"properties": "{}", "cells": 4}
            for e in range(3)
        ]
    ).to_parquet(run / "examples.parquet")
    board = read_scores([tmp_path / "runs", scores_file(tmp_path / "b.csv", "other")])
    assert board.main == {"d": "f1"}
    assert len(board.items) == 12
    assert list(board.items.columns) == list(ITEM_COLUMNS)
    mine = board.items[(board.items.model == "m") & (board.items.metric == "f1")]
    assert mine.item.tolist() == ["0", "1", "2"]
    assert mine.cluster.tolist() == ["t0", "t0", "t1"]
    assert mine.status.tolist() == ["failed", "scored", "scored"]
    assert mine.score.tolist()[1:] == [0.5, 1.0]


def test_a_path_twice_counts_once(tmp_path: Path) -> None:
    path = scores_file(tmp_path / "scores.parquet")
    assert len(read_scores([path, path]).items) == 6


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ([items(("m", "1", 1.0)), items(("m", "1", 1.0))], "item '1': has two scores"),
        ([items(("m", "1", 1.0), same="a"), items(("n", "1", 1.0), same="b")], "two questions or targets"),
        ([items(("m", "1", 0.3)), items(("n", "1", 87.0))], "others are proportions; expected 0 to 1"),
        ([items(("m", "1", -0.3))], "found a score of -0.3; expected 0 to 1"),
        ([items(("m", "1", float("inf")))], "score is infinite; expected a number"),
        ([items(("m ", "1", 0.3))], "model 'm ': has a blank at its beginning or end"),
        ([items(("a/B-c", "1", 0.3)), items(("a_b c", "1", 0.3))], "written in two ways"),
        ([items(("org/m", "1", 0.3)), items(("M", "1", 0.3))], "'M' and 'org/m': are one name, once without"),
        ([aggregate("m", 0.3), aggregate("m", 0.4)], "two aggregates that differ"),
        ([aggregate("m", 30.0)], "found a score of 30; expected 0 to 1"),
    ],
)
def test_what_cannot_be_compared(parts: list[BoardScores], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        checked(joined(parts))
    assert "\n" not in str(caught.value)


def test_a_table_tells_models_apart_whose_names_are_alike(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("model,a,b,c\ngpt2,1,0,1\nopenai/gpt2,1,1,1\nGPT 2,0,0,1\ngpt2,0,1,0\n")
    assert set(read_scores([path]).items.model) == {"gpt2", "openai/gpt2", "GPT 2", "gpt2 (2)"}
    other = tmp_path / "u.csv"
    other.write_text("model,a,b,c\nacme/gpt2,1,0,1\nx,1,1,1\n")
    with pytest.raises(InputError, match="'gpt2' and 'acme/gpt2': are one name, once without owner"):
        read_scores([path, other])


def test_two_versions_and_two_scales() -> None:
    with pytest.raises(InputError, match=r"task 't': has two versions, 1.0 and 2.0; expected one"):
        joined([BoardScores(versions={"t": "1.0"}), BoardScores(versions={"t": "2.0"})])
    percent = replace(items(("m", "1", 90.0)), scales={"acc": MetricScale(high=100)})
    with pytest.raises(InputError, match=r"metric 'acc': has two scales, 0 to 1 .* and 0 to 100"):
        joined([items(("n", "1", 0.9)), percent])


def test_a_scale_without_bounds_takes_those_with() -> None:
    wide = replace(items(("m", "1", 90.0)), scales={"acc": MetricScale(high=None)})
    assert joined([items(("n", "1", 0.9)), wide]).scales == {"acc": MetricScale(high=None)}


def test_main_metrics_that_differ_are_said() -> None:
    board = joined([BoardScores(main={"t": "f1"}), BoardScores(main={"t": "acc", "u": "f1"})])
    assert (board.main, board.notes) == (
        {"u": "f1"},
        ("t: no metric is the main one, as files differ: acc, f1",),
    )


def test_aggregates_give_way_to_items_and_count_once() -> None:
    board = checked(joined([items(("m", "1", 1.0)), aggregate("m", 0.4), *[aggregate("n", 0.3)] * 2]))
    assert board.aggregates.model.tolist() == ["n"]
    assert board.notes == ("1 aggregate left out, for their items are there",)


def test_owners_alone_tell_models_apart() -> None:
    assert len(checked(items(("a/m", "1", 1.0), ("b/m", "1", 0.0))).items) == 2


def test_two_harnesses_whose_files_have_like_names_in_one_folder(tmp_path: Path) -> None:
    lm_eval_output.write_run(tmp_path, "quiz", [lm_eval_output.sample(0)])
    test_lighteval.results(tmp_path, {"gsm8k|0": {"em": 0.5}}, "org/other")
    assert read_scores([tmp_path]).models == ("org/model", "org/other")


def test_hidden_files_hold_no_results(tmp_path: Path) -> None:
    folder = lm_eval_output.write_run(tmp_path, "quiz", [lm_eval_output.sample(0)])
    for file in list(folder.iterdir()):
        file.with_name(f"._{file.name}").write_bytes(b"\0\5\26\7")  # as macOS leaves them
    assert read_scores([tmp_path]).models == ("org/model",)
    [samples] = folder.glob("samples_*.jsonl")
    assert read_scores([samples]).models == ("org/model",)


def test_an_error_in_one_of_several_files_names_it(tmp_path: Path) -> None:
    good, wrong = (tmp_path / name for name in ("good.csv", "wrong.csv"))
    good.write_text("model,task,score,n\na,t,.5,10\n")
    wrong.write_text("model,task,score,n\nb,t,.5,0\n")
    with pytest.raises(InputError, match=r"wrong\.csv: model 'b', task 't', metric 'score': n: "):
        read_scores([good, wrong])


def test_a_notebook_s_copy_of_a_board_does_not_count(tmp_path: Path) -> None:
    scores_file(tmp_path / "board.csv")
    scores_file(tmp_path / ".ipynb_checkpoints" / "board-checkpoint.csv")
    assert len(read_scores([tmp_path]).items) == 6


def test_what_is_of_no_format(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file or folder"):
        read_scores([tmp_path / "absent"])
    with pytest.raises(
        InputError, match=r"is a folder of none of the \d+ formats? that can be read; expected"
    ):
        read_scores([tmp_path])
    with pytest.raises(InputError, match="unknown log format 'parquett'"):
        read_scores([tmp_path], "parquett")
