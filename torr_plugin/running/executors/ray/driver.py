"""The driver of a run on Ray: passes events to the dispatcher, and its commands to the actors."""

from __future__ import annotations

import logging
import time
from collections import defaultdict
from collections.abc import Generator, Iterator, Sequence
from typing import Any

from ....core.errors import ModelError, RunError
from ...answer import MOST_ERROR_CHARACTERS, Answer, storable_text
from ...dispatch import (
    ActorResources,
    Command,
    Dispatcher,
    DispatchRules,
    FailJob,
    FailRequests,
    JobState,
    SendRequests,
    StartActor,
    StopActor,
)
from ...dispatch.jobs import RequestQueue
from ...model import AnswerBatch
from ...registry import added_models
from ...traffic import SummedTraffic
from ..base import ModelJob
from . import cluster
from .actors import ActorEvent, ActorPool, ActorSpec
from .cluster import ClusterMonitor, engine_arguments, needs
from .worker import LOADER

_log = logging.getLogger(__name__)
_LOOK = 2.0
_STOPPING = 15.0


class RayExecutor:
    """See :class:`torr_plugin.running.executors.base.Executor`."""

    def __init__(
        self, ray: Any, *, rules: DispatchRules | None = None, loader: str = LOADER, joined: bool = False
    ) -> None:
        self._ray, self._rules, self._loader = ray, rules or DispatchRules(), loader
        self._monitor = ClusterMonitor.of(ray, joined=joined)

    def run(self, jobs: Sequence[ModelJob]) -> Generator[tuple[str, list[Answer] | ModelError], None, None]:
        """See :class:`torr_plugin.running.executors.base.Executor`."""
        nodes = cluster.nodes(self._ray, {})
        good: list[ModelJob] = []
        models: list[ActorSpec] = []
        for job in jobs:
            try:
                models.append(_model(job, needs(job.entry, job.count, nodes)))
                good.append(job)
            except ModelError as error:
                yield job.entry.label, error
        pool = ActorPool(self._ray, models, added_models(), self._loader)
        try:
            yield from _Driver(self._ray, good, pool, self._rules, self._monitor).batches()
        finally:
            pool.kill_all()


def _model(job: ModelJob, each: ActorResources) -> ActorSpec:
    entry = job.entry
    inside = entry.model_copy(update={"args": engine_arguments(entry), "name": entry.label})
    return ActorSpec(inside, job.generation, each)


