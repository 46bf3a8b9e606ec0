"""Ctrl-C and SIGTERM on the real command: what is in flight is finished, and how to resume is said."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

import pytest

from torr_plugin.running.runner import FINISHING

from .study import Command, Forked, Study, assert_whole, wait_for

pytestmark = pytest.mark.full

RESUME = "resume with the same command"


def signalled(process: Command | Forked, number: signal.Signals) -> None:
    """The process got a signal as from a terminal, or a scheduler that ends a job's step, and says so."""
    os.killpg(process.pid, number)
    wait_for(lambda: FINISHING in process.said(), process)


def assert_stopped(process: Command | Forked) -> None:
    said = process.ended()
    assert process.returncode == 130, said
    assert FINISHING in said
    assert RESUME in said
    assert "Traceback" not in said


@pytest.mark.parametrize(("sent", "forked"), [(signal.SIGINT, False), (signal.SIGTERM, True)])
def test_once_finishes_what_is_in_flight(
    new_study: Callable[..., Study], undisturbed: Study, sent: signal.Signals, forked: bool
) -> None:
    study = new_study(forked=forked)
    process = study.held()
    before = study.stored()
    signalled(process, sent)
    study.let_go()
    assert_stopped(process)
    stopped = study.stored()
    assert before.keys() < stopped.keys()
    assert len(stopped) < len(undisturbed.stored())
    assert not list(study.run.glob(".lock*"))
    study.forked = True
    study.finish()
    assert not stopped.keys() - study.stored().keys()
    assert_whole(study, undisturbed)


def test_twice_ends_at_once(new_study: Callable[..., Study], undisturbed: Study) -> None:
    study = new_study()
    process = study.held()
    signalled(process, signal.SIGINT)
    os.killpg(process.pid, signal.SIGTERM)  # what is in flight would never end
    assert_stopped(process)
    study.finish()
    assert_whole(study, undisturbed)
