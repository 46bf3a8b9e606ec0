"""The pool of replicas in cases worked out by hand: sizes, order, side by side, waiting, failures."""

from __future__ import annotations

import math

import pytest

from torr_plugin.running.ray.pool import PoolRules, in_words

from .world import InRounds, World, gpus, node


def placed(world):
    return sorted(model for model, _ in world.where.values())


def test_models_run_side_by_side_and_each_has_one_replica_before_any_has_two() -> None:
    world = World([("a", gpus(1), 400), ("b", gpus(1), 400)], {"n": node(4)})
    world.step()
    world.place()
    assert placed(world) == [0, 1]
    world.begin()
    assert placed(world) == [0, 0, 1, 1]
    world.run_to_the_end()
    world.check_answers()
    assert len(world.answered) == 800


def test_a_second_round_keeps_the_replicas_as_busy_as_the_first() -> None:
    world = World([("a", gpus(1), 400)], {"n": node(4)}, source=InRounds)
    world.run_to_the_end()
    world.check_answers()
    assert len(world.answered) == 800
    assert world.now < 1.4 * 800 / (4 * 4)  # four replicas that answer four at a time


def test_fractions_of_a_gpu_and_custom_resources() -> None:
    needs = {"GPU": 0.25, "CPU": 0, "fast_disk": 1}
    world = World([("a", needs, 400)], {"n": node(1), "disk": {**node(1), "fast_disk": 3}})
    world.begin()
    assert world.placements == [(0, "disk")] * 3
    world.run_to_the_end()
    world.check_answers()
    assert (
        in_words({**needs, "accelerator_type:H100": 0.001}) == "0.25 GPU, 1 fast_disk, accelerator_type:H100"
    )


def test_no_model_gets_a_further_replica_while_a_large_one_waits() -> None:
    """The small models, of which there are many, do not take the freed GPUs one by one for ever."""
    world = World([("large", gpus(4), 40), ("small", gpus(1), 2000)], {"one": node(1)})
    world.begin()
    assert world.placements == [(1, "one")]
    world.nodes |= {"four": node(4), "two": node(2)}
    world.tell_nodes()
    world.step()
    assert [model for model, _ in world.pending.values()] == [0]
    world.begin()
    assert (0, "four") in world.placements
    assert (1, "two") in world.placements
    world.run_to_the_end()
    world.check_answers()


def test_what_can_never_fit_fails_alone_and_at_once() -> None:
    world = World([("a", gpus(4), 10), ("b", gpus(1), 10)], {"x": node(2), "y": node(2)}, patient=False)
    world.run_to_the_end()
    world.check_answers()
    assert world.failed == {
        0: "model 'a': needs 4 GPU, 1 CPU a replica, and no node of the Ray cluster has as much; the "
        "largest, node x, has 2 GPU, 64 CPU"
    }


def test_a_larger_node_is_waited_for_a_while_and_that_is_said_once() -> None:
    world = World([("a", gpus(4), 10), ("b", gpus(1), 400)], {"x": node(2)})
    world.begin()
    assert placed(world) == [1, 1]  # what fits nowhere reserves nothing
    for world.now in range(600):
        world.step()
    assert world.said == [
        "model 'a' waits for 4 GPU, 1 CPU: no node of the Ray cluster has as much; the largest, node x, has "
        "2 GPU, 64 CPU"
    ]
    assert world.failed == {}
    world.nodes.clear()
    world.tell_nodes()
    world.now = 601
    world.step()
    assert world.failed[0].endswith("no node of the Ray cluster has as much; there is none")


def test_an_autoscaler_sees_the_replicas_that_wait() -> None:
    world = World([("a", gpus(4), 10)], {})
    world.step()
    assert list(world.pending.values()) == [(0, frozenset())]
    world.nodes["new"] = node(4)
    world.tell_nodes()
    world.run_to_the_end()
    world.check_answers()
    assert len(world.answered) == 10


@pytest.mark.parametrize("kind", ["bad", "unloadable"])
def test_a_node_where_loading_fails_is_avoided(kind: str) -> None:
    """One failed load never fails a model that loads or runs elsewhere, and replacements go elsewhere."""
    world = World([("a", gpus(1), 2000)], {"broken": node(4), "good": node(2)}, **{kind: [(0, "broken")]})
    world.run_to_the_end()
    world.check_answers()
    assert len(world.answered) == 2000
    assert 1 <= world.placements.count((0, "broken")) <= 5  # those that were begun together
    assert all("node broken:" in message for message in world.said)


