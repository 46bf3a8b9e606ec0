"""A run's place is taken from the moment that somebody begins it."""

from __future__ import annotations

from pathlib import Path

import pytest

from torr_plugin.errors import RunError
from torr_plugin.running import reserved, run_status


def test_it_is_seen_who_plans(tmp_path: Path) -> None:
    with reserved(tmp_path / "runs" / "new"):
        found = run_status(tmp_path / "runs" / "new")
        assert (found.state, found.step) == ("running", "planning")


def test_what_comes_to_nothing_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    for place in ("a/b/c", "there/d", "there"):
        with pytest.raises(KeyboardInterrupt), reserved(tmp_path / place):
            raise KeyboardInterrupt
    assert [path.name for path in tmp_path.rglob("*")] == ["there"]


def test_what_was_written_stays(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError), reserved(tmp_path / "a" / "b"):
        (tmp_path / "a" / "b" / "study.yaml").write_text("x") and (tmp_path / "a").read_text()
    assert (tmp_path / "a" / "b" / "study.yaml").exists()


def test_a_file_of_that_name(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(RunError, match="file: is a file"), reserved(tmp_path / "file"):
        raise AssertionError
    with pytest.raises(RunError, match="lies below a file"), reserved(tmp_path / "file" / "below"):
        raise AssertionError
    assert (tmp_path / "file").read_text() == "mine"
