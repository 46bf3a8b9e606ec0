"""Names that are given to one writer alone, and batches that are stored once wherever Ctrl-C falls."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import FrameType

import pytest

from torr_plugin.core.atomic_files import write_new
from torr_plugin.running.answer import Answer
from torr_plugin.running.store import predictions
from torr_plugin.running.store.predictions import AnswerStore

from .test_merging import keys


def without_links(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", none)


def test_a_name_that_was_free_a_moment_ago(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without hard links, too, the second of two that looked at the same time has it not."""
    without_links(monkeypatch)
    monkeypatch.setattr(os.path, "lexists", lambda _: False)
    path = tmp_path / "file"
    assert write_new(path, b"one")
    assert not write_new(path, b"other")
    assert path.read_bytes() == b"one"
    assert list(tmp_path.iterdir()) == [path]


def test_ctrl_c_at_any_step_of_storing_never_doubles(tmp_path: Path) -> None:
    """Interrupted at its n-th step, for every n, a batch is stored once or not at all."""
    stored, at = [], 0
    while True:
        store = AnswerStore.resume(tmp_path / str(at))
        left = at

        def trace(frame: FrameType, event: str, _: object) -> object:
            nonlocal left
            if frame.f_code.co_filename != predictions.__file__:
                return None
            left -= event in ("line", "return")
            if left < 0:
                sys.settrace(None)
                raise KeyboardInterrupt
            return trace

        sys.settrace(trace)
        try:
            store.append([Answer("a", "x")])
        except KeyboardInterrupt:
            stored.append(keys(tmp_path / str(at)))
        else:
            break
        finally:
            sys.settrace(None)
        at += 1
    assert at > 8
    assert [each for each in stored if each not in ([], ["a"])] == []
    assert ["a"] in stored
