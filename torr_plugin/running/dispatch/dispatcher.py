"""The dispatcher: takes events of a cluster, gives commands."""

from __future__ import annotations

from collections.abc import Sequence

from .actors import ActorState
from .assignment import died, died_loading, feeds, lost
from .cluster import ActorDemand, ClusterNode, FreeResources, place_actors, too_large
from .commands import Command, DispatchRules, FailJob, FailRequests, StartActor, StopActor
from .jobs import JobState

_LOOK = 1.0


class Dispatcher:
    """Runs several models on a cluster.

    Tell it what happens by the methods that take ``now`` (seconds of any clock that does not jump), then do
    what :meth:`step` says. ``growing``: whether nodes may be added for a model that is too large for those
    there are.
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
        """These are the nodes now."""
        self._nodes = {node.name: node for node in nodes}
        for job in self._jobs:
            job.fitted |= any(node.could_hold(job.needs) for node in nodes)

    def ready(self, actor: int, appetite: int, now: float) -> None:
        """An actor has loaded its model; its engine works on so many requests at once."""
        if (found := self._actors.get(actor)) and found.state == "loading":
            found.state, found.appetite, found.heard = "ready", max(appetite, 1), now
            job = self._jobs[found.job]
            job.loaded, job.load_deaths = True, 0

    def unloadable(self, actor: int, reason: str) -> None:
        """An actor says that the model cannot be loaded."""
        if (found := self._actors.get(actor)) is None or found.state != "loading":
            return
        self._end(found, kill=True)
        job = self._jobs[found.job]
        if not job.loaded:
            self._add([FailJob(job.number, reason)])
        else:
            self._add(died_loading(job, self._live(job.number), reason, self._rules))

    def hopeless(self, actor: int, reason: str) -> None:
        """An actor says that no actor of its model can answer any more; the requests stay open."""
        if (found := self._actors.get(actor)) is not None and not self._jobs[found.job].ended:
            self._add([FailJob(found.job, reason)])

    def answered(self, actor: int, keys: Sequence[str], appetite: int, now: float) -> list[str]:
        """An actor has answered; the keys that it was to answer, each once."""
        if (found := self._actors.get(actor)) is None:
            return []
        known = found.answered(keys, appetite, now, self._rules)
        if known:
            self._jobs[found.job].progressed(len(known))
        if not found.outstanding:
            found.suspects = None
        return known

    def died(self, actor: int, reason: str, *, blameless: bool) -> None:
        """An actor is gone; ``blameless`` where its node was lost or taken from us."""
        if (found := self._actors.pop(actor, None)) is not None and found.state != "stopping":
            del self._by_job[found.job][actor]
            self._after_death(found, reason, blameless=blameless)

    def withdrawn(self, actor: int) -> None:
        """An actor gave up what it had not begun, since the run is to stop; the requests stay open."""
        found = self._actors.get(actor)
        if found is not None and found.state != "stopping":
            self._jobs[found.job].outstanding -= len(found.outstanding)
            found.outstanding, found.suspects = {}, None
            self._end(found, kill=False)

    def stopped(self, actor: int) -> None:
        """An actor that was told to stop is gone, with what it held."""
        self._actors.pop(actor, None)

    def step(self, now: float) -> list[Command]:
        """What is to be done now."""
        self._end_hung(now)
        self._end_jobs()
        self._start(now)
        for job in self._jobs:
            if not job.ended:
                self._due += feeds(job, self._of(job.number), now, self._rules)
        self._end_idle(now)
        found, self._due = self._due, []
        return found

    def waits(self, now: float) -> list[str]:
        """What has waited so long that it should be said, once each."""
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
        """Whether all actors of a model have been loading for long."""
        late = [
            actor.state == "loading" and now - actor.heard > self._rules.report_after
            for actor in self._of(job.number)
        ]
        return bool(late) and all(late)

    def wanted(self) -> list[tuple[float, float]]:
        """CPUs and GPUs of every actor that is there or could be used; for a cluster that can grow."""
        found = [(actor.needs.cpus, actor.needs.gpus) for actor in self._actors.values()]
        for job in self._jobs:
            wish = self._wish(job)
            if wish:
                found += [(job.needs.cpus, job.needs.gpus)] * wish.more
        return found

    def _of(self, job: int) -> list[ActorState]:
        return list(self._by_job[job].values())

    def _live(self, job: int) -> int:
        return len(self._by_job[job])

    def _searching(self, job: int) -> int:
        return sum(actor.suspects is not None for actor in self._of(job))

    def _wish(self, job: JobState) -> ActorDemand | None:
        if job.ended or not job.work.to_come:
            return None
        return job.wish(self._live(job.number), self._searching(job.number), self._rules)

    def _after_death(self, actor: ActorState, reason: str, *, blameless: bool) -> None:
        job = self._jobs[actor.job]
        if job.ended:
            return
        if blameless:
            self._add(lost(job, actor, reason, self._rules))
        elif actor.state == "loading":
            self._add(died_loading(job, self._live(job.number), reason, self._rules))
        else:
            self._add(died(job, actor, reason, self._rules))

    def _add(self, found: Sequence[FailJob | FailRequests]) -> None:
        for each in found:
            self._due.append(each)
            if isinstance(each, FailJob):
                job = self._jobs[each.job]
                job.ended, job.waiting_since = True, None
                for actor in self._of(each.job):
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
            for actor in self._of(job.number):
                self._end(actor, kill=actor.state == "loading")

    def _end_idle(self, now: float) -> None:
        """End actors for which nothing will come; also those that wait while other models wait for them."""
        wanted = any(job.waiting_since is not None for job in self._jobs)
        for job in self._jobs:
            if job.ended or (job.work.to_come and not wanted):
                continue
            actors = self._of(job.number)
            idle = [actor for actor in actors if actor.state == "ready" and not actor.outstanding]
            if job.work.to_come:
                idle = [actor for actor in idle if now - actor.heard > self._rules.idle][: len(actors) - 1]
            elif not wanted:  # a loaded actor takes over a search at once
                idle = idle[self._searching(job.number) :]
            for actor in idle:
                self._end(actor, kill=False)

    def _start(self, now: float) -> None:
        wishes = [wish for job in self._jobs if (wish := self._wish(job))]
        if not wishes:
            return
        free = FreeResources.of(self._nodes, [(actor.node, actor.needs) for actor in self._actors.values()])
        for number, node in place_actors(wishes, self._nodes, free):
            job = self._jobs[number]
            actor = ActorState(self._next, number, node, job.needs, now)
            self._actors[self._next] = self._by_job[number][self._next] = actor
            self._due.append(StartActor(self._next, number, node))
            self._next += 1
        for wish in wishes:
            self._wait(self._jobs[wish.job], now)

    def _wait(self, job: JobState, now: float) -> None:
        """Note since when a model without an actor waits; it fails where no node can ever hold one."""
        if self._live(job.number):
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
