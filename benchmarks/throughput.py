"""How fast a study runs end to end: ours beside lm-eval with its unitxt task, on the same card.

    [TORR_DATA=DIR] python benchmarks/throughput.py [--card cards.wikitq] [--examples 100] [--json]

All read the data, make prompts with one demonstration, ask a model that answers a constant, keep the
answers and score them; ours stores every prompt, answer and score in Parquet. lm-eval runs one
configuration (html, unperturbed) by ``simple_evaluate`` with its ``dummy`` model, as its users do; ours
runs the same one, and ToRR's 35. Each has a process of its own, where a few requests of another card
are run first, so that imports and warm-up count for none.
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
from pathlib import Path
from typing import Any

CARD = "cards.bundled.aggregation"
WARM_UP = "cards.bundled.cell_lookup"
POOL = 100
ONE = {"serializers": ["torr.html"], "perturbations": ["none"]}
ALL = {"serializers": "torr", "perturbations": "torr"}


def ours(card: str, examples: int, configurations: dict[str, Any]) -> int:
    """Plan, run, store and score; the number of requests scored."""
    from torr_plugin.recipes import Recipe, plan
    from torr_plugin.running import Run, execute
    from torr_plugin.scoring import score_run

    recipe = Recipe.model_validate(
        {
            "name": "throughput",
            "cards": [card],
            "configurations": configurations,
            "demonstrations": {"shots": 1},
            "examples": {"count": examples},
            "models": [{"model": "torr-constant", "args": {"answer": "lol"}}],
        }
    )
    planned = plan(recipe)
    with tempfile.TemporaryDirectory() as folder:
        summary = execute(planned, recipe.models, Path(folder) / "run")
        run = Run.open(summary.run)
        scores = score_run(run)
        run.write_scores(scores)
        scored = int(scores["main"].sum())
    if summary.failed or scored != planned.size:
        raise SystemExit(f"torr-plugin: {scored} scores of {planned.size}, {summary.failed} failed")
    return scored


def lm_evals(card: str, examples: int) -> int:
    """One configuration by lm-eval; the number of requests scored."""
    from lm_eval import simple_evaluate
    from lm_eval.tasks.unitxt.task import Unitxt

    from torr_plugin.catalog import register

    register()
    recipe = (
        f"card={card},template_card_index=0,num_demos=1,demos_pool_size={POOL},demos_taken_from=train,"
        f"serializer=serializers.table.html,max_test_instances={examples}"
    )
    task = Unitxt(config={"task": f"throughput_{card}", "recipe": recipe, "dataset_kwargs": {"split": None}})
    result = simple_evaluate(model="dummy", tasks=[task], bootstrap_iters=0, log_samples=True)
    scored = sum(len(samples) for samples in result["samples"].values())
    if scored != examples:
        raise SystemExit(f"lm-eval: {scored} answers of {examples}")
    return scored


WAYS = {
    "torr-plugin, 35 configurations": lambda card, examples: ours(card, examples, ALL),
    "torr-plugin, 1 configuration": lambda card, examples: ours(card, examples, ONE),
    "lm-eval, 1 configuration": lm_evals,
}


def run_here(way: str, card: str, examples: int) -> dict[str, float]:
    """Requests, seconds and requests a second of one way."""
    logging.disable(logging.WARNING)
    WAYS[way](WARM_UP, 2)
    start = time.perf_counter()
    requests = WAYS[way](card, examples)
    seconds = time.perf_counter() - start
    return {"requests": requests, "seconds": seconds, "requests_per_second": requests / seconds}


def run_apart(way: str, card: str, examples: int) -> dict[str, float]:
    """The same in a process of its own, with an empty cache, where no earlier prompts are found."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.json"
        command = [sys.executable, __file__, "--card", card, "--examples", str(examples)]
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
    parser.add_argument("--card", default=CARD, help=f"the card; {CARD}, which needs no data, unless told")
    parser.add_argument("--examples", type=int, default=100, help="examples a configuration")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    parser.add_argument("--result", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.way:
        args.result.write_text(json.dumps(run_here(args.way, args.card, args.examples)))
        return
    results = {way: run_apart(way, args.card, args.examples) for way in WAYS}
    peer = results["lm-eval, 1 configuration"]["requests_per_second"]
    ratios = {way: result["requests_per_second"] / peer for way, result in results.items()}
    if args.json:
        json.dump({**results, "ratio": ratios}, sys.stdout)
        print()
        return
    for way, result in results.items():
        print(
            f"{way:31} {result['requests']:5.0f} requests in {result['seconds']:6.2f} s:"
            f" {result['requests_per_second']:7.1f} a second, {ratios[way]:6.1f} times lm-eval's"
        )


if __name__ == "__main__":
    main()
