"""Files of NeMo Evaluator, SWE-bench and MTEB, as their packages write them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from torr_plugin.core.errors import InputError
from torr_plugin.integrations.logs import readers
from torr_plugin.integrations.logs.board import BoardScores
from torr_plugin.integrations.logs.log import LogReader, recognising
from torr_plugin.integrations.logs.mteb import MTEB
from torr_plugin.integrations.logs.nemo_evaluator import NEMO_EVALUATOR
from torr_plugin.integrations.logs.reading import read_scores
from torr_plugin.integrations.logs.swe_bench import SWE_BENCH

from ..importing import helm_output, lm_eval_output, test_unitxt
from . import test_eee, test_lighteval, test_opencompass
from .inspect_output import head, write_json


def read(reader: LogReader, path: Path) -> BoardScores:
    return reader.scores(path)


def written(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content, indent=2))
    return path


# -- NeMo Evaluator ----------------------------------------------------------------------------------


def bundle(folder: Path, task: str = "gsm8k", samples: int = 3, repeats: int = 1, **more: Any) -> Path:
    content = {
        "run_id": f"eval-20260101T000000Z-{task}",
        "config_hash": "sha256:0",
        "config": {"model": "org/m", "benchmark": task},
        "benchmark": {
            "name": task,
            "samples": samples,
            "repeats": repeats,
            "scores": {"pass@1": {"value": 0.6667, "ci_lower": 0.5, "ci_upper": 0.8}, "summary": {"n": 3}},
        },
        **more,
    }
    return written(folder / f"eval-20260101T000000Z-{task}.json", content)


def samples_of(folder: Path, *rewards: tuple[int, int, float | None, str]) -> Path:
    lines = [
        {
            "problem_idx": at,
            "repeat": repeat,
            "reward": reward,
            "scoring_details": {"error_category": error or None},
        }
        for at, repeat, reward, error in rewards
    ]
    return written(folder / "results.jsonl", "".join(json.dumps(line) + "\n" for line in lines))


def test_samples_of_a_bundle(tmp_path: Path) -> None:
    bundle(tmp_path, repeats=2)
    samples_of(
        tmp_path, (0, 0, 1.0, ""), (0, 1, 0.0, ""), (1, 0, 0.0, "infra_error"), (1, 1, 0.0, "graceful")
    )
    board = read(NEMO_EVALUATOR, tmp_path)
    assert board.items[["item", "replicate", "status"]].to_numpy().tolist() == [
        ["0", 0, "scored"],
        ["0", 1, "scored"],
        ["1", 0, "failed"],
        ["1", 1, "scored"],
    ]
    assert board.items["score"].sum() == 1.0
    assert board.notes == (
        "gsm8k: 1 request of org/m failed, which is missing here and no zero",
        "gsm8k: 2 of the 3 samples of org/m are here",
    )


def test_a_bundle_alone(tmp_path: Path) -> None:
    bundle(tmp_path / "a")
    bundle(tmp_path / "b", task="aime", repeats=4)
    rows = read(NEMO_EVALUATOR, tmp_path).aggregates.set_index("task")
    assert rows["score"].tolist() == [0.6667, 0.6667]
    assert rows["n"].tolist() == [3, 3]
    assert rows["error"].isna().to_dict() == {"gsm8k": True, "aime": False}  # replicates are no items
    assert rows["error"]["aime"] == pytest.approx(0.3 / 3.92, rel=1e-3)


YAML = """command: run
config: {type: mmlu}
git_hash: ''
results:
  groups:
    mmlu: {metrics: {acc: {scores: {acc: {stats: {}, value: 0.6}}}}}
  tasks:
    law: {metrics: {acc: {scores: {acc: {stats: {count: 100, stderr: 0.05}, value: 0.5}}}}}
    art: {metrics: {acc: {scores: {micro: {stats: {}, value: 0.7}, macro: {stats: {}, value: 0.6}}}}}
