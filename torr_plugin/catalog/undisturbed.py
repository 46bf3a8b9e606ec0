"""Guards the process against what importing unitxt does to it."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def undisturbed() -> Iterator[None]:
    """Put back what importing unitxt changes: the global random generator's state, and the environment."""
    state, environment = random.getstate(), dict(os.environ)
    try:
        yield
    finally:
        random.setstate(state)
        for name in os.environ.keys() - environment.keys():
            del os.environ[name]
        os.environ.update(environment)
