"""How fast a study's prompts are made: ours beside unitxt, on the same card and the same data, in one run.

    TORR_DATA=DIR python benchmarks/expansion.py [--examples 100] [--json]

Both make the prompts of WikiTableQuestions in ToRR's 35 configurations with one demonstration. unitxt does
it as its users do: one ``load_dataset`` a configuration, through the same card. Each is timed from its first
call to its last prompt in memory, reading the data included; some prompts of another card are made first, so
that imports and warm-up count for neither. Ours is then timed once more, the data being in memory.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import sys
import time
from collections.abc import Callable
from typing import Any

CARD = "cards.wikitq"
WARM_UP = "cards.bundled.cell_lookup"
POOL = 100
"""How many examples unitxt draws demonstrations from, as in ToRR; ours draws from the whole split."""

UNITXT_SERIALIZERS = {
    "torr.html": "serializers.table.html",
    "torr.csv": None,  # what unitxt writes where no serializer is named
    "torr.json": "serializers.table.json",
    "torr.markdown": "serializers.table.markdown",
    "torr.indexed_row_major": "serializers.table.indexed_row_major",
    "torr.df": "serializers.table.df",
    "torr.concat": "serializers.table.concat",
}


def ours(card: str, examples: int) -> list[str]:
    """All prompts by this package."""
    from torr_plugin.recipes import Recipe, plan

    recipe = Recipe.model_validate(
        {
            "name": "expansion",
            "cards": [card],
            "configurations": {"serializers": "torr", "perturbations": "torr"},
            "demonstrations": {"shots": 1},
            "examples": {"count": examples},
        }
    )
    return [request.prompt[0].content for request in plan(recipe).requests()]


def unitxts(card: str, examples: int) -> list[str]:
    """All prompts by unitxt."""
    from torr_plugin.recipes.names import TORR_PERTURBATIONS

    return [
        prompt
        for serializer in UNITXT_SERIALIZERS.values()
        for perturbation in TORR_PERTURBATIONS
        for prompt in _one_recipe(card, serializer, perturbation, examples)
    ]


def _one_recipe(card: str, serializer: str | None, perturbation: str, examples: int) -> list[str]:
    from unitxt import load_dataset

    arguments: dict[str, Any] = {}
    if serializer is not None:
        arguments["serializer"] = serializer
    if perturbation != "none":
        arguments["augmentor"] = f"augmentors.table.{perturbation}"
    dataset = load_dataset(
        card=card,
        template_card_index=0,
        num_demos=1,
        demos_pool_size=POOL,
        demos_taken_from="train",
        max_test_instances=examples,
        split="test",
        use_cache=False,
        **arguments,
    )
    return list(dataset["source"])


def timed(make: Callable[[str, int], list[str]], examples: int) -> dict[str, float]:
    """Prompts, seconds and prompts a second of one way."""
    with contextlib.redirect_stderr(io.StringIO()):  # unitxt draws a bar a recipe
        make(WARM_UP, 2)
        start = time.perf_counter()
        prompts = make(CARD, examples)
        seconds = time.perf_counter() - start
    return {"prompts": len(prompts), "seconds": seconds, "prompts_per_second": len(prompts) / seconds}


def main() -> None:
    """Measure both and print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--examples", type=int, default=100, help="examples a configuration (35 configurations)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    args = parser.parse_args()

    from torr_plugin.catalog import register

    register()
    results = {"torr-plugin": timed(ours, args.examples), "unitxt": timed(unitxts, args.examples)}
    results["torr-plugin, data read"] = timed(ours, args.examples)
    ratio = results["torr-plugin"]["prompts_per_second"] / results["unitxt"]["prompts_per_second"]
    if args.json:
        json.dump({**results, "ratio": ratio}, sys.stdout)
        print()
        return
    for name, result in results.items():
        print(
            f"{name:23} {result['prompts']:6.0f} prompts in {result['seconds']:7.2f} s:"
            f" {result['prompts_per_second']:9.0f} a second"
        )
    print(f"ratio of the first two  {ratio:.1f}")


if __name__ == "__main__":
    main()
