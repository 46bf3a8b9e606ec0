"""Keeps lm-eval's models from drawing bars and logging over the run's own progress."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partialmethod


@contextmanager
def quiet() -> Iterator[None]:
    """No tqdm bars, and of lm-eval's log only errors; both are as before afterwards."""
    import tqdm

    log, bar = logging.getLogger("lm_eval"), tqdm.tqdm
    level, make = log.level, bar.__init__
    log.setLevel(max(level, logging.ERROR))
    # tqdm has no switch for bars that are drawn by others' code
    setattr(bar, "__init__", partialmethod(make, disable=True))  # noqa: B010
    try:
        yield
    finally:
        setattr(bar, "__init__", make)  # noqa: B010
        log.setLevel(level)
