"""Every Eval Ever: valid by its schemas, the analysis's numbers, the run's answers, the same bytes again."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from jsonschema import Draft7Validator

from tests.cli.in_process import here

from .conftest import CELL, PATCHY, Export


def _read(folder: Path, report: dict[str, Any]) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """The aggregate and the instances of each model."""
    paths = [folder / name for name in report["files"]]
    return [
        (
            json.loads(path.read_text()),
            [
                json.loads(line)
                for line in path.with_name(f"{path.stem}_samples.jsonl").read_text().splitlines()
            ],
        )
        for path in paths
        if path.suffix == ".json"
    ]


def test_files_are_valid_by_the_schemas(export: Export, tmp_path: Path, shared_data: Path) -> None:
    schemas = shared_data / "harness_logs" / "every_eval_ever_schemas"
    aggregate, instance = (
        Draft7Validator(json.loads((schemas / f"{name}.schema.json").read_text()))
        for name in ("eval", "instance_level_eval")
    )
    found = _read(tmp_path / "eee", export("eee", "--organization", "A lab", "--url", "https://a.example"))
    assert len(found) == 2
    for whole, lines in found:
        aggregate.validate(whole)
        for line in lines:
            instance.validate(line)


def test_aggregates_are_the_analysis(
    export: Export, tmp_path: Path, analysis: dict[str, Any], hard_run: Path
) -> None:
    scores = pd.read_parquet(hard_run / "scores.parquet")
    scores = scores[scores["replicate"].fillna(0) == 0]
    for whole, _ in _read(tmp_path / "eee", export("eee")):
        model = whole["model_info"]["name"]
        results = {
            each["evaluation_result_id"]: each["score_details"] for each in whole["evaluation_results"]
        }
        names = set[str]()
        for dataset, figure in analysis["performance"][model]["datasets"].items():
            names.add(dataset)
            assert results[dataset]["score"] == figure["value"]
            interval = results[dataset]["uncertainty"]["confidence_interval"]
            assert (interval["lower"], interval["upper"]) == (figure["low"], figure["high"])
            assert interval["confidence_level"] == 0.95
            own = scores[(scores["model"] == model) & (scores["dataset"] == dataset) & scores["main"]]
            shared = int(
                own.dropna(subset="score").groupby("example").size().eq(own["config"].nunique()).sum()
            )
            for config, means in analysis["configurations"][dataset].items():
                if means[model] is not None:
                    names.add(f"{dataset}/{config}")
                    assert results[f"{dataset}/{config}"] == {
                        "score": means[model],
                        "uncertainty": {"num_samples": shared},
                    }
        assert set(results) == names


def test_instances_are_the_answers_that_have_a_score(
    export: Export, tmp_path: Path, scores: pd.DataFrame
) -> None:
    report, found = export("eee"), []
    hashes: dict[tuple[str, str, str], set[str]] = {}
    for whole, lines in _read(tmp_path / "eee", report):
        detailed = whole["detailed_evaluation_results"]
        path = tmp_path / "eee" / detailed["file_path"]
        assert hashlib.sha256(path.read_bytes()).hexdigest() == detailed["checksum"]
        assert len(lines) == detailed["total_rows"]
        results = {each["evaluation_result_id"] for each in whole["evaluation_results"]}
        for line in lines:
            facts = line["metadata"]
            hashes.setdefault((facts["config"], line["sample_id"], facts["dataset"]), set()).add(
                line["sample_hash"]
            )
            assert line["evaluation_id"] == whole["evaluation_id"]
            assert line["evaluation_result_id"] == f"{facts['dataset']}/{facts['config']}"
            assert line["evaluation_result_id"] in results
            found.append(
                (
                    whole["model_info"]["name"],
                    facts["dataset"],
                    facts["config"],
                    line["sample_id"],
                    int(facts["replicate"]),
                    line["evaluation"]["score"],
                )
            )
    wanted = scores[scores["main"]].reset_index()
    columns = [name for name in CELL if name != "metric"]
    assert sorted(found) == sorted(wanted[[*columns, "score"]].itertuples(index=False, name=None))
    assert {len(each) for each in hashes.values()} == {1}  # all models were asked the same
    (note,) = (each for each in report["notes"] if "without a score" in each)
    assert note.startswith(f"{PATCHY}: ")


def test_another_export_gives_the_same_bytes(export: Export, tmp_path: Path) -> None:
    first, second = export("eee"), export("eee", out=tmp_path / "again")
    assert first["files"] == second["files"]
    for name in first["files"]:
        assert (tmp_path / "eee" / name).read_bytes() == (tmp_path / "again" / name).read_bytes()


def test_a_model_is_named_as_on_the_hub_and_its_maker_is_no_path(export: Export, tmp_path: Path) -> None:
    ((whole, _),) = _read(tmp_path / "eee", export("eee", "--model", PATCHY))
    assert whole["model_info"] == {
        "name": PATCHY,
        "id": "an-org/patchy",
        "developer": "../Maker",
        "inference_engine": {"name": "test-patchy"},
        "additional_details": {
            "deployment_type": "self_deployed",
            "model_availability": "open_weights",
            "args": '{"pretrained": "an-org/patchy"}',
            "chat": "by template",
        },
    }
    path = whole["detailed_evaluation_results"]["file_path"]
    assert path.split("/")[:2] == ["data", "hard-to-export"]
    assert ".." not in path


@pytest.mark.parametrize("relationship", ["first_party", "third_party"])
def test_who_evaluated_is_said(export: Export, tmp_path: Path, relationship: str) -> None:
    options = ("--organization", "A lab", "--relationship", relationship, "--model", "torr-lexical")
    ((whole, _),) = _read(tmp_path / "eee", export("eee", *options))
    assert whole["source_metadata"] == {
        "source_name": "hard-to-export",
        "source_type": "evaluation_run",
        "source_organization_name": "A lab",
        "evaluator_relationship": relationship,
    }


def test_a_run_of_another_harness(tmp_path: Path, shared_data: Path, export: Export) -> None:
    """Of one configuration, without cards, each model on other data sets; its models are ``maker/model``."""
    run = tmp_path / "run"
    assert here("import", "helm", shared_data / "harness_logs" / "helm", "--out", run).exit_code == 0
    schemas = shared_data / "harness_logs" / "every_eval_ever_schemas"
    aggregate = Draft7Validator(json.loads((schemas / "eval.schema.json").read_text()))
    found = dict[str, int]()
    for whole, lines in _read(tmp_path / "eee", export("eee", run=run)):
        aggregate.validate(whole)
        assert whole["model_info"]["developer"] == whole["model_info"]["id"].split("/")[0]
        found[whole["model_info"]["id"]] = len(lines)
    assert found == {"openai/gpt2": 15, "eleutherai/pythia-1b-v0": 10}
