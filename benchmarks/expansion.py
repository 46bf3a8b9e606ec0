"""How fast a study's prompts are made: ours beside unitxt, on the same cards and the same data, in one run.

    TORR_DATA=DIR python benchmarks/expansion.py [--cards wikitq,...] [--examples 100] [--json]

Both make the prompts of each data set in ToRR's 35 configurations with ToRR's number of demonstrations.
unitxt does it as its users do: one ``load_dataset`` a configuration, through the same card and the same
loader, drawing from a pool of 100 demonstrations; ours draws from the whole split. Every figure comes from a
process of its own, so that its peak memory is its own, after a warm-up on another card. Seconds are of CPU
time (other work on the machine counts little), from the first call to the last prompt, reading the data
included. Beside them stands the same without reading: ours made once more with the data in memory, unitxt's
less the seconds spent in the card's loader. Last, how our time grows with configurations.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

WARM_UP = "bundled.cell_lookup"
SHOTS = {"wikitq": 1}  # and 5 for every other data set, as in ToRR
POOLS = {"numeric_nlg": "validation"}  # and train for every other
POOL = 100
"""How many examples unitxt draws demonstrations from, as in ToRR."""

UNITXT_SERIALIZERS = {
    "torr.html": "serializers.table.html",
    "torr.csv": None,  # what unitxt writes where no serializer is named
    "torr.json": "serializers.table.json",
    "torr.markdown": "serializers.table.markdown",
    "torr.indexed_row_major": "serializers.table.indexed_row_major",
    "torr.df": "serializers.table.df",
    "torr.concat": "serializers.table.concat",
}
PERTURBATIONS = ("none", "shuffle_rows", "shuffle_cols", "transpose", "insert_empty_rows")
LOSSLESS = ["html", "csv", "json", "markdown", "indexed_row_major", "df", "concat"]
GROWTH: dict[int, tuple[list[str], list[str]]] = {
    7: (["torr"], ["none"]),
    14: (["torr"], ["none", "shuffle_rows"]),
    35: (["torr"], ["torr"]),
    70: (["torr", *LOSSLESS], ["torr"]),
}
"""Numbers of configurations, and the serializers and perturbations that make them."""


def ours(card: str, examples: int, configurations: int = 35) -> Iterator[str]:
    """All prompts by this package."""
    from torr_plugin.recipes import Recipe, plan

    serializers, perturbations = GROWTH[configurations]
    recipe = Recipe.model_validate(
        {
            "name": "expansion",
            "cards": [f"cards.{card}"],
            "configurations": {"serializers": serializers, "perturbations": perturbations},
            "demonstrations": {"shots": SHOTS.get(card, 5)},
            "examples": {"count": examples},
        }
    )
    return (request.prompt[0].content for request in plan(recipe).requests())


def unitxts(card: str, examples: int) -> Iterator[str]:
    """All prompts by unitxt."""
    for serializer in UNITXT_SERIALIZERS.values():
        for perturbation in PERTURBATIONS:
            yield from _one_recipe(card, serializer, perturbation, examples)


def _one_recipe(card: str, serializer: str | None, perturbation: str, examples: int) -> list[str]:
    from unitxt import load_dataset

    arguments: dict[str, Any] = {}
    if serializer is not None:
        arguments["serializer"] = serializer
    if perturbation != "none":
        arguments["augmentor"] = f"augmentors.table.{perturbation}"
    dataset = load_dataset(
        card=f"cards.{card}",
        template_card_index=0,
        num_demos=SHOTS.get(card, 5),
        demos_pool_size=POOL,
        demos_taken_from=POOLS.get(card, "train"),
        max_test_instances=examples,
        split="test",
        use_cache=False,
        **arguments,
    )
    return list(dataset["source"])


def _made(prompts: Iterator[str]) -> dict[str, float]:
    """Counts prompts, each let go as the next comes, as a study that writes them to disk does."""
    start, count, characters = time.process_time(), 0, 0
    for prompt in prompts:
        count += 1
        characters += len(prompt)
    return {"prompts": count, "characters": characters, "seconds": time.process_time() - start}


def _measure_ours(card: str, examples: int, configurations: int) -> dict[str, float]:
    _made(ours(WARM_UP, 2))
    found = _timed(lambda: ours(card, examples, configurations))
    again = _timed(lambda: ours(card, examples, configurations))
    return {**found, "seconds_without_reading": again["seconds"]}


def _timed(make: Any) -> dict[str, float]:
    """With the planning, which happens before the first prompt is asked for."""
    start = time.process_time()
    found = _made(make())
    return {**found, "seconds": time.process_time() - start}


def _measure_unitxt(card: str, examples: int) -> dict[str, float]:
    from torr_plugin.catalog import register

    register()
    with contextlib.redirect_stderr(io.StringIO()):  # unitxt draws a bar a recipe
        # the warm-up card is small: a pool of its size, one demonstration
        _made(iter(_one_recipe(WARM_UP, None, "none", 2)))
        spent = _count_loading()
        found = _timed(lambda: unitxts(card, examples))
    return {**found, "seconds_without_reading": found["seconds"] - spent[0]}


def _count_loading() -> list[float]:
    """From now on the seconds spent in the card's loader are added up in the list's one place."""
    from torr_plugin.catalog.unitxt_artifacts import CardLoader

    spent, plain = [0.0], CardLoader.split_generator

    def counted(self: Any, split: str) -> Iterator[Any]:
        rows = plain(self, split)
        while True:
            start = time.process_time()
            row = next(rows, None)
            spent[0] += time.process_time() - start
            if row is None:
                return
            yield row

    CardLoader.split_generator = counted
    return spent


def measured(side: str, card: str, examples: int, configurations: int = 35) -> dict[str, float]:
    """The figures of one side on one card, from a process of its own."""
    arguments = ["--side", side, "--cards", card, "--examples", str(examples)]
    done = subprocess.run(
        [sys.executable, __file__, *arguments, "--configurations", str(configurations)],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def _one_side(side: str, card: str, examples: int, configurations: int) -> None:
    kept = sys.stdout
    with contextlib.redirect_stdout(io.StringIO()):
        figures = (
            _measure_ours(card, examples, configurations)
            if side == "ours"
            else _measure_unitxt(card, examples)
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({**figures, "peak_mib": peak}), file=kept)


def compare(cards: list[str], examples: int) -> dict[str, Any]:
    """All figures: by card both sides and their ratio, over all cards, and the growth with configurations."""
    sets: dict[str, Any] = {}
    for card in cards:
        sides = {side: measured(side, card, examples) for side in ("ours", "unitxt")}
        sets[card] = {**sides, **_ratios([sides])}
    growth = {number: measured("ours", cards[0], examples, number) for number in GROWTH}
    return {"cards": sets, "overall": _ratios(list(sets.values())), "growth": growth}


def _ratios(sets: list[dict[str, Any]]) -> dict[str, float]:
    """How many times unitxt's rate ours is, over all prompts of some cards."""

    def rate(side: str, seconds: str) -> float:
        prompts = sum(each[side]["prompts"] for each in sets)
        return float(prompts / sum(each[side][seconds] for each in sets))

    return {
        f"ratio{name}": rate("ours", f"seconds{name}") / rate("unitxt", f"seconds{name}")
        for name in ("", "_without_reading")
    }


