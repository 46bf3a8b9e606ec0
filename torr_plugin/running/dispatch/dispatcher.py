"""The dispatcher: turns events of a cluster into commands."""

from __future__ import annotations

from collections.abc import Sequence

from .assignment import after_death, after_load_death, after_node_loss, requests_to_send
from .cluster import ActorDemand, ClusterNode, FreeResources, place_actors, too_large
from .commands import Command, DispatchRules, FailJob, FailRequests, StartActor, StopActor
from .jobs import ActorState, JobState

_LOOK = 1.0


class Dispatcher:
    """Runs several models on a cluster.

    Report events through the methods that take ``now`` (seconds of a monotonic clock), then carry out the
    commands of :meth:`step`. ``growing``: whether nodes may be added for a model that is too large for all.
    """

    def __init__(
        self, jobs: Sequence[JobState], rules: DispatchRules | None = None, *, growing: bool = False
    ) -> None:
        self._jobs, self._rules, self._growing = list(jobs), rules or DispatchRules(), growing
        self._actors: dict[int, ActorState] = {}
        self._by_job: list[dict[int, ActorState]] = [{} for _ in self._jobs]  # those that are not stopping
        self._nodes: dict[str, ClusterNode] = {}
        self._next = 0
        self._due: list[Command] = []
        self._looked = -_LOOK

    @property
    def finished(self) -> bool:
        """Whether every model has ended and every actor is gone."""
        return all(job.ended for job in self._jobs) and not self._actors and not self._due

    @property
    def asking(self) -> bool:
        """Whether a model has not ended."""
        return not all(job.ended for job in self._jobs)

    def idle(self, job: int) -> bool:
        """Whether a model waits for requests that may follow from its answers, or has none outstanding."""
        each = self._jobs[job]
        return not each.outstanding or (each.work.to_come and not each.fresh_left)

    def cluster(self, nodes: Sequence[ClusterNode]) -> None:
        """Set the nodes that exist now."""
        self._nodes = {node.name: node for node in nodes}
        for job in self._jobs:
            job.fitted |= any(node.could_hold(job.needs) for node in nodes)

    def ready(self, actor: int, appetite: int, now: float) -> None:
        """An actor has loaded its model; its engine works on so many requests at once."""
        if (found := self._actors.get(actor)) and found.state == "loading":
            found.state, found.appetite, found.heard = "ready", max(appetite, 1), now
            job = self._jobs[found.job]
            job.loaded, job.load_deaths = True, 0

    def failed_to_load(self, actor: int, reason: str) -> None:
        """An actor reported that the model cannot be loaded."""
        if (found := self._actors.get(actor)) is None or found.state != "loading":
            return
        self._end(found, kill=True)
        job = self._jobs[found.job]
        if job.loaded:
            self._add(after_load_death(job, len(self._by_job[job.number]), reason, self._rules))
        else:
            self._add([FailJob(job.number, reason)])

    def engine_lost(self, actor: int, reason: str) -> None:
        """An actor reported that no actor of its model can answer any more; the requests stay open."""
        if (found := self._actors.get(actor)) is not None and not self._jobs[found.job].ended:
            self._add([FailJob(found.job, reason)])

    def answered(self, actor: int, keys: Sequence[str], appetite: int, now: float) -> list[str]:
        """An actor answered; return the keys that were outstanding, each once."""
        if (found := self._actors.get(actor)) is None:
            return []
        known = found.answered(keys, appetite, now, self._rules)
        if known:
            self._jobs[found.job].progressed(len(known))
        if not found.outstanding:
            found.suspects = None
        return known

    def died(self, actor: int, reason: str, *, blameless: bool) -> None:
        """An actor died; ``blameless`` where its node was lost or taken away."""
        if (found := self._actors.pop(actor, None)) is not None and found.state != "stopping":
            del self._by_job[found.job][actor]
            self._after_death(found, reason, blameless=blameless)

    def recalled(self, actor: int) -> None:
        """An actor gave up the requests it had not begun, as the run stops; they stay open."""
        found = self._actors.get(actor)
        if found is not None and found.state != "stopping":
            self._jobs[found.job].outstanding -= len(found.outstanding)
            found.outstanding, found.suspects = {}, None
            self._end(found, kill=False)

    def stopped(self, actor: int) -> None:
        """Free what a stopped actor held."""
        self._actors.pop(actor, None)

    def step(self, now: float) -> list[Command]:
        """The commands to carry out now."""
        self._end_hung(now)
        self._end_jobs()
        self._start(now)
        for job in self._jobs:
            if not job.ended:
                self._due += requests_to_send(job, self._actors_of(job.number), now, self._rules)
        self._end_idle(now)
        found, self._due = self._due, []
        return found

    def overdue_waits(self, now: float) -> list[str]:
        """Messages on models that have waited too long, each once."""
        found = []
        for job in self._jobs:
            since = job.waiting_since
            if since is not None and not job.reported and now - since > self._rules.report_after:
                job.reported = True
                found.append(f"model {job.name!r} waits for {job.needs}: no node has as much free")
            elif since is None and not job.reported and self._only_loading(job, now):
                job.reported = True
                found.append(f"model {job.name!r} is still loading, or waits for Ray to start its process")
        return found

    def _only_loading(self, job: JobState, now: float) -> bool:
        """Whether all actors of a model have been loading for too long."""
        late = [
            actor.state == "loading" and now - actor.heard > self._rules.report_after
            for actor in self._actors_of(job.number)
        ]
        return bool(late) and all(late)

    def wanted(self) -> list[tuple[float, float]]:
        """CPUs and GPUs of every actor that exists or could be used, for a cluster that can grow."""
        held = [actor.needs for actor in self._actors.values()]
        more = [demand.needs for demand in self._demands() for _ in range(demand.more)]
        return [(needs.cpus, needs.gpus) for needs in (*held, *more)]

    def _actors_of(self, job: int) -> list[ActorState]:
        return list(self._by_job[job].values())

    def _search_count(self, job: int) -> int:
        return sum(actor.suspects is not None for actor in self._actors_of(job))

    def _demands(self) -> list[ActorDemand]:
        found = (
            job.demand(len(self._by_job[job.number]), self._search_count(job.number), self._rules)
            for job in self._jobs
        )
        return [demand for demand in found if demand]

    def _after_death(self, actor: ActorState, reason: str, *, blameless: bool) -> None:
        job = self._jobs[actor.job]
        if job.ended:
            return
        if blameless:
            self._add(after_node_loss(job, actor, reason, self._rules))
        elif actor.state == "loading":
            self._add(after_load_death(job, len(self._by_job[job.number]), reason, self._rules))
        else:
            self._add(after_death(job, actor, reason, self._rules))

    def _add(self, found: Sequence[FailJob | FailRequests]) -> None:
        for each in found:
            self._due.append(each)
            if isinstance(each, FailJob):
                job = self._jobs[each.job]
                job.ended, job.waiting_since = True, None
                for actor in self._actors_of(each.job):
                    self._end(actor, kill=True)

    def _end(self, actor: ActorState, *, kill: bool) -> None:
        actor.state = "stopping"
        del self._by_job[actor.job][actor.number]
        self._due.append(StopActor(actor.number, kill))

    def _end_hung(self, now: float) -> None:
        if now - self._looked < _LOOK:
            return
        self._looked = now
        for actor in [each for each in self._actors.values() if each.silent_too_long(now, self._rules)]:
            reason = f"no answer for {now - actor.heard:.0f} s"
            self._after_death(actor, reason, blameless=False)
            if actor.state != "stopping":
                self._end(actor, kill=True)

    def _end_jobs(self) -> None:
        for job in self._jobs:
            if job.ended or job.outstanding or job.work.to_come:
                continue
            job.ended, job.waiting_since = True, None
            for actor in self._actors_of(job.number):
                self._end(actor, kill=actor.state == "loading")

    def _end_idle(self, now: float) -> None:
        """Stop actors that will get no request, and those that wait while other models wait for room."""
        wanted = any(job.waiting_since is not None for job in self._jobs)
        for job in self._jobs:
            if job.ended or (job.work.to_come and not wanted):
                continue
            actors = self._actors_of(job.number)
            idle = [actor for actor in actors if actor.state == "ready" and not actor.outstanding]
            if job.work.to_come:
                idle = [actor for actor in idle if now - actor.heard > self._rules.idle][: len(actors) - 1]
            elif not wanted:  # a loaded actor takes over a search at once
                idle = idle[self._search_count(job.number) :]
            for actor in idle:
                self._end(actor, kill=False)

    def _start(self, now: float) -> None:
        demands = self._demands()
        if not demands:
            return
        free = FreeResources.of(self._nodes, [(actor.node, actor.needs) for actor in self._actors.values()])
        for number, node in place_actors(demands, self._nodes, free):
            job = self._jobs[number]
            actor = ActorState(self._next, number, node, job.needs, now)
            self._actors[self._next] = self._by_job[number][self._next] = actor
            self._due.append(StartActor(self._next, number, node))
            self._next += 1
        for demand in demands:
            self._wait(self._jobs[demand.job], now)

    def _wait(self, job: JobState, now: float) -> None:
        """Record since when a model without an actor waits; it fails where no node can ever hold one."""
        if len(self._by_job[job.number]):
            job.waiting_since = job.unfit_since = None
            return
        job.waiting_since = now if job.waiting_since is None else job.waiting_since
        if any(node.could_hold(job.needs) for node in self._nodes.values()):
            job.unfit_since = None
            return
        job.unfit_since = now if job.unfit_since is None else job.unfit_since
        patient = self._growing or job.fitted
        if not patient or now - job.unfit_since > self._rules.wait_for_nodes:
            self._add([FailJob(job.number, too_large(job.name, job.needs, self._nodes.values()))])
