"""The embedded word matcher, which can be held in the midst of a run."""

from __future__ import annotations

import os
import time
from pathlib import Path

import kills_plugin  # noqa: F401 - also where no plugins are loaded, in an actor of Ray

from torr_plugin.running.baselines.answers import lexical_answer
from torr_plugin.running.baselines.lm import TextBaseline


class Held(TextBaseline):
    """With TORR_KILLS_HOLD=n it writes its process into the file ``held`` at its n-th prompt, and waits for
    a file ``go``."""

    def __init__(self) -> None:
        self._asked = 0
        super().__init__(self._answered)

    def _answered(self, prompt: str) -> str:
        self._asked += 1
        if self._asked == int(os.environ.get("TORR_KILLS_HOLD", "0")):
            Path("held").write_text(str(os.getpid()))
            while not Path("go").exists():
                time.sleep(0.005)
        return lexical_answer(prompt)
