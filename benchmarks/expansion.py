"""How fast the prompts of ToRR are made: ours beside unitxt, on the same data, in one run.

    TORR_DATA=DIR python benchmarks/expansion.py [--cards wikitq,...] [--examples 100] [--rounds 3] [--json]

Three comparisons a data set, all of ToRR's 35 configurations with its number of demonstrations:

    recipe    recipes/torr.yaml with unitxt's draws beside unitxt's own recipes.torr.*; the prompts of the
              configurations that unitxt seeds are compared, and the run fails where a byte differs
    paired    the same recipe as it is shipped, beside the same of unitxt
    card      our card in its own words (demonstrations from the whole split) beside 35 calls of unitxt's
              load_dataset through the same card and the same loader (demonstrations from a pool of 100)

unitxt's recipes are asked in seven of the 35 configurations, every serializer and every perturbation among
them; their time is scaled up, that of reading the rows, which is done once, is not. Every figure comes from a
process of its own after a warm-up on other data, with its own peak memory: seconds of CPU time (the least of
some rounds) from the first call to the last prompt, reading the data included. Last, how our time grows with
configurations of one kind.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import expansion_sides as sides
from torr_mirror import DATASETS, complete_mirror

CONFIGURATIONS = 35
GROWTH = (1, 2, 5, 10, 20)
"""Numbers of perturbations of one kind, each with seven serializers."""

COMPARED = {
    "recipe": ("ours recipe", "unitxt recipe"),
    "paired": ("ours paired", "unitxt recipe"),
    "card": ("ours card", "unitxt card"),
}
SIDES: dict[str, Callable[[str, int], sides.By]] = {
    "ours recipe": lambda dataset, examples: sides.ours_recipe(dataset, examples, "unitxt"),
    "ours paired": lambda dataset, examples: sides.ours_recipe(dataset, examples, "paired"),
    "ours card": sides.ours_card,
    "unitxt recipe": sides.unitxt_recipe,
    "unitxt card": sides.unitxt_card,
    **{
        f"growth {times}": lambda dataset, examples, times=times: sides.ours_growing(dataset, examples, times)
        for times in GROWTH
    },
}


def one_side(side: str, dataset: str, examples: int, other: str) -> dict[str, Any]:
    """The figures of one side on one data set after a warm-up on another; meant for a process of its own."""
    if side == "unitxt card":
        from torr_plugin.integrations.unitxt import register

        register()
    _drained(SIDES[side], other, 2)
    with sides.no_network(dataset) if side == "unitxt recipe" else contextlib.nullcontext():
        figures = _drained(SIDES[side], dataset, examples)
    if side == "unitxt recipe":
        figures["seconds"] = figures["before"] + figures["expanding"] * CONFIGURATIONS / len(sides.SAMPLED)
    return {**figures, "peak_mib": _peak()}


def _peak() -> float:
    """The process's own peak memory in MiB; getrusage's holds that of the process it was forked from."""
    status = Path("/proc/self/status")
    if status.is_file():
        line = next(each for each in status.read_text().splitlines() if each.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _drained(make: Callable[[str, int], sides.By], dataset: str, examples: int) -> dict[str, Any]:
    """Makes all prompts, one configuration at a time in memory; hashes are taken off the clock."""
    hashes, prompts, characters, expanding = {}, 0, 0, 0.0
    start = time.process_time()
    before = None
    for configuration, made in make(dataset, examples):
        before = time.process_time() - start if before is None else before
        begun = time.process_time()
        texts = list(made)
        expanding += time.process_time() - begun
        prompts, characters = prompts + len(texts), characters + sum(map(len, texts))
        hashes[configuration] = hashlib.sha256("\x1f".join(texts).encode()).hexdigest()
    return {
        "configurations": len(hashes),
        "prompts": prompts,
        "characters": characters,
        "before": before,
        "expanding": expanding,
        "seconds": (before or 0.0) + expanding,
        "hashes": hashes,
    }


def measured(side: str, dataset: str, examples: int, rounds: int) -> dict[str, Any]:
    """The figures of one side, the quickest of some processes."""
    command = [sys.executable, __file__, "--side", side, "--cards", dataset, "--examples", str(examples)]
    found = []
    for _ in range(rounds):
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        found.append(json.loads(done.stdout.splitlines()[-1]))
    best: dict[str, Any] = min(found, key=lambda each: each["seconds"])
    return best


def compare(datasets: list[str], examples: int, rounds: int) -> dict[str, Any]:
    """All figures: by data set every side, the ratios, and over all data sets; and the growth."""
    found: dict[str, dict[str, Any]] = {}
    for dataset in datasets:
        found[dataset] = {
            # unitxt's own cards are slow: once
            side: measured(side, dataset, examples, rounds if side.startswith("ours") else 1)
            for side in dict.fromkeys(side for pair in COMPARED.values() for side in pair)
        }
        found[dataset]["equal"] = equal_prompts(found[dataset], dataset)
    results: dict[str, Any] = {
        "datasets": found,
        "ratios": {each: ratios([found[each]]) for each in datasets},
        "overall": ratios([found[each] for each in datasets]),
        "growth": {7 * times: measured(f"growth {times}", datasets[0], examples, rounds) for times in GROWTH},
        "load": os.getloadavg(),
    }
    return results


def equal_prompts(by_side: dict[str, Any], dataset: str) -> int:
    """How many configurations' prompts were compared byte for byte.

    Raises:
        SystemExit: those of one configuration differ.
    """
    ours, theirs = (by_side[side]["hashes"] for side in COMPARED["recipe"])
    seeded = [each for each in theirs if each.split("/")[1] in sides.SEEDED]
    different = [each for each in seeded if ours[each] != theirs[each]]
    if different:
        raise SystemExit(f"{dataset}: prompts differ from unitxt's in {', '.join(different)}")
    return len(seeded)


def ratios(found: list[dict[str, Any]]) -> dict[str, float]:
    """How many times unitxt's rate ours is, over all prompts of some data sets, by comparison."""
    return {
        name: sum(each[theirs]["seconds"] for each in found) / sum(each[ours]["seconds"] for each in found)
        for name, (ours, theirs) in COMPARED.items()
    }


