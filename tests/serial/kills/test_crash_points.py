"""A run that is killed right before it changes a certain file, and resumed."""

from __future__ import annotations

import signal
from collections.abc import Callable

import pytest

from .study import Study, assert_whole

pytestmark = pytest.mark.full

ALL_ANSWERED = r"os\.rename .*'run/scores\.parquet'"
POINTS = {
    "answers are written, and have no name yet": r"os\.rename .*/predictions/one/part-000003\.parquet'",
    "answers are stored, and not what follows": r"os\.rename .*/requests/later-one-000000\.parquet'",
    "what follows is stored, and not asked": r"os\.remove .*/requests/\.later-one-000000\.parquet\.",
    "shards are merged, and half of them removed": r"os\.remove .*/predictions/one/part-000002\.parquet'",
    "all is answered, and nothing scored": ALL_ANSWERED,
}


@pytest.mark.parametrize("point", POINTS.values(), ids=POINTS)
def test_a_run_killed_there_loses_and_doubles_nothing(
    new_study: Callable[..., Study], undisturbed: Study, point: str
) -> None:
    study = new_study()
    process = study.start(TORR_KILLS_POINT=point)
    said = process.ended()
    assert process.returncode == -signal.SIGKILL, said
    before = study.stored()
    assert before
    assert (before == undisturbed.stored()) is (point == ALL_ANSWERED)
    assert not (study.run / "scores.parquet").exists()
    study.finish()
    assert not before.keys() - study.stored().keys()
    assert_whole(study, undisturbed)
