"""Starts or joins Ray, and has it do what the pool of replicas decides."""

from __future__ import annotations

import io
import logging
import os
import signal
import threading
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from functools import partial
from typing import Any

from ...core.errors import ModelError, RunError, described, nearest
from ...core.versions import changed, install_hint
from ..answer import ANSWERED_BY, MOST_ERROR_CHARACTERS, Answer, storable_text
from ..model_classes import added_models
from ..request_sources import PendingRequest
from ..runner import AskedModel, Executor, Outcome
from . import cluster
from .cluster import ClusterMonitor
from .pool import Pool, PooledModel, PooledReplica, PoolRules
from .replica import LOADER, LoadResult, Replica, ReplicaReport

_log = logging.getLogger(__name__)
_REACH = 10.0  # seconds
_QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0", "RAY_DEDUP_LOGS": "0"}
_LOOK = 2.0
_STEP = 0.25


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
        with redirect_stdout(io.StringIO()):
            yield partial(
                _ask,
                ray,
                rules=rules or PoolRules(),
                loader=loader,
                runtime_env=runtime_env or {},
                joined=address is not None or not ours,
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
        raise RunError(f"--ray-runtime-env: {described(error)}") from error


def _reach(address: str | None) -> None:
    """Check that something listens at an address; Ray itself tries for minutes."""
    if address == "auto":
        address = os.environ.get("RAY_ADDRESS")  # what Ray takes ``auto`` for where it is set
    if not address or address == "local":
        return
    host, _, port = address.rpartition(":")
    if (error := cluster.listens(host, port, _REACH)) is not None:
        raise RunError(f"no Ray cluster at {address!r}: {described(error)}")


def _start(ray: Any, address: str | None) -> None:
    stop = signal.getsignal(signal.SIGTERM)
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    # "local", as a user who names no cluster means none, even if one runs here or is in RAY_ADDRESS
    here = {"address": "local", "include_dashboard": False}
    try:
        ray.init(
            **(here if address is None else {"address": address}),
            log_to_driver=False,
            logging_level=logging.ERROR,
        )
    except Exception as error:  # Ray wraps whatever its processes ended with
        what = "Ray does not start" if address is None else f"no Ray cluster at {address!r}"
        hint = "; one that checks a token needs RAY_AUTH_MODE=token here as well" if address else ""
        raise RunError(f"{what}: {described(error)}{hint}") from error
    finally:
        if threading.current_thread() is threading.main_thread():  # Ray sets its own handler of SIGTERM
            signal.signal(signal.SIGTERM, stop or signal.SIG_DFL)


def _ask(
    ray: Any,
    models: Sequence[AskedModel],
    *,
    rules: PoolRules,
    loader: str,
    runtime_env: Mapping[str, Any],
    joined: bool,
) -> Generator[tuple[str, Outcome], None, None]:
    """See :data:`torr_plugin.running.runner.Executor`."""
    nodes = cluster.nodes(ray)
    able = list[_RayModel]()
    for asked in models:
        entry = asked.entry
        try:
            inside = {"args": cluster.engine_arguments(entry), "name": entry.label}
            needs = cluster.needs(entry, nodes)
        except ModelError as error:
            yield entry.label, error
            continue
        model = _RayModel(
            entry.label,
            needs,
            asked.source,
            asked.source.pending,
            cluster.most_replicas(entry),
            entry.ray.load_minutes * 60,
            asked=asked,
            made_from=(entry.model_copy(update=inside), dict(asked.generation), added_models(), loader),
        )
        able.append(model)
    actors = _Actors(ray, able, runtime_env, ClusterMonitor.of(ray))
    try:
        yield from actors.run(Pool(able, actors, rules, patient=joined))
    finally:
        actors.kill_all()


@dataclass(eq=False, kw_only=True)
class _RayModel(PooledModel):
    """What is asked of a model, what a replica is made from, and the versions of the first one."""

    asked: AskedModel
    made_from: tuple[Any, ...]
    versions: Mapping[str, str] | None = None


class _Actors:
    """Does what the pool says (:class:`.pool.PoolCommands`), tells it what happens, and gives the answers."""

    _pool: Pool

    def __init__(
        self, ray: Any, models: Sequence[_RayModel], env: Mapping[str, Any], monitor: ClusterMonitor
    ) -> None:
        self._ray, self._env, self._monitor = ray, env, monitor
        self._models = {model.name: model for model in models}
        self._class = ray.remote(concurrency_groups={"feed": 1})(Replica)
        self._handles: dict[PooledReplica, Any] = {}
        self._streams: dict[PooledReplica, Any] = {}
        self._outcomes: list[tuple[str, Outcome]] = []
        self._looked = -_LOOK

    def start(self, replica: PooledReplica) -> None:
        model = self._models[replica.model.name]
        needs = dict(model.needs)
        actor = self._class.options(
            num_cpus=needs.pop("CPU"),
            num_gpus=needs.pop("GPU"),
            resources=needs,
            max_restarts=0,
            scheduling_strategy=cluster.strategy_without(sorted(replica.avoids)),
            **({"runtime_env": dict(self._env)} if self._env else {}),
        ).remote(*model.made_from)
        self._handles[replica] = actor
        self._streams[replica] = actor.run.options(num_returns="streaming").remote()

    def feed(self, replica: PooledReplica, requests: list[PendingRequest]) -> None:
        self._handles[replica].feed.options(concurrency_group="feed").remote(requests)

    def recall(self, replica: PooledReplica) -> None:
        self._handles[replica].recall.options(concurrency_group="feed").remote()

    def kill(self, replica: PooledReplica) -> None:
        self._streams.pop(replica, None)
        if (actor := self._handles.pop(replica, None)) is not None:
            self._ray.kill(actor)

    def kill_all(self) -> None:
        """End all actors at once."""
        for replica in list(self._handles):
            self.kill(replica)

    def fail_request(self, model: PooledModel, key: str, reason: str) -> None:
        error = storable_text(reason[:MOST_ERROR_CHARACTERS])
        self._outcomes.append((model.name, [Answer(key, None, error=error)]))

    def fail_model(self, model: PooledModel, reason: str) -> None:
        self._outcomes.append((model.name, ModelError(reason)))

    def say(self, message: str) -> None:
        _log.warning("%s", message)

    def run(self, pool: Pool) -> Iterator[tuple[str, Outcome]]:
        """Run until every model of the pool has ended, and yield answers as they come; for a while none."""
        self._pool = pool
        try:
            while not pool.finished:
                now = time.monotonic()
                if now - self._looked >= _LOOK and self._monitor.is_reachable(now):
                    self._looked = now
                    pool.set_nodes(cluster.nodes(self._ray))
                pool.step(now)
                yield from self._given() or [(name, []) for name in self._models]
                self._wait()
            yield from self._given()
        except (KeyboardInterrupt, RunError) as error:
            yield from self._given()
            # a signal to the whole process group ends Ray as well: then it is a stop like any other
            if not isinstance(error, RunError) or not all(m.source.stopped for m in self._models.values()):
                raise

    def _given(self) -> list[tuple[str, Outcome]]:
        """What came since the last time."""
        outcomes, self._outcomes = self._outcomes, []
        return outcomes

    def _wait(self) -> None:
        """Take what replicas say, for a moment."""
        replicas = {stream: replica for replica, stream in self._streams.items()}
        streams, said = list(replicas), list[Any]()
        if streams:
            self._ray.wait(streams, timeout=_STEP)
            said, _ = self._ray.wait(streams, num_returns=len(streams), timeout=0)
        else:
            time.sleep(_STEP)
        for stream in said:
            if replicas[stream] in self._streams:  # else it was ended meanwhile
                self._take(replicas[stream], stream)

    def _take(self, replica: PooledReplica, stream: Any) -> None:
        """Take the next that a replica says, or that it has ended."""
        try:
            said = self._ray.get(next(stream))
        except StopIteration:
            self._pool.ended(replica)
            return
        except self._ray.exceptions.RayError as error:
            self._died(replica, error)
            return
        if isinstance(said, ReplicaReport):
            self._reported(replica, said)
        elif isinstance(said, LoadResult):
            self._loaded(replica, said)
        else:
            self._pool.placed(replica, said, time.monotonic())

    def _loaded(self, replica: PooledReplica, result: LoadResult) -> None:
        model, error = self._models[replica.model.name], result.error
        if error is None:
            model.versions = result.versions if model.versions is None else model.versions
            differ = changed({**dict.fromkeys(result.versions), **model.versions}, result.versions)
            error = f"has other versions than the first replica: {differ}" if differ else None
        if error is not None:
            self._pool.failed_to_load(replica, error)
            return
        if result.versions:
            model.asked.on_known(ANSWERED_BY, result.versions)
        self._pool.loaded(replica, result.room, time.monotonic())

    def _reported(self, replica: PooledReplica, report: ReplicaReport) -> None:
        model = self._models[replica.model.name]
        answers = {row[0]: row for row in report.answers}
        known = self._pool.reported(replica, answers, report.room, time.monotonic())
        self._outcomes.append((model.name, [Answer(*answers[key]) for key in known]))
        for name, value in report.known.items():  # which may fail
            model.asked.on_known(name, value)
        if report.lost:
            self._pool.server_lost(replica, str(report.broken))
        elif report.broken is not None:
            self._pool.died(replica, report.broken, "crash", time.monotonic())

    def _died(self, replica: PooledReplica, error: BaseException) -> None:
        self._looked = -_LOOK  # perhaps its node is gone
        now = time.monotonic()
        if self._monitor.is_reachable(now):
            if not replica.node and (node := cluster.node_named_in(self._ray, error)):
                self._pool.placed(replica, node, now)  # it died before it could say so
            reason, kind = cluster.death_of(self._ray, error, replica.node)
        else:
            reason, kind = described(error), "loss"
        self._pool.died(replica, reason, kind, now)
