"""What a plan asks, in which order, and what tells studies apart."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.catalog import Example
from torr_plugin.core.errors import InputError, RecipeError
from torr_plugin.prompts import Message
from torr_plugin.recipes import Plan, Recipe, Request, plan, request_key
from torr_plugin.recipes.planning import in_order_of_draw
from torr_plugin.tables import Table

from .made import CARD, CARDS


def recipe(**changes: object) -> Recipe:
    said: dict[str, object] = {
        "name": "small",
        "cards": list(CARDS),
        "configurations": {
            "serializers": ["torr.html", "torr.csv", "json"],
            "perturbations": ["none", "shuffle_rows"],
        },
        "demonstrations": {"shots": 2},
        "examples": {"count": 5},
    }
    return Recipe.model_validate({**said, **changes})


def cells(planned: Plan) -> dict[tuple[str, str, str], Request]:
    return {(r.dataset, r.example, r.config.id): r for r in planned.requests()}


def test_every_example_in_every_configuration_once() -> None:
    planned = plan(recipe())
    requests = list(planned.requests())
    assert planned.size == len(requests) == 3 * 5 * 6
    assert len(cells(planned)) == len(requests)
    assert (
        {r.dataset for r in requests} == {card.removeprefix("cards.") for card in CARDS} == set(planned.cards)
    )
    for dataset, examples in planned.examples.items():
        assert len({example.id for example in examples}) == 5
        references = {example.id: example.references for example in examples}
        assert all(r.references == references[r.example] for r in requests if r.dataset == dataset)
    assert {(r.model, r.stage) for r in requests} == {(None, 0)}


@pytest.mark.full
def test_of_many_examples_some_come_first_in_all_configurations(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = cells(plan(recipe()))
    monkeypatch.setattr("torr_plugin.recipes.planning.EXAMPLES_AT_ONCE", 2)
    planned = plan(recipe())
    assert cells(planned) == whole
    groups = [(r.dataset, r.config.id) for r in planned.requests()]
    changes = sum(before != after for before, after in pairwise(groups))
    assert changes == 3 * len(set(groups)) - 1  # five examples are two, two and one
    for dataset, examples in planned.examples.items():
        asked = [r.example for r in planned.requests() if r.dataset == dataset]
        ids = [example.id for example in examples]
        assert asked == [*ids[:2] * 6, *ids[2:4] * 6, *ids[4:] * 6]


def test_what_a_plan_says_of_itself_can_be_changed_without_changing_it() -> None:
    planned = plan(recipe())
    planned.record()["datasets"].clear()
    assert set(planned.record()["datasets"]) == set(planned.cards)
    assert planned.fingerprint == plan(recipe()).fingerprint


@pytest.mark.full
@pytest.mark.parametrize("draw", ["first", "seeded"])
def test_a_limit_asks_fewer_examples_by_the_same_prompts(draw: str) -> None:
    whole = cells(plan(recipe(examples={"count": 5, "draw": draw})))
    fewer = plan(recipe(examples={"count": 5, "draw": draw}), limit=2)
    assert fewer.size == 3 * 2 * 6
    assert cells(fewer) == {cell: whole[cell] for cell in cells(fewer)}


@pytest.mark.full
def test_prompts_of_an_example_do_not_depend_on_what_else_is_asked() -> None:
    whole = cells(plan(recipe()))
    for changed in (
        recipe(cards=[CARDS[1]]),
        recipe(cards=list(reversed(CARDS))),
        recipe(configurations=["json/shuffle_rows/default", "torr.csv/none/default"]),
        recipe(examples={"count": 3}),
    ):
        few = cells(plan(changed))
        assert few == {cell: whole[cell] for cell in few}


def test_keys_are_equal_where_prompts_are_and_nowhere_else() -> None:
    requests = list(plan(recipe(examples={"count": 20})).requests())
    assert len({r.key for r in requests}) == len({r.prompt for r in requests})
    assert len({(r.key, r.prompt) for r in requests}) == len({r.key for r in requests})


def test_generation_changes_keys_alone() -> None:
    before, after = (list(plan(recipe(generation={"max_tokens": n})).requests()) for n in (10, 20))
    assert [r.prompt for r in before] == [r.prompt for r in after]
    assert not {r.key for r in before} & {r.key for r in after}


def test_shots_nest_and_a_card_may_have_its_own() -> None:
    cards = [CARDS[0], {"card": CARDS[1], "shots": 0, "examples": 2}]
    planned = plan(recipe(cards=cards, demonstrations={"shots": 3}))
    names = list(planned.cards)
    assert [planned.shots[name] for name in names] == [3, 0]
    assert [len(planned.examples[name]) for name in names] == [5, 2]
    fewer = plan(recipe(cards=cards, demonstrations={"shots": 1}))
    for example in planned.examples[names[0]]:
        three = planned.builders[names[0]].demonstrations(example)
        assert len(three) == 3
        assert fewer.builders[names[0]].demonstrations(example) == three[:1]


def test_shared_demonstrations_share_a_beginning() -> None:
    from torr_plugin.recipes import outline

    paired, shared = (
        plan(recipe(demonstrations={"shots": 2, "draw": draw})) for draw in ("paired", "shared")
    )
    rows = [outline(each).datasets[-1]["shared beginning"] for each in (paired, shared)]
    assert 1 > rows[1] > 0.4 > rows[0] >= 0


def test_the_split_of_a_card() -> None:
    from torr_plugin.catalog import load_card, read_examples

    card = load_card(CARD)
    planned = plan(recipe(cards=[{"card": CARD, "split": card.demo_split}]))
    asked = planned.examples[card.dataset]
    assert {e.id for e in asked} <= {e.id for e in read_examples(card, card.demo_split)}
    for example in asked:
        shown = planned.builders[card.dataset].demonstrations(example)
        assert example.id not in {each.id for each in shown}


@pytest.mark.full
def test_a_study_is_what_decides_prompts_and_scores() -> None:
    first = plan(recipe()).fingerprint
    same = [
        recipe(models=["torr-lexical", "torr-majority"]),
        recipe(name="other", description="..."),
        recipe(analysis={"resamples": 10}),
        recipe(cards=list(reversed(CARDS))),
    ]
    different = [
        recipe(seed=1),
        recipe(cards=CARDS[:2]),
        recipe(demonstrations={"shots": 1}),
        recipe(demonstrations={"shots": 2, "draw": "shared"}),
        recipe(examples={"count": 4}),
        recipe(examples={"count": 5, "draw": "first"}),
        recipe(generation={"max_tokens": 10}),
        recipe(generation={"until": ["\n"]}),
        recipe(configurations="torr.html/none/default"),
    ]
    assert {*(plan(each).fingerprint for each in same), plan(recipe(), limit=100).fingerprint} == {first}
    others = [plan(each).fingerprint for each in different] + [plan(recipe(), limit=2).fingerprint]
    assert len({first, *others}) == len(others) + 1


def test_the_record_is_plain_data() -> None:
    planned = plan(recipe(models=[{"model": "hf", "args": {"stop": ["a"]}}]), limit=3)
    record = planned.record()
    assert json.loads(json.dumps(record)) == record
    assert Recipe.model_validate(record["recipe"]) == planned.recipe
    assert (record["seed"], record["limit"], record["requests"]) == (0, 3, planned.size)
    assert record["configurations"] == [c.id for c in planned.configurations]
    for dataset, card in planned.cards.items():
        said = record["datasets"][dataset]
        assert (said["card"], said["fingerprint"], said["licence"]) == (
            card.name,
            card.fingerprint,
            card.licence,
        )
        assert (said["main_metric"], said["examples"], said["shots"]) == (card.main_metric, 3, 2)
        assert said["metrics"] == list(card.metrics)
        assert said["keeps_labels"] == list(card.keeps_labels)
        assert set(said["data"]) == {card.test_split, card.demo_split}
        assert all(said["data"].values())


def test_fewer_examples_than_asked_are_said() -> None:
    from torr_plugin.catalog import load_card, read_examples

    card = load_card(CARD)
    there = len(read_examples(card, card.test_split))
    planned = plan(recipe(cards=[CARD], examples={"count": there + 1}))
    assert planned.notes == (
        f"{CARD}: {there + 1} examples are asked, split '{card.test_split}' has {there}: all are used",
    )
    assert plan(recipe(cards=[CARD], examples={"count": "all"})).notes == ()
    assert planned.record()["notes"] == list(planned.notes)


def test_too_few_demonstrations_are_told_before_anything_is_built() -> None:
    with pytest.raises(
        RecipeError, match=rf"^{CARD}: split '.*' has \d+ examples that may demonstrate .* 100000 are needed"
    ):
        plan(recipe(cards=[CARD], demonstrations={"shots": 100_000}))


def test_an_unknown_split_and_a_limit_of_none_are_refused() -> None:
    with pytest.raises(ValueError, match="has no split 'nowhere'; expected one of: test, train"):
        recipe(cards=[{"card": CARD, "split": "nowhere"}])
    with pytest.raises(InputError, match="the limit is 0; expected at least 1"):
        plan(recipe(), limit=0)


MANY = [Example(str(n), Table.flat(["a"], [["1"]]), {}, ("1",), "1") for n in range(200)]


def chosen(count: int, seed: int, examples: list[Example] = MANY, dataset: str = "d") -> list[str]:
    return [each.id for each in in_order_of_draw(examples, "seeded", seed, dataset)[:count]]


@pytest.mark.full
@settings(deadline=None, max_examples=50)
@given(st.integers(1, 250), st.integers(1, 250), st.integers(0, 100), st.randoms(use_true_random=False))
def test_seeded_examples_nest_and_do_not_follow_the_files_order(
    few: int, many: int, seed: int, random
) -> None:  # type: ignore[no-untyped-def]
    few, many = sorted((few, many))
    shuffled = random.sample(MANY, len(MANY))
    assert chosen(few, seed) == chosen(many, seed)[:few] == chosen(few, seed, shuffled)
    assert len(set(chosen(many, seed))) == min(many, 200)


def test_seeded_examples_differ_by_seed_and_data_set_and_are_spread() -> None:
    assert len({tuple(chosen(20, seed, dataset=dataset)) for seed in range(5) for dataset in "ab"}) == 10
    halves = [sum(int(name) < 100 for name in chosen(50, seed)) for seed in range(40)]
    # 50 of 200, without replacement: 25 of the first half, standard deviation 3.1; of the mean of 40, 0.5
    assert 23.5 < sum(halves) / len(halves) < 26.5


def test_planning_leaves_global_chance_alone(tmp_path: Path) -> None:
    import random

    import numpy as np

    random.seed(1)
    np.random.seed(1)
    before = random.getstate(), np.random.get_state()[1].tolist()
    list(plan(recipe(), limit=1).requests())
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before


@settings(deadline=None)
@given(
    st.lists(st.builds(Message, st.just("user"), st.text('ab"\\\n\r\té\u2028\x7f', max_size=9)), max_size=3)
)
def test_a_key_is_the_hash_of_canonical_json(messages: list[Message]) -> None:
    generation = {"until": ["\n"], "max_tokens": 3}
    content = [[[message.role, message.content] for message in messages], generation]
    canonical = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    expected = hashlib.sha256(canonical.encode()).hexdigest()[:32]
    assert request_key(tuple(messages), generation) == expected


def test_what_is_remembered_is_bounded_and_prompts_do_not_depend_on_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    free = list(plan(recipe()).requests())
    monkeypatch.setattr("torr_plugin.prompts.builder.MOST_CELLS", 60)
    monkeypatch.setattr("torr_plugin.prompts.builder.MOST_CHARACTERS", 1500)
    planned = plan(recipe())
    for request in planned.requests():
        builder = planned.builders[request.dataset]
        for cache, most in ((builder._writer._texts, 1500), (builder._perturbed, 60)):
            assert cache.weight <= most or len(cache._values) == 1
        assert request == free[0]
        free = free[1:]
    assert not free


@pytest.mark.parametrize("draw", ["seeded", "first"])
@pytest.mark.parametrize("refused", ["stop", "leave_out"])
@pytest.mark.parametrize("count", [1, 2, 5, 14])
def test_pairs_are_chosen_whole(monkeypatch: pytest.MonkeyPatch, draw: str, refused: str, count: int) -> None:
    sides = [
        replace(
            MANY[0],
            id=f"{number}-{side}",
            fields={"statement": "It is so."},
            groups={"pair": str(number), "side": side},
        )
        for number in range(6)
        for side in ("original", "exchanged")
    ]
    monkeypatch.setattr("torr_plugin.recipes.planning.read_examples", lambda card, split: sides)
    asked = recipe(
        cards=[CARD],
        examples={"count": count, "draw": draw, "refused": refused},
        demonstrations={"shots": 0},
    )
    (chosen,) = plan(asked).examples.values()
    assert len(chosen) == min(12, count + count % 2)
    assert set(Counter(example.groups["pair"] for example in chosen).values()) == {2}
