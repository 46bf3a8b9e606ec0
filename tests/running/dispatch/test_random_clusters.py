"""Random clusters, models and failures: nothing lost, nothing doubled, never more held than there is."""

from __future__ import annotations

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from torr_plugin.running.dispatch import DispatchRules

from .world import World, gpus


class Cluster(RuleBasedStateMachine):
    """Actors load, answer, die; nodes come and go, in any order; at the end all goes well."""

    world: World

    @initialize(
        counts=st.lists(st.integers(1, 120), min_size=1, max_size=4),
        sizes=st.lists(st.integers(1, 2), min_size=4, max_size=4),
        poison=st.sets(st.tuples(st.integers(0, 3), st.integers(0, 119)), max_size=3),
        follow=st.integers(0, 20),
        actors=st.integers(1, 4),
    )
    def begin(self, counts, sizes, poison, follow, actors) -> None:
        jobs = [
            (f"m{n}", gpus(sizes[n], actors), count, follow if n == 0 else 0)
            for n, count in enumerate(counts)
        ]
        rules = DispatchRules(
            first=8,
            fewest=4,
            requests_per_actor=16,
            load_deaths=10**6,
            deaths_without_answer=10**6,
            losses=10**6,
        )
        self.world = World(
            jobs,
            {"first": (8, 2), "second": (8, 2)},
            poison=[f"m{job}-{number}" for job, number in poison],
            rules=rules,
        )
        self.spare = 0

    @rule()
    def step(self) -> None:
        self.world.now += 0.5
        self.world.step()

    @precondition(lambda self: self.world.loading)
    @rule(data=st.data())
    def load(self, data) -> None:
        self.world.load(data.draw(st.sampled_from(sorted(self.world.loading))))

    @precondition(lambda self: self.world.actors)
    @rule(data=st.data(), most=st.integers(1, 30))
    def work(self, data, most) -> None:
        self.world.work(data.draw(st.sampled_from(sorted(self.world.actors))), most)

    @precondition(lambda self: self.world.where)
    @rule(data=st.data())
    def crash(self, data) -> None:
        """An actor dies of nothing that was asked; it may look so, and at worst a request is suspected."""
        actor = data.draw(st.sampled_from(sorted(self.world.where)))
        self.world.kill(actor, blameless=actor in self.world.actors)

    @precondition(lambda self: len(self.world.nodes) > 1)
    @rule(data=st.data())
    def lose(self, data) -> None:
        self.world.lose(data.draw(st.sampled_from(sorted(self.world.nodes))))

    @rule(size=st.integers(1, 4))
    def join(self, size) -> None:
        self.spare += 1
        self.world.nodes[f"spare{self.spare}"] = (8, size)
        self.world.tell_nodes()

    @rule()
    def end_stopping(self) -> None:
        self.world.end_stopping()

    @invariant()
    def held(self) -> None:
        if hasattr(self, "world"):
            self.world.check_resources()

    def teardown(self) -> None:
        if not hasattr(self, "world"):
            return
        self.world.nodes["last"] = (8, 4)
        self.world.tell_nodes()
        self.world.run_to_the_end()
        self.world.check_answers()
        assert self.world.failed == {}
        known = {key for key in self.world.poison if self.given(key)}
        assert set(self.world.refused) == known

    def given(self, key: str) -> bool:
        job, _, number = key[1:].partition("-")
        sources = self.world.sources
        return int(job) < len(sources) and int(number) < sources[int(job)].given


TestRandomClusters = Cluster.TestCase
TestRandomClusters.settings = settings(
    max_examples=60, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
)
