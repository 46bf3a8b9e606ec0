"""Kills its process right before it does what TORR_KILLS_POINT says.

That is a pattern which is looked for in what Python tells audit hooks: ``os.rename ('old', 'new', -1, -1)``.
"""

import os
import re
import signal
import sys


def _crash(event, args):
    if event.startswith("os.") and re.search(os.environ["TORR_KILLS_POINT"], f"{event} {args}"):
        os.kill(os.getpid(), signal.SIGKILL)


if "TORR_KILLS_POINT" in os.environ:
    sys.addaudithook(_crash)
