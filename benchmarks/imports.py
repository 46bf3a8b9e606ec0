"""CPU time of ``import torr_plugin`` and ``torr --help``, beside unitxt's import, in the same run.

python benchmarks/imports.py [--rounds 5] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys

COMMANDS = {
    "python (empty)": [sys.executable, "-c", ""],
    "import torr_plugin": [sys.executable, "-c", "import torr_plugin"],
    "torr --help": [sys.executable, "-m", "torr_plugin.cli.app", "--help"],
    "import unitxt (peer)": [sys.executable, "-c", "import unitxt"],
}


def cpu_seconds(command: list[str]) -> float:
    """User and system time of one finished child process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        command,
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "HF_HUB_OFFLINE": "1"},
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main() -> None:
    """Print the best of several rounds, the commands taken in turn so that noise falls on all alike."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    best = dict.fromkeys(COMMANDS, float("inf"))
    for _ in range(arguments.rounds):
        for name, command in COMMANDS.items():
            best[name] = min(best[name], cpu_seconds(command))
    peer = best["import unitxt (peer)"]
    if arguments.json:
        print(
            json.dumps(
                {
                    name: {"cpu_seconds": round(value, 3), "of_peer": round(value / peer, 4)}
                    for name, value in best.items()
                }
            )
        )
        return
    for name, value in best.items():
        print(f"{name:24} {value:6.3f} s CPU   {value / peer:7.1%} of unitxt's import")


if __name__ == "__main__":
    main()
