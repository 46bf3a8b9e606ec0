"""The journeys of first users, by the commands that they type: how long each takes, and what goes wrong.

    python benchmarks/journeys.py [--journey own,server,model,plugin,odd] [--here] [--extras api,hf]
                                  [--keep FOLDER] [--json]

Begins with a clean clone of this checkout in an environment of its own; ``--here`` takes this checkout and
environment as they are. Each step is a command in a process of its own, with the exit code and the words that
must give. Ends with 1 if a step did not go as expected. A step whose package is missing is left out, by name.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import journey_steps
from journey_walk import Environment, UnexpectedError, Walk

ROOT = Path(__file__).resolve().parents[1]
JOURNEYS: Mapping[str, Callable[[Walk], None]] = {
    "own": journey_steps.own_tables,
    "server": journey_steps.faulty_server,
    "model": journey_steps.tiny_model,
    "plugin": journey_steps.toon_plugin,
    "odd": journey_steps.odd_inputs,
}


def walked(name: str, environment: Environment, folder: Path) -> Walk:
    """A journey, up to its first step that did not go as expected."""
    walk = Walk(name, environment, folder / name)
    with contextlib.suppress(UnexpectedError):  # the step says what happened
        JOURNEYS[name](walk)
    return walk


def clean_clone(walk: Walk, extras: str) -> Environment:
    """Clone the checkout and install it in an environment of its own, as a new user does."""
    clone, python = walk.folder / "clone", walk.folder / "env" / "bin" / "python"
    walk.step("clone", ["git", "clone", "-q", str(ROOT), str(clone)])
    walk.step("make an environment", [sys.executable, "-m", "venv", str(python.parents[1])])
    wanted = ".[{}]".format(",".join(["test", *filter(None, extras.split(","))]))
    walk.step("install", [str(python), "-m", "pip", "install", "-q", wanted], cwd=clone)
    walk.step("quickstart", [str(python.with_name("torr")), "quickstart"], says="torr-lexical", cwd=clone)
    return Environment(python, clone)


def report(walks: list[Walk]) -> list[str]:
    """A line a step, and the minutes of each journey."""
    lines = []
    for walk in walks:
        lines.append(f"{walk.name}: {walk.seconds / 60:.1f} min")
        for step in walk.steps:
            lines.append(f"  {step.outcome:<12} {step.seconds:7.1f} s  {step.what}")
            if step.detail:
                lines += [f"  {'':<12} {'':9}  {line}" for line in step.detail.splitlines()]
    return lines


def main() -> int:
    """Walk, print, and give the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--journey", default=",".join(JOURNEYS), help="only these, separated by commas")
    parser.add_argument("--here", action="store_true", help="in this environment, without a clone")
    parser.add_argument("--extras", default="api", help="install the clone with these, e.g. api,hf")
    parser.add_argument("--keep", type=Path, help="walk in this new folder, and leave it")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    names = given.journey.split(",")
    if unknown := [name for name in names if name not in JOURNEYS]:
        parser.error(f"--journey: found {', '.join(unknown)}; expected some of {', '.join(JOURNEYS)}")
    with tempfile.TemporaryDirectory(prefix="journeys-") as temporary:
        folder = (given.keep or Path(temporary)).resolve()
        walks = _walks(names, folder, here=given.here, extras=given.extras)
    if given.json:
        print(json.dumps({walk.name: walk.record() for walk in walks}))
    else:
        print("\n".join(report(walks)))
    return 0 if all(walk.as_expected for walk in walks) else 1


def _walks(names: list[str], folder: Path, *, here: bool, extras: str) -> list[Walk]:
    environment = Environment(Path(sys.executable), ROOT)
    if here:
        return [walked(name, environment, folder) for name in names]
    first = Walk("a clean clone", environment, folder / "start")
    try:
        environment = clean_clone(first, extras)
    except UnexpectedError:
        return [first]
    return [first, *(walked(name, environment, folder) for name in names)]


if __name__ == "__main__":
    sys.exit(main())
