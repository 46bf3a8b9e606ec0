"""Plans with designs of several calls."""

from __future__ import annotations

import pytest

from torr_plugin.core.errors import RecipeError
from torr_plugin.prompts import Step, designs
from torr_plugin.prompts.design import DefaultDesign
from torr_plugin.recipes import Configuration, Recipe, ScoreCell, plan, request_key


def recipe(*names: str, **more: object) -> Recipe:
    return Recipe.model_validate(
        {
            "name": "staged",
            "cards": ["cards.bundled.cell_lookup", "cards.bundled.aggregation"],
            "configurations": {"serializers": ["html", "csv"], "designs": list(names)},
            "examples": {"count": 3},
            **more,
        }
    )


def test_what_is_planned_and_what_follows_is_counted() -> None:
    planned = plan(recipe("default", "self_augmented", "self_augmented_all"))
    requests = list(planned.requests())
    assert planned.cells == 2 * 2 * 3 * 3
    assert len(requests) == planned.size == 2 * 2 * 3 * (1 + 1 + 3)
    assert planned.later == 2 * 2 * 3 * (0 + 1 + 1)
    assert {request.stage for request in requests} == {0, 1, 2}
    assert all(request.model is None for request in requests)
    assert {name: len(steps) for name, steps in planned.steps.items()} == {
        "self_augmented": 2,
        "self_augmented_all": 4,
    }


def test_the_record_names_stages_only_where_there_are_several() -> None:
    assert "stages" not in plan(recipe("default")).record()
    several = plan(recipe("default", "self_augmented")).record()
    assert several["stages"] == {"self_augmented": 2}


def test_the_record_names_the_bases_of_designs_and_no_key_or_fingerprint_depends_on_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert "design_bases" not in plan(recipe("default", "hctqa")).record()
    several = plan(recipe("default", "suc", "suc_no_role", "self_augmented_all", "tree_thinker_gold"))
    bases = {
        "self_augmented_all": "default",
        "suc": "default",
        "suc_no_role": "suc",
        "tree_thinker_gold": "tree_thinker",
    }
    assert several.record()["design_bases"] == bases
    before = plan(recipe("default")).fingerprint
    monkeypatch.setattr(DefaultDesign, "base", "torr")
    assert plan(recipe("default")).record()["design_bases"] == {"default": "torr"}
    assert plan(recipe("default")).fingerprint == before


@pytest.mark.parametrize("base", ["", "mine", 3])
def test_a_base_is_the_name_of_another_design(base: object) -> None:
    class Mine(DefaultDesign):
        name = "mine"

    Mine.base = base  # type: ignore[assignment]
    with pytest.raises(RecipeError, match=rf"design 'mine': found the base {base!r}; expected the name"):
        designs.add(Mine())


def test_equal_first_steps_of_two_designs_are_one_request() -> None:
    requests = list(plan(recipe("self_augmented", "self_augmented_all")).requests())
    assert len({request.key for request in requests}) == 2 * 2 * 3 * 3


def test_a_step_has_a_key_of_its_own_parameters() -> None:
    planned = plan(recipe("self_augmented", generation={"max_tokens": 20, "until": ["\n"]}))
    request = next(planned.requests())
    assert request.key == request_key(request.prompt, {**planned.generation, "max_tokens": 400, "until": []})
    cell = ScoreCell(request.dataset, request.example, request.config)
    last = designs.get("self_augmented").steps[-1]
    follow = planned.follow_up(cell, last, {"values": "seven"}, "m")
    assert follow.key == request_key(follow.prompt, planned.generation)
    assert (follow.model, follow.stage) == ("m", 1)
    assert "seven" in follow.prompt[0].content
    assert (follow.references, follow.facts) == (request.references, request.facts)
    assert follow == planned.follow_up(cell, last, {"values": "seven"}, "m")


def test_a_cell_that_is_not_in_the_study() -> None:
    planned = plan(recipe("self_augmented"))
    cell = ScoreCell(next(iter(planned.cards)), "nobody", Configuration("html", "none", "self_augmented"))
    with pytest.raises(RecipeError, match="asks no example 'nobody'"):
        planned.follow_up(cell, designs.get("self_augmented").steps[-1], {"values": ""}, "m")


def test_a_design_whose_steps_are_no_graph_is_refused() -> None:
    class Wrong(DefaultDesign):
        name = "wrong"
        steps = (Step("a"), Step("b"))

    with pytest.raises(RecipeError, match="design 'wrong': no step comes after 'a'"):
        designs.add(Wrong())
    assert "wrong" not in designs


def test_cells_have_ids_of_their_own() -> None:
    one = ScoreCell("a", "b c", Configuration("html", "none", "default"))
    other = ScoreCell("a b", "c", Configuration("html", "none", "default"))
    assert one.id != other.id
