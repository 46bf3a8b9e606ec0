"""A run that is killed and begun again pays for each answer once, but for those in flight at the kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from torr_plugin.running import Run

from ..running.misbehaving import Reply, Request, misbehaving
from ..timing import PATIENCE
from .servers import Today, is_cut, is_withheld

LOST = {"cut-null": (is_cut,), "withholds": (is_withheld,)}
AT_ONCE, BEFORE_THE_KILL, SECONDS_A_REPLY = 2, 20, 0.8
STORED = 6


@pytest.mark.parametrize(
    "way",
    [
        pytest.param("cut-null", marks=pytest.mark.full),
        *(pytest.param(way, marks=pytest.mark.release) for way in ("picky-5", "think", "withholds")),
    ],
)
def test_each_answer_is_billed_once(tmp_path: Path, way: str) -> None:
    today = Today(tmp_path)
    running: list[subprocess.Popen[bytes]] = []
    paid = list[str]()

    def reply(request: Request) -> Reply:
        found = today.reply(request)
        if found.status == 200:
            paid.append(request.text)
            if len(paid) == BEFORE_THE_KILL and len(running) == 1:
                os.kill(running[0].pid, signal.SIGKILL)
        return replace(found, delay=SECONDS_A_REPLY)

    with misbehaving(reply) as server:
        line = f"base_url={server.url},model={way},num_concurrent={AT_ONCE}"
        command = [Path(sys.executable).with_name("torr"), "run", today.recipe, "--out", tmp_path / "run"]
        for code in (-signal.SIGKILL, 0, 0):
            running.append(
                subprocess.Popen([*command, "--model", "local-chat-completions", "--model-args", line])
            )
            assert running[-1].wait(PATIENCE) == code
    filtered = {
        prompt for prompt in today.answers if is_withheld(prompt) and is_cut(prompt)
    }  # free, with 400
    assert set(paid) == set(today.answers) - (filtered if way == "withholds" else set())
    # a batch is stored every five seconds; what was not yet stored is asked again
    assert len(paid) <= len(today.answers) + BEFORE_THE_KILL - STORED
    performance = Run.open(tmp_path / "run").analysis()["performance"][way]["overall"]["value"]
    assert performance == pytest.approx(today.truth(*LOST.get(way, ())))
