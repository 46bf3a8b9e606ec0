"""Files that are read just before a process may end are read in its own thread."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from threading import get_ident
from typing import Any

import pandas as pd
import pytest

from torr_plugin.analysis.scores_file import read_scores
from torr_plugin.running.status import right_answers
from torr_plugin.running.store.run import read_frame
from torr_plugin.scoring.judges.rows import read_judged


@pytest.mark.parametrize(
    "read",
    [
        right_answers,
        lambda path: read_judged(path, ["model"]),
        lambda path: read_frame(path.parent, path.name),
        read_scores,
    ],
)
def test_no_thread_of_arrow_s_has_the_file(
    read: Callable[[Path], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "scores.parquet"
    rows = {"model": ["a", "a", "b"], "score": [1.0, 0.5, 0.0], "main": [True, True, True]}
    pd.DataFrame(rows).to_parquet(path)
    readers = set[int]()

    class Watched(io.FileIO):
        def read(self, size: int | None = -1, /) -> bytes:
            readers.add(get_ident())
            return super().read(size)

    def opened(path: Path, mode: str) -> Watched:
        return Watched(path, mode)

    monkeypatch.setattr(Path, "open", opened)
    found = read(path)
    assert found == {"a": 1.5, "b": 0.0} if isinstance(found, dict) else len(found) == 3
    assert readers == {get_ident()}
