"""What the pages are run in: a directory that looks like the checkout, an environment without a network."""

from __future__ import annotations

import os
import shutil
import socket
from pathlib import Path

from . import standins
from .blocks import ROOT

_COPIED = ("recipes", "cards", "examples", "leaderboard")
_LINKED = ("benchmarks", "docs", "tox.ini", "pyproject.toml")
_KEPT = ("HOME", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH")


def working_directory(folder: Path, data: Path) -> Path:
    """A fresh directory with what a reader sees at the top of the checkout; what is written stays there.

    Beside it lies the file of published answers that the mirror in ``data`` has.
    """
    folder.mkdir(parents=True)
    for name in _COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name)
    for name in _LINKED:
        (folder / name).symlink_to(ROOT / name)
    for answers in (data / "hctqa").glob("responses_*"):
        (folder / answers.name).symlink_to(answers)
    return folder


def environment(folder: Path, *, data: Path, hub: Path, kept: Path) -> dict[str, str]:
    """The variables of a page's commands."""
    commands = standins.make(kept / "commands")
    (kept / "installed").mkdir()
    known = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return known | {
        "PATH": f"{commands}:{os.environ['PATH']}",
        "PYTHONPATH": str(kept / "installed"),  # of plugins that the page installs
        "PAGE_FOLDER": str(folder),
        "PAGE_STATE": str(kept / "state"),
        "TORR_DATA": str(data),
        "HF_HOME": str(hub),
        "HF_HUB_OFFLINE": "1",
        "COLUMNS": "80",
        "RAY_USAGE_STATS_ENABLED": "0",
        "TOKENIZERS_PARALLELISM": "false",
        "OMP_NUM_THREADS": "1",  # threads that wait for each other cost more than they bring to a tiny model
    }


def free_port() -> int:
    """A port of this machine that nobody listens at."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])