def _show(results: dict[str, Any]) -> None:
    print("                     prompts   seconds  a second   without reading  a second   peak MiB")
    for card, sides in results["cards"].items():
        for side in ("ours", "unitxt"):
            _line(f"{card} {side}", sides[side])
        print(f"{card} ratio {sides['ratio']:.1f}, without reading {sides['ratio_without_reading']:.1f}")
    overall = results["overall"]
    print(f"overall ratio {overall['ratio']:.1f}, without reading {overall['ratio_without_reading']:.1f}")
    for number, figures in results["growth"].items():
        _line(f"{number} configurations", figures)


def _line(name: str, of: dict[str, float]) -> None:
    bare = of["seconds_without_reading"]
    print(
        f"{name:20} {of['prompts']:7.0f} {of['seconds']:9.2f} {of['prompts'] / of['seconds']:9.0f}"
        f" {bare:17.2f} {of['prompts'] / bare:9.0f} {of['peak_mib']:10.0f}"
    )


def main() -> None:
    """Measure both and print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cards", default="wikitq,tab_fact,scigen,numeric_nlg", help="data sets, by comma")
    parser.add_argument("--examples", type=int, default=100, help="examples a configuration")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--side", choices=["ours", "unitxt"], help=argparse.SUPPRESS)
    parser.add_argument("--configurations", type=int, default=35, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.side:
        _one_side(args.side, args.cards, args.examples, args.configurations)
        return
    results = compare(args.cards.split(","), args.examples)
    if args.json:
        print(json.dumps(results))
    else:
        _show(results)


if __name__ == "__main__":
    main()
