"""The code of a replica: an actor with one model, which gets requests while it answers others."""

from __future__ import annotations

import importlib
import os
import threading
from collections import deque
from collections.abc import Mapping, Sequence
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
    """What a replica has answered since it last reported; ``broken``: why its engine answers nothing more.

    ``ended``: it was recalled, and has answered all that it had begun. ``lost``: any other replica would
    fail, too. ``known``: of who answers (:data:`..loaded_model.OnKnown`).
    """

    answers: list[tuple[Any, ...]]
    room: int
    broken: str | None = None
    ended: bool = False
    lost: bool = False
    known: Mapping[str, Mapping[str, Any]] = {}


class ReplicaQueue:
    """A source that is filled from another thread.

    Attributes:
        room: the most requests that the engine could have worked on at once, so far.
    """

    def __init__(self, room: int) -> None:
        self._waiting: deque[PendingRequest] = deque()
        self._under_way = 0
        self.room, self.done, self.stopped = room, False, False

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
    """The actor's class; the model answers in a thread of its own."""

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
        self._news = threading.Condition()
        self._answers: list[tuple[Any, ...]] = []
        self._broken: str | None = None
        self._ended = self._lost = False
        self._known: dict[str, Mapping[str, Any]] = {}

    def node(self) -> str:
        """The node that it is on."""
        import ray

        return str(ray.get_runtime_context().get_node_id())

    def load(self) -> LoadResult:
        """Load the model and begin to answer."""
        module, _, name = self._loader.partition(":")
        try:
            self._model = getattr(importlib.import_module(module), name)(*self._arguments)
        except ModelError as error:
            return LoadResult(0, str(error))
        except Exception as error:  # e.g. a package of this node is broken
            return LoadResult(0, described(error))
        self._fed = ReplicaQueue(max(self._model.engine.room(), 1))
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        return LoadResult(self._fed.room, None, engine_versions(self._arguments[0].model))

    def feed(self, requests: list[PendingRequest]) -> None:
        """Add requests."""
        self._fed.add(requests)

    def collect(self, seconds: float) -> ReplicaReport:
        """The answers since the last call; waits up to ``seconds`` for the first."""
        with self._news:
            self._news.wait_for(lambda: self._answers or self._ended, timeout=seconds)
            answers, self._answers = self._answers, []
            known, self._known = self._known, {}
            # hold the lock, so that the end is never reported before the last answers
            return ReplicaReport(answers, self._fed.room, self._broken, self._ended, self._lost, known)

    def recall(self) -> None:
        """Finish the requests that are begun and drop the rest."""
        self._fed.recall()

    def stop(self) -> None:
        """Close the engine, which may have processes of its own."""
        self._fed.done = True
        self._thread.join(timeout=5)
        self._model.engine.close()

    def _run(self) -> None:
        try:
            for answers in self._model.stream(self._fed, self._listen):
                if not answers:
                    continue
                self._fed.answered(len(answers))
                with self._news:
                    self._answers += map(as_row, answers)
                    self._news.notify()
            self._end(None)
        except EngineBrokenError as error:
            self._end(str(error), lost=isinstance(error, ServerLostError))
        except BaseException as error:  # the driver must be notified, whatever it is
            self._end(described(error))

    def _listen(self, field: str, value: Mapping[str, Any]) -> None:
        with self._news:
            self._known[field] = value

    def _end(self, broken: str | None, *, lost: bool = False) -> None:
        with self._news:
            self._broken, self._lost, self._ended = broken, lost, True
            self._news.notify()


def load(entry: ModelEntry, generation: Mapping[str, Any], models: Mapping[str, str]) -> Model:
    """Load the model, with the models that plugins added in the driver (name -> target).

    Raises:
        ModelError: it cannot be loaded.
    """
    for name, target in models.items():
        add_model(name, target)
    return load_model(entry, generation)