def test_a_model_that_loads_nowhere_fails_alone_and_names_the_node() -> None:
    models = [("a", gpus(1), 50), ("b", gpus(1), 50)]
    world = World(models, {"n": node(2)}, unloadable=[(0, "n")])
    world.run_to_the_end()
    world.check_answers()
    assert world.failed == {0: "model 'a': could not be loaded on any node; the last: node n: no weights"}
    assert world.placements.count((0, "n")) == 1


def test_a_model_is_tried_on_every_node_that_could_load_it() -> None:
    bad = [f"n{n}" for n in range(8)]
    nodes = {name: node(1) for name in [*bad, "good"]}
    world = World([("a", gpus(1), 50)], nodes, unloadable=[(0, name) for name in bad])
    world.run_to_the_end()
    world.check_answers()
    assert (len(world.answered), world.failed) == (50, {})


def test_a_model_that_loads_nowhere_is_found_out_in_few_rounds() -> None:
    nodes = {f"n{n}": node(1) for n in range(60)}
    world = World([("a", gpus(1), 50)], nodes, unloadable=[(0, name) for name in nodes])
    world.run_to_the_end()
    assert list(world.failed) == [0]
    assert len(world.placements) == 60
    assert world.now <= 8


def test_a_replica_that_dies_before_it_says_where_is_started_once_more() -> None:
    world = World([("a", gpus(1), 50)], {"n": node(1), "m": node(1)}, unplaceable=True)
    world.run_to_the_end()
    assert world.failed == {0: "model 'a': could not be loaded on any node; the last: killed"}
    assert len(world.said) == 2


def test_a_process_that_dies_on_loading_is_started_once_more_there() -> None:
    world = World([("a", gpus(1), 50)], {"n": node(1)}, bad=[(0, "n")])
    world.run_to_the_end()
    assert world.placements == [(0, "n")] * 2
    assert world.failed == {0: "model 'a': could not be loaded on any node; the last: node n: killed"}


def test_loading_that_takes_too_long_is_given_up() -> None:
    world = World([("a", gpus(1), 50)], {"slow": node(1), "good": node(1)}, most=1)
    world.step()
    world.place()
    world.step()
    world.now = 3601
    world.step()
    assert world.said == ["model 'a': a replica could not be loaded: node slow: not loaded after 3600 s"]
    world.run_to_the_end()
    world.check_answers()
    assert world.placements == [(0, "slow"), (0, "good")]


def test_a_node_where_a_replica_died_is_avoided_for_a_while() -> None:
    world = World([("a", gpus(1), 5000)], {"one": node(1), "two": node(1)}, most=1)
    world.begin()
    for _ in range(2):
        (replica,) = world.held
        world.kill_replica(replica, "crash")
        world.begin()
    assert world.placements == [(0, "one"), (0, "two"), (0, "one")]  # where both are bad, any is as good
    world.run_to_the_end()
    world.check_answers()


@pytest.mark.parametrize(("count", "place"), [(500, 0), (500, 499), (500, 77), (1, 0), (2, 1), (64, 13)])
@pytest.mark.parametrize("gpus_there", [1, 4])
def test_a_poison_request_is_found_in_logarithmically_many_deaths(
    count: int, place: int, gpus_there: int
) -> None:
    world = World([("a", gpus(1), count)], {"n": node(gpus_there)}, poison=[f"a-{place}"], rules=PoolRules())
    world.run_to_the_end()
    world.check_answers()
    assert world.reasons == {f"a-{place}": "node n: killed"}
    assert len(world.answered) == count - 1
    # with others, once more, one a halving, at last alone
    assert world.deaths <= 4 + math.ceil(math.log2(count))


@pytest.mark.parametrize("kind", ["loss", "memory"])
def test_a_lost_node_accuses_nobody_and_a_lack_of_memory_not_at_once(kind: str) -> None:
    world = World([("a", gpus(1), 1)], {"x": node(1), "y": node(1)})
    for _ in range(2 if kind == "memory" else 15):
        world.begin()
        (replica,) = world.held
        world.kill_replica(replica, kind)
    world.run_to_the_end()
    world.check_answers()
    assert (world.answered, world.refused, world.failed) == (["a-0"], [], {})


def test_a_request_that_always_takes_too_much_memory_becomes_an_error() -> None:
    world = World([("a", gpus(1), 1)], {"x": node(1), "y": node(1)})
    for _ in range(4):
        world.begin()
        (replica,) = world.held
        world.kill_replica(replica, "memory")
    assert world.refused == ["a-0"]


