"""Logs of inspect_ai: every score as its own metrics read it, and none that it did not give."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.conftest import missing
from torr_plugin.core.errors import InputError
from torr_plugin.integrations.logs.board import BoardScores, MetricScale
from torr_plugin.integrations.logs.reading import read_scores

from .inspect_output import NAN, head, sample, write_eval, write_json, zipped

Write = Callable[[Path, Any, Any], Path]

WRITERS = {
    "zstd.eval": write_eval,
    "deflated.eval": partial(write_eval, method=zipfile.ZIP_DEFLATED),
    "chunked.eval": partial(write_eval, chunked=True),
    "log.json": write_json,
}


def read(path: Path) -> BoardScores:
    return read_scores([path])


def cells(board: BoardScores, metric: str = "match") -> dict[tuple[str, int], tuple[Any, str]]:
    """(item, replicate) -> score, None where there is none, and status."""
    rows = board.items[board.items.metric == metric]
    return {
        (row.item, row.replicate): (None if pd.isna(row.score) else row.score, row.status)
        for row in rows.itertuples()
    }


@pytest.mark.parametrize("name", WRITERS)
def test_scores_of_every_shape(tmp_path: Path, name: str) -> None:
    samples = [
        sample(1, match="C", parts={"a": 0.25, "b": True}),
        sample(2, match="I", parts={"a": 0.5, "b": "P"}),
        sample(3, match="N"),
        sample("x", match=NAN),
        sample(5, error="it broke"),
        sample(6, match="what"),
    ]
    header = head(ids=(1, 2, 3, "x", 5, 6), results=[("match", 1 / 3)])
    board = read(WRITERS[name](tmp_path / name, header, samples))
    assert cells(board) == {
        ("1", 0): (1.0, "scored"),
        ("2", 0): (0.0, "scored"),
        ("3", 0): (0.0, "scored"),
        ("x", 0): (None, "unscored"),
        ("5", 0): (None, "failed"),
        ("6", 0): (None, "unscored"),
    }
    assert [cells(board, "parts.a")[str(i), 0][0] for i in (1, 2)] == [0.25, 0.5]
    assert [cells(board, "parts.b")[str(i), 0][0] for i in (1, 2)] == [1.0, 0.5]
    assert (board.main, board.versions, board.scales) == ({"quiz": "match"}, {"quiz": "0"}, {})
    assert board.notes == ()


def test_epochs_are_replicates(tmp_path: Path) -> None:
    samples = [sample(i, e, match="C" if (i, e) == (1, 2) else "I") for e in (1, 2) for i in (1, 2)]
    board = read(write_eval(tmp_path / "log.eval", head(epochs=2, results=[("match", 0.25)]), samples))
    assert {of: score for of, (score, _) in cells(board).items()} == {
        ("1", 0): 0.0,
        ("2", 0): 0.0,
        ("1", 1): 1.0,
        ("2", 1): 0.0,
    }
    assert board.items.same.nunique() == 2
    assert board.notes == ()


def test_a_mean_that_the_samples_have_not_is_said(tmp_path: Path) -> None:
    samples = [sample(1, match="C"), sample(2, match="I")]
    board = read(write_eval(tmp_path / "log.eval", head(results=[("match", 1.0)]), samples))
    assert board.notes == ("quiz: mockllm/a: match: the log reports 1, its samples have 0.5",)


def test_a_killed_run_has_its_journal(tmp_path: Path) -> None:
    board = read(write_eval(tmp_path / "log.eval", head(ids=(1, 2, 3)), [sample(1, match="C")], killed=True))
    assert cells(board) == {("1", 0): (1.0, "scored"), ("2", 0): (None, "failed"), ("3", 0): (None, "failed")}
    assert board.notes == ("quiz: mockllm/a: the log is unfinished, with 1 of 3 samples",)


def test_the_last_attempt_at_a_sample_counts(tmp_path: Path) -> None:
    samples = [sample(1, error="it broke"), sample(2, match="C"), sample(1, match="C")]
    board = read(write_eval(tmp_path / "log.eval", head(results=[("match", 1.0)]), samples))
    assert cells(board) == {("1", 0): (1.0, "scored"), ("2", 0): (1.0, "scored")}


def test_a_retried_log_replaces_the_failed_one(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", head(status="started", created="2026-02"), [])
    write_json(tmp_path / "b.json", head(status="error", created="2026-01"), [sample(1, match="I")])
    retried = head(created="2026-03", results=[("match", 1.0)])
    write_eval(tmp_path / "c.eval", retried, [sample(1, match="C"), sample(2, match="C")])
    board = read(tmp_path)
    assert board.items.score.tolist() == [1.0, 1.0]
    assert board.notes == ("quiz: 3 runs of mockllm/a; the newest counts, c.eval",)


def test_checkpoints_that_inspect_calls_by_one_name_are_apart(tmp_path: Path) -> None:
    for number, weights in enumerate(["./first", "./second"]):
        header = head("hf/local", model_args={"model_path": weights})
        write_json(tmp_path / f"{number}.json", header, [sample(1, match="C"), sample(2, match="I")])
    board = read(tmp_path)
    assert board.models == ("hf/local model_path=./first", "hf/local model_path=./second")
    assert board.notes == ()


def test_a_key_is_in_no_name_and_tells_no_models_apart(tmp_path: Path) -> None:
    for number, key in enumerate(["sk-first", "sk-second"]):
        header = head("openai/x", model_args={"api_key": key, "base_url": f"http://me:{key}@host/"})
        write_json(tmp_path / f"{number}.json", header, [sample(1, match="C"), sample(2, match="I")])
    board = read(tmp_path)
    assert board.models == ("openai/x",)
    assert board.notes == ("quiz: 2 runs of openai/x; the newest counts, 1.json",)


@pytest.mark.parametrize("kept", [0, 1])
def test_a_log_without_all_of_its_samples_has_aggregates(tmp_path: Path, kept: int) -> None:
    samples = [sample(1, match="C")][:kept]
    board = read(write_json(tmp_path / "log.json", head(ids=range(40), results=[("match", 0.7)]), samples))
    assert board.items.empty
    assert board.aggregates[["score", "n"]].to_numpy().tolist() == [[0.7, 40.0]]
    assert "its own aggregates count" in board.notes[0]


def test_scores_beyond_one_have_no_bounds(tmp_path: Path) -> None:
    samples = [sample(1, match=7), sample(2, match=3)]
    board = read(write_json(tmp_path / "log.json", head(results=[("match", 5.0)]), samples))
    assert board.scales == {"match": MetricScale(0.0, None)}


def cut(path: Path) -> None:
    write_eval(path, head(), [sample(1, match="C")])
    path.write_bytes(path.read_bytes()[:-30])


def bomb(path: Path) -> None:
    zipped(path, {"header.json": b" " * (70 << 20)})


def lying(path: Path) -> None:
    zipped(path, {"header.json": json.dumps(head()).encode(), "summaries.json": b"[]"})
    data = path.read_bytes()
    path.write_bytes(data.replace(b"\x28\xb5\x2f\xfd", b"\x28\xb5\x2f\xfe"))


def started(path: Path) -> None:
    write_json(path, head(status="started"), [sample(1, match="C")])


def one_id_twice(path: Path) -> None:
    write_json(path, head(results=[("match", 1.0)]), [sample(1, match="C"), sample("1", match="I")])


def no_scores(path: Path) -> None:
    write_json(path, head(ids=range(9), results=[]), [])


@pytest.mark.parametrize(
    ("name", "write", "message"),
    [
        ("log.eval", cut, "is not a whole .eval log"),
        ("log.eval", bomb, r"header.json: [\d,]+ bytes that become 73,400,320; expected a log"),
        ("log.eval", lying, "header.json: damaged"),
        (
            "log.eval",
            lambda path: zipped(path, {"x": b"1"}),
            "has neither header.json nor _journal/start.json",
        ),
        ("log.eval", lambda path: zipped(path, {"header.json": b'{"eval": '}), "header.json: is not JSON"),
        ("log.json", started, "unfinished log: found status 'started'; expected a finished one"),
        ("log.json", one_id_twice, "two samples of id 1, a number and a text"),
        ("log.json", no_scores, "holds neither all samples nor a mean"),
    ],
)
def test_bad_logs(tmp_path: Path, name: str, write: Callable[[Path], Any], message: str) -> None:
    write(tmp_path / name)
    with pytest.raises(InputError, match=message) as caught:
        read(tmp_path / name)
    assert "\n" not in str(caught.value)
    assert str(tmp_path / name) in str(caught.value)


def test_one_id_with_two_targets(tmp_path: Path) -> None:
    for model, right in {"a": "yes", "b": "no"}.items():
        samples = [sample(1, match="C") | {"target": right}]
        write_json(tmp_path / f"{model}.json", head(model, ids=(1,), results=[("match", 1.0)]), samples)
    with pytest.raises(InputError, match="task 'quiz', item '1': has two questions or targets"):
        read(tmp_path)


WHOLE = {
    "data_arc_qwen.json": ("choice", 1 / 3, 3),
    "data_arc_sonnet.json": ("choice", 1.0, 5),
    "data_pubmedqa_gpt4o_mini.json": ("choice", 1.0, 2),
}
PARTS = {
    "data_cvebench_empty_choices.json": ("check_exploit", 0.7051282051282052, 78),
    "data_cyse2_vuln_exploit_challenges.json": ("vul_exploit_scorer", 0.38108974358974373, 585),
    "data_intercode_ctf_local_path.json": ("includes", 0.35443037974683544, 79),
    "data_with_llm_scoring.json": ("simpleqa_scorer", 0.431, 1000),
}


def test_real_logs(shared_data: Path) -> None:
    folder = shared_data / "harness_logs" / "inspect"
    if not folder.is_dir():
        missing("these logs are not here")
    for name, (metric, mean, n) in WHOLE.items():
        items = read(folder / name).items
        assert (items.metric.unique().tolist(), len(items)) == ([metric], n)
        assert items.score.mean() == pytest.approx(mean)
    for name, (metric, mean, n) in PARTS.items():
        (row,) = read(folder / name).aggregates.itertuples()
        assert (row.metric, row.score, row.n) == (metric, mean, n)
    board = read(folder)  # all models on one board
    assert (len(board.items), len(board.aggregates)) == (10, 4)
