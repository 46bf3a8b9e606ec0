"""What the pages are run in: a directory that looks like the checkout, an environment without a network."""

from __future__ import annotations

import os
import shutil
import socket
from pathlib import Path

from . import standins
from .blocks import ROOT, Block
from .session import Session

_COPIED = ("recipes", "cards", "examples", "leaderboard")
_LINKED = ("benchmarks", "docs", "tox.ini", "pyproject.toml")
_KEPT = ("HOME", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH", "PYTHONPATH")


def shared_environment(commands: Path, *, data: Path, hub: Path, warm: str) -> dict[str, str]:
    """The variables of all pages; ``commands`` is made, a folder for PATH."""
    standins.make(commands, warm)
    known = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return known | {
        "PATH": f"{commands}:{os.environ['PATH']}",
        "TORR_DATA": str(data),
        "HF_HOME": str(hub),
        "HF_HUB_OFFLINE": "1",
        "COLUMNS": "80",
        "RAY_USAGE_STATS_ENABLED": "0",
        "TOKENIZERS_PARALLELISM": "false",
        "OMP_NUM_THREADS": "1",  # threads that wait for each other cost more than they bring to a tiny model
    }


def begin(folder: Path, blocks: list[Block], shared: dict[str, str]) -> Session:
    """A session for a page's blocks, in a folder with what a reader sees at the checkout's top."""
    work, kept = folder / "work", folder / "kept"
    work.mkdir()
    (kept / "installed").mkdir(parents=True)
    for name in _COPIED:
        shutil.copytree(ROOT / name, work / name)
    for name in _LINKED:
        (work / name).symlink_to(ROOT / name)
    installed = [str(kept / "installed"), *filter(None, [shared.get("PYTHONPATH")])]
    own = {
        "PYTHONPATH": os.pathsep.join(installed),  # the first is for plugins that the page installs
        "PAGE_FOLDER": str(work),
        "PAGE_STATE": str(kept / "state"),
    }
    if any("ray start" in block.text for block in blocks):
        own["RAY_ADDRESS"] = f"127.0.0.1:{_free_port()}"
    return Session(work, shared | own, kept)


def _free_port() -> int:
    """A port of this machine that nobody listens at."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])