target: {api_endpoint: {model_id: org/m, url: u}}
"""


def test_results_yml_without_the_mean_of_its_tasks(tmp_path: Path) -> None:
    written(tmp_path / "results.yml", YAML)
    board = read(NEMO_EVALUATOR, tmp_path)
    assert board.aggregates[["task", "metric", "score"]].to_numpy().tolist() == [
        ["law", "acc", 0.5],
        ["art", "acc.micro", 0.7],
        ["art", "acc.macro", 0.6],
    ]
    assert board.aggregates["n"].tolist()[0] == 100
    assert board.main == {"law": "acc", "art": "acc.macro"}
    assert board.notes == ("mmlu: left out, because the tasks are here",)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a: [", "is not YAML that can be read"),
        ("results: {}\n", "the key 'model_id' is missing"),
        ("target: {api_endpoint: {model_id: 5}}\n", "model_id: found 5; expected text"),
    ],
)
def test_bad_yaml(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(NEMO_EVALUATOR, written(tmp_path / "results.yml", content))


def test_bad_bundles(tmp_path: Path) -> None:
    path = bundle(tmp_path, config={"model": ""})
    with pytest.raises(InputError, match=r"config\.model: is empty"):
        read(NEMO_EVALUATOR, path)
    bundle(tmp_path)
    samples_of(tmp_path, (0, 0, 1.0, ""), (0, 0, 0.0, ""))
    with pytest.raises(InputError, match="model 'org/m', task 'gsm8k', metric 'reward', item '0': has two"):
        read_scores([path])


# -- SWE-bench ---------------------------------------------------------------------------------------


def report(path: Path, total: int, **ids: list[str]) -> Path:
    every = {
        f"{name}_ids": ids.get(name, [])
        for name in ("resolved", "unresolved", "error", "empty_patch", "incomplete")
    }
    return written(
        path, {"total_instances": total, "resolved_instances": len(every["resolved_ids"]), **every}
    )


def test_reports_of_the_harness(tmp_path: Path) -> None:
    report(
        tmp_path / "org__gpt-4.1.run1.json",
        5,
        resolved=["a", "b"],
        unresolved=["c"],
        error=["d"],
        incomplete=["e"],
    )
    board = read(SWE_BENCH, tmp_path)
    assert set(board.items["model"]) == {"org/gpt-4.1"}
    scores = board.items.set_index("item")["score"]
    assert scores.dropna().to_dict() == {"a": 1, "b": 1, "c": 0, "d": 0}
    assert board.items.set_index("item")["status"]["e"] == "failed"
    assert "1 instance without a prediction" in board.notes[0]


def test_two_runs_of_one_model_keep_their_names(tmp_path: Path) -> None:
    for run in ("run1", "run2"):
        report(tmp_path / f"m.{run}.json", 1, resolved=["a"])
    assert sorted(set(read(SWE_BENCH, tmp_path).items["model"])) == ["m.run1", "m.run2"]


def submission(folder: Path, name: str, **lists: list[str]) -> Path:
    return written(folder / "evaluation" / "verified" / name / "results" / "results.json", lists)


def test_submissions_are_of_all_instances_of_their_leaderboard(tmp_path: Path) -> None:
    submission(tmp_path, "one", no_generation=["x"], no_logs=[], resolved=["a", "b", "c"])
    submission(tmp_path, "two", no_generation=[], no_logs=["y"], resolved=["b"])
    items = read(SWE_BENCH, tmp_path).items
    assert items.groupby("model")["score"].agg(["sum", "size"]).to_numpy().tolist() == [[3, 500], [1, 500]]
    assert {"a", "b", "c", "x", "y", "unsolved-495"} <= set(items["item"])
    assert set(items["task"]) == {"SWE-bench verified"}


def test_a_submission_that_resolved_nothing(tmp_path: Path) -> None:
    submission(tmp_path, "none", no_generation=["x"], resolved=[])
    items = read(SWE_BENCH, tmp_path).items
    assert (len(items), items["score"].sum(), set(items["task"])) == (500, 0, {"SWE-bench verified"})


def test_bad_lists_of_instances(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"total_instances: found 3, but 1 ids"):
        read(SWE_BENCH, report(tmp_path / "m.r.json", 3, resolved=["a"]))
    with pytest.raises(InputError, match=r"expected it at SPLIT/NAME/results/results\.json"):
        read(SWE_BENCH, written(tmp_path / "results.json", {"resolved": ["a"]}))
    with pytest.raises(InputError, match="found 500; expected a whole number, at least 501"):
        read(SWE_BENCH, submission(tmp_path, "one", resolved=[str(at) for at in range(501)]))


# -- MTEB --------------------------------------------------------------------------------------------


def task(
    folder: Path,
    name: str,
    scores: dict[str, dict[str, float | None]],
    model: str = "org__m",
    revision: str = "r1",
) -> Path:
    content = {
        "dataset_revision": "1",
        "task_name": name,
        "mteb_version": "2.0.0",
        "scores": {
            split: [
                {"main_score": score, "hf_subset": subset, "languages": ["eng-Latn"]}
                for subset, score in each.items()
            ]
            for split, each in scores.items()
        },
    }
    return written(folder / model / revision / f"{name}.json", content)


def test_a_score_a_language_of_the_test_split(tmp_path: Path) -> None:
    task(tmp_path, "BUCC", {"test": {"fr-en": 0.5, "de-en": 0.75, "zh-en": None}})
    task(tmp_path, "STS", {"dev": {"default": 0.1}, "test": {"default": -0.25}})
    task(tmp_path, "Amazon", {"validation": {"en": 0.5}, "dev": {"en": 0.25}})
    written(tmp_path / "org__m" / "r1" / "model_meta.json", {"name": "org/M", "revision": "r1"})
    board = read(MTEB, tmp_path)
    assert set(board.aggregates["model"]) == {"org/M"}
    assert board.aggregates[["task", "config", "score", "digits"]].to_numpy().tolist() == [
        ["Amazon", "validation/en", 0.5, 2],
        ["Amazon", "dev/en", 0.25, 2],
        ["BUCC", "fr-en", 0.5, 2],
        ["BUCC", "de-en", 0.75, 2],
        ["STS", "", -0.25, 2],
    ]
    assert board.scales["main_score"].low == -1.0
    assert board.notes == ("STS: split test counts, dev left out",)


def test_an_overall_and_its_parts_count_once(tmp_path: Path) -> None:
    task(tmp_path, "CQADupstackRetrieval", {"test": {"default": 0.5}})
    task(tmp_path, "CQADupstackGisRetrieval", {"test": {"default": 0.25}})
    task(tmp_path, "CQADupstackRetrieval", {"test": {"default": 0.75}}, model="org__other")
    rows = read(MTEB, tmp_path).aggregates
    assert rows[["model", "task"]].to_numpy().tolist() == [
        ["org/m", "CQADupstackGisRetrieval"],
        ["org/other", "CQADupstackRetrieval"],
    ]


def test_experiments_are_models_of_their_own_and_of_two_revisions_the_newer_counts(tmp_path: Path) -> None:
    task(tmp_path, "STS", {"test": {"default": 0.5}})
    task(tmp_path, "STS", {"test": {"default": 0.25}}, revision="r1/experiments/dim_64")
    assert set(read(MTEB, tmp_path).aggregates["model"]) == {"org/m", "org/m (dim_64)"}
    old = task(tmp_path, "STS", {"test": {"default": 0.75}}, revision="r2")
    old.write_text(old.read_text().replace("2.0.0", "1.12.41"))
    board = read(MTEB, tmp_path)
    assert board.aggregates["score"].tolist() == [0.5, 0.25]
    assert board.notes == ("STS: 2 runs of org/m; the newest counts, of r1",)


def test_results_before_1_11_are_refused(tmp_path: Path) -> None:
    path = written(
        tmp_path / "m" / "r" / "STS.json", {"dataset_revision": "1", "mteb_dataset_name": "STS", "test": {}}
    )
    with pytest.raises(InputError, match="task_name"):
        read(MTEB, path)


# -- all of them -------------------------------------------------------------------------------------


def lighteval(folder: Path) -> None:
    test_lighteval.details(folder, [test_lighteval.new(0, 1.0)])
    test_lighteval.results(folder, {"lighteval|arc|0": {"acc": 0.5}})


def opencompass(folder: Path) -> None:
    test_opencompass.result(folder, "arc", test_opencompass.graded(True, False))
    written(folder / "summary" / "summary_20260101_000000.csv", "dataset,version,metric,mode,qwen\n")


WRITERS: dict[str, Callable[[Path], object]] = {
    "eee": lambda folder: test_eee.write(folder, [test_eee.result()]),
    "helm": lambda folder: helm_output.write_run(folder, helm_output.HTML, "org/m", helm_output.TRUTH),
    "inspect": lambda folder: write_json(folder / "a.json", head(results=[("match", 0.5)]), []),
    "lm-eval": lambda folder: lm_eval_output.write_run(folder, "task", [lm_eval_output.sample(0)]),
    "unitxt": lambda folder: test_unitxt.write(
        folder, {test_unitxt.PLAIN: [test_unitxt.instance(0, "entailed")]}
    ),
    "lighteval": lighteval,
    "mteb": lambda folder: task(folder, "STS", {"test": {"default": 0.5}}),
    "nemo-evaluator": lambda folder: samples_of(bundle(folder, samples=1).parent, (0, 0, 1.0, "")),
    "opencompass": opencompass,
    "swe-bench": lambda folder: report(folder / "m.r.json", 1, resolved=["a"]),
    "table": lambda folder: written(folder / "t.csv", "model,a,b\nm,1,0\n"),
}


@pytest.mark.parametrize("name", WRITERS)
def test_the_format_is_found_by_content(tmp_path: Path, name: str) -> None:
    WRITERS[name](tmp_path)
    assert recognising(tmp_path, map(readers.get, readers.names()))[:1] == [readers.get(name)]
    found, own = read_scores([tmp_path]), read_scores([tmp_path], name)
    assert len(found.items) + len(found.aggregates) > 0
    assert found.items.equals(own.items)
    assert found.aggregates.equals(own.aggregates)
