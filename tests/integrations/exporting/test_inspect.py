"""inspect_ai's logs: the structure that its reader takes, every score, failures as errors, epochs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pandas as pd

from .conftest import CELL, PATCHY, Export

VALUES = {"C": 1.0, "I": 0.0}
# of inspect's list_eval_logs: other JSON files are no logs
NAME = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\+00-00_[A-Za-z0-9-]+_[A-Za-z0-9-]+\.json")


def _logs(folder: Path, report: dict[str, Any]) -> list[dict[str, Any]]:
    assert all(NAME.fullmatch(name) for name in report["files"])
    return [json.loads((folder / name).read_text()) for name in report["files"]]


def test_every_score_is_in_a_sample(export: Export, tmp_path: Path, scores: pd.DataFrame) -> None:
    logs = _logs(tmp_path / "inspect", export("inspect"))
    assert len(logs) == 4
    found = [
        (
            *(log["eval"]["model"], log["eval"]["task"]),
            *(sample["metadata"]["config"], sample["metadata"]["example"], sample["epoch"] - 1),
            *(metric, VALUES.get(score["value"], score["value"])),
        )
        for log in logs
        for sample in log["samples"]
        for metric, score in sample["scores"].items()
    ]
    wanted = scores.reset_index()[[*CELL, "score"]].itertuples(index=False, name=None)
    assert sorted(found) == sorted(wanted)


def test_letters_stand_for_scores_that_are_0_or_1_alone(export: Export, tmp_path: Path) -> None:
    kinds: dict[tuple[str, str], set[type]] = {}
    for log in _logs(tmp_path / "inspect", export("inspect")):
        for sample in log["samples"]:
            for metric, score in sample["scores"].items():
                kinds.setdefault((log["eval"]["task"], metric), set()).add(type(score["value"]))
    assert kinds["bundled.fact_verification", "accuracy"] == {str}
    assert kinds["bundled.cell_lookup", "f1_strings"] == {float}


def test_a_log_has_what_inspect_reads(export: Export, tmp_path: Path, analysis: dict[str, Any]) -> None:
    for log in _logs(tmp_path / "inspect", export("inspect")):
        assert (log["version"], log["status"], log["plan"]["name"]) == (2, "success", "plan")
        spec, results, samples = log["eval"], log["results"], log["samples"]
        assert spec["config"] == {"epochs": 2}
        assert (spec["dataset"]["name"], spec["dataset"]["samples"]) == (spec["task"], 8 * 4)
        assert spec["scorers"][0]["name"] == analysis["settings"]["metrics"][spec["task"]]
        answered = [sample for sample in samples if "error" not in sample]
        assert results["total_samples"] == len(samples)
        assert results["completed_samples"] == len(answered)
        (score,) = results["scores"]
        figure = analysis["performance"][spec["model"]]["datasets"][spec["task"]]
        assert {name: each["value"] for name, each in score["metrics"].items()} == {
            "performance": figure["value"],
            "low": figure["low"],
            "high": figure["high"],
        }
        cells = {(sample["id"], sample["epoch"]) for sample in samples}
        assert len(cells) == len(samples)
        for sample in answered:
            assert sample["messages"][-1]["role"] == "assistant"
            assert sample["output"]["choices"][0]["stop_reason"] in ("stop", "max_tokens")


def test_a_failed_request_is_a_sample_with_an_error(export: Export, tmp_path: Path) -> None:
    logs = _logs(tmp_path / "inspect", export("inspect", "--model", PATCHY))
    failed = [sample for log in logs for sample in log["samples"] if "error" in sample]
    assert failed
    for sample in failed:
        assert (sample["scores"], sample["output"]["choices"]) == ({}, [])
        assert sample["error"]["message"] == (
            "RuntimeError: no answer from https://...@example.org; see ~/log"
        )
    # also where the first of two calls failed, so that the second was never made
    assert {sample["metadata"]["design"] for sample in failed} == {"default", "self_augmented"}


def test_a_sample_asks_all_models_the_same(export: Export, tmp_path: Path) -> None:
    """Also in a design of two calls, whose second one holds the model's own first answer."""
    inputs: dict[tuple[str, str], set[str]] = {}
    messages: dict[tuple[str, str], set[str]] = {}
    for log in _logs(tmp_path / "inspect", export("inspect")):
        for sample in log["samples"]:
            cell = log["eval"]["task"], sample["id"]
            inputs.setdefault(cell, set()).add(json.dumps([sample["input"], sample["target"]]))
            if "error" not in sample and sample["epoch"] == 1:
                messages.setdefault(cell, set()).add(json.dumps(sample["messages"][:-1]))
    assert {len(each) for each in inputs.values()} == {1}
    assert {cell[1].rpartition("/")[2] for cell, each in messages.items() if len(each) > 1} == {
        "self_augmented"
    }
