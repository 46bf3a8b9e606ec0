"""Which executor a name stands for."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from ...core.errors import RunError, nearest

if TYPE_CHECKING:
    from .base import Executor

EXECUTORS = ("local", "ray")


def open_executor(name: str, ray_address: str | None = None) -> AbstractContextManager[Executor]:
    """The executor called ``name``, to be used in a ``with``; ``ray_address`` is that of a Ray cluster.

    Raises:
        RunError: no such executor, or its package is not installed.
    """
    if name == "local":
        from .local import local_executor

        return local_executor()
    if name == "ray":
        from .ray import ray_executor

        return ray_executor() if ray_address is None else ray_executor(ray_address)
    raise RunError(f"unknown executor {name!r}; {nearest(name, EXECUTORS)}")
