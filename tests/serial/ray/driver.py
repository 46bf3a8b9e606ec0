"""A driver to be killed: asks a slow model on the cluster at an address, and stores its answers in a run."""

from __future__ import annotations

import sys
from pathlib import Path

from torr_plugin.recipes import ModelEntry
from torr_plugin.running import add_model, execute
from torr_plugin.running.runner import RayCluster

from ...running.asked_models import Plan

SLOW = ModelEntry(model="test-slow", args={"seconds": 0.03})


def ask(run: Path, address: str | None = None) -> None:
    add_model("test-slow", "tests.running.asked_models:Slow", origin="the tests")
    execute(Plan([f"say w{n}" for n in range(500)]), [SLOW], run, executor=RayCluster(address))


if __name__ == "__main__":
    ask(Path(sys.argv[1]), sys.argv[2])