class _Driver:
    def __init__(
        self,
        ray: Any,
        jobs: Sequence[ModelJob],
        pool: ActorPool,
        rules: DispatchRules,
        monitor: ClusterMonitor,
    ) -> None:
        self._ray, self._pool, self._models, self._monitor = ray, pool, pool.models, monitor
        self._labels = [job.entry.label for job in jobs]
        self._growing = cluster.grows(ray)
        work = [
            JobState(
                number, job.entry.label, model.needs, RequestQueue(job.source, job.count, rules.characters)
            )
            for number, (job, model) in enumerate(zip(jobs, pool.models, strict=True))
        ]
        self._dispatcher = Dispatcher(work, rules, growing=self._growing)
        self._batches = [AnswerBatch() for _ in jobs]
        self._where: dict[int, tuple[int, str]] = {}
        self._stopping: dict[int, float] = {}
        self._sources = [job.source for job in jobs]
        self._traffic = [SummedTraffic(job.on_traffic) for job in jobs]
        self._ready: set[int] = set()
        self._recalled: set[int] = set()
        self._looked = -_LOOK
        self._wanted: list[tuple[float, float]] = []

    def batches(self) -> Iterator[tuple[str, list[Answer] | ModelError]]:
        """Run until every model has ended, and yield answers as they come."""
        try:
            while not self._dispatcher.finished:
                self._look()
                for command in self._dispatcher.step(time.monotonic()):
                    yield from self._do(command)
                yield from self._due()
                for event in self._pool.events(timeout=0.25):
                    self._take(event)
                self._recall()
                self._end_stopping()
            yield from self._due(all_of_them=True)
        except (KeyboardInterrupt, RunError) as error:
            yield from self._due(all_of_them=True)
            # a signal to the whole process group ends Ray as well: then it is a stop like any other
            if not isinstance(error, RunError) or not all(source.stopped for source in self._sources):
                raise
        finally:
            if self._wanted:
                cluster.ask_for([])

    def _recall(self) -> None:
        """Once the run stops, have actors give up the requests they have not begun."""
        for actor, (job, _) in self._where.items():
            if actor not in self._recalled and self._sources[job].stopped and actor in self._ready:
                self._recalled.add(actor)
                self._pool.recall(actor)

    def _look(self) -> None:
        """Update the nodes every few seconds."""
        now = time.monotonic()
        if now - self._looked < _LOOK:
            return
        self._looked = now
        if not self._monitor.is_reachable(now):
            return
        held: dict[str, tuple[float, float]] = defaultdict(lambda: (0.0, 0.0))
        for job, node in self._where.values():
            each = self._models[job].needs
            held[node] = (held[node][0] + each.cpus, held[node][1] + each.gpus)
        nodes = cluster.nodes(self._ray, held)
        self._dispatcher.cluster(nodes)
        for wait in self._dispatcher.overdue_waits(now):
            _log.warning("%s", wait)
        if self._growing and (wanted := self._dispatcher.wanted()) != self._wanted:
            self._wanted = wanted
            cluster.ask_for(wanted)

    def _do(self, command: Command) -> Iterator[tuple[str, list[Answer] | ModelError]]:
        if isinstance(command, StartActor):
            self._where[command.actor] = command.job, command.node
            self._pool.start(command.actor, command.job, command.node)
        elif isinstance(command, SendRequests):
            self._pool.feed(command.actor, command.requests)
        elif isinstance(command, StopActor):
            self._stop(command)
        elif isinstance(command, FailRequests):
            reason = storable_text(command.reason[:MOST_ERROR_CHARACTERS])
            yield self._labels[command.job], [Answer(key, None, error=reason) for key in command.keys]
        elif isinstance(command, FailJob):
            yield from self._due(all_of_them=True)
            yield self._labels[command.job], ModelError(command.reason)

    def _stop(self, command: StopActor) -> None:
        if command.kill:
            self._gone(command.actor)
        else:
            self._stopping[command.actor] = time.monotonic()
            self._pool.stop(command.actor)

    def _gone(self, actor: int) -> None:
        self._pool.kill(actor)
        self._where.pop(actor, None)
        self._stopping.pop(actor, None)
        self._dispatcher.stopped(actor)

    def _end_stopping(self) -> None:
        now = time.monotonic()
        for actor in [actor for actor, since in self._stopping.items() if now - since > _STOPPING]:
            self._gone(actor)

    def _take(self, event: ActorEvent) -> None:
        if event.actor not in self._where:
            return  # it was ended in the meantime
        if event.call == "stop" or event.actor in self._stopping:
            if event.call == "stop" or isinstance(event.result, BaseException):
                self._gone(event.actor)
        elif isinstance(event.result, BaseException):
            self._died(event.actor, event.result)
        elif event.call == "load":
            self._loaded(event)
        else:
            self._collected(event)

    def _loaded(self, event: ActorEvent) -> None:
        if event.result.error is not None:
            self._dispatcher.failed_to_load(event.actor, event.result.error)
            return
        self._ready.add(event.actor)
        self._dispatcher.ready(event.actor, event.result.appetite, time.monotonic())
        self._pool.collect(event.actor)

    def _collected(self, event: ActorEvent) -> None:
        rows, appetite, broken, ended, lost, traffic = event.result
        job = self._where[event.actor][0]
        self._traffic[job].update(event.actor, traffic)
        answers = {row[0]: row for row in rows}
        known = self._dispatcher.answered(event.actor, list(answers), appetite, time.monotonic())
        self._batches[job].add(Answer(*answers[key]) for key in known)
        if lost:
            self._dispatcher.engine_lost(event.actor, str(broken))
        elif broken is not None:
            self._end_actor(event.actor, broken, blameless=False)
        elif ended:
            self._dispatcher.recalled(event.actor)
        else:
            self._pool.collect(event.actor)

    def _died(self, actor: int, error: BaseException) -> None:
        self._looked = -_LOOK  # perhaps its node is gone
        _, node = self._where[actor]
        is_reachable = self._monitor.is_reachable(time.monotonic())
        blameless = not is_reachable or cluster.blameless(self._ray, error, node)
        self._end_actor(actor, cluster.death_of(error), blameless=blameless)

    def _end_actor(self, actor: int, reason: str, *, blameless: bool) -> None:
        self._dispatcher.died(actor, reason, blameless=blameless)
        self._gone(actor)

    def _due(self, *, all_of_them: bool = False) -> Iterator[tuple[str, list[Answer]]]:
        for job, (label, batch) in enumerate(zip(self._labels, self._batches, strict=True)):
            is_due = all_of_them or batch.is_due(awaited=self._dispatcher.idle(job))
            if is_due and (answers := batch.take()):
                yield label, answers
