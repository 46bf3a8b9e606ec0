"""The embedded word matcher, at the speed of a real model."""

from __future__ import annotations

import time

from torr_plugin.running.baselines.lexical import lexical_answer
from torr_plugin.running.baselines.lm import TextBaseline


class Slowed(TextBaseline):
    def __init__(self, seconds: float = 0.001) -> None:
        self._seconds = float(seconds)
        super().__init__(self._slowly)

    def _slowly(self, prompt: str) -> str:
        time.sleep(self._seconds)
        return lexical_answer(prompt)
