"""The dispatcher in cases worked out by hand: sizes, order, side by side, waiting, failures."""

from __future__ import annotations

import math

import pytest

from torr_plugin.running.dispatch import ActorResources, DispatchRules

from .world import World, gpus


def test_models_run_side_by_side_and_each_has_one_actor_before_any_has_two() -> None:
    world = World([("a", gpus(1), 400, 0), ("b", gpus(1), 400, 0)], {"n": (8, 4)})
    world.step()
    assert sorted(job for job, _ in world.where.values()) == [0, 0, 1, 1]
    world.run_to_the_end()
    world.check_answers()
    assert len(world.answered) == 800


def test_one_gpu_three_models_one_after_the_other() -> None:
    world = World([(name, gpus(1), 40, 0) for name in "abc"], {"n": (8, 1)})
    world.run_to_the_end()
    world.check_answers()
    assert len(world.answered) == 120


def test_a_model_too_large_for_what_is_free_waits_and_is_not_starved() -> None:
    """The small models, of which there are many, do not take the freed GPUs one by one for ever."""
    jobs = [("large", gpus(4), 40, 0), *((f"s{n}", gpus(1), 40, 0) for n in range(12))]
    world = World(jobs, {"n": (64, 4)})
    world.dispatcher.cluster([])  # the small ones come first: nothing is there when the large one looks
    world.tell_nodes()
    world.step()
    assert [job for job, _ in world.where.values()] == [0]
    world.run_to_the_end()
    world.check_answers()
    assert world.failed == {}


def test_a_waiting_model_keeps_its_node_and_smaller_ones_use_the_others() -> None:
    jobs = [("small", gpus(1), 2000, 0), ("large", gpus(4), 40, 0)]
    world = World(jobs, {"one": (64, 1)})
    world.dispatcher._growing = True
    world.step()
    assert list(world.where.values()) == [(0, "one")]
    world.nodes["four"] = (64, 4)
    world.tell_nodes()
    world.step()
    assert (1, "four") in world.where.values()
    assert (0, "four") not in world.where.values()


def test_what_can_never_fit_fails_alone_and_at_once() -> None:
    world = World([("a", gpus(4), 10, 0), ("b", gpus(1), 10, 0)], {"x": (8, 2), "y": (8, 2)})
    world.run_to_the_end()
    world.check_answers()
    assert world.failed == {0: "model 'a' needs 4 GPUs per actor, the largest node of the Ray cluster has 2"}


def test_a_cluster_that_grows_is_waited_for_a_while() -> None:
    world = World([("a", gpus(4), 10, 0)], {"x": (8, 2)}, growing=True)
    world.step()
    world.now = 61
    message = "model 'a' waits for 4 GPUs: no node has as much free"
    assert world.dispatcher.overdue_waits(world.now) == [message]
    assert world.dispatcher.overdue_waits(world.now) == []  # reported once
    assert world.dispatcher.wanted() == [(1, 4)]
    world.now = 599
    world.step()
    assert world.failed == {}
    world.now = 601
    world.step()
    assert list(world.failed) == [0]


def test_a_cluster_without_any_node_left_is_named_so() -> None:
    world = World([("a", gpus(1), 10, 0)], {"x": (8, 1)})
    world.step()
    world.lose("x")
    world.step()
    world.now = 601
    world.step()
    assert world.failed == {0: "model 'a' needs 1 GPU per actor, but no node of the Ray cluster is left"}


def test_others_load_is_respected() -> None:
    from torr_plugin.running.dispatch import ClusterNode

    world = World([("a", gpus(1), 400, 0)], {"n": (8, 4)})
    world.dispatcher.cluster([ClusterNode("n", 8, 4, 0, 3)])
    world.step()
    assert len(world.where) == 1


@pytest.mark.parametrize(("count", "place"), [(500, 0), (500, 499), (500, 77), (1, 0), (2, 1), (64, 13)])
@pytest.mark.parametrize("actors", [1, 4])
def test_a_poison_request_is_found_in_logarithmically_many_deaths(
    count: int, place: int, actors: int
) -> None:
    rules = DispatchRules(first=1024, fewest=1024, most=4096, requests_per_actor=8)
    world = World([("a", gpus(1), count, 0)], {"n": (64, actors)}, poison=[f"a-{place}"], rules=rules)
    world.run_to_the_end()
    world.check_answers()
    assert world.refused == [f"a-{place}"]
    assert len(world.answered) == count - 1
    # the shared death, one alone, one a halving, two of the request alone
    assert world.deaths <= 4 + math.ceil(math.log2(count))


def test_deaths_by_lost_nodes_accuse_nobody() -> None:
    world = World([("a", gpus(1), 50, 0)], {"x": (8, 1), "y": (8, 1)})
    for number in range(15):
        world.step()
        for actor in list(world.loading):
            world.load(actor)
        world.step()
        world.lose("x")
        world.nodes["x"] = (8, 1)
        world.tell_nodes()
        world.now = number
    world.run_to_the_end()
    world.check_answers()
    assert (len(world.answered), world.refused, world.failed) == (50, [], {})


