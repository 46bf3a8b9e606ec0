"""Random clusters, models and failures: nothing lost or doubled, only poison refused, no model failed."""

from __future__ import annotations

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from torr_plugin.running.ray.pool import PoolRules

from .world import World, gpus, node


class Cluster(RuleBasedStateMachine):
    """Replicas are placed, load, answer, die; nodes come and go, in any order; at the end all goes well."""

    world: World

    @initialize(
        counts=st.lists(st.integers(1, 120), min_size=1, max_size=4),
        sizes=st.lists(st.sampled_from([0.5, 1, 2]), min_size=4, max_size=4),
        poison=st.sets(st.tuples(st.integers(0, 3), st.integers(0, 119)), max_size=3),
        bad=st.sets(st.integers(0, 3)),
        follow=st.integers(0, 20),
        most=st.integers(1, 4),
    )
    def begin(self, counts, sizes, poison, bad, follow, most) -> None:
        self.world = World(
            [(f"m{n}", gpus(sizes[n]), count) for n, count in enumerate(counts)],
            {"first": node(2), "second": node(2)},
            poison=[f"m{model}-{number}" for model, number in poison],
            bad=[(model, "first") for model in bad],
            most=most,
            follow=follow,
            rules=PoolRules(chunk=16, deaths=10**6),
        )
        self.spare = 0

    @rule()
    def step(self) -> None:
        self.world.now += 0.5
        self.world.step()

    @rule()
    def place(self) -> None:
        self.world.place()

    @precondition(lambda self: self.world.loading)
    @rule(data=st.data())
    def load(self, data) -> None:
        self.world.load(data.draw(st.sampled_from(list(self.world.loading))))

    @precondition(lambda self: self.world.held)
    @rule(data=st.data(), most=st.integers(1, 30))
    def work(self, data, most) -> None:
        self.world.work(data.draw(st.sampled_from(list(self.world.held))), most)

    @precondition(lambda self: self.world.held)
    @rule(data=st.data())
    def lose_one(self, data) -> None:
        self.world.kill_replica(data.draw(st.sampled_from(list(self.world.held))), "loss")

    @precondition(lambda self: len(self.world.nodes) > 2)
    @rule(data=st.data())
    def lose(self, data) -> None:
        self.world.lose(data.draw(st.sampled_from(sorted(set(self.world.nodes) - {"second"}))))

    @rule(size=st.integers(1, 4))
    def join(self, size) -> None:
        self.spare += 1
        self.world.nodes[f"spare{self.spare}"] = node(size)
        self.world.tell_nodes()

    @rule()
    def end_stopping(self) -> None:
        self.world.end_stopping()

    def teardown(self) -> None:
        if not hasattr(self, "world"):
            return
        world = self.world
        world.nodes["last"] = node(4)
        world.tell_nodes()
        world.run_to_the_end()
        world.check_answers()
        assert world.failed == {}
        assert set(world.refused) == {key for key in world.poison if self.was_asked(key)}
        assert all(world.placements.count(bad) <= 8 for bad in world.bad)

    def was_asked(self, key: str) -> bool:
        model, _, number = key[1:].partition("-")
        sources = self.world.sources
        return int(model) < len(sources) and int(number) < sources[int(model)].given


TestRandomClusters = Cluster.TestCase
TestRandomClusters.settings = settings(
    max_examples=60, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
)
