"""Keeps lm-eval's models from drawing bars and logging over the run's own progress."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partialmethod


class _Nowhere:
    """Where bars are drawn that nobody is to see."""

    def write(self, text: str) -> int:
        return len(text)

    def flush(self) -> None:
        """Nothing is kept."""


@contextmanager
def quiet() -> Iterator[None]:
    """No tqdm bars, and of lm-eval's log only errors; both are as before afterwards."""
    import tqdm

    log, bar = logging.getLogger("lm_eval"), tqdm.tqdm
    level, make = log.level, bar.__init__
    log.setLevel(max(level, logging.ERROR))
    # tqdm has no switch for bars that are drawn by others' code; one with ``disable`` keeps no time, by which
    # vLLM divides
    setattr(bar, "__init__", partialmethod(make, file=_Nowhere()))  # noqa: B010
    try:
        yield
    finally:
        setattr(bar, "__init__", make)  # noqa: B010
        log.setLevel(level)
