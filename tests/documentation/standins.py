"""Commands that stand in for what a reader does once: making environments and installing into them.

``python -m venv DIR`` makes a folder that leads to the tests' own environment. ``pip install`` installs a
plugin's folder for real, into a folder of the page's own; else it checks that what it is given is this
project with extras it has. ``pytest`` reads its options and collects nothing, and ``ray start`` has Ray read
its options and starts a cluster of the page's own. Real environments, pip and the tests are what CI runs.
Python's modules and files, and the commands in ``WARM``, run in a warm fork.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

NOTHING_COLLECTED = 5  # pytest's exit code
WARM = ("torr", "lm_eval", "helm-run")
_ASK = f'exec "{sys.executable}" -IS "{Path(__file__).with_name("client.py")}"'
_OWN = f'exec "{sys.executable}" "{Path(__file__).resolve()}"'
_PYTHON = f"""case "$1 $2" in
"-m venv") {_OWN} venv "{{folder}}" "$3";;
"-m pip") shift 2; {_OWN} pip "$@";;
"benchmarks/"*) exec "{sys.executable}" "$@";;
"-m "*|*.py" "*) {_ASK} {{address}} "$@";;
*) exec "{sys.executable}" "$@";;
esac
"""


def make(folder: Path, address: str) -> Path:
    """A folder for PATH: the stand-ins, and beside them all other commands of this environment.

    ``address`` is that of the warm server.
    """
    folder.mkdir(parents=True)
    real = Path(sys.executable).parent
    texts = dict.fromkeys(("python", "python3"), _PYTHON.format(folder=folder, address=address))
    texts |= {name: f'{_ASK} {address} "{real / name}" "$@"\n' for name in WARM}
    texts |= {name: f'{_OWN} {name} "$@"\n' for name in ("pip", "pytest", "ray")}
    for name, text in texts.items():
        (folder / name).write_text(f"#!/bin/sh\n{text}")
        (folder / name).chmod(0o755)
    for command in real.iterdir():
        if command.name not in texts and not command.name.startswith(("python", "pip", "activate")):
            (folder / command.name).symlink_to(command)
    (folder / "activate").write_text(f'PATH="{folder}:$PATH"\n')
    return folder


def venv(words: list[str]) -> int:
    """``python -m venv``: a folder whose ``bin`` has the commands there are."""
    commands, folder = words
    inside = Path(folder, "bin")
    if not inside.exists():
        inside.parent.mkdir(parents=True)
        inside.symlink_to(commands)
    return 0


def pip(words: list[str]) -> int:
    """``pip install``: a plugin's folder for real; else, whether this project has such extras."""
    if words[:1] != ["install"]:
        return _wrong(f"only 'pip install' is known here, not {' '.join(words)}")
    behind = {at + 1 for at, word in enumerate(words) if word == "--find-links"}
    wanted = [word for at, word in enumerate(words) if at and at not in behind and not word.startswith("-")]
    folders = [each for each in wanted if _project(each) not in (None, "torr-plugin")]
    wrong = [each for each in wanted if each not in folders and not _is_this_project(each)]
    if wrong or not wanted:
        return _wrong(f"not this project, nor an extra that it has: {', '.join(wrong)}")
    return max((_installed(each) for each in folders), default=0)


def pytest(words: list[str]) -> int:
    """``pytest``: whether it knows its options, in an empty folder, where it collects nothing."""
    with tempfile.TemporaryDirectory() as empty:
        given = [sys.executable, "-m", "pytest", "-c", "pyproject.toml", "--collect-only", *words, empty]
        code = subprocess.run(given, check=False).returncode
    return 0 if code == NOTHING_COLLECTED else code or 1


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


def cluster(_: list[str]) -> int:
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


def _is_this_project(wanted: str) -> bool:
    from importlib.metadata import metadata

    name, _, extras = wanted.rstrip("]").partition("[")
    known = metadata("torr-plugin").get_all("Provides-Extra") or ()
    return name in (".", "torr-plugin") and set(filter(None, extras.split(","))) <= set(known)


def _wrong(message: str) -> int:
    sys.stderr.write(f"stand-in: {message}\n")
    return 1


if __name__ == "__main__":
    named = {"venv": venv, "pip": pip, "pytest": pytest, "ray": ray, "cluster": cluster}
    sys.exit(named[sys.argv[1]](sys.argv[2:]))
