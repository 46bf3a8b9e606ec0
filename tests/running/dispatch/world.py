"""A cluster without Ray for the dispatcher to command; it checks every command against what is true."""

from __future__ import annotations

from torr_plugin.prompts.message import Message
from torr_plugin.running.dispatch import (
    ActorResources,
    ClusterNode,
    Dispatcher,
    DispatchRules,
    FailJob,
    FailRequests,
    JobState,
    SendRequests,
    StartActor,
    StopActor,
)
from torr_plugin.running.dispatch.jobs import RequestQueue
from torr_plugin.running.pending_request import PendingRequest


class Growing:
    """A source of ``count`` requests; each tenth that is answered brings another one."""

    def __init__(self, label, count, *, follow=0):
        self.label, self.given, self.count, self.follow = label, 0, count, follow
        self.open = set()
        self.stopped = False

    def take(self, most):
        most = min(most, self.count - self.given)
        found = [
            PendingRequest(f"{self.label}-{n}", (Message("user", f"ask {n}"),))
            for n in range(self.given, self.given + most)
        ]
        self.given += most
        self.open.update(each.key for each in found)
        return found

    def told(self, key):
        self.open.discard(key)
        if self.follow:
            self.follow -= 1
            self.count += 1

    @property
    def done(self):
        return self.stopped or (self.given == self.count and not (self.open and self.follow))


class World:
    """``poison``: keys that kill an actor once it comes to them; ``broken``: jobs whose loading kills it."""

    def __init__(self, jobs, nodes, *, poison=(), broken=(), rules=None, growing=False):
        self.sources = [Growing(label, count, follow=follow) for label, _, count, follow in jobs]
        self.needs = [needs for _, needs, _, _ in jobs]
        work = [
            JobState(n, label, needs, RequestQueue(self.sources[n], count, 10**9))
            for n, (label, needs, count, _) in enumerate(jobs)
        ]
        self.dispatcher = Dispatcher(
            work, rules or DispatchRules(first=8, fewest=4, requests_per_actor=16), growing=growing
        )
        self.nodes, self.poison, self.broken = dict(nodes), set(poison), set(broken)
        self.now, self.deaths = 0.0, 0
        self.actors, self.loading, self.stopping = {}, {}, {}
        self.answered, self.refused, self.failed = [], [], {}
        self.where = {}
        self.tell_nodes()

    def tell_nodes(self):
        self.dispatcher.cluster([ClusterNode(name, *size) for name, size in self.nodes.items()])

    def step(self):
        for command in self.dispatcher.step(self.now):
            self.do(command)
        self.check_resources()

    def do(self, command):
        if isinstance(command, StartActor):
            assert command.node in self.nodes
            assert command.actor not in self.where
            self.where[command.actor] = (command.job, command.node)
            self.loading[command.actor] = True
        elif isinstance(command, SendRequests):
            assert command.requests
            self.actors[command.actor].update((each.key, None) for each in command.requests)
        elif isinstance(command, StopActor):
            self.loading.pop(command.actor, None)
            self.actors.pop(command.actor, None)
            self.stopping[command.actor] = True
        elif isinstance(command, FailRequests):
            self.refused += command.keys
            for key in command.keys:
                self.sources[command.job].told(key)
        elif isinstance(command, FailJob):
            assert command.job not in self.failed
            self.failed[command.job] = command.reason

    def check_resources(self):
        for name, (cpus, gpus) in self.nodes.items():
            here = [self.needs[job] for job, node in self.where.values() if node == name]
            assert sum(each.cpus for each in here) <= cpus
            assert sum(each.gpus for each in here) <= gpus

    def end_stopping(self):
        for actor in list(self.stopping):
            del self.stopping[actor], self.where[actor]
            self.dispatcher.stopped(actor)

    def load(self, actor):
        job, _ = self.where[actor]
        del self.loading[actor]
        if job in self.broken:
            del self.where[actor]
            self.dispatcher.died(actor, "killed on loading", blameless=False)
        else:
            self.actors[actor] = {}
            self.dispatcher.ready(actor, 4, self.now)

    def work(self, actor, most):
        """The actor answers its next requests, and dies when it comes to a poison one."""
        held = self.actors[actor]
        job, _ = self.where[actor]
        good = []
        for key in list(held)[:most]:
            if key in self.poison:
                self.tell(actor, job, good)
                self.deaths += 1
                self.kill(actor, blameless=False)
                return
            good.append(key)
        self.tell(actor, job, good)

    def tell(self, actor, job, keys):
        for key in keys:
            del self.actors[actor][key]
        known = self.dispatcher.answered(actor, keys, 4, self.now)
        assert known == keys
        self.answered += keys
        for key in keys:
            self.sources[job].told(key)

    def kill(self, actor, *, blameless):
        self.actors.pop(actor, None)
        self.loading.pop(actor, None)
        self.stopping.pop(actor, None)
        del self.where[actor]
        self.dispatcher.died(actor, "killed", blameless=blameless)

    def lose(self, node):
        del self.nodes[node]
        self.tell_nodes()
        for actor in [actor for actor, (_, where) in self.where.items() if where == node]:
            self.kill(actor, blameless=True)

    def run_to_the_end(self, most=20_000):
        """Let all go its way: every actor loads, answers, is stopped."""
        for _ in range(most):
            self.now += 1
            self.step()
            if self.dispatcher.finished:
                return
            self.end_stopping()
            for actor in list(self.loading):
                self.load(actor)
            self.step()
            for actor in list(self.actors):
                if actor in self.actors:
                    self.work(actor, 4)
        raise AssertionError("it does not end")

    def check_answers(self):
        """Nothing is lost and nothing doubled, and only poison is refused."""
        done = self.answered + self.refused
        assert len(done) == len(set(done))
        expected = {
            f"{source.label}-{n}"
            for job, source in enumerate(self.sources)
            if job not in self.failed
            for n in range(source.given)
        }
        there = {key for key in done if self.job_of(key) not in self.failed}
        assert there == expected
        assert all(source.done for job, source in enumerate(self.sources) if job not in self.failed)
        assert set(self.refused) <= self.poison

    def job_of(self, key):
        label = key.rpartition("-")[0]
        return next(n for n, source in enumerate(self.sources) if source.label == label)


def gpus(number, actors=64):
    return ActorResources(1, number, actors)
