"""The design ``carried``: the data set's own prompt, read without running anything."""

from __future__ import annotations

import ast
import json
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.catalog import load_card, read_examples
from torr_plugin.core.errors import DataError, RecipeError
from torr_plugin.prompts import Message, PromptBuilder
from torr_plugin.prompts.design import LONGEST, MOST_TURNS, CarriedDesign, Shown, parse_prompt
from torr_plugin.recipes import Configuration, Recipe, plan

from .made import MadeCard, made_example

TURNS = [{"role": "system", "content": 'Be "brief", won\'t you'}, {"role": "user", "content": "a\nb"}]
PROMPT = (Message("system", 'Be "brief", won\'t you'), Message("user", "a\nb"))


@pytest.mark.parametrize("write", [json.dumps, repr])
def test_json_and_python_literals(write: Any) -> None:
    assert parse_prompt(write(TURNS)) == PROMPT
    assert parse_prompt(write([{**turn, "name": "x"} for turn in TURNS])) == PROMPT


@given(
    st.lists(
        st.builds(Message, st.sampled_from(["system", "user", "assistant"]), st.text()),
        min_size=1,
        max_size=4,
    )
)
def test_every_prompt_comes_back(prompt: list[Message]) -> None:
    turns = [{"role": turn.role, "content": turn.content} for turn in prompt]
    assert parse_prompt(repr(turns)) == parse_prompt(json.dumps(turns)) == tuple(prompt)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hello", "starts with 'hello'; expected a list of messages as JSON or Python literal"),
        ("__import__('os').abort()", "expected a list of messages"),
        ("[" * 100_000, "expected a list of messages"),
        ("{}", "is a dict; expected a list of 1 to"),
        ("[]", "is 0 items"),
        (json.dumps([TURNS[0]] * (MOST_TURNS + 1)), f"is {MOST_TURNS + 1} items"),
        (
            "[1]",
            "message 0 of the carried prompt is '1'; expected an object with 'role', one of system, user",
        ),
        ('[{"role": "user"}]', "message 0 of the carried prompt is"),
        ('[{"role": "tool", "content": "x"}]', "expected an object with 'role', one of"),
        ('[{"role": ["user"], "content": "x"}]', "expected an object with 'role', one of"),
        ('[{"role": "user", "content": ["x"]}]', "and 'content', a text"),
        (" " * (LONGEST + 1), f"has {LONGEST + 1} characters; expected at most {LONGEST}"),
    ],
)
def test_what_is_no_prompt_is_said(text: str, said: str) -> None:
    with pytest.raises(DataError) as error:
        parse_prompt(text)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def carrying() -> Any:
    card = MadeCard()
    object.__setattr__(card, "reading", SimpleNamespace(carried_prompt="prompt"))
    return card


def test_it_is_sent_whatever_the_serializer_and_the_demonstrations() -> None:
    example = replace(made_example(0), carried=repr(TURNS))
    builder = PromptBuilder(carrying(), [made_example(n, prefix="p") for n in range(9)], shots=2)
    for serializer in ("html", "csv"):
        assert builder.build(example, Configuration(serializer, "none", "carried")) == PROMPT


def test_an_example_is_named_in_errors() -> None:
    builder, configuration = PromptBuilder(carrying(), []), Configuration("html", "none", "carried")
    with pytest.raises(DataError, match=r"^cards.made: example 'q0' carries no prompt$"):
        builder.build(made_example(0), configuration)
    with pytest.raises(DataError, match=r"^cards.made: example 'q0': the carried prompt starts with 'x'"):
        builder.build(replace(made_example(0), carried="x"), configuration)


def test_nothing_is_composed() -> None:
    with pytest.raises(RecipeError, match="composes no prompt"):
        CarriedDesign().compose(Shown("", "", "", ""), [])


def recipe(**fields: Any) -> Recipe:
    return Recipe.model_validate({"name": "c", "examples": {"count": 3}, **fields})


def test_a_card_without_a_prompt_is_refused_on_planning() -> None:
    asked = recipe(cards=["cards.bundled.cell_lookup"], configurations="html/none/carried")
    with pytest.raises(
        RecipeError,
        match=r"^cards.bundled.cell_lookup: configuration html/none/carried: the data set carries no prompt",
    ):
        plan(asked)


def test_a_perturbation_is_refused_on_planning(mirror: object) -> None:
    asked = recipe(cards=["cards.hctqa.real"], configurations="html/transpose/carried")
    with pytest.raises(RecipeError, match=r"found perturbation 'transpose', expected 'none'$"):
        plan(asked)


def test_the_prompts_of_hctqa(mirror: object) -> None:
    planned = plan(
        recipe(
            cards=["cards.hctqa.real"],
            configurations=["html/none/carried", "csv/none/carried", "html/none/hctqa"],
            demonstrations={"shots": 1},
        )
    )
    assert any("no demonstrations of the recipe in them" in note for note in planned.notes)
    card = load_card("cards.hctqa.real")
    examples = {example.id: example for example in read_examples(card, card.test_split)}
    keys: dict[str, set[str]] = {}
    for request in planned.requests():
        if request.config.design == "carried":
            example = examples[request.example]
            turns = ast.literal_eval(str(example.carried))
            assert [(each.role, each.content) for each in request.prompt] == [
                (turn["role"], turn["content"]) for turn in turns
            ]
            assert example.fields["question"] in request.prompt[-1].content
            keys.setdefault(request.example, set()).add(request.key)
    assert [len(found) for found in keys.values()] == [1, 1, 1]  # equal prompts are asked once


@pytest.mark.full
def test_all_prompts_of_hctqa_can_be_sent(mirror: object) -> None:
    card = load_card("cards.hctqa.real")
    for example in read_examples(card, card.test_split):
        assert [turn.role for turn in parse_prompt(str(example.carried))] == ["system", "user"]
