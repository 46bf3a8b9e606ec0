"""Which cells are asked again: a random share, the same in every study that has them; keys and price."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.core.errors import RecipeError
from torr_plugin.recipes import (
    ModelEntry,
    Plan,
    Price,
    Recipe,
    outline,
    plan,
    with_replicates,
)
from torr_plugin.recipes.request import replicate_key, replicate_seed
from torr_plugin.recipes.schema import Replicates

from .made import CARD, CARDS

TWO = {"serializers": ["torr.html", "torr.csv", "torr.json"], "perturbations": ["none", "shuffle_rows"]}


def planned(share: float | None = 0.1, limit: int | None = None, **changes: object) -> Plan:
    said: dict[str, object] = {
        "name": "small",
        "cards": [CARD],
        "configurations": TWO,
        "examples": {"count": 20},
        "replicates": {"share": share},
    }
    return plan(Recipe.model_validate({**said, **changes}), limit=limit)


def test_at_least_a_hundred_cells_or_all() -> None:
    assert len(planned().replicated) == 100  # of 120
    assert len(planned(limit=5).replicated) == 30  # all
    assert len(planned(cards=list(CARDS)).replicated) == 3 * 34  # a hundred, rounded up in each data set
    assert len(planned(0.9, cards=list(CARDS)).replicated) == 3 * 108
    assert not planned(0.0).replicated


def test_a_smaller_share_is_a_part_of_a_larger_one_and_other_seeds_draw_others() -> None:
    small, large = planned(0.85), planned(0.95)
    assert small.replicated < large.replicated
    assert planned(0.85, seed=1).replicated != small.replicated


def test_models_and_cards_do_not_change_the_choice() -> None:
    alone = planned(0.9)
    assert planned(0.9, models=["torr-constant"]).replicated == alone.replicated
    together = planned(0.9, cards=list(CARDS)).replicated
    assert {cell for cell in together if cell.dataset == next(iter(alone.cards))} == alone.replicated


def test_replicates_are_requests_of_their_own_after_all_others() -> None:
    without, asked = list(planned(0.0).requests()), list(planned().requests())
    assert asked[: len(without)] == without  # with the same keys: runs begun before go on
    again = asked[len(without) :]
    assert len(again) == 100 == planned().replicate_requests
    assert {request.replicate for request in again} == {1}
    first = {(request.config, request.example): request for request in without}
    for request in again:
        same = first[request.config, request.example]
        assert (request.prompt, request.references) == (same.prompt, same.references)
        assert request.key == replicate_key(same.key, 1) != same.key
    assert len({request.key for request in asked}) == len({request.key for request in without}) + len(
        {request.key for request in again}
    )


def test_a_plan_counts_them_and_is_no_other_study() -> None:
    one, other = planned(0.0), planned()
    assert (one.size, other.size, other.cells) == (120, 220, 120)
    assert one.fingerprint == other.fingerprint
    staged = planned(configurations={"serializers": ["html"], "designs": ["self_augmented"]})
    assert (staged.size, staged.later, len(staged.replicated)) == (40, 40, 20)


def test_the_price_of_replicates_stands_apart() -> None:
    models = [ModelEntry(model="torr-constant", price=Price(prompt=2.0, completion=10.0))]
    (without,) = outline(planned(0.0), models).models
    found = outline(planned(), models)
    (row,) = found.models
    again = row["replicates"]
    assert "replicates" not in without
    assert (row["requests"], again["requests"]) == (220, 100)
    assert again["unique requests"] == len({each.key for each in planned().requests() if each.replicate})
    for name in ("unique requests", "prompt tokens", "answer tokens", "cost"):
        assert row[name] == pytest.approx(without[name] + again[name])
    *datasets, last = found.datasets
    assert datasets == outline(planned(0.0), models).datasets
    assert (last["dataset"], last["prompts"], last["configurations"]) == ("replicates", 100, None)


def test_a_cell_may_be_asked_again_several_times() -> None:
    once, thrice = planned(), planned(replicates={"share": 0.1, "count": 3})
    of_once, of_thrice = list(once.requests()), list(thrice.requests())
    assert of_thrice[: len(of_once)] == of_once
    assert (len(of_thrice), thrice.size, thrice.replicate_requests) == (420, 420, 300)
    assert {replace(cell, replicate=1) for cell in thrice.replicated} == once.replicated
    keys: dict[object, set[str]] = {}
    for request in of_thrice:
        keys.setdefault(tuple(each.content for each in request.prompt), set()).add(request.key)
    assert {len(own) for own in keys.values()} == {1, 4}
    assert [row["prompts"] for row in outline(thrice, []).datasets] == [120, 300]


def test_a_study_that_asks_again_once_is_recorded_as_before() -> None:
    assert planned().record()["recipe"]["replicates"] == {"share": 0.1}
    assert planned().replicate_record == {"replicates": 100}
    thrice = planned(replicates={"share": 0.1, "count": 3})
    assert thrice.record()["recipe"]["replicates"] == {"share": 0.1, "count": 3}
    assert thrice.replicate_record == {"replicates": 300, "replicate_count": 3}
    assert thrice.fingerprint == planned().fingerprint


@given(st.integers(0, 2**64), st.lists(st.integers(1, 1000), min_size=2, max_size=20, unique=True))
def test_each_replicate_has_a_seed_of_its_own(study_seed: int, replicates: list[int]) -> None:
    seeds = [replicate_seed(study_seed, replicate) for replicate in replicates]
    assert seeds == [replicate_seed(study_seed, replicate) for replicate in replicates]
    assert all(0 <= seed < 2**31 for seed in seeds)
    assert len(set(seeds)) == len(seeds)


def test_the_seed_stands_beside_what_a_step_changes() -> None:
    staged = planned(configurations={"serializers": ["html"], "designs": ["self_augmented"]})
    of_step = staged.changes_of("self_augmented", 0, 0)
    assert of_step is not None
    assert staged.changes_of("self_augmented", 0, 2) == {**of_step, "seed": replicate_seed(0, 2)}
    assert planned().changes_of("default", 0, 0) is None
    assert planned().changes_of("default", 0, 1) == {"seed": replicate_seed(0, 1)}


def test_the_command_line_replaces_the_share() -> None:
    recipe = planned(0.5).recipe
    assert with_replicates(recipe, None) is recipe
    assert with_replicates(recipe, 0.2).replicates.share == 0.2
    thrice = recipe.model_copy(update={"replicates": Replicates(share=0.2, count=3)})
    assert with_replicates(thrice, 0.1).replicates == Replicates(share=0.1, count=3)
    for wrong in (-0.1, 1.5, float("nan")):
        with pytest.raises(RecipeError, match=r"--replicates: found .*; expected a share from 0"):
            with_replicates(recipe, wrong)
