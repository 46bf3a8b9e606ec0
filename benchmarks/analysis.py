"""Time and memory of a whole analysis, beside scipy in loops, and how it grows.

python benchmarks/analysis.py [--json] [--no-growth]
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from peer_analysis import NS, whole

MODELS, DATASETS, EXAMPLES, RESAMPLES = 14, 10, 100, 1000
SERIALIZERS = ("html", "json", "markdown", "csv", "df", "indexed_row_major", "concat")
PERTURBATIONS = ("none", "shuffle_rows", "shuffle_cols", "transpose", "insert_empty_rows")
CONFIGURATIONS = len(SERIALIZERS) * len(PERTURBATIONS)
LARGEST = "100 models, 1000 examples"
REPEATS, RANKINGS = 100, 10  # of a reliability curve's point


def cube(models: int, examples: int, dataset: int) -> np.ndarray:
    """Simulated scores, (models x configurations x examples): effects of each and of their pairs."""
    rng = np.random.default_rng([models, examples, dataset])
    effects = (
        rng.normal(0, 0.8, (models, 1, 1))
        + rng.normal(0, 0.15, (1, CONFIGURATIONS, 1))
        + rng.normal(0, 1.2, (1, 1, examples))
        + rng.normal(0, 0.2, (models, CONFIGURATIONS, 1))
        + rng.normal(0, 0.6, (models, 1, examples))
        + rng.normal(0, 0.5, (models, CONFIGURATIONS, examples))
    )
    chance = 1 / (1 + np.exp(-effects))
    return (rng.random(chance.shape) < chance).astype(float) if dataset % 2 else chance.round(3)


def frame(models: int, examples: int) -> Any:
    """The scores of all data sets, a row a score."""
    import pandas as pd

    scores = np.stack([cube(models, examples, dataset) for dataset in range(DATASETS)])
    configs = np.arange(CONFIGURATIONS)
    # the axis of each column's names, where on the axis each name stands, and the names
    text = {
        "model": (1, np.arange(models), [f"model-{i:03}" for i in range(models)]),
        "dataset": (0, np.arange(DATASETS), [f"data-{i}" for i in range(DATASETS)]),
        "config": (2, configs, [f"{s}/{p}/default" for s in SERIALIZERS for p in PERTURBATIONS]),
        "serializer": (2, configs // len(PERTURBATIONS), SERIALIZERS),
        "perturbation": (2, configs % len(PERTURBATIONS), PERTURBATIONS),
        "example": (3, np.arange(examples), [f"example-{i:04}" for i in range(examples)]),
        "metric": (0, np.zeros(DATASETS, dtype=int), ["score"]),
    }
    columns: dict[str, Any] = {}
    for name, (axis, codes, names) in text.items():
        shape = [-1 if place == axis else 1 for place in range(4)]
        rows = np.broadcast_to(codes.astype(np.int16).reshape(shape), scores.shape).ravel()
        columns[name] = pd.Categorical.from_codes(rows, list(names))
    return pd.DataFrame({**columns, "score": scores.ravel(), "main": True}, copy=False)


def ours(models: int, examples: int) -> dict[str, Any]:
    """The analysis, without and with the figures over label-keeping perturbations alone."""
    from torr_plugin.analysis import analyse

    scores = frame(models, examples)
    before = peak_mib()
    start, cpu = time.perf_counter(), time.process_time()
    found = analyse(scores, resamples=RESAMPLES)
    return {
        "seconds": time.perf_counter() - start,
        "cpu_seconds": time.process_time() - cpu,
        "mib_before": before,
        "peak_mib": peak_mib(),
        "figures": {
            "performance": [f["datasets"]["data-0"] for f in found["performance"].values()],
            "tau": found["dataset_agreement"]["tau"],
            "w": list(found["configuration_agreement"].values()),
            "reliability": [point["w"] for point in found["reliability"]["overall"]["prompts"]],
        },
    }


def command(models: int, examples: int) -> dict[str, Any]:
    """``torr analyse`` of a scores file, charts and tables included."""
    with tempfile.TemporaryDirectory() as folder:
        scores = Path(folder) / "scores.parquet"
        frame(models, examples).to_parquet(scores)
        torr = [sys.executable, "-m", "torr_plugin.cli", "analyse", str(scores), "--out", f"{folder}/out"]
        start = time.perf_counter()
        subprocess.run(torr, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        seconds = time.perf_counter() - start
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "seconds": seconds,
        "cpu_seconds": used.ru_utime + used.ru_stime,
        "peak_mib": used.ru_maxrss / 1024,  # of the largest of its processes
    }


def label_keeping(models: int, examples: int) -> dict[str, Any]:
    """The analysis with that of two perturbations of four beside it."""
    from torr_plugin.analysis import analyse

    scores = frame(models, examples)
    keeps = {f"data-{d}": ["shuffle_cols", "insert_empty_rows"] for d in range(DATASETS)}
    start, cpu = time.perf_counter(), time.process_time()
    analyse(scores, resamples=RESAMPLES, keeps_labels=keeps)
    return {
        "seconds": time.perf_counter() - start,
        "cpu_seconds": time.process_time() - cpu,
        "peak_mib": peak_mib(),
    }


def floor(models: int, examples: int) -> dict[str, Any]:
    """The matrix products alone: resample counts times per-example figures, and draws times scores."""
    rng = np.random.default_rng(0)
    weights = rng.multinomial(examples, np.full(examples, 1 / examples), RESAMPLES).astype(float)
    # five statistics, each configuration, each serializer and perturbation, their differences and wins
    figures = rng.random((examples, models * (5 + CONFIGURATIONS + 12 + 8 + 12)))
    scores = rng.random((examples, models * CONFIGURATIONS))
    drawn = (rng.random((REPEATS * RANKINGS, examples)) < 0.5).astype(float)
    start = time.perf_counter()
    for _ in range(DATASETS):
        weights @ figures
        for _ in NS[:-1]:  # all examples need no draw of them
            drawn @ scores
    return {"seconds": time.perf_counter() - start}


def peer(models: int, examples: int) -> dict[str, Any]:
    """The same figures by scipy and numpy calls, a model, pair, resample and repeat at a time."""
    cubes = [cube(models, examples, dataset) for dataset in range(DATASETS)]
    columns = np.arange(CONFIGURATIONS).reshape(len(SERIALIZERS), len(PERTURBATIONS))
    groups = [*columns.tolist(), *columns.T.tolist()]
    start = time.perf_counter()
    spent, found = whole(cubes, groups, len(PERTURBATIONS), RESAMPLES, REPEATS)
    return {
        "seconds": sum(wall for wall, _ in spent.values()),
        "cpu_seconds": sum(cpu for _, cpu in spent.values()),
        "measured": time.perf_counter() - start,
        "parts": {name: wall for name, (wall, _) in spent.items()},
        "found": found,
    }


def largest_differences(mine: dict[str, Any], theirs: dict[str, Any], models: int) -> dict[str, float]:
    """Between the two: figures must be equal, bounds and means over repeats as near as chance lets them."""
    per_model = len(theirs["bootstrap"]) // models
    boot = theirs["bootstrap"][::per_model]
    tau = [mine["tau"][i][j] for i in range(DATASETS) for j in range(i + 1, DATASETS)]
    curve = [theirs["reliability"][f"prompts {k}"][-1] for k in range(1, CONFIGURATIONS + 1)]
    performance = mine["performance"]
    found = {
        "performance": [f["value"] - b[0] for f, b in zip(performance, boot, strict=True)],
        "bounds of performance": [f["low"] - b[1] for f, b in zip(performance, boot, strict=True)],
        "tau": np.subtract(tau, theirs["agreement"]["tau"][0]).tolist(),
        "W": np.subtract(mine["w"][:DATASETS], theirs["agreement"]["w"][0]).tolist(),
        "W against prompts": np.subtract(mine["reliability"], curve).tolist(),
    }
    return {name: max(abs(value) for value in values) for name, values in found.items()}


def peak_mib() -> float:
    """The highest memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measured(work: Callable[[int, int], dict[str, Any]], *size: int) -> dict[str, Any]:
    """What a fresh process gives."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found: dict[str, Any] = pool.apply(work, size)
    return found


def main() -> None:
    """Measure, compare, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--no-growth", action="store_true", help="leave 100 models and 1,000 examples out")
    arguments = parser.parse_args()
    size = MODELS, EXAMPLES
    mine, kept, least, theirs, whole = (
        measured(work, *size) for work in (ours, label_keeping, floor, peer, command)
    )
    differences = largest_differences(mine["figures"], theirs["found"], MODELS)
    assert differences["performance"] < 1e-9
    assert differences["tau"] < 1e-9
    assert differences["W"] < 1e-9
    result: dict[str, Any] = {
        "seconds": mine["seconds"],
        "cpu_seconds": mine["cpu_seconds"],
        "peak_mib": mine["peak_mib"],
        "mib_before": mine["mib_before"],
        "with_label_keeping_seconds": kept["seconds"],
        "with_label_keeping_cpu_seconds": kept["cpu_seconds"],
        "with_label_keeping_mib": kept["peak_mib"],
        "command": whole,
        "floor_seconds": least["seconds"],
        "times_the_floor": mine["seconds"] / least["seconds"],
        "peer_seconds": theirs["seconds"],
        "peer_cpu_seconds": theirs["cpu_seconds"],
        "peer_measured_seconds": theirs["measured"],
        "peer_parts": theirs["parts"],
        "ratio": theirs["seconds"] / mine["seconds"],
        "cpu_ratio": theirs["cpu_seconds"] / mine["cpu_seconds"],
        "largest_differences": differences,
    }
    if not arguments.no_growth:
        result["growth"] = {
            f"{models} models, {examples} examples": {
                key: value for key, value in measured(ours, models, examples).items() if key != "figures"
            }
            for models, examples in ((100, 100), (14, 1000), (100, 1000))
        }
    if arguments.json:
        print(json.dumps(result))
    else:
        show(result)


