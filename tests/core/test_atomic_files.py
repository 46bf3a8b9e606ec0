"""What is written is there whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import pytest

from torr_plugin.core.atomic_files import (
    atomic_folder,
    atomic_path,
    check_new_folder,
    replace_folder,
    write_named_file,
)
from torr_plugin.core.errors import RunError


def test_a_file_takes_its_place_when_whole(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    with atomic_path(path) as aside:
        aside.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    with suppress(ValueError), atomic_path(path) as aside:
        aside.write_text("half")
        raise ValueError
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_it_has_the_mode_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "usual").write_text("")
    with atomic_path(tmp_path / "file") as aside:
        aside.write_text("")
    assert (tmp_path / "file").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_folder_takes_its_place_when_whole(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()  # an empty one is as good as none
    with atomic_folder(out) as aside:
        (aside / "one").write_text("1")
        assert not list(out.iterdir())
    assert [each.name for each in out.iterdir()] == ["one"]
    other = tmp_path / "other" / "below"
    with suppress(ValueError), atomic_folder(other) as aside:
        (aside / "one").write_text("1")
        raise ValueError
    assert not other.exists()
    assert not other.parent.exists()


@pytest.mark.parametrize("kind", ["file", "link", "full"])
def test_what_is_there_is_not_written_over(tmp_path: Path, kind: str) -> None:
    out = tmp_path / "out"
    if kind == "file":
        out.write_text("mine")
    elif kind == "link":
        out.symlink_to(tmp_path)
    else:
        out.mkdir()
        (out / "notes.txt").write_text("mine")
    with pytest.raises(RunError, match=rf"^--out {out}: .*expected a new or empty folder$"):
        check_new_folder(out)
    with pytest.raises(RunError), atomic_folder(out):
        raise AssertionError
    assert out.exists()


def test_a_folder_stays_where_the_new_one_cannot_take_its_place(tmp_path: Path) -> None:
    (tmp_path / "target").mkdir()
    (tmp_path / "target" / "file").write_text("old")
    with pytest.raises(FileNotFoundError):
        replace_folder(tmp_path / "absent", tmp_path / "target")
    assert [path.name for path in tmp_path.iterdir()] == ["target"]
    assert (tmp_path / "target" / "file").read_text() == "old"


def test_a_file_that_the_user_named_replaces_no_pipe_and_no_link(tmp_path: Path) -> None:
    file, link, pipe = tmp_path / "file", tmp_path / "link", tmp_path / "pipe"
    link.symlink_to(file)
    write_named_file(link, b"by the link")
    assert (link.is_symlink(), file.read_bytes()) == (True, b"by the link")
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_named_file(pipe, b"through the pipe")
    assert (pipe.is_fifo(), os.read(reader, 99)) == (True, b"through the pipe")
    os.close(reader)
    assert sorted(tmp_path.iterdir()) == [file, link, pipe]
