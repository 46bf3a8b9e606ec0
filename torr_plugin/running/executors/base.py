"""What an executor is, and how one is chosen."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol

from ...errors import RunError, nearest
from ..answer import Answer

if TYPE_CHECKING:
    from ...recipes import ModelEntry
    from ..models import Asked

EXECUTORS = ("local", "ray")


class Ask(Protocol):
    """Asks one model all its pending requests."""

    def __call__(
        self, entry: ModelEntry, generation: Mapping[str, Any], pending: Iterator[Asked], count: int
    ) -> Generator[list[Answer], None, None]:
        """Batches of answers as they are ready; together one for each of the ``count`` pending requests.

        Raises:
            ModelError: the model cannot be loaded.
        """


def open_executor(name: str) -> AbstractContextManager[Ask]:
    """The executor called ``name``, to be used in a ``with``.

    Raises:
        RunError: no such executor, or its package is not installed.
    """
    if name == "local":
        from .local import local_executor

        return local_executor()
    if name == "ray":
        from .ray import ray_executor

        return ray_executor()
    raise RunError(f"unknown executor {name!r}; {nearest(name, EXECUTORS)}")
