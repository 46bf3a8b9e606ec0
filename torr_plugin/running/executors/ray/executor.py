"""Starts or joins Ray, and has it do what the pool of replicas decides."""

from __future__ import annotations

import io
import logging
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from typing import Any

from ....core.errors import ModelError, RunError, nearest
from ....core.versions import ENGINES, changed, install_hint
from ...answer import MOST_ERROR_CHARACTERS, Answer, one_line, storable_text
from ...model import AnswerBatch
from ...pending_request import PendingRequest
from ...registry import added_models
from ...traffic import SummedTraffic
from ..base import Executor, JobOutcome, ModelJob
from . import cluster
from .cluster import ClusterMonitor
from .pool import Pool
from .pooled import PooledModel, PoolRules
from .replica import LOADER, LoadResult, Replica, ReplicaReport

_log = logging.getLogger(__name__)
_REACH = 10.0  # seconds
_QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0", "RAY_DEDUP_LOGS": "0"}
_LOOK = 2.0
_REPORT = 10.0
_STOPPING = 15.0


@contextmanager
def ray_executor(
    address: str | None = None,
    *,
    runtime_env: Mapping[str, Any] | None = None,
    rules: PoolRules | None = None,
    loader: str = LOADER,
) -> Iterator[Executor]:
    """Asks models in Ray actors: on the cluster at an address, or that is joined, else on this machine.

    Ray is left afterwards if it was started or joined here.

    Args:
        address: ``auto`` (the cluster that this machine is a node of) or ``host:port``.
        runtime_env: Ray's runtime environment of the actors: variables, packages.
        rules: of the pool.
        loader: ``package.module:function`` that makes the model inside an actor.

    Raises:
        RunError: Ray is not installed, does not start, or there is no cluster at the address.
    """
    try:
        import ray
    except ImportError as error:
        raise RunError(f"the executor 'ray' needs Ray: {install_hint('.[ray]')}") from error
    if address is not None and "://" in address:
        raise RunError(
            f"--ray-address: found {address!r}, expected 'auto' or 'host:port' of the cluster, on one of its "
            "nodes; a connection by Ray Client would lose what is in flight with every interruption"
        )
    _check_environment(ray.runtime_env.RuntimeEnv, runtime_env or {})
    ours = not ray.is_initialized()
    if ours:
        _reach(address)
        _start(ray, address)
    try:
        # Ray prints to stdout, where our result goes, why its processes died; it has no option
        with redirect_stdout(_RayMessages()):
            yield RayExecutor(
                ray, rules or PoolRules(), loader, runtime_env, joined=address is not None or not ours
            )
    finally:
        if ours:
            ray.shutdown()


def _check_environment(kind: Any, runtime_env: Mapping[str, Any]) -> None:
    for name in runtime_env:
        if name not in kind.known_fields:
            raise RunError(f"--ray-runtime-env: found {name!r}; {nearest(name, sorted(kind.known_fields))}")
    try:
        kind(**runtime_env)
    except Exception as error:  # TypeError, ValueError and others
        raise RunError(f"--ray-runtime-env: {one_line(error)}") from error


class _RayMessages(io.TextIOBase):
    def write(self, text: str) -> int:
        _log.debug("%s", text)
        return len(text)


def _reach(address: str | None) -> None:
    """Check that something listens at an address; Ray itself tries for minutes."""
    if address == "auto":
        address = os.environ.get("RAY_ADDRESS")  # what Ray takes ``auto`` for where it is set
    if not address or address == "local":
        return
    host, _, port = address.rpartition(":")
    if (error := cluster.listens(host, port, _REACH)) is not None:
        raise RunError(f"no Ray cluster at {address!r}: {one_line(error)}")


