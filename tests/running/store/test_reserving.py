"""A run's place is taken from the moment that somebody begins it."""

from __future__ import annotations

from pathlib import Path

import pytest

from torr_plugin.core.atomic_files import make_directory
from torr_plugin.core.errors import RunError
from torr_plugin.running import reserved, run_status
from torr_plugin.running.store import lock as reserving


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


@pytest.mark.parametrize("times", [1, 3])
def test_a_failed_attempt_of_another_may_take_the_folder_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    """Between this one's making it and its lock, with what is above."""
    left = [None] * times

    def made_and_gone(path: Path) -> None:
        make_directory(path)
        if left:
            left.pop()
            path.rmdir()
            path.parent.rmdir()

    monkeypatch.setattr(reserving, "make_directory", made_and_gone)
    place = tmp_path / "runs" / "new"
    with reserved(place):
        assert run_status(place).state == "running"
    assert place.exists()


def test_a_folder_that_is_always_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reserving, "make_directory", lambda path: None)
    with pytest.raises(RunError, match="new: cannot be read: No such file"), reserved(tmp_path / "new"):
        raise AssertionError


def test_what_a_second_attempt_made_is_taken_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was there at first, made by the other one, and so was the folder above it."""
    place, first = tmp_path / "runs" / "new", [None]
    place.mkdir(parents=True)

    def gone_and_made(path: Path) -> None:
        if first:
            first.pop()
            place.rmdir()
            place.parent.rmdir()
        else:
            make_directory(path)

    monkeypatch.setattr(reserving, "make_directory", gone_and_made)
    with pytest.raises(KeyboardInterrupt), reserved(place):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []
