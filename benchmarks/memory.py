"""How much memory a study takes, and whether more requests take more.

    python benchmarks/memory.py [--requests 1000000] [--analyse] [--json]

Plans, runs with a model that answers a constant, stores and scores (with ``--analyse`` also analyses) a study
of so many requests: ToRR's 35 configurations of as many generated tables as that takes, every prompt a
different one. Each size has a process of its own, whose peak of resident memory is told after each step; a
tenth of the requests is run first, so that what grows can be seen.
"""

from __future__ import annotations

import argparse
import json
import logging
import math
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

CONFIGURATIONS = 35
LIMIT_MIB = 2048


def study(requests: int, folder: Path) -> Any:
    """The recipe of a study with about so many requests: the bundled card of looked-up cells, made longer."""
    from torr_plugin.recipes import Recipe

    bundled = Path(__file__).parents[1] / "cards" / "bundled" / "cell_lookup.json"
    card = json.loads(bundled.read_text(encoding="utf-8"))
    card["loader"]["splits"]["test"] = math.ceil(requests / CONFIGURATIONS)
    path = folder / "many_cells.json"
    path.write_text(json.dumps(card), encoding="utf-8")
    return Recipe.model_validate(
        {
            "name": "memory",
            "cards": [str(path)],
            "configurations": {"serializers": "torr", "perturbations": "torr"},
            "demonstrations": {"shots": 1},
            "examples": {"count": "all", "draw": "first"},
            "models": [{"model": "torr-constant", "args": {"answer": "lol"}}],
        }
    )


def measured(requests: int, *, analysed: bool) -> dict[str, Any]:
    """One study in this process: seconds and peak memory after each step."""
    from torr_plugin.recipes import plan
    from torr_plugin.running import Run, execute
    from torr_plugin.scoring import lengths_of_run, score_run

    steps: list[dict[str, Any]] = []
    started = time.perf_counter()

    def done(step: str) -> None:
        steps.append({"step": step, "seconds": time.perf_counter() - started, "peak_mib": peak_mib()})

    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        recipe = study(requests, folder)
        done("start")
        planned = plan(recipe)
        done("plan")
        summary = execute(planned, recipe.models, folder / "run")
        done("execute")
        run = Run.open(summary.run)
        scores = score_run(run)
        run.write_scores(scores)
        run.write_examples(planned)
        run.write_lengths(lengths_of_run(run))
        done("score")
        scored = int(scores["main"].sum())
        if summary.failed or scored != planned.size or summary.answered != summary.requests:
            raise SystemExit(f"{scored} scores of {planned.size} requests, {summary.failed} failed")
        if analysed:
            from torr_plugin.analysis import analyse

            run.write_analysis(analyse(scores, examples=run.examples(), lengths=run.lengths()))
            done("analyse")
        size = sum(path.stat().st_size for path in summary.run.rglob("*") if path.is_file())
        files = sum(path.is_file() for path in summary.run.rglob("*"))
    seconds = steps[3]["seconds"] - steps[0]["seconds"]
    return {
        "requests": planned.size,
        "unique": summary.requests,
        "requests_per_second": planned.size / seconds,
        "seconds": seconds,
        "peak_mib": steps[-1]["peak_mib"],
        "bytes_a_request": size / planned.size,
        "files": files,
        "steps": steps,
    }


def peak_mib() -> float:
    """The most memory this process has held."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def apart(requests: int, *, analysed: bool) -> dict[str, Any]:
    """:func:`measured` in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.json"
        command = [sys.executable, __file__, "--requests", str(requests), "--result", str(result)]
        done = subprocess.run(
            [*command, *["--analyse"] * analysed], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise SystemExit(f"{requests} requests: {done.stderr.strip()[-2000:]}")
        found: dict[str, Any] = json.loads(result.read_text())
    return found


def main() -> None:
    """Measure and print; the exit code is 1 where the limit is passed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--requests", type=int, default=1_000_000, help="about so many")
    parser.add_argument("--analyse", action="store_true", help="analyse too")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--result", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.result:
        logging.disable(logging.WARNING)
        args.result.write_text(json.dumps(measured(args.requests, analysed=args.analyse)))
        return
    sizes = [args.requests // 10, args.requests]
    found = [apart(size, analysed=args.analyse) for size in sizes]
    if args.json:
        json.dump({"runs": found, "limit_mib": LIMIT_MIB}, sys.stdout)
        print()
    else:
        for each in found:
            _show(each)
    sys.exit(int(found[-1]["peak_mib"] > LIMIT_MIB))


def _show(each: dict[str, Any]) -> None:
    print(
        f"{each['requests']:,} requests ({each['unique']:,} different) in {each['seconds']:.1f} s:"
        f" {each['requests_per_second']:,.0f} a second, {each['bytes_a_request']:.0f} bytes a request on disk"
        f" in {each['files']} files"
    )
    for step in each["steps"]:
        print(f"  after {step['step']:8} {step['seconds']:8.1f} s  peak {step['peak_mib']:7,.0f} MiB")


if __name__ == "__main__":
    main()
