"""Which demonstrations are drawn."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.catalog import Example
from torr_plugin.core.errors import RecipeError
from torr_plugin.prompts.builder import Draw, draw_demonstrations

from .made import MadeCard, made_example

POOL = [made_example(number, prefix="d") for number in range(30)]
CARD = MadeCard()


def ids(drawn: tuple[Example, ...]) -> list[str]:
    return [example.id for example in drawn]


@settings(deadline=None)
@given(
    shots=st.integers(0, 20),
    fewer=st.integers(0, 20),
    number=st.integers(0, 1000),
    seed=st.integers(0, 10**6),
    draw=st.sampled_from(["paired", "shared"]),
)
def test_fewer_shots_are_the_beginning_of_more(
    shots: int, fewer: int, number: int, seed: int, draw: Draw
) -> None:
    example = made_example(number)
    drawn = ids(draw_demonstrations(example, POOL, card=CARD, seed=seed, shots=max(shots, fewer), draw=draw))
    less = ids(draw_demonstrations(example, POOL, card=CARD, seed=seed, shots=min(shots, fewer), draw=draw))
    assert drawn[: len(less)] == less
    assert len(set(drawn)) == max(shots, fewer)


@settings(deadline=None)
@given(size=st.integers(2, 12), seed=st.integers(0, 1000), draw=st.sampled_from(["paired", "shared"]))
def test_neither_the_example_nor_its_table_is_shown(size: int, seed: int, draw: Draw) -> None:
    pool = [made_example(number, table=number // 2) for number in range(2 * size)]
    for example in pool:
        drawn = draw_demonstrations(example, pool, card=CARD, seed=seed, shots=2 * size - 2, draw=draw)
        assert len(drawn) == 2 * size - 2
        assert all(other.groups["table"] != example.groups["table"] for other in drawn)


def test_without_table_groups_only_the_example_itself_is_left_out() -> None:
    pool = [Example(str(n), made_example(0).table, {}, ("x",), "x") for n in range(4)]
    drawn = ids(draw_demonstrations(pool[1], pool, card=CARD, seed=0, shots=3))
    assert sorted(drawn) == ["0", "2", "3"]


def test_paired_differs_by_example_and_by_seed() -> None:
    draws = {
        tuple(ids(draw_demonstrations(made_example(number), POOL, card=CARD, seed=seed, shots=5)))
        for number in range(5)
        for seed in range(5)
    }
    assert len(draws) == 25


def test_shared_is_one_draw_for_all() -> None:
    draws = {
        tuple(ids(draw_demonstrations(made_example(number), POOL, card=CARD, seed=3, shots=5, draw="shared")))
        for number in range(20)
    }
    assert len(draws) == 1


def test_shared_from_the_asked_split_skips_only_what_may_not_be_shown() -> None:
    shared = {
        example.id: ids(draw_demonstrations(example, POOL, card=CARD, seed=1, shots=3, draw="shared"))
        for example in POOL
    }
    common, times = Counter(map(tuple, shared.values())).most_common(1)[0]
    assert times == len(POOL) - 3
    for example in POOL:
        if example.id in common:
            rest = [name for name in common if name != example.id]
            assert shared[example.id][:2] == rest


def test_every_member_of_the_pool_is_drawn_about_equally() -> None:
    times = Counter(
        name
        for number in range(600)
        for name in ids(draw_demonstrations(made_example(number), POOL, card=CARD, seed=0, shots=5))
    )
    assert set(times) == {example.id for example in POOL}
    # 3000 draws over 30: 100 each, standard deviation 9.1
    assert all(60 <= count <= 140 for count in times.values())


@pytest.mark.parametrize("draw", ["paired", "shared"])
def test_too_few_names_card_found_and_needed(draw: Draw) -> None:
    pool = [made_example(0), made_example(1), made_example(2), made_example(9, table=0)]
    message = re.escape("cards.made: split 'train' has 2 examples that may demonstrate example 'q0'")
    with pytest.raises(RecipeError, match=message + r".*, 3 are needed"):
        draw_demonstrations(pool[0], pool, card=CARD, seed=0, shots=3, draw=draw)


def test_no_shots_need_no_pool() -> None:
    assert draw_demonstrations(made_example(0), [], card=CARD, seed=0, shots=0) == ()