def _show(results: dict[str, Any], examples: int) -> None:
    print(
        f"{'':28}{'seconds':>9}{'a second':>10}{'before':>9}{'peak MiB':>10}   (before: to the first prompt)"
    )
    for dataset, found in results["datasets"].items():
        for side in dict.fromkeys(side for pair in COMPARED.values() for side in pair):
            _line(f"{dataset} {side}", found[side], CONFIGURATIONS * examples)
        print(
            f"  prompts equal byte for byte in {found['equal']} configurations; ratios "
            + _ratios(results["ratios"][dataset])
        )
    print(f"overall ratios {_ratios(results['overall'])}")
    for number, figures in results["growth"].items():
        _line(f"{number} configurations", figures, figures["prompts"])
        print(f"{'':28}without reading {figures['expanding']:.3f}")
    print("load", *(f"{each:.1f}" for each in results["load"]))


def _ratios(found: dict[str, float]) -> str:
    return ", ".join(f"{name} {ratio:.1f}" for name, ratio in found.items())


def _line(name: str, of: dict[str, Any], prompts: int) -> None:
    rate = prompts / of["seconds"]
    print(f"{name:28}{of['seconds']:9.2f}{rate:10.0f}{of['before']:9.2f}{of['peak_mib']:10.0f}")


def main() -> None:
    """Measure both and print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cards", default=",".join(DATASETS), help="data sets, by comma")
    parser.add_argument("--examples", type=int, default=100, help="examples a configuration")
    parser.add_argument("--rounds", type=int, default=3, help="runs of ours; the quickest counts")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--side", choices=list(SIDES), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.side:
        kept = sys.stdout
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            other = "numeric_nlg" if args.cards == "scigen" else "scigen"
            figures = one_side(args.side, args.cards, args.examples, other)  # unitxt draws bars
        print(json.dumps(figures), file=kept)
        return
    with tempfile.TemporaryDirectory() as folder:
        complete_mirror(Path(os.environ["TORR_DATA"]), Path(folder))
        os.environ["TORR_DATA"] = folder
        results = compare(args.cards.split(","), args.examples, args.rounds)
    if args.json:
        print(json.dumps(results))
    else:
        _show(results, args.examples)


if __name__ == "__main__":
    main()
