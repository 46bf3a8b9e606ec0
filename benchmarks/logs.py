"""How fast logs are read for their scores, each format in a process of its own.

python benchmarks/logs.py [--rows 1000000] [--format NAME ...] [--json]
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd

MODELS = 4
DATE = "2026-01-02T03-04-05.678901"
QUESTION = "Which of these statements is true of the table above, and which of its rows says so?"


def right(item: int) -> float:
    return float(item * 7919 % 10 < 6)


# -- the formats: each writes one model's files of so many items ---------------------------------------------


def inspect_summaries(items: int) -> Iterator[str]:
    for item in range(items):
        value = "C" if right(item) else "I"
        yield json.dumps(
            {"id": item, "epoch": 1, "input": f"{item}: {QUESTION}", "target": "A", "completed": True}
            | {"scores": {"choice": {"value": value, "answer": "A"}, "f1": {"value": right(item) / 2}}}
            | {"model_usage": {"m": {"input_tokens": 11, "output_tokens": 33, "total_tokens": 44}}}
        )


def inspect_head(model: str, items: int) -> dict[str, Any]:
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "created": "2026-01-01",
            "task": "quiz",
            "task_id": model,
            "model": model,
            "dataset": {"samples": items},
            "config": {"epochs": 1},
        },
        "results": {"total_samples": items, "completed_samples": items, "scores": []},
    }


def write_inspect_json(folder: Path, model: str, items: int) -> None:
    head = json.dumps(inspect_head(model, items))[:-1]
    with (folder / f"{model}.json").open("w") as file:
        file.write(f'{head}, "samples": [')
        for at, line in enumerate(inspect_summaries(items)):
            file.write(("," if at else "") + line)
        file.write("]}")


def write_inspect_eval(folder: Path, model: str, items: int, *, other: int = 0) -> None:
    """A log; ``other`` bytes of samples lie beside what is read."""
    noise = Random(0)
    with zipfile.ZipFile(folder / f"{model}.eval", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for at in range(other >> 20):
            archive.writestr(f"samples/{at}_epoch_1.json", noise.randbytes(1 << 20), zipfile.ZIP_STORED)
        archive.writestr("summaries.json", f"[{','.join(inspect_summaries(items))}]")
        archive.writestr("header.json", json.dumps(inspect_head(model, items)))


def write_lm_eval(folder: Path, model: str, items: int) -> None:
    place = folder / f"org__{model}"
    place.mkdir()
    run = {
        "results": {"quiz": {}},
        "n-samples": {"quiz": {"original": items, "effective": items}},
        "config": {"model": "hf", "model_args": f"pretrained=org/{model}"},
    }
    (place / f"results_{DATE}.json").write_text(json.dumps(run))
    with (place / f"samples_quiz_{DATE}.jsonl").open("w") as file:
        for item in range(items):
            sample = {
                "doc_id": item,
                "doc": {"question": QUESTION},
                "target": "A",
                "arguments": {"gen_args_0": {"arg_0": QUESTION, "arg_1": {"until": []}}},
                "resps": [["A"]],
                "filtered_resps": ["A"],
                "filter": "none",
                "metrics": ["exact_match", "f1"],
                "doc_hash": f"{item:064x}",
                "target_hash": f"{item:064x}",
                "exact_match": right(item),
                "f1": right(item) / 2,
            }
            file.write(json.dumps(sample) + "\n")


def write_eee(folder: Path, model: str, items: int) -> None:
    of = {"schema_version": "0.3.0", "evaluation_id": f"src/{model}/1"}
    result = {
        "evaluation_name": "quiz",
        "metric_config": {"metric_id": "accuracy", "lower_is_better": False},
        "score_details": {"score": sum(map(right, range(items))) / items},
    }
    aggregate = of | {
        "source_metadata": {},
        "model_info": {"id": f"org/{model}"},
        "evaluation_results": [result],
    }
    (folder / f"{model}.json").write_text(json.dumps(aggregate))
    with (folder / f"{model}_samples.jsonl").open("w") as file:
        for item in range(items):
            line = of | {
                "model_id": f"org/{model}",
                "evaluation_name": "quiz",
                "sample_id": str(item),
                "sample_hash": f"{item:064x}",
                "interaction_type": "single_turn",
                "input": {"raw": QUESTION, "reference": ["A"]},
                "output": {"raw": ["A"]},
                "answer_attribution": [],
                "evaluation": {"score": right(item), "is_correct": right(item) == 1},
            }
            file.write(json.dumps(line) + "\n")


def write_helm(folder: Path, model: str, items: int) -> None:
    place = folder / f"quiz:model=org_{model}"
    place.mkdir()
    spec = {
        "name": f"quiz:model=org_{model}",
        "scenario_spec": {"class_name": "x.Quiz"},
        "adapter_spec": {"method": "generation", "model": f"org/{model}", "model_deployment": model},
    }
    (place / "run_spec.json").write_text(json.dumps(spec))
    names = ("exact_match", "quasi_exact_match", "f1_score", "rouge_l")
    counts = ("num_references", "num_prompt_tokens", "num_output_tokens", "inference_runtime", "batch_size")
    with (
        (place / "per_instance_stats.json").open("w") as stats,
        (place / "scenario_state.json").open("w") as states,
    ):
        stats.write("[")
        states.write('{"request_states": [')
        for item in range(items):
            found = [
                {"name": {"name": name, "split": "test"}, "count": 1, "sum": 1, "mean": right(item)}
                for name in (*counts, *names)
            ]
            entry = {"instance_id": f"id{item}", "train_trial_index": 0, "stats": found}
            state = {
                "instance": {
                    "id": f"id{item}",
                    "split": "test",
                    "input": {"text": f"{item}: {QUESTION}"},
                    "references": [{"output": {"text": "A"}, "tags": ["correct"]}],
                },
                "train_trial_index": 0,
                "request": {"prompt": QUESTION},
                "result": {"success": True, "completions": [{"text": "A"}]},
            }
            stats.write(("," if item else "") + json.dumps(entry))
            states.write(("," if item else "") + json.dumps(state))
        stats.write("]")
        states.write("]}")


def write_unitxt(folder: Path, model: str, items: int) -> None:
    environment = {"parsed_arguments": {"model": f"org/{model}"}}
    with (folder / f"{model}_samples.json").open("w") as file:
        file.write(f'{{"environment_info": {json.dumps(environment)}, "samples": {{"card=cards.sst2": [')
        for item in range(items):
            sample = {
                "source": f"{item}: {QUESTION}",
                "references": ["A"],
                "prediction": "A",
                "accuracy": right(item),
                "f1": right(item) / 2,
                "score": right(item),
                "score_name": "accuracy",
            }
            file.write(("," if item else "") + json.dumps(sample))
        file.write("]}}")


def write_torr(folder: Path, model: str, items: int) -> None:
    place = folder / model
    place.mkdir()
    frame = pd.DataFrame({"example": np.arange(items).astype(str), "score": list(map(right, range(items)))})
    names = {"model": model, "dataset": "quiz", "config": "html/none/default"}
    parts = [frame.assign(**names, metric=metric, main=metric == "accuracy") for metric in ("accuracy", "f1")]
    pd.concat(parts).to_parquet(place / "scores.parquet")


WRITERS: dict[str, Callable[[Path, str, int], None]] = {
    "inspect .json": write_inspect_json,
    "inspect .eval": write_inspect_eval,
    "lm-eval": write_lm_eval,
    "eee": write_eee,
    "helm": write_helm,
    "unitxt": write_unitxt,
    "torr": write_torr,
}
SCORES = {"eee": 1, "helm": 4}
LARGE = "inspect .eval of 1 GB"


def measured(folder: Path) -> dict[str, Any]:
    """What reading a folder takes, in a new process."""
    done = subprocess.run(
        [sys.executable, __file__, "--read", str(folder)], capture_output=True, text=True, check=True
    )
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return {**json.loads(done.stdout), "file_mib": size >> 20}


def read(folder: Path) -> dict[str, Any]:
    from torr_plugin.integrations.logs.reading import read_scores

    start, cpu = time.perf_counter(), time.process_time()
    board = read_scores([folder])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    return {
        "rows": len(board.items),
        "seconds": round(time.perf_counter() - start, 2),
        "cpu_seconds": round(time.process_time() - cpu, 2),
        "peak_mib": peak,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--format", nargs="*", choices=[*WRITERS, LARGE], default=[*WRITERS, LARGE])
    parser.add_argument("--read", type=Path)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if given.read is not None:
        print(json.dumps(read(given.read)))
        return
    found = {}
    for name in given.format:
        with tempfile.TemporaryDirectory() as folder:
            if name == LARGE:
                write_inspect_eval(Path(folder), "m", 1000, other=1 << 30)
            else:
                for model in range(MODELS):
                    WRITERS[name](Path(folder), f"m{model}", given.rows // MODELS // SCORES.get(name, 2))
            found[name] = measured(Path(folder))
        if not given.json:
            each = found[name]
            print(
                f"{name:22} {each['rows']:>9,} rows of {each['file_mib']:>5,} MiB: {each['seconds']:6.2f} s "
                f"({each['cpu_seconds']:6.2f} s of processor), {each['peak_mib']:>5,} MiB"
            )
    if given.json:
        print(json.dumps(found))


if __name__ == "__main__":
    main()
