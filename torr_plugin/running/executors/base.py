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


@dataclass(frozen=True, slots=True)
class RayCluster:
    """A Ray cluster, where ``ray`` alone means one of this machine's own.

    Attributes:
        address: of one that runs, ``auto`` for that of this machine; None to start one here.
        runtime_env: Ray's runtime environment of the models there (variables, packages).
    """

    address: str | None = None
    runtime_env: Mapping[str, Any] | None = None


def open_executor(where: str | RayCluster) -> AbstractContextManager[Executor]:
    """An executor, to be used in a ``with``.

    Args:
        where: ``local``, ``ray`` or a cluster.

    Raises:
        RunError: no such executor, or its package is not installed.
    """
    if where == "local":
        from .local import local_executor

        return local_executor()
    cluster = RayCluster() if where == "ray" else where
    if isinstance(cluster, RayCluster):
        from .ray import ray_executor

        return ray_executor(cluster.address, runtime_env=cluster.runtime_env)
    raise RunError(f"unknown executor {where!r}; {nearest(cluster, EXECUTORS)}")
