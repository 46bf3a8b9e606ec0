"""The code of a replica: an actor with one model, which gets requests while it answers others."""

from __future__ import annotations

import importlib
import os
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from ...core.errors import EngineBrokenError, ModelError, ServerLostError, described
from ..answer import Answer
from ..loaded_model import Model, load_model
from ..model_classes import add_model, engine_versions
from ..request_sources import PendingRequest

if TYPE_CHECKING:
    from ...recipes import ModelEntry


LOADER = "torr_plugin.running.ray.replica:load"
# plain tuples travel several times as fast as objects
as_row = attrgetter(*(each.name for each in fields(Answer)))


class LoadResult(NamedTuple):
    """The result of loading: how many requests the engine works on at once, or the error.

    ``versions`` are those of the packages that answer, here and not at the driver.
    """

    room: int
    error: str | None = None
    versions: Mapping[str, str] = {}


class ReplicaReport(NamedTuple):
    """What a replica has answered since its last report; ``broken``: why its engine answers nothing more.

    ``lost``: any other replica would fail, too. ``known``: of who answers (:data:`..loaded_model.OnKnown`).
    """

    answers: list[tuple[Any, ...]]
    room: int
    broken: str | None = None
    lost: bool = False
    known: Mapping[str, Mapping[str, Any]] = {}


class ReplicaQueue:
    """A source that is filled from another thread.

    Attributes:
        room: the most requests that the engine could have worked on at once, so far.
    """

    def __init__(self) -> None:
        self._waiting: deque[PendingRequest] = deque()
        self._under_way = 0
        self.room, self.done, self.stopped = 1, False, False

    def add(self, requests: Sequence[PendingRequest]) -> None:
        """Add requests."""
        self._waiting.extend(requests)

    def take(self, most: int) -> list[PendingRequest]:
        """See :class:`torr_plugin.running.request_sources.RequestSource`."""
        found: list[PendingRequest] = []
        with suppress(IndexError):  # none is left; another thread may have cleared them just now
            while len(found) < most:
                found.append(self._waiting.popleft())
        if len(found) < most:
            self.room = max(self.room, self._under_way + most)
        self._under_way += len(found)
        return found

    def recall(self) -> None:
        """Drop the requests that are not begun."""
        self._waiting.clear()
        self.stopped = self.done = True

    def answered(self, count: int) -> None:
        """Record that ``count`` of the requests taken are answered."""
        self._under_way -= count


class Replica:
    """The actor's class: it says what happens in one stream, while it gets requests in another thread."""

    def __init__(
        self,
        entry: ModelEntry,
        generation: Mapping[str, Any],
        models: Mapping[str, str],
        loader: str = LOADER,
    ) -> None:
        # no data parallelism over actors; an engine's processes are started by spawn
        for name in [name for name in os.environ if name.startswith("VLLM_DP_")]:
            del os.environ[name]
        os.environ["VLLM_WORKER_MULTIPROC_METHOD"] = "spawn"
        self._arguments, self._loader = (entry, dict(generation), dict(models)), loader
        self._fed = ReplicaQueue()

    def run(self) -> Iterator[str | LoadResult | ReplicaReport]:
        """The node that it is on, whether the model could be loaded, and its answers until it is recalled."""
        import ray

        yield str(ray.get_runtime_context().get_node_id())
        module, _, name = self._loader.partition(":")
        try:
            model = getattr(importlib.import_module(module), name)(*self._arguments)
        except Exception as error:  # e.g. a package of this node is broken
            yield LoadResult(0, str(error) if isinstance(error, ModelError) else described(error))
            return
        fed, known = self._fed, dict[str, Mapping[str, Any]]()
        fed.room = max(model.engine.room(), 1)
        yield LoadResult(fed.room, None, engine_versions(self._arguments[0].model))
        try:
            for answers in model.stream(fed, known.__setitem__):
                if answers or known:
                    fed.answered(len(answers))
                    yield ReplicaReport(list(map(as_row, answers)), fed.room, known=dict(known))
                    known.clear()
        except Exception as error:  # the driver must be notified, whatever it is
            broken = str(error) if isinstance(error, EngineBrokenError) else described(error)
            broken = broken.removeprefix(f"model {self._arguments[0].label!r}: ")  # which the pool says
            yield ReplicaReport([], fed.room, broken, isinstance(error, ServerLostError), known)
        finally:
            model.engine.close()  # which may have processes of its own

    def feed(self, requests: list[PendingRequest]) -> None:
        """Add requests."""
        self._fed.add(requests)

    def recall(self) -> None:
        """Finish the requests that are begun, drop the rest, and end."""
        self._fed.recall()


def load(entry: ModelEntry, generation: Mapping[str, Any], models: Mapping[str, str]) -> Model:
    """Load the model, with the models that plugins added in the driver (name -> target).

    Raises:
        ModelError: it cannot be loaded.
    """
    for name, target in models.items():
        add_model(name, target)
    return load_model(entry, generation)
