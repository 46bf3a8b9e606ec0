"""Ctrl-C and SIGTERM on the real command: what is in flight is finished, and how to resume is said."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable

import pytest

from torr_plugin.running.interruption import FINISHING

from ..timing import PATIENCE
from .study import SLOWLY, Study, assert_whole, wait_for

pytestmark = pytest.mark.faults

RESUME = "resume with the same command: torr run faults.yaml --out run"


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_once_finishes_what_is_in_flight(
    new_study: Callable[..., Study], undisturbed: Study, sent: signal.Signals
) -> None:
    study = new_study()
    process = study.start(**SLOWLY)
    wait_for(lambda: len(study.stored()) > 10, process)
    os.killpg(process.pid, sent)  # as a terminal, or a scheduler that ends a job's step, does
    said, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, said
    assert FINISHING in said
    assert RESUME in said
    assert "Traceback" not in said
    before = study.stored()
    assert not list(study.run.glob(".lock*"))
    study.finish()
    assert not before.keys() - study.stored().keys()
    assert_whole(study, undisturbed)


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_twice_ends_at_once(
    new_study: Callable[..., Study], undisturbed: Study, sent: signal.Signals
) -> None:
    study = new_study()
    process = study.start(**SLOWLY)
    wait_for(lambda: len(study.stored()) > 10, process)
    os.killpg(process.pid, sent)
    time.sleep(0.01)
    os.killpg(process.pid, sent)
    said, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, said
    assert RESUME in said
    assert "Traceback" not in said
    study.finish()
    assert_whole(study, undisturbed)
