"""Ray's own processes die mid-run: the driver ends soon, with one line, and nothing answered is lost."""

from __future__ import annotations

import os
import time

import psutil
import pytest

from torr_plugin.core.errors import RunError

from ..timing import PATIENCE
from .made import entry
from .ray_helpers import job, run

pytestmark = pytest.mark.faults


@pytest.mark.parametrize(
    ("part", "named"), [("gcs_server", "GCS"), ("raylet", "raylet"), ("ray::RuntimeEnvAgent", "raylet")]
)
def test_a_part_of_ray_that_dies_ends_the_run(part: str, named: str) -> None:
    killed, given = [], []

    def kill(label: str, answers: list) -> None:
        given.extend(answers)
        if not killed:
            mine = psutil.Process().children(recursive=True)
            (victim,) = [each for each in mine if os.path.basename(each.cmdline()[0]) == part]
            victim.kill()
            killed.append(time.monotonic())

    with pytest.raises(RunError, match=f"Ray's {named} process ended; the answers so far are kept"):
        run([job(entry("torr-model", seconds=0.05), 2000)], each=kill)
    assert time.monotonic() - killed[0] < PATIENCE
    assert len({answer.key for answer in given}) == len(given)
    assert not [each for each in psutil.Process().children(recursive=True) if each.name().startswith("ray::")]
