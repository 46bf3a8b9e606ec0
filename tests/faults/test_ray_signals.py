"""A signal to every process of a run on Ray, as a terminal's Ctrl-C and Slurm's SIGTERM are."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

import pytest

from ..timing import PATIENCE
from .study import Study, wait_for

pytestmark = pytest.mark.faults

RECIPE = """\
name: faults
cards: [cards.bundled.cell_lookup]
configurations: [{serializers: [html, csv, json, markdown], perturbations: [none]}]
examples: {count: 100}
models: [{model: slowed, args: {seconds: 0.05}}]
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_all_of_them_stops_the_run_and_loses_nothing(
    new_study: Callable[..., Study], number: int
) -> None:
    study = new_study(recipe=RECIPE, options=("--executor", "ray"))
    process = study.start()
    wait_for(lambda: bool(study.stored()), process)
    for pid in study.processes():
        os.kill(pid, number)
    said, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, said
    assert "resume with the same command" in said
    assert "Traceback" not in said
    before = study.stored()
    study.options = ()
    study.finish()
    stored = study.stored()
    assert not before.keys() - stored.keys()
    assert max(stored.values()) == 1
    assert 0 < len(before) < len(stored)
