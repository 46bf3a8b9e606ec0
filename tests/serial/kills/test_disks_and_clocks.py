"""Disks that fill, shards that are damaged, clocks that jump, and two commands on one run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable

import pytest

from ...timing import PATIENCE
from .study import Study, assert_whole

pytestmark = pytest.mark.full

# the command in a place of its own with few bytes, and what it left there brought outside
FULL = """
set -e
mount -t tmpfs -o size=SIZEk tmpfs run
set +e
"$@"; echo "code $?"
cp -r run/. kept
"""
# where no file system can be mounted: no file may grow longer than so many bytes
SHORT = "import os, resource, sys; n = int(sys.argv[1]); resource.setrlimit(resource.RLIMIT_FSIZE, (n, n)); \
os.execv(sys.argv[2], sys.argv[2:])"


def may_mount() -> bool:
    code = ["unshare", "--mount", "--map-root-user", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    try:
        return subprocess.run(code, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("size", [24, 120])
def test_a_disk_that_fills(new_study: Callable[..., Study], undisturbed: Study, size: int) -> None:
    study = new_study()
    said = on_a_small_disk(study, size) if may_mount() else with_short_files(study, size)
    full = [line for line in said.splitlines() if "cannot be written" in line]
    assert len(full) == 1, said
    assert full[0].endswith("the answers so far are kept; run the same command again")
    assert "Traceback" not in said
    assert said.splitlines()[-1] == "code 2", said
    assert not list(study.run.rglob("*.tmp"))
    study.finish()
    assert_whole(study, undisturbed)


def on_a_small_disk(study: Study, size: int) -> str:
    for name in ("run", "kept"):
        (study.folder / name).mkdir()
    script = FULL.replace("SIZE", str(size))
    said = told(study, ["unshare", "--mount", "--map-root-user", "sh", "-c", script, "sh", *study.command])
    study.run.rmdir()
    (study.folder / "kept").rename(study.run)
    return said


def with_short_files(study: Study, size: int) -> str:
    limited = [sys.executable, "-c", SHORT, str(size * 50), *study.command]
    return told(study, ["sh", "-c", '"$@"; echo "code $?"', "sh", *limited])


def told(study: Study, command: list[str]) -> str:
    done = subprocess.run(
        command,
        cwd=study.folder,
        env=study.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_a_clock_that_jumps(new_study: Callable[..., Study], undisturbed: Study) -> None:
    study = new_study(variables={"TORR_KILLS_CLOCK": "jumps"})
    process = study.held()
    process.kill()
    process.ended()
    assert 0 < len(study.stored()) < len(undisturbed.stored())
    study.finish()
    assert_whole(study, undisturbed)


def test_damaged_shards_and_foreign_files(new_study: Callable[..., Study], undisturbed: Study) -> None:
    study = new_study()
    shutil.copytree(undisturbed.run, study.run)
    answers = min((study.run / "predictions" / "one").glob("*.parquet"))
    answers.write_bytes(answers.read_bytes()[:-20])
    min((study.run / "requests").glob("later-other-*.parquet")).write_bytes(b"")
    foreign = study.run / "predictions" / "other" / "notes.txt"
    foreign.write_text("mine")
    said = study.finish()
    assert said.count("set aside as") == 2
    assert foreign.read_text() == "mine"
    assert_whole(study, undisturbed)


def test_the_second_command_is_refused(new_study: Callable[..., Study], undisturbed: Study) -> None:
    study = new_study()
    first = study.held()
    second = study.start()
    said = second.ended()
    assert second.returncode == 2, said
    assert f"host {os.uname().nodename}, process {first.pid} is writing this run; wait for it" in said
    study.let_go()
    said = first.ended()
    assert first.returncode == 0, said
    assert_whole(study, undisturbed)
