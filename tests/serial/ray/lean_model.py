"""A model for the Ray executor that loads nothing heavy, so that its actors are there at once."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from torr_plugin.core.errors import EngineBrokenError, ModelError
from torr_plugin.running.answer import Answer

from ...timing import until

NODE = "LEAN_NODE"
"""The variable with the node's name, where a test gave it one."""


class Engine:
    def room(self):
        return 8

    def close(self):
        pass


class Lean:
    """Answers with its process, the time, its node and the prompt's last word.

    ``signals`` is a folder with the processes that are there; with ``company`` it waits for so many.
    """

    def __init__(self, *, seconds=0.0, poison=None, broken=None, signals=None, freezes=None, company=0):
        self.seconds, self.poison, self.broken = seconds, poison, broken
        self.freezes, self.engine = freezes, Engine()
        if signals:
            Path(signals, str(os.getpid())).touch()
            until(lambda: len(list(Path(signals).iterdir())) >= company)

    def stream(self, source, on_known):
        while not source.done:
            asked = [] if getattr(source, "stopped", False) else source.take(8)
            answers = [self.answer(each) for each in asked]
            if answers:
                yield answers
            else:
                time.sleep(0.01)

    def answer(self, asked):
        word = asked.prompt[0].content.split()[-1]
        if word == self.poison:
            os.kill(os.getpid(), signal.SIGKILL)
        if self.broken and word == "w20" and not os.path.exists(self.broken):
            Path(self.broken).touch()
            raise EngineBrokenError("no memory left on the device")
        if self.freezes and word == "w20" and not os.path.exists(self.freezes):
            Path(self.freezes).write_text(str(os.getpid()))
            os.kill(os.getpid(), signal.SIGSTOP)  # every thread of it
        time.sleep(self.seconds)
        return Answer(asked.key, f"{os.getpid()} {time.time()} {os.environ.get(NODE, 'head')} {word}")


def load(entry, generation, models):
    """``fails_on`` is a node where the weights are missing; ``waits_on`` one where loading never ends.

    ``waits`` is a file that is there once it waits.
    """
    here, args = os.environ.get(NODE), dict(entry.args)
    if "error" in args:
        raise ModelError(args["error"])
    if args.pop("fails_on", "nowhere") == here:
        raise OSError("no weights found there")
    waits = args.pop("waits", None)
    if args.pop("waits_on", "nowhere") == here:
        Path(waits).touch()
        time.sleep(600)
    return Lean(**args)