def _start(ray: Any, address: str | None) -> None:
    before = {name: os.environ.get(name) for name in _QUIET}
    stop = signal.getsignal(signal.SIGTERM)
    os.environ.update({name: value for name, value in _QUIET.items() if before[name] is None})
    try:
        if address is None:
            # "local", as the user named no cluster, even if one runs here or is in RAY_ADDRESS
            ray.init("local", include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
        else:
            ray.init(address, log_to_driver=False, logging_level=logging.ERROR)
    except Exception as error:  # Ray wraps whatever its processes ended with
        what = "Ray does not start" if address is None else f"no Ray cluster at {address!r}"
        hint = "; one that checks a token needs RAY_AUTH_MODE=token here as well" if address else ""
        raise RunError(f"{what}: {one_line(error)}{hint}") from error
    finally:
        for name in (name for name, value in before.items() if value is None):
            os.environ.pop(name, None)
        if threading.current_thread() is threading.main_thread():  # Ray sets its own handler of SIGTERM
            signal.signal(signal.SIGTERM, stop or signal.SIG_DFL)


class RayExecutor:
    """See :class:`torr_plugin.running.executors.base.Executor`."""

    def __init__(
        self, ray: Any, rules: PoolRules, loader: str, runtime_env: Mapping[str, Any] | None, *, joined: bool
    ) -> None:
        self._ray, self._rules, self._loader, self._joined = ray, rules, loader, joined
        self._runtime_env = dict(runtime_env or {})
        self._monitor = ClusterMonitor.of(ray, joined=joined)

    def run(self, jobs: Sequence[ModelJob]) -> Generator[tuple[str, JobOutcome], None, None]:
        """See :class:`torr_plugin.running.executors.base.Executor`."""
        nodes = cluster.nodes(self._ray)
        good: list[ModelJob] = []
        models: list[PooledModel] = []
        arguments: list[tuple[Any, ...]] = []
        for job in jobs:
            entry = job.entry
            try:
                inside = {"args": cluster.engine_arguments(entry), "name": entry.label}
                needs = cluster.needs(entry, nodes)
            except ModelError as error:
                yield entry.label, error
                continue
            arguments.append(
                (entry.model_copy(update=inside), dict(job.generation), added_models(), self._loader)
            )
            models.append(
                PooledModel(
                    len(good),
                    entry.label,
                    needs,
                    job.source,
                    job.count,
                    cluster.most_replicas(entry),
                    entry.ray.load_minutes * 60,
                )
            )
            good.append(job)
        actors = _Actors(self._ray, arguments, models, self._runtime_env)
        pool = Pool(models, actors, self._rules, patient=self._joined)
        try:
            yield from _Driver(self._ray, good, pool, actors, self._monitor).batches()
        finally:
            actors.kill_all()


class _Actors:
    """Does what the pool says (:class:`.pool.PoolCommands`); gives the calls that ended, and what failed."""

    def __init__(
        self,
        ray: Any,
        arguments: Sequence[tuple[Any, ...]],
        models: Sequence[PooledModel],
        env: dict[str, Any],
    ) -> None:
        self._ray, self._arguments, self._models, self._env = ray, arguments, models, env
        self._class = ray.remote(concurrency_groups={"feed": 1, "collect": 1})(Replica)
        self._handles: dict[int, Any] = {}
        self._calls: dict[Any, tuple[int, str]] = {}
        self._stopping: dict[int, float] = {}
        self.model_of: dict[int, int] = {}
        self.failed: deque[tuple[int, Answer | ModelError]] = deque()

    def start(self, replica: int, model: int, avoid: Collection[str]) -> None:
        needs = dict(self._models[model].needs)
        actor = self._class.options(
            num_cpus=needs.pop("CPU"),
            num_gpus=needs.pop("GPU"),
            resources=needs,
            max_restarts=0,
            scheduling_strategy=cluster.strategy_without(self._ray, sorted(avoid)),
            **({"runtime_env": self._env} if self._env else {}),
        ).remote(*self._arguments[model])
        self._handles[replica], self.model_of[replica] = actor, model
        self._calls[actor.node.remote()] = replica, "node"
        self._calls[actor.load.remote()] = replica, "load"

    def feed(self, replica: int, requests: list[PendingRequest]) -> None:
        self._handles[replica].feed.options(concurrency_group="feed").remote(requests)

    def collect(self, replica: int) -> None:
        """Ask for answers."""
        call = self._handles[replica].collect.options(concurrency_group="collect")
        self._calls[call.remote(_REPORT)] = replica, "collect"

    def recall(self, replica: int) -> None:
        self._handles[replica].recall.options(concurrency_group="feed").remote()

    def stop(self, replica: int) -> None:
        self._stopping[replica] = time.monotonic()
        self._calls[self._handles[replica].stop.remote()] = replica, "stop"

    def kill(self, replica: int) -> None:
        self._stopping.pop(replica, None)
        if (actor := self._handles.pop(replica, None)) is not None:
            self._ray.kill(actor)

    def kill_all(self) -> None:
        """End all actors at once."""
        for replica in list(self._handles):
            self.kill(replica)

    def fail_request(self, model: int, key: str, reason: str) -> None:
        self.failed.append((model, Answer(key, None, error=storable_text(reason[:MOST_ERROR_CHARACTERS]))))

    def fail_model(self, model: int, reason: str) -> None:
        self.failed.append((model, ModelError(reason)))

    def say(self, message: str) -> None:
        _log.warning("%s", message)

    def ended_calls(self, timeout: float) -> Iterator[tuple[int, str, Any]]:
        """Replica, name and result of the calls that have ended; an exception where they failed."""
        if not self._calls:
            time.sleep(timeout)
        else:
            self._ray.wait(list(self._calls), timeout=timeout)
        ready = (
            self._ray.wait(list(self._calls), num_returns=len(self._calls), timeout=0)[0]
            if self._calls
            else []
        )
        for call in ready:
            replica, name = self._calls.pop(call)
            if replica in self._handles and (name == "stop" or replica not in self._stopping):
                yield replica, name, self._result(call)

    def _result(self, call: Any) -> Any:
        try:
            return self._ray.get(call)
        except self._ray.exceptions.RayError as error:
            return error

    def overdue(self) -> list[int]:
        """The replicas that do not stop."""
        return [number for number, since in self._stopping.items() if time.monotonic() - since > _STOPPING]


class _Driver:
    """Tells the pool what happens, and gives the answers."""

    def __init__(
        self, ray: Any, jobs: Sequence[ModelJob], pool: Pool, actors: _Actors, monitor: ClusterMonitor
    ) -> None:
        self._ray, self._jobs, self._pool, self._actors, self._monitor = ray, jobs, pool, actors, monitor
        self._batches = [AnswerBatch() for _ in jobs]
        self._traffic = [SummedTraffic(job.on_traffic) for job in jobs]
        self._versions: dict[int, Mapping[str, str]] = {}
        self._node_of: dict[int, str] = {}
        self._looked = -_LOOK

    def batches(self) -> Iterator[tuple[str, JobOutcome]]:
        """Run until every model has ended, and yield answers as they come."""
        try:
            while not self._pool.finished:
                self._look()
                self._pool.step(time.monotonic())
                yield from self._due()
                for replica, call, result in self._actors.ended_calls(timeout=0.25):
                    self._take(replica, call, result)
                for replica in self._actors.overdue():
                    self._end(replica)
            yield from self._due(all_of_them=True)
        except (KeyboardInterrupt, RunError) as error:
            yield from self._due(all_of_them=True)
            # a signal to the whole process group ends Ray as well: then it is a stop like any other
            if not isinstance(error, RunError) or not all(job.source.stopped for job in self._jobs):
                raise

    def _look(self) -> None:
        now = time.monotonic()
        if now - self._looked >= _LOOK:
            self._looked = now
            if self._monitor.is_reachable(now):
                self._pool.set_nodes(cluster.nodes(self._ray))

    def _due(self, *, all_of_them: bool = False) -> Iterator[tuple[str, JobOutcome]]:
        while self._actors.failed:
            model, outcome = self._actors.failed.popleft()
            if isinstance(outcome, Answer):
                self._batches[model].add([outcome])
                continue
            if answers := self._batches[model].take():
                yield self._jobs[model].entry.label, answers
            yield self._jobs[model].entry.label, outcome
        for model, (job, batch) in enumerate(zip(self._jobs, self._batches, strict=True)):
            is_due = all_of_them or batch.is_due(awaited=self._pool.is_idle(model))
            if is_due and (answers := batch.take()):
                yield job.entry.label, answers

    def _take(self, replica: int, call: str, result: Any) -> None:
        if call == "stop":
            self._end(replica)
        elif isinstance(result, BaseException):
            self._died(replica, result)
        elif call == "node":
            self._placed(replica, result)
        elif call == "load":
            self._loaded(replica, result)
        else:
            self._collected(replica, result)

    def _placed(self, replica: int, node: str) -> None:
        self._node_of[replica] = node
        self._pool.placed(replica, node, time.monotonic())

    def _end(self, replica: int) -> None:
        self._actors.kill(replica)
        self._pool.stopped(replica)

    def _died(self, replica: int, error: BaseException) -> None:
        self._looked = -_LOOK  # perhaps its node is gone
        if isinstance(error, self._ray.exceptions.RuntimeEnvSetupError):
            self._pool.failed_to_load(replica, one_line(error))
            return
        if self._monitor.is_reachable(time.monotonic()):
            if replica not in self._node_of and (node := cluster.node_named_in(self._ray, error)):
                self._placed(replica, node)  # it died before it could say so
            reason, kind = cluster.death_of(self._ray, error, self._node_of.get(replica, ""))
        else:
            reason, kind = one_line(error), "loss"
        self._actors.kill(replica)
        self._pool.died(replica, reason, kind, time.monotonic())

    def _loaded(self, replica: int, result: LoadResult) -> None:
        model, error = self._actors.model_of[replica], result.error
        if error is None and model not in self._versions:
            self._jobs[model].on_versions(result.versions)
            self._versions[model] = result.versions
        elif error is None and (differ := changed(self._versions[model], result.versions, ENGINES)):
            error = f"has other versions than the first replica: {differ}"
        if error is not None:
            self._pool.failed_to_load(replica, error)
            return
        self._pool.loaded(replica, result.room, time.monotonic())
        self._actors.collect(replica)

    def _collected(self, replica: int, report: ReplicaReport) -> None:
        model = self._actors.model_of[replica]
        self._traffic[model].update(replica, report.traffic)
        answers = {row[0]: row for row in report.answers}
        known = self._pool.reported(replica, answers, report.room, time.monotonic())
        self._batches[model].add(Answer(*answers[key]) for key in known)
        if report.lost:
            self._pool.server_lost(replica, str(report.broken))
        elif report.broken is not None:
            self._actors.kill(replica)
            self._pool.died(replica, report.broken, "crash", time.monotonic())
        elif report.ended:
            self._pool.recalled(replica)
        else:
            self._actors.collect(replica)