def test_a_model_that_dies_on_loading_fails_alone() -> None:
    world = World([("a", gpus(1), 50, 0), ("b", gpus(1), 50, 0)], {"n": (8, 2)}, broken=[0])
    world.run_to_the_end()
    world.check_answers()
    assert world.failed == {0: "model 'a': loading ended its process 3 times: killed on loading"}


def test_an_unloadable_model_fails_alone() -> None:
    world = World([("a", gpus(1), 50, 0), ("b", gpus(1), 50, 0)], {"n": (8, 2)})
    world.step()
    actor = next(actor for actor, (job, _) in world.where.items() if job == 0)
    world.dispatcher.failed_to_load(actor, "no weights")
    world.run_to_the_end()
    world.check_answers()
    assert world.failed == {0: "no weights"}


def test_an_engine_that_dies_of_everything_does_not_go_on_for_ever() -> None:
    keys = [f"a-{n}" for n in range(5000)]
    world = World([("a", gpus(1), 5000, 0), ("b", gpus(1), 50, 0)], {"n": (8, 2)}, poison=keys)
    world.run_to_the_end()
    world.check_answers()
    assert world.deaths == 30
    assert "30 times in a row without an answer" in world.failed[0]


def test_an_engine_that_breaks_for_good_later_does_not_either() -> None:
    keys = [f"a-{n}" for n in range(100, 5000)]
    world = World([("a", gpus(1, actors=1), 5000, 0)], {"n": (8, 1)}, poison=keys)
    world.run_to_the_end()
    world.check_answers()
    assert len(world.answered) == 100
    assert world.deaths <= 61
    assert list(world.failed) == [0]


def test_a_hung_actor_is_replaced_and_its_requests_asked_again() -> None:
    world = World([("a", gpus(1, actors=1), 20, 0)], {"n": (8, 1)})
    world.step()
    world.load(0)
    world.step()
    world.now = 599
    world.step()
    assert 0 in world.actors
    world.now = 601
    world.step()
    assert 0 in world.stopping
    world.run_to_the_end()
    world.check_answers()
    assert len(world.answered) == 20


def test_two_batches_are_outstanding_and_neighbours_stay_together() -> None:
    world = World([("a", gpus(1), 10_000, 0)], {"n": (8, 2)})
    world.step()
    for actor in list(world.loading):
        world.load(actor)
    world.step()
    held = [[int(key[2:]) for key in keys] for keys in world.actors.values()]
    assert [len(keys) for keys in held] == [16, 16]
    assert all(keys == list(range(keys[0], keys[0] + 16)) for keys in held)


def test_batches_take_seconds_and_shrink_to_the_end() -> None:
    world = World([("a", gpus(1, actors=2), 2000, 0)], {"n": (8, 2)})
    most, last = 0, []
    for _ in range(10_000):
        world.step()
        if world.dispatcher.finished:
            break
        world.end_stopping()
        world.now += 1
        for actor in list(world.loading):
            world.load(actor)
        for actor in list(world.actors):
            most = max(most, len(world.actors[actor]))
            if world.actors[actor]:
                last.append((world.now, actor))
            world.work(actor, 20)  # 20 a second
    assert 150 <= most <= 250  # two batches of 5 seconds
    ends = [max(now for now, each in last if each == actor) for actor in (0, 1)]
    assert abs(ends[0] - ends[1]) <= 1


def test_follow_ups_come_after_answers() -> None:
    world = World([("a", gpus(1), 30, 25)], {"n": (8, 2)})
    world.run_to_the_end()
    world.check_answers()
    assert len(world.answered) == 55


def test_a_stop_asks_nothing_more() -> None:
    world = World([("a", gpus(1, 1), 3000, 0), ("b", gpus(1, 1), 3000, 0)], {"n": (8, 1)})
    world.step()
    world.load(0)
    world.step()
    held = len(world.actors[0])
    for source in world.sources:
        source.stopped = True
    world.run_to_the_end()
    assert len(world.answered) == held
    assert list(world.where) == []


def test_what_an_actor_gives_up_at_a_stop_stays_open() -> None:
    world = World([("a", gpus(1, 1), 3000, 0)], {"n": (8, 1)})
    world.step()
    world.load(0)
    world.step()
    world.sources[0].stopped = True
    world.dispatcher.recalled(0)
    world.run_to_the_end()
    assert (world.answered, world.refused, world.failed) == ([], [], {})


def test_no_more_actors_than_are_worth_loading() -> None:
    world = World([("a", ActorResources(1, 0, 64), 40, 0)], {"n": (64, 0)})
    world.step()
    assert len(world.where) == 3  # 16 requests an actor


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