def test_an_engine_that_dies_of_everything_does_not_go_on_for_ever() -> None:
    keys = [f"a-{n}" for n in range(100, 5000)]
    world = World([("a", gpus(1), 5000), ("b", gpus(1), 50)], {"n": node(2)}, poison=keys, most=1)
    world.run_to_the_end()
    world.check_answers()
    assert 90 <= len([key for key in world.answered if key.startswith("a")]) <= 100
    assert world.deaths <= 61
    assert world.failed == {0: "model 'a': 30 replicas died without an answer: node n: killed"}


def test_a_hung_replica_is_replaced_and_its_requests_asked_again() -> None:
    world = World([("a", gpus(1), 1)], {"n": node(1)}, most=1)
    for _ in range(2):
        world.begin()
        (replica,) = world.held
        for _ in range(1801):
            world.now += 1
            assert replica in world.held
            world.step()
        assert replica not in world.held
    assert world.reasons["a-0"] == "node n: no answer for 1801 s"


def test_replicas_that_hang_together_fail_their_model_once() -> None:
    world = World([("a", gpus(1), 400)], {"n": node(2)}, rules=PoolRules(chunk=16, deaths=1))
    world.begin()
    assert len(world.held) == 2
    world.now += 1801
    world.step()
    assert world.failed == {0: "model 'a': 1 replicas died without an answer: node n: no answer for 1801 s"}
    assert world.where == {}


def test_a_node_that_is_gone_is_named() -> None:
    world = World([("a", gpus(1), 40)], {"x": node(1), "y": node(1)}, most=1)
    world.begin()
    world.lose("x")
    assert world.said == ["model 'a': a replica ended, and its requests are asked again: node x: killed"]
    world.run_to_the_end()
    world.check_answers()


def test_two_chunks_are_outstanding_and_neighbours_stay_together() -> None:
    world = World([("a", gpus(1), 10_000)], {"n": node(2)})
    world.begin()
    held = [[int(key[2:]) for key in keys] for keys in world.held.values()]
    assert [len(keys) for keys in held] == [32, 32]
    for keys in held:
        for first in (0, 16):
            assert keys[first : first + 16] == list(range(keys[first], keys[first] + 16))


def test_what_is_outstanding_shrinks_to_the_end() -> None:
    world = World([("a", gpus(1), 2000)], {"n": node(2)}, most=2, rules=PoolRules())
    most, ends = 0, {}
    for _ in range(10_000):
        world.step()
        if world.pool.finished:
            break
        world.end_stopping()
        world.place()
        world.now += 1
        for replica in list(world.loading):
            world.load(replica)
        world.step()
        for speed, replica in zip((20, 5), list(world.held), strict=False):
            most = max(most, len(world.held[replica]))
            if world.held[replica]:
                ends[replica] = world.now
            world.work(replica, speed)
    assert 400 <= most <= 512
    first, second = ends.values()
    assert abs(first - second) <= 8


def test_a_stop_asks_nothing_more_and_what_is_given_up_stays_open() -> None:
    world = World([("a", gpus(1), 3000), ("b", gpus(1), 3000)], {"n": node(1)}, most=1)
    world.begin()
    (replica,) = world.held
    for source in world.sources:
        source.stopped = True
    world.step()
    world.work(replica, 4)
    world.held[replica].clear()
    world.run_to_the_end()
    assert (len(world.answered), world.refused, world.failed) == (4, [], {})
    assert world.where == {}


def test_a_replica_that_dies_as_it_ends_costs_nothing_and_one_that_does_not_end_is_killed() -> None:
    world = World([("a", gpus(1), 40)], {"n": node(2)})
    world.begin()
    while any(world.held.values()):
        for replica in world.held:
            world.work(replica, 100)
        world.step()
    first, _ = world.stopping
    world.kill_replica(first, "crash")
    world.step()
    assert (world.said, world.pool.finished) == ([], False)
    world.now += 16
    world.step()
    assert (world.where, world.pool.finished) == ({}, True)


def test_no_more_replicas_than_are_worth_loading() -> None:
    world = World([("a", {"GPU": 0, "CPU": 1}, 40)], {"n": node(0)})
    world.begin()
    assert len(world.where) == 3  # 16 requests a replica


def test_a_server_that_is_lost_fails_its_model_alone_and_its_requests_stay_open() -> None:
    world = World([("a", gpus(1), 400), ("b", gpus(1), 400)], {"n": node(4)})
    world.begin()
    of_a = [replica for replica, (model, _) in world.where.items() if model == 0]
    assert len(of_a) == 2
    world.pool.server_lost(of_a[0], "gone")
    world.run_to_the_end()
    assert world.failed == {0: "model 'a': node n: gone"}
    assert world.refused == []
    assert len(world.answered) == 400
    assert world.where == {}
