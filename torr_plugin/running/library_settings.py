"""Settings of libraries while a run uses them: environment variables, progress bars."""

from __future__ import annotations

import importlib.metadata
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partialmethod
from io import StringIO

from ..core.versions import installed_version

# stdout is for results, stderr for the run's own progress, and no usage statistics are sent
_VLLM = {
    "VLLM_LOGGING_STREAM": "ext://sys.stderr",
    "VLLM_LOGGING_LEVEL": "WARNING",
    "VLLM_NO_USAGE_STATS": "1",
}


@contextmanager
def library_environment(model: str) -> Iterator[None]:
    """Set the environment variables of a model's library while its class is imported, unless they are set."""
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
    """A package's version; vLLM's also where its build for CPUs is installed, which has another name."""
    if (found := installed_version(distribution_name)) is None:
        raise importlib.metadata.PackageNotFoundError(distribution_name)
    return found


@contextmanager
def without_progress_bars() -> Iterator[None]:
    """Hide tqdm's progress bars, and lm-eval's log below errors; both would be written over the run's own."""
    import tqdm

    log, bar = logging.getLogger("lm_eval"), tqdm.tqdm
    level, make = log.level, bar.__dict__["__init__"]  # others replace it too
    log.setLevel(max(level, logging.ERROR))
    # tqdm has no switch for bars in other people's code; a bar with ``disable`` has no elapsed time, by which
    # vLLM divides
    setattr(bar, "__init__", partialmethod(make, file=StringIO()))  # noqa: B010
    try:
        yield
    finally:
        setattr(bar, "__init__", make)  # noqa: B010
        log.setLevel(level)
