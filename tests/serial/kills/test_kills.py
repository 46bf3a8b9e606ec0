"""Runs killed from outside and resumed: none lost, none doubled, the scores of an undisturbed run."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from contextlib import suppress

import pytest

from ...conftest import Torr
from .study import Study, assert_whole, wait_for

ON_RAY = {"driver": None, "actor": r"ray::(?!IDLE|\w+Agent)", "raylet": r".*/raylet$"}
KINDS = ("local", "local", "driver", "local", "local", "actor", "local", "local", "raylet")


@pytest.mark.full
def test_the_command_is_killed(new_study: Callable[..., Study], undisturbed: Study, torr: Torr) -> None:
    study = new_study(forked=False)
    process = study.held()
    process.kill()
    process.ended()
    for options in ((), ("--follow",)):
        shown = torr("status", "run", *options, cwd=study.folder).stdout
        assert shown.startswith("run: stopped while asking (host ")
    study.forked = True
    before = study.stored()
    assert 0 < len(before) < len(undisturbed.stored())
    study.finish()
    assert not before.keys() - study.stored().keys()
    assert_whole(study, undisturbed)


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(signal.SIGINT, marks=pytest.mark.full),
        pytest.param(signal.SIGTERM, marks=pytest.mark.release),
    ],
)
def test_an_actor_on_ray_is_killed_and_then_all_get_a_signal(
    new_study: Callable[..., Study], undisturbed: Study, sent: signal.Signals
) -> None:
    """The run goes on without the actor; a terminal or Slurm signals the command and all that Ray started."""
    study = new_study(options=("--executor", "ray"))
    process = study.held(20)
    killed = study.holder()
    os.kill(killed, signal.SIGKILL)
    wait_for(lambda: study.holder() != killed, process)  # another actor is held
    assert process.poll() is None, process.said()
    for pid in {process.pid, *study.processes()}:
        with suppress(ProcessLookupError):
            os.kill(pid, sent)
    study.let_go()
    said = process.ended()
    assert process.returncode == 130, said
    assert "resume with the same command" in said
    assert "Traceback" not in said
    before = study.stored()
    assert 0 < len(before) < len(undisturbed.stored())
    study.finish()  # on Ray again
    assert not before.keys() - study.stored().keys()
    assert_whole(study, undisturbed)


@pytest.mark.release
def test_killed_at_random_moments(
    new_study: Callable[..., Study], undisturbed: Study, request: pytest.FixtureRequest
) -> None:
    """Each of ``--killed-runs`` has a chance of its own, so that a failing moment is found again."""
    runs, wanted, fell = request.config.getoption("--killed-runs"), len(undisturbed.stored()), 0
    for number in range(runs):
        kind, chance = KINDS[number % len(KINDS)], random.Random(number)
        study = new_study(options=("--executor", "ray") if kind in ON_RAY else ())
        process, place = study.start(), chance.randrange(wanted)
        wait_for(lambda study=study, place=place: len(study.stored()) >= place, process)
        time.sleep(chance.uniform(0, 0.05))
        victims = [process.pid] if ON_RAY.get(kind) is None else study.processes(ON_RAY[kind])
        with suppress(ProcessLookupError, IndexError):  # the run was quicker
            os.kill(chance.choice(victims), signal.SIGKILL)
        said = process.ended()
        before = study.stored()
        study.end()
        fell += 0 < len(before) < wanted
        study.options = ()
        study.finish()
        assert not before.keys() - study.stored().keys(), f"run {number}: {said}"
        assert_whole(study, undisturbed)
    assert fell > runs / 3
