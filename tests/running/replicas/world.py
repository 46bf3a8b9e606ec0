"""A cluster without Ray, for the pool to command; it checks every command against what is true."""

from __future__ import annotations

from torr_plugin.prompts.message import Message
from torr_plugin.running.ray.pool import ClusterNode, Pool, PooledModel, PoolRules
from torr_plugin.running.request_sources import PendingRequest


class Growing:
    """A source of ``count`` requests; each that is answered brings another one, ``follow`` in all."""

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


class InRounds(Growing):
    """A source of ``count`` requests, and as many once all of them are answered."""

    begun = 1

    def take(self, most):
        if self.given == self.count and not self.open and self.begun == 1:
            self.begun, self.count = 2, 2 * self.count
        return super().take(most)

    @property
    def done(self):
        return self.stopped or (self.begun == 2 and self.given == self.count)


class World:
    """Models are (name, needs, requests); nodes are name -> resources.

    ``poison``: keys that kill a replica that comes to them. ``bad``: (model, node) where loading kills it;
    ``unloadable``: where it fails with a message. ``unplaceable``: every process dies at once.
    """

    def __init__(
        self,
        models,
        nodes,
        *,
        poison=(),
        bad=(),
        unloadable=(),
        unplaceable=False,
        most=64,
        follow=0,
        rules=None,
        patient=True,
        source=Growing,
    ):
        self.sources = [
            source(name, count, follow=0 if number else follow)
            for number, (name, _, count) in enumerate(models)
        ]
        self.needs = [needs for _, needs, _ in models]
        pooled = [
            PooledModel(name, needs, self.sources[n], count, most)
            for n, (name, needs, count) in enumerate(models)
        ]
        self.number_of = {model: number for number, model in enumerate(pooled)}
        self.pool = Pool(pooled, self, rules or PoolRules(chunk=16), patient=patient)
        self.nodes, self.poison = dict(nodes), set(poison)
        self.bad, self.unloadable, self.unplaceable = set(bad), set(unloadable), unplaceable
        self.now, self.deaths = 0.0, 0
        self.pending, self.where, self.loading, self.held, self.stopping = {}, {}, {}, {}, set()
        self.answered, self.refused, self.failed, self.said, self.placements = [], [], {}, [], []
        self.reasons = {}
        self.tell_nodes()

    # what the pool commands

    def start(self, replica):
        model = self.number_of[replica.model]
        assert model not in self.failed
        self.pending[replica] = (model, replica.avoids)

    def feed(self, replica, requests):
        assert requests
        self.held[replica].update((each.key, None) for each in requests)

    def recall(self, replica):
        assert replica in self.held
        self.stopping.add(replica)

    def kill(self, replica):
        self.pending.pop(replica, None)
        self.where.pop(replica, None)
        self.held.pop(replica, None)
        self.loading.pop(replica, None)
        self.stopping.discard(replica)

    def fail_request(self, model, key, reason):
        self.refused.append(key)
        self.reasons[key] = reason
        self.sources[self.number_of[model]].told(key)

    def fail_model(self, model, reason):
        assert self.number_of[model] not in self.failed
        self.failed[self.number_of[model]] = reason

    def say(self, message):
        self.said.append(message)

    # what happens

    def tell_nodes(self):
        self.pool.set_nodes([ClusterNode(name, name, has) for name, has in self.nodes.items()])

    def free(self, node):
        free = dict(self.nodes[node])
        for model, where in self.where.values():
            if where == node:
                for name, number in self.needs[model].items():
                    free[name] -= number
        return free

    def place(self):
        """As Ray does: what waits longest goes where there is room."""
        for replica, (model, avoid) in list(self.pending.items()):
            if self.unplaceable:
                self.kill_replica(replica, "crash")
                continue
            for node in self.nodes:
                free, needs = self.free(node), self.needs[model]
                if node not in avoid and all(free.get(name, 0) >= number for name, number in needs.items()):
                    del self.pending[replica]
                    self.where[replica] = (model, node)
                    self.loading[replica] = None
                    self.placements.append((model, node))
                    self.pool.placed(replica, node, self.now)
                    break

    def load(self, replica):
        model, node = self.where[replica]
        del self.loading[replica]
        if (model, node) in self.unloadable:
            self.pool.failed_to_load(replica, "no weights")
        elif (model, node) in self.bad:
            self.kill_replica(replica, "crash")
        else:
            self.held[replica] = {}
            self.pool.loaded(replica, 4, self.now)

    def work(self, replica, most):
        """The replica answers its next requests, and dies when it comes to a poison one."""
        model, _ = self.where[replica]
        for key in list(self.held[replica])[:most]:
            if key in self.poison:
                self.deaths += 1
                self.kill_replica(replica, "crash")
                return
            del self.held[replica][key]
            assert self.pool.reported(replica, [key, key], 4, self.now) == [key]
            self.answered.append(key)
            self.sources[model].told(key)

    def kill_replica(self, replica, kind):
        self.pool.died(replica, "killed", kind, self.now)

    def lose(self, node):
        del self.nodes[node]
        self.tell_nodes()
        for replica in [replica for replica, (_, where) in self.where.items() if where == node]:
            self.kill_replica(replica, "loss")

    def step(self):
        self.pool.step(self.now)

    def begin(self):
        """Everything is placed and loaded that can be, and has its first requests."""
        for _ in range(6):
            self.step()
            self.place()
            for replica in list(self.loading):
                self.load(replica)
        self.step()

    def end_stopping(self):
        """Those that were recalled and have nothing left end."""
        for replica in [each for each in self.stopping if not self.held.get(each)]:
            self.pool.ended(replica)

    def run_to_the_end(self, most=20_000):
        """Let all go its way: every replica is placed, loads, answers, is stopped."""
        for _ in range(most):
            self.now += 1
            self.step()
            self.end_stopping()
            if self.pool.finished:
                return
            self.place()
            for replica in list(self.loading):
                self.load(replica)
            self.step()
            for replica in list(self.held):
                if replica in self.held:
                    self.work(replica, 4)
        raise AssertionError("it does not end")

    def check_answers(self):
        """Nothing is lost and nothing doubled, and only poison is refused."""
        done = self.answered + self.refused
        assert len(done) == len(set(done))
        good = [number for number in range(len(self.sources)) if number not in self.failed]
        expected = {f"{self.sources[n].label}-{k}" for n in good for k in range(self.sources[n].given)}
        assert {key for key in done if self.model_of(key) not in self.failed} == expected
        assert all(self.sources[number].done for number in good)
        assert set(self.refused) <= self.poison
        assert self.where == {}

    def model_of(self, key):
        label = key.rpartition("-")[0]
        return next(n for n, source in enumerate(self.sources) if source.label == label)


def gpus(number):
    return {"GPU": number, "CPU": 1}


def node(number):
    return {"GPU": number, "CPU": 64}
