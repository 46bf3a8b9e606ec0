"""A wall clock that jumps by up to a day, forwards or backwards, whenever it is read."""

import os
import random
import time

_time, _time_ns, _chance = time.time, time.time_ns, random.Random()


def _jumping():
    return _time() + _chance.uniform(-86_400, 86_400)


def _jumping_ns():
    return _time_ns() + _chance.randint(-86_400, 86_400) * 10**9


if "TORR_KILLS_CLOCK" in os.environ:
    time.time, time.time_ns = _jumping, _jumping_ns
