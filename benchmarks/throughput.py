"""How fast a study runs end to end: ours beside lm-eval with its unitxt task, on the same card.

    [TORR_DATA=DIR] python benchmarks/throughput.py [--cards cards.wikitq,...] [--examples 100] [--json]

Both read the data, make the same number of prompts with one demonstration each, ask a model that answers
a constant, keep the answers and score them; ours stores every prompt, answer and score in Parquet, flushed
to the disk. Both run ToRR's 35 configurations (seven formats, four perturbations and none), which unitxt
has all: lm-eval as one ``simple_evaluate`` of 35 tasks with its ``dummy`` model, and both one configuration
alone (html, unperturbed). Each has a process of its own, where a few requests of another card are run and
the cards' metrics tried first, so that imports and warm-up count for none. ``--alone`` leaves lm-eval out.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from itertools import pairwise, product
from pathlib import Path
from typing import Any

CARD = "cards.bundled.aggregation"
WARM_UP = "cards.bundled.cell_lookup"
POOL = 100
ONE = {"serializers": ["torr.html"], "perturbations": ["none"]}
ALL = {"serializers": "torr", "perturbations": "torr"}
# unitxt's names of the same; what it writes where no serializer is named is CSV
SERIALIZERS = {
    **{name: name for name in ("html", "json", "markdown", "indexed_row_major", "df", "concat")},
    "csv": None,
}
AUGMENTORS = {
    "none": None,
    **{name: name for name in ("shuffle_rows", "shuffle_cols", "transpose")},
    "insert_empty_rows": "insert_empty_rows[times=2]",
}


def ours(cards: list[str], examples: int, configurations: dict[str, Any]) -> dict[str, float]:
    """Plan, run, store and score; requests scored, and the seconds of each step."""
    from torr_plugin.recipes import Recipe, plan
    from torr_plugin.running import Run, execute
    from torr_plugin.scoring import score_run

    recipe = Recipe.model_validate(
        {
            "name": "throughput",
            "cards": list(cards),
            "configurations": configurations,
            "demonstrations": {"shots": 1},
            "examples": {"count": examples},
            "models": [{"model": "torr-constant", "args": {"answer": "lol"}}],
        }
    )
    marks = [time.perf_counter()]
    planned = plan(recipe)
    marks.append(time.perf_counter())
    with tempfile.TemporaryDirectory() as folder:
        summary = execute(planned, recipe.models, Path(folder) / "run")
        marks.append(time.perf_counter())
        run = Run.open(summary.run)
        scores = score_run(run)
        run.write_scores(scores)
        marks.append(time.perf_counter())
    scored = int(scores["main"].sum())
    if summary.failed or scored != planned.size:
        raise SystemExit(f"torr-plugin: {scored} scores of {planned.size}, {summary.failed} failed")
    spent = dict(zip(("plan", "execute", "score"), (b - a for a, b in pairwise(marks)), strict=True))
    return {"requests": scored, **spent}


def lm_evals(cards: list[str], examples: int, configurations: dict[str, Any]) -> dict[str, float]:
    """The same by lm-eval: a task a card and configuration."""
    from lm_eval import simple_evaluate
    from lm_eval.tasks.unitxt.task import Unitxt

    from torr_plugin.integrations.unitxt import register

    register()
    chosen = list(product(SERIALIZERS, AUGMENTORS)) if configurations is ALL else [("html", "none")]
    tasks = [
        Unitxt(
            config={
                "task": f"throughput_{card}_{serializer}_{augmentor}",
                "recipe": _recipe(card, examples, SERIALIZERS[serializer], AUGMENTORS[augmentor]),
                "dataset_kwargs": {"split": None},
            }
        )
        for card in cards
        for serializer, augmentor in chosen
    ]
    result = simple_evaluate(model="dummy", tasks=tasks, bootstrap_iters=0, log_samples=True)
    scored = sum(len(samples) for samples in result["samples"].values())
    if scored != examples * len(tasks):
        raise SystemExit(f"lm-eval: {scored} answers of {examples * len(tasks)}")
    return {"requests": scored}


def _recipe(card: str, examples: int, serializer: str | None, augmentor: str | None) -> str:
    parts = [
        f"card={card},template_card_index=0,num_demos=1,demos_pool_size={POOL},demos_taken_from=train",
        f"max_test_instances={examples}",
        *([f"serializer=serializers.table.{serializer}"] if serializer else []),
        *([f"augmentor=augmentors.table.{augmentor}"] if augmentor else []),
    ]
    return ",".join(parts)


WAYS = {
    "torr-plugin, 35 configurations": (ours, ALL),
    "torr-plugin, 1 configuration": (ours, ONE),
    "lm-eval, 35 configurations": (lm_evals, ALL),
    "lm-eval, 1 configuration": (lm_evals, ONE),
}


def run_here(way: str, cards: list[str], examples: int) -> dict[str, float]:
    """Requests, seconds and requests a second of one way."""
    from torr_plugin.catalog import load_card
    from torr_plugin.core.errors import InputError
    from torr_plugin.scoring import score_example

    logging.disable(logging.WARNING)
    work, configurations = WAYS[way]
    work([WARM_UP], 2, ONE)
    for card in cards:  # loads what the metrics need
        with suppress(InputError):  # a metric that needs facts is loaded all the same
            score_example(load_card(card), "lol", ["lol"], {})
    start = time.perf_counter()
    found = work(cards, examples, configurations)
    seconds = time.perf_counter() - start
    return {**found, "seconds": seconds, "requests_per_second": found["requests"] / seconds}


def run_apart(way: str, cards: list[str], examples: int) -> dict[str, float]:
    """The same in a process of its own, with an empty cache, where no earlier prompts are found."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.json"
        command = [sys.executable, __file__, "--cards", ",".join(cards), "--examples", str(examples)]
        done = subprocess.run(
            [*command, "--way", way, "--result", str(result)],
            env={**os.environ, "HF_HUB_OFFLINE": "1", "HF_DATASETS_CACHE": folder},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise SystemExit(f"{way}: {done.stderr.strip()[-2000:]}")
        found: dict[str, float] = json.loads(result.read_text())
    return found


def main() -> None:
    """Measure all and print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cards", default=CARD, help=f"cards; {CARD}, which needs no data, unless told")
    parser.add_argument("--examples", type=int, default=100, help="examples a configuration")
    parser.add_argument("--alone", action="store_true", help="without lm-eval")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    parser.add_argument("--result", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    cards = args.cards.split(",")
    if args.way:
        args.result.write_text(json.dumps(run_here(args.way, cards, args.examples)))
        return
    ways = [way for way in WAYS if not (args.alone and "lm-eval" in way)]
    results = {way: run_apart(way, cards, args.examples) for way in ways}
    if not args.alone:
        for way, result in results.items():
            peer = results[way.replace("torr-plugin", "lm-eval")]
            result["times_lm_eval"] = result["requests_per_second"] / peer["requests_per_second"]
    if args.json:
        json.dump(results, sys.stdout)
        print()
        return
    for way, result in results.items():
        _show(way, result)


def _show(way: str, result: dict[str, float]) -> None:
    steps = ", ".join(f"{step} {result[step]:.2f}" for step in ("plan", "execute", "score") if step in result)
    ratio = f", {result['times_lm_eval']:6.1f} times lm-eval's" if "times_lm_eval" in result else ""
    print(
        f"{way:31} {result['requests']:6.0f} requests in {result['seconds']:7.2f} s"
        f"{f' ({steps})' if steps else ''}: {result['requests_per_second']:7.1f} a second{ratio}"
    )


if __name__ == "__main__":
    main()
