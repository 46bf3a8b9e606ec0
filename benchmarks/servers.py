"""Models behind a server: our runs beside lm-eval's own requests, with a good server and with faulty ones.

    python benchmarks/servers.py [--examples 60] [--at-once 64] [--repeats 5] [--mixes clean,429] [--json]

The server is a process of its own and answers after 20 ms. Both clients ask the same prompts (35
configurations of a bundled card) with as many requests at once, in turns; the medians count. The prompts are
ready for both: ours begins like a run that is resumed, reads them from its directory and stores all answers,
flushed to the disk; lm-eval's is its ``generate_until`` alone. Four mixes of faults follow: 2.4 % of the
attempts are refused (429, ``Retry-After: 1``), 2.6 % fail (500), 1 % are answered after a second, and all of
these together.
"""

from __future__ import annotations

import argparse
import json
import logging
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, astuple, dataclass
from itertools import count, product
from pathlib import Path
from typing import Any, TypeAlias

from faulty_server import ANSWER, Faults, FaultyServer, faulty_server

from torr_plugin.recipes import ModelEntry, Plan, Recipe, plan
from torr_plugin.running import Run, execute
from torr_plugin.running.loaded_model import Contexts, lm_eval_arguments
from torr_plugin.running.model_classes import lm_class

Ask: TypeAlias = Callable[[], None]
Side: TypeAlias = Callable[[], Ask]  # makes ready what is not measured

MIXES = {
    "clean": Faults(),
    "429": Faults(refused=0.024),
    "500": Faults(failed=0.026),
    "slow": Faults(slow=0.01),
    "all": Faults(refused=0.024, failed=0.026, slow=0.01),
}
MODEL = "local-chat-completions"
ATTEMPTS = 10  # of a request: lm-eval's three would end its run


@dataclass(frozen=True)
class Measured:
    """One client, one time: wall-clock and processor seconds."""

    seconds: float
    processor: float


@dataclass(frozen=True)
class Compared:
    """The medians of both clients under one mix."""

    mix: str
    requests: int
    ours: Measured
    lm_eval: Measured

    @property
    def time(self) -> float:
        """Our time over lm-eval's."""
        return self.ours.seconds / self.lm_eval.seconds

    @property
    def processor(self) -> float:
        """Our processor time over lm-eval's."""
        return self.ours.processor / self.lm_eval.processor


def main() -> None:
    """Measure and print."""
    given = _arguments()
    logging.disable(logging.ERROR)  # lm-eval says each failed attempt
    planned = _plan(given.examples)
    requests = len({request.key for request in planned.requests()})
    with faulty_server() as server, tempfile.TemporaryDirectory() as folder:
        arguments = {
            "base_url": server.url,
            "model": "served",
            "num_concurrent": given.at_once,
            "max_retries": ATTEMPTS,
        }
        sides = {"ours": _ours(planned, arguments, Path(folder)), "lm-eval": _theirs(planned, arguments)}
        for side in sides.values():  # imports
            side()()
        found = [_compared(mix, requests, sides, server, given.repeats) for mix in given.mixes]
    if given.json:
        print(json.dumps({each.mix: {**asdict(each), "time": each.time} for each in found}))
    else:
        _print_table(found)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--examples", type=int, default=60, help="examples, each in 35 configurations")
    parser.add_argument("--at-once", type=int, default=64, help="requests at once")
    parser.add_argument("--repeats", type=int, default=5, help="times that each is measured")
    parser.add_argument("--mixes", default=",".join(MIXES), help="some of these")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    given.mixes = given.mixes.split(",")
    if unknown := [mix for mix in given.mixes if mix not in MIXES]:
        parser.error(f"--mixes: {unknown[0]!r}, expected some of {', '.join(MIXES)}")
    return given


def _plan(examples: int) -> Plan:
    return plan(
        Recipe.model_validate(
            {
                "name": "servers",
                "cards": ["cards.bundled.fact_verification"],
                "configurations": {"serializers": "torr", "perturbations": "torr"},
                "demonstrations": {"shots": 1},
                "examples": {"count": examples},
                "generation": {"max_tokens": 64},
            }
        )
    )


def _ours(planned: Plan, arguments: dict[str, Any], folder: Path) -> Side:
    """Ask in a new copy of a run that has its prompts and no answer."""
    entry, numbers, prepared = ModelEntry(model=MODEL, args=arguments), count(), folder / "prepared"
    Run.create_or_resume(prepared, planned, [entry])

    def prepare() -> Ask:
        run = shutil.copytree(prepared, folder / f"run{next(numbers)}")

        def ask() -> None:
            summary = execute(planned, [entry], run)
            assert (summary.answered, summary.failed) == (summary.requests, 0), summary

        return ask

    return prepare


def _theirs(planned: Plan, arguments: dict[str, Any]) -> Side:
    """``generate_until`` of all requests."""
    from lm_eval.api.instance import Instance

    lm: Any = lm_class(MODEL).create_from_arg_obj(arguments)
    contexts, generation = Contexts(lm, chat=True), lm_eval_arguments(planned.generation)
    prompts = {request.key: request.prompt for request in planned.requests()}
    instances = [
        Instance("generate_until", {}, (contexts.of(prompt).text, {**generation}), number)
        for number, prompt in enumerate(prompts.values())
    ]

    def ask() -> None:
        texts = lm.generate_until(instances, disable_tqdm=True)
        assert texts == [ANSWER] * len(prompts)

    return lambda: ask


def _compared(
    mix: str, requests: int, sides: dict[str, Side], server: FaultyServer, repeats: int
) -> Compared:
    found: dict[str, list[Measured]] = {name: [] for name in sides}
    for _, (name, side) in product(range(repeats), sides.items()):
        found[name].append(_measured(side(), server, MIXES[mix]))
    return Compared(mix, requests, _median(found["ours"]), _median(found["lm-eval"]))


def _measured(ask: Ask, server: FaultyServer, faults: Faults) -> Measured:
    server.switch(faults)
    wall, processor = time.perf_counter(), time.process_time()
    ask()
    return Measured(time.perf_counter() - wall, time.process_time() - processor)


def _median(measured: Sequence[Measured]) -> Measured:
    return Measured(*(statistics.median(values) for values in zip(*map(astuple, measured), strict=True)))


def _print_table(found: Sequence[Compared]) -> None:
    _print_row(
        "server", "ours, s", "lm-eval, s", "ours, a second", "lm-eval, a second", "time", "processor time"
    )
    _print_row("---", *["---:"] * 6)
    for each in found:
        sides = (each.ours, each.lm_eval)
        seconds = [f"{side.seconds:.2f}" for side in sides]
        rates = [f"{each.requests / side.seconds:,.0f}" for side in sides]
        _print_row(each.mix, *seconds, *rates, f"{each.time:.2f}", f"{each.processor:.2f}")


def _print_row(*cells: str) -> None:
    print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
