"""On Ray: actors that hold one model each; the driver hands out batches and stores the answers."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...errors import ModelError, RunError
from ..answer import Answer, one_line
from ..registry import add_model, added_models
from .base import Ask
from .pace import Pace, take
from .resources import Resources, engine_arguments, resources

if TYPE_CHECKING:
    from ...recipes import ModelEntry
    from ..models import Asked

_QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0", "RAY_DEDUP_LOGS": "0"}
_TRIES = 2


@contextmanager
def ray_executor() -> Iterator[Ask]:
    """Asks models in Ray actors, on the cluster that is there, else on this machine.

    Ray is stopped afterwards if it was started here.

    Raises:
        RunError: Ray is not installed, or does not start.
    """
    try:
        import ray
    except ImportError as error:
        raise RunError("the executor 'ray' needs Ray: pip install 'torr-plugin[ray]'") from error
    ours = not ray.is_initialized()
    if ours:
        _start(ray)
    try:
        yield _Cluster(ray).ask
    finally:
        if ours:
            ray.shutdown()


def _start(ray: Any) -> None:
    before = {name: os.environ.get(name) for name in _QUIET}
    stop = signal.getsignal(signal.SIGTERM)
    os.environ.update({name: value for name, value in _QUIET.items() if before[name] is None})
    try:
        ray.init(include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    except Exception as error:  # Ray wraps whatever its processes ended with
        raise RunError(f"Ray does not start: {one_line(error)}") from error
    finally:
        for name in (name for name, value in before.items() if value is None):
            os.environ.pop(name, None)
        if threading.current_thread() is threading.main_thread():  # Ray takes SIGTERM for itself
            signal.signal(signal.SIGTERM, stop or signal.SIG_DFL)


class Worker:
    """What runs inside an actor: one model."""

    def __init__(self, entry: ModelEntry, generation: Mapping[str, Any], models: Mapping[str, str]) -> None:
        for name, target in models.items():
            add_model(name, target)
        self._entry, self._generation = entry, dict(generation)
        self._model: Any = None

    def load(self) -> str | None:
        """Load the model; what is wrong with it, where it cannot be loaded."""
        from ..models import load_model

        try:
            self._model = load_model(self._entry, self._generation)
        except ModelError as error:
            return str(error)
        return None

    def answers(self, asked: list[Asked]) -> list[Answer]:
        """One answer a request."""
        answers: list[Answer] = self._model.answers(asked)
        return answers


@dataclass
class _Job:
    """What an actor does: load its model (``tries`` 0), or answer a batch for the ``tries``-th time."""

    actor: Any
    asked: list[Asked]
    tries: int
    started: float


class _Cluster:
    def __init__(self, ray: Any) -> None:
        self._ray = ray

    def ask(
        self, entry: ModelEntry, generation: Mapping[str, Any], pending: Iterator[Asked], count: int
    ) -> Generator[list[Answer], None, None]:
        """See :class:`torr_plugin.running.executors.base.Ask`."""
        needs = resources(entry, count, self._ray.cluster_resources())
        fleet = _Fleet(self._ray, entry, dict(generation), needs, pending)
        try:
            yield from fleet.run(count)
        finally:
            fleet.stop()


class _Fleet:
    """The actors of one model.

    A dead one is replaced; its batch is asked again once, then its requests have failed.
    """

    def __init__(
        self,
        ray: Any,
        entry: ModelEntry,
        generation: dict[str, Any],
        needs: Resources,
        pending: Iterator[Asked],
    ) -> None:
        self._ray, self._entry, self._pending, self._needs = ray, entry, pending, needs
        asked_entry = entry.model_copy(update={"args": engine_arguments(entry), "name": entry.label})
        self._arguments = (asked_entry, generation, added_models())
        self._kind = ray.remote(Worker).options(num_cpus=needs.cpus, num_gpus=needs.gpus)
        self._jobs: dict[Any, _Job] = {}
        self._again: deque[list[Asked]] = deque()
        self._idle: list[Any] = []
        self._deaths_on_loading = 0
        self._pace = Pace()

    def run(self, count: int) -> Iterator[list[Answer]]:
        for _ in range(self._needs.actors):
            self._spawn()
        left = count
        try:
            while left > 0:
                for answers in self._finished(timeout=None):
                    left -= len(answers)
                    yield answers
        except KeyboardInterrupt:
            yield from self._finished(timeout=0)
            raise

    def stop(self) -> None:
        for actor in {job.actor for job in self._jobs.values()}.union(self._idle):
            self._ray.kill(actor)
        self._jobs.clear()

    def _spawn(self) -> None:
        actor = self._kind.remote(*self._arguments)
        self._jobs[actor.load.remote()] = _Job(actor, [], 0, time.perf_counter())

    def _finished(self, timeout: float | None) -> Iterator[list[Answer]]:
        done, _ = self._ray.wait(list(self._jobs), num_returns=1, timeout=timeout)
        for reference in done:
            answers = self._settle(reference, self._jobs.pop(reference))
            if answers:
                yield answers

    def _settle(self, reference: Any, job: _Job) -> list[Answer]:
        """Take what a job came to, and give its actor the next one."""
        try:
            result = self._ray.get(reference)
        except self._ray.exceptions.RayActorError as error:
            return self._died(job, error)
        except (
            self._ray.exceptions.RayError
        ) as error:  # our own code in the actor failed: not the model's fault alone
            self._give(job.actor)
            return _failed(job.asked, error)
        if not job.tries:
            if result is not None:
                raise ModelError(result)
            self._give(job.actor)
            return []
        self._pace.record(len(job.asked), time.perf_counter() - job.started)
        self._give(job.actor)
        answers: list[Answer] = result
        return answers

    def _give(self, actor: Any) -> None:
        tries = 2 if self._again else 1
        asked = self._again.popleft() if self._again else take(self._pending, self._pace.size)
        if not asked:
            self._idle.append(actor)
            return
        self._jobs[actor.answers.remote(asked)] = _Job(actor, asked, tries, time.perf_counter())

    def _died(self, job: _Job, error: Exception) -> list[Answer]:
        if not job.tries:
            self._deaths_on_loading += 1
            if self._deaths_on_loading > self._needs.actors:
                raise ModelError(
                    f"model {self._entry.label!r} ends its process while it is loaded: {one_line(error)}"
                )
        self._spawn()
        if job.tries == 1:
            self._again.append(job.asked)
            return []
        return _failed(job.asked, error)


def _failed(asked: list[Asked], error: Exception) -> list[Answer]:
    reason = f"the process that held the model ended: {one_line(error)}"[:500]
    return [Answer(key, None, error=reason) for key, _ in asked]