def _spent(found: dict[str, Any]) -> str:
    return f"{found['seconds']:8.1f} s ({found['cpu_seconds']:.1f} s CPU), {found['peak_mib']:.0f} MiB"


def show(result: dict[str, Any]) -> None:
    """Print for people."""
    size = f"{MODELS} models x {DATASETS} data sets x {CONFIGURATIONS} configurations x {EXAMPLES} examples"
    print(f"{size}, K = {RESAMPLES}")
    print(f"analyse            {_spent(result)}")
    print(
        f"and label-keeping  {result['with_label_keeping_seconds']:8.1f} s "
        f"({result['with_label_keeping_cpu_seconds']:.1f} s CPU), {result['with_label_keeping_mib']:.0f} MiB"
    )
    print(f"torr analyse       {_spent(result['command'])}, charts and tables included (at most 5 s)")
    print(
        f"floor: products    {result['floor_seconds']:8.2f} s; "
        f"analyse takes {result['times_the_floor']:.0f} times as long"
    )
    print(
        f"scipy in loops     {result['peer_seconds']:8.1f} s, scaled up from "
        f"{result['peer_measured_seconds']:.1f} s; {result['ratio']:.0f} times as long, "
        f"{result['cpu_ratio']:.0f} times in processor time"
    )
    for name, value in result["largest_differences"].items():
        print(f"largest difference, {name}: {value:.2g}")
    for name, found in result.get("growth", {}).items():
        print(f"{name}: {_spent(found)}{' (at most 45 s)' if name == LARGEST else ''}")


if __name__ == "__main__":
    main()
