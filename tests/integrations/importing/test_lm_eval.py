"""lm-eval's other tasks as runs; our own are in test_round_trip."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import yaml

from torr_plugin.running import Run

from ...conftest import Torr
from .lm_eval_output import sample, write_run


def made(torr: Torr, tmp_path: Path, *more: str) -> dict[str, object]:
    done = torr("import", "lm-eval", tmp_path / "out", "--out", tmp_path / "run", "--json", *more)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def test_any_task_is_a_data_set_and_documents_are_examples(torr: Torr, tmp_path: Path) -> None:
    write_run(tmp_path / "out", "capitals", [sample(0), sample(1, "no")])
    write_run(tmp_path / "out", "capitals", [sample(0, "no"), sample(1, "no")], args="pretrained=org/other")
    said = made(torr, tmp_path)
    assert (said["scores"], said["datasets"], said["models"]) == (
        "its own",
        {"capitals": 2},
        ["model", "other"],
    )
    scores = pd.read_parquet(tmp_path / "run" / "scores.parquet")
    assert set(scores.config) == {"as-is/none/default"}
    assert scores.groupby("model").score.mean().to_dict() == {"model": 0.5, "other": 0.0}
    study = yaml.safe_load((tmp_path / "run" / "study.yaml").read_text())
    assert study["imported"]["version"] == "0.4.13"
    assert {"lm-eval": "0.4.13", "torch": "2.7.0+cpu"}.items() <= study["versions"].items()
    assert study["models"][0]["args"] == {"pretrained": "org/model"}


def test_the_newest_of_several_runs_counts(torr: Torr, tmp_path: Path) -> None:
    write_run(tmp_path / "out", "capitals", [sample(0, "no")], date="2025-01-02T03-04-05.678901")
    write_run(tmp_path / "out", "capitals", [sample(0)], date="2026-01-02T03-04-05.678901")
    said = made(torr, tmp_path)
    assert said["notes"] == ["capitals: 2 runs of model; the newest counts, of 2026-01-02T03-04-05.678901"]
    assert pd.read_parquet(tmp_path / "run" / "scores.parquet").score.tolist() == [1.0]


def test_models_of_one_label_are_told_apart(torr: Torr, tmp_path: Path) -> None:
    write_run(tmp_path / "out", "t", [sample(0)], args="pretrained=a/model")
    write_run(tmp_path / "out", "t", [sample(0, "no")], args="pretrained=b/model")
    first, second = made(torr, tmp_path)["models"]  # type: ignore[misc]
    assert first == "model"
    assert second.startswith("model-")


def test_filters_are_configurations(torr: Torr, tmp_path: Path) -> None:
    lines = [sample(0) | {"filter": name} for name in ("strict-match", "flexible-extract")]
    write_run(tmp_path / "out", "gsm8k", lines)
    made(torr, tmp_path)
    scores = pd.read_parquet(tmp_path / "run" / "scores.parquet")
    assert set(scores.config) == {"as-is/none/strict-match", "as-is/none/flexible-extract"}


def test_a_choice_by_likelihood_has_its_choices_texts(torr: Torr, tmp_path: Path) -> None:
    choice = sample(0, acc=1.0) | {
        "target": "1",
        "arguments": {
            "gen_args_0": {"arg_0": "Capital of Italy?", "arg_1": " Paris"},
            "gen_args_1": {"arg_0": "Capital of Italy?", "arg_1": " Rome"},
        },
        "resps": [[["-3.5", "False"]], [["-0.5", "True"]]],
        "filtered_resps": [["-3.5", "False"], ["-0.5", "True"]],
    }
    write_run(tmp_path / "out", "mc", [choice])
    made(torr, tmp_path)
    run = Run.open(tmp_path / "run")
    assert run.predictions("model")["prediction"].to_pylist() == ["Rome"]
    assert run.requests()["references"].to_pylist() == [["Rome"]]


def test_chat_templates_differ_between_models_and_are_no_mismatch(torr: Torr, tmp_path: Path) -> None:
    for name in ("a", "b"):
        line = sample(0)
        line["arguments"]["gen_args_0"]["arg_0"] = f"<{name}>question 0"
        write_run(tmp_path / "out", "t", [line], args=f"pretrained=org/{name}", chat_template="{{ x }}")
    said = made(torr, tmp_path)
    assert "chat templates" in str(said["notes"])
    assert said["models"] == ["a", "b"]


def test_what_is_said_of_the_machine_is_no_result(torr: Torr, tmp_path: Path) -> None:
    write_run(tmp_path / "out", "t", [sample(0)], pretty_env_info=["?"])
    made(torr, tmp_path)
    assert "torch" not in yaml.safe_load((tmp_path / "run" / "study.yaml").read_text())["versions"]


def test_a_score_that_is_missing_makes_no_other_metric_the_main_one(torr: Torr, tmp_path: Path) -> None:
    lines = [sample(0, acc_norm=1.0, acc=0.0), sample(1, acc_norm=float("nan"), acc=1.0)]
    write_run(tmp_path / "out", "mc", lines)
    made(torr, tmp_path)
    scores = pd.read_parquet(tmp_path / "run" / "scores.parquet")
    assert set(scores[scores.main].metric) == {"acc_norm"}
    assert scores[scores.main].score.isna().tolist() == [False, True]
