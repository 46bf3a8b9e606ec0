"""``python -m torr_plugin.leaderboard`` as a user calls it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ..timing import PATIENCE
from .made import make_run


def call(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "torr_plugin.leaderboard", *map(str, arguments)],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


def test_a_site_and_its_place(tmp_path: Path) -> None:
    make_run(tmp_path / "run")
    done = call("run", "--out", "site", "--no-charts", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "The leaderboard: site/index.html\n"
    assert (tmp_path / "site" / "index.html").is_file()


def test_json(tmp_path: Path) -> None:
    make_run(tmp_path / "run")
    make_run(tmp_path / "other", name="another study", fingerprint="f" * 32)
    done = call("run", "other", "--out", "site", "--json", "--no-charts", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"site": "site", "page": "site/index.html", "studies": 2}


def test_what_is_no_run(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "bad.csv").write_text("model,score\na,1\n")
    for arguments, said in (
        (("folder",), "torr: folder: is not a run (it has no study.yaml)"),
        (("absent",), "torr: absent: no such file or directory; expected"),
        (("bad.csv",), "torr: bad.csv: no column 'dataset', 'config', 'example', 'metric'"),
    ):
        done = call(*arguments, "--out", "site", cwd=tmp_path)
        assert done.returncode == 2
        assert done.stdout == ""
        assert done.stderr.startswith(said)
        assert done.stderr.count("\n") == 1
        assert not (tmp_path / "site").exists()


@pytest.mark.skipif(os.name != "posix", reason="modes of folders are POSIX's")
def test_a_folder_that_may_not_be_written(tmp_path: Path) -> None:
    make_run(tmp_path / "run")
    out = "/proc/site" if os.geteuid() == 0 else str(tmp_path / "locked" / "site")
    (tmp_path / "locked").mkdir(mode=0o500)
    done = call("run", "--out", out, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(f"torr: {out}")
    assert "the site cannot be written" in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_previous_site_s_history_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seed, day in (("first", 1, "1700000000"), ("second", 2, "1700086400")):
        make_run(tmp_path / name / "run", seed=seed)
        monkeypatch.setenv("SOURCE_DATE_EPOCH", day)
        previous = ("--previous", tmp_path / "first" / "site") if name == "second" else ()
        done = call("run", "--out", "site", "--no-charts", *previous, cwd=tmp_path / name)
        assert done.returncode == 0, done.stderr
    history = json.loads((tmp_path / "second/site/data/a-small-study/history.json").read_text())
    assert len(history["snapshots"]) == 2


@pytest.mark.parametrize("options", [("--theme", "contrast"), ("--models", "pool.yaml")])
def test_options(tmp_path: Path, options: tuple[str, str]) -> None:
    make_run(tmp_path / "run")
    (tmp_path / "pool.yaml").write_text("[{name: alpha, family: family-alpha}]")
    done = call("run", "--out", "site", "--no-charts", *options, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "site" / "index.html").read_text()
    assert {"contrast": "assets/theme.css", "pool.yaml": "family-alpha"}[options[1]] in text
