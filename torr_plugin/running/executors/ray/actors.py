"""The pool of a run's Ray actors: starts and calls them, and queues their results."""

from __future__ import annotations

import queue
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from ....recipes import ModelEntry
from ...dispatch import ActorResources
from ...pending_request import PendingRequest
from .worker import ModelWorker

ActorCall: TypeAlias = Literal["load", "collect", "stop"]
_GROUPS = {"feed": 1, "collect": 1}
_POLL = 10.0


@dataclass(frozen=True, slots=True)
class ActorSpec:
    """What an actor needs to load a model, and the resources it holds."""

    entry: ModelEntry
    generation: Mapping[str, Any]
    needs: ActorResources


@dataclass(frozen=True, slots=True)
class ActorEvent:
    """A call to an actor that has ended; ``result`` may be an exception."""

    actor: int
    call: ActorCall
    result: Any


class ActorPool:
    """Actors by their numbers. Every actor that is ready has one ``collect`` waiting."""

    def __init__(self, ray: Any, models: Sequence[ActorSpec], added: Mapping[str, str], loader: str) -> None:
        self._ray, self.models, self._added, self._loader = ray, list(models), dict(added), loader
        self._kind = ray.remote(concurrency_groups=_GROUPS)(ModelWorker)
        self._handles: dict[int, Any] = {}
        self._events: queue.SimpleQueue[ActorEvent] = queue.SimpleQueue()

    def start(self, actor: int, job: int, node: str) -> None:
        """Start an actor and have it load its model; on another node where that one is gone."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        model = self.models[job]
        kind = self._kind.options(
            num_cpus=model.needs.cpus,
            num_gpus=model.needs.gpus,
            max_restarts=0,
            scheduling_strategy=NodeAffinitySchedulingStrategy(node, soft=True),
        )
        handle = kind.remote(model.entry, dict(model.generation), self._added, self._loader)
        self._handles[actor] = handle
        self._watch(actor, "load", handle.load.remote())

    def feed(self, actor: int, requests: list[PendingRequest]) -> None:
        """Send requests; ``collect`` gives their answers."""
        self._handles[actor].feed.options(concurrency_group="feed").remote(requests)

    def collect(self, actor: int) -> None:
        """Ask for answers."""
        call = self._handles[actor].collect.options(concurrency_group="collect")
        self._watch(actor, "collect", call.remote(_POLL))

    def recall(self, actor: int) -> None:
        """Have an actor finish the requests it has begun and drop the rest; ``collect`` reports the end."""
        self._handles[actor].recall.options(concurrency_group="feed").remote()

    def stop(self, actor: int) -> None:
        """Have an actor close its engine; ``kill`` it when that has ended."""
        self._watch(actor, "stop", self._handles[actor].stop.remote())

    def kill(self, actor: int) -> None:
        """End an actor at once, whatever it does."""
        handle = self._handles.pop(actor, None)
        if handle is not None:
            self._ray.kill(handle)

    def kill_all(self) -> None:
        """End all actors at once."""
        for actor in list(self._handles):
            self.kill(actor)

    def events(self, timeout: float) -> list[ActorEvent]:
        """The calls that have ended; waits up to ``timeout`` seconds for the first."""
        found: list[ActorEvent] = []
        try:
            found.append(self._events.get(timeout=timeout))
            while True:
                found.append(self._events.get_nowait())
        except queue.Empty:
            return [event for event in found if event.actor in self._handles]

    def _watch(self, actor: int, call: ActorCall, reference: Any) -> None:
        def ended(future: Future[Any]) -> None:
            error = future.exception()
            self._events.put(ActorEvent(actor, call, future.result() if error is None else error))

        reference.future().add_done_callback(ended)
