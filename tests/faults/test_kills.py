"""Runs killed at random moments and resumed: none lost, none doubled, the scores of an undisturbed run.

Each of ``--fault-runs`` has its own chance, by its number, so that a failing moment can be found again. In
two of three the models are in the command's process; in the others they are on Ray, and the driver is killed,
an actor, or the raylet they live on.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable

import pytest

from ..timing import PATIENCE
from .study import Study, assert_whole, wait_for

pytestmark = pytest.mark.faults

KINDS = ("local", "local", "ray-driver", "local", "local", "ray-actor", "local", "local", "ray-raylet")
NAMES = {"ray-actor": r"ray::(?!IDLE|\w+Agent)", "ray-raylet": r".*/raylet$"}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    runs = range(metafunc.config.getoption("--fault-runs"))
    kinds = [(KINDS[number % len(KINDS)], number) for number in runs]
    if "number" in metafunc.fixturenames:
        of_ray = metafunc.function is test_killed_on_ray
        metafunc.parametrize(("kind", "number"), [each for each in kinds if ("ray" in each[0]) is of_ray])


def kill(study: Study, after: float) -> Counter[tuple[str, str]]:
    """Start it, kill it after so many seconds, and give what was stored then."""
    process = study.start()
    try:
        process.communicate(timeout=after)
    except subprocess.TimeoutExpired:
        process.kill()
    process.communicate(timeout=PATIENCE)
    return study.stored()


def test_killed_in_process(
    new_study: Callable[..., Study], undisturbed: Study, seconds: float, kind: str, number: int
) -> None:
    study, chance = new_study(forked=True), random.Random(number)
    before: Counter[tuple[str, str]] = Counter()
    for _ in range(chance.choice([1, 1, 2])):
        stored = kill(study, chance.uniform(0, 1) * seconds)
        assert not before.keys() - stored.keys(), "what was stored is gone"
        before = stored
    study.finish()
    assert not before.keys() - study.stored().keys()
    assert_whole(study, undisturbed)


def test_killed_on_ray(new_study: Callable[..., Study], undisturbed: Study, kind: str, number: int) -> None:
    chance, study = random.Random(number), new_study(forked=True, options=("--executor", "ray"))
    process = study.start()
    # from when answers come: what is before that is the same as without Ray
    wait_for(lambda: bool(study.stored()), process)
    time.sleep(chance.uniform(0, 1.5))
    victims = study.processes(NAMES[kind]) if kind in NAMES else [process.pid]
    if victims:  # none where the run was quicker
        os.kill(chance.choice(victims), signal.SIGKILL)
    said, _ = process.communicate(timeout=PATIENCE)
    if kind == "ray-actor":
        assert process.returncode == 0, said
    before = study.stored()
    study.end()
    if number >= len(KINDS):  # how it began is told by the first ones; the store is the same for both
        study.options = ()
    study.finish()
    assert not before.keys() - study.stored().keys(), said
    assert_whole(study, undisturbed)
