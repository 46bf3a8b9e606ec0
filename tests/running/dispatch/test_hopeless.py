"""A model whose server is gone: no other actor is tried, and nothing becomes an error."""

from __future__ import annotations

from .world import World, gpus


def test_it_fails_alone_and_its_requests_stay_open() -> None:
    world = World([("a", gpus(1), 400, 0), ("b", gpus(1), 400, 0)], {"n": (8, 4)})
    world.step()
    for actor in list(world.loading):
        world.load(actor)
    world.step()
    of_a = [actor for actor, (job, _) in world.where.items() if job == 0]
    assert len(of_a) == 2
    world.dispatcher.engine_lost(of_a[0], "gone")
    world.dispatcher.engine_lost(of_a[1], "gone as well")
    world.run_to_the_end()
    assert world.failed == {0: "gone"}
    assert world.refused == []
    assert len(world.answered) == 400
    assert not [actor for actor, (job, _) in world.where.items() if job == 0]
