"""The embedded word matcher, at the speed of a real model, or of a process that is to be met at work."""

from __future__ import annotations

import os
import time

from torr_plugin.running.baselines.answers import lexical_answer
from torr_plugin.running.baselines.lm import TextBaseline


class Slowed(TextBaseline):
    def __init__(self, seconds: float = 0.001) -> None:
        self._seconds = float(seconds)
        super().__init__(self._slowly)

    def _slowly(self, prompt: str) -> str:
        time.sleep(float(os.environ.get("TORR_FAULTS_SECONDS", self._seconds)))
        return lexical_answer(prompt)
