"""The interface of an executor, and the names of all."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from ...core.errors import ModelError, RunError, nearest
from ..answer import Answer
from ..traffic import TrafficListener, ignore_traffic

if TYPE_CHECKING:
    from ...recipes import ModelEntry
    from ..pending_request import RequestSource

JobOutcome: TypeAlias = "list[Answer] | ModelError"


@dataclass(frozen=True, slots=True)
class ModelJob:
    """A model and the requests to ask it.

    ``count`` is about how many requests are pending; ``generation`` the study's parameters;
    ``on_traffic`` is called, in the thread that stores the answers, with what the model's servers did so far;
    ``on_versions``, by an executor on other machines, with the versions of the packages there, before the
    first answer.
    """

    entry: ModelEntry
    generation: Mapping[str, Any]
    source: RequestSource
    count: int
    on_traffic: TrafficListener = ignore_traffic
    on_versions: Callable[[Mapping[str, str]], object] = lambda versions: None


class Executor(Protocol):
    """Asks models their pending requests."""

    def run(self, jobs: Sequence[ModelJob]) -> Generator[tuple[str, JobOutcome], None, None]:
        """Yield the label of a model and a batch of its answers, as they come: one for each request taken.

        The caller handles a batch (stores it, adds follow-ups to the source) before it takes the next one. A
        model that cannot be loaded, or whose engine broke, comes once with its :class:`ModelError`; the
        others continue.
        """


EXECUTORS = ("local", "ray")


def open_executor(
    name: str, ray_address: str | None = None, ray_runtime_env: Mapping[str, Any] | None = None
) -> AbstractContextManager[Executor]:
    """The executor called ``name``, to be used in a ``with``.

    Args:
        name: ``local`` or ``ray``.
        ray_address: the address of a Ray cluster.
        ray_runtime_env: Ray's runtime environment of what runs there.

    Raises:
        RunError: no such executor, or its package is not installed.
    """
    if name == "local":
        from .local import local_executor

        return local_executor()
    if name == "ray":
        from .ray import ray_executor

        return ray_executor(ray_address, runtime_env=ray_runtime_env)
    raise RunError(f"unknown executor {name!r}; {nearest(name, EXECUTORS)}")
