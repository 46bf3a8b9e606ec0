"""A model's own generation parameters outdo the study's, and what thinks has room for it."""

from __future__ import annotations

from typing import Any

import pytest

from torr_plugin.core.errors import RecipeError
from torr_plugin.recipes import Generation, ModelEntry, with_generation

STUDY = {**Generation().in_keys(), "thinking_tokens": 1000}


def entry(**fields: Any) -> ModelEntry:
    return ModelEntry.model_validate({"model": "hf", **fields})


@pytest.mark.parametrize(
    ("fields", "most"),
    [
        ({}, 100),
        ({"generation": {"max_tokens": 7}}, 7),
        ({"args": {"max_gen_toks": 7}}, 7),
        ({"args": "max_gen_toks=7", "generation": {"max_tokens": 8}}, 8),
        ({"generation": {"thinking_tokens": 50}}, 150),
        ({"generation": {"thinking_tokens": 0}, "think_end": "</x>"}, 100),
        ({"think_end": "</x>"}, 1100),
        ({"args": {"think_end_token": "</x>"}}, 1100),
        ({"args": {"enable_thinking": True}}, 1100),
        ({"generation": {"reasoning_effort": "low", "max_tokens": 7}}, 1007),
        ({"generation": {"chat_template_kwargs": {"enable_thinking": True}}}, 1100),
        ({"generation": {"chat_template_kwargs": {"enable_thinking": False}}}, 100),
        ({"generation": {"max_tokens": None}}, None),
    ],
)
def test_how_long_an_answer_may_be(fields: dict[str, Any], most: int | None) -> None:
    assert entry(**fields).generation_under(STUDY)["max_tokens"] == most


def test_a_step_keeps_its_length_and_a_replicate_its_seed() -> None:
    own = entry(generation={"max_tokens": 50, "seed": 1, "stop": ["x"]})
    step = {"max_tokens": 400, "until": [], "seed": 9}
    asked = own.generation_under(STUDY, step)
    assert (asked["max_tokens"], asked["seed"], asked["until"]) == (400, 9, ["x"])
    without = entry(generation={"seed": None})
    assert without.generation_under(STUDY, step)["seed"] is None


def test_a_study_says_only_what_it_sets() -> None:
    assert Generation().model_dump(mode="json") == {"max_tokens": 100, "temperature": 0.0, "until": []}
    given = Generation.model_validate({"stop": "x", "top_p": 0.5, "thinking_tokens": 5})
    assert given.in_keys() == {"max_tokens": 100, "temperature": 0.0, "until": ["x"], "top_p": 0.5}


def test_what_the_command_line_gives() -> None:
    (found,) = with_generation(
        [entry(generation={"top_k": 3})], ["temperature=null,max_tokens=9", 'stop=["a"]']
    )
    assert found.generation.given == {"top_k": 3, "temperature": None, "max_tokens": 9, "until": ["a"]}
    assert found.generation.left_out == {"temperature"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("temprature=1", "--gen: temprature: unknown key; did you mean 'temperature'?"),
        ("temperature=-1", "--gen: temperature: found -1; "),
        ("max_tokens=0", "--gen: max_tokens: found 0; "),
        ("stop=a,until=b", "--gen: found both 'stop' and 'until'; expected one of them"),
        ("max_tokens", "model args: found 'max_tokens'; expected name=value"),
    ],
)
def test_what_is_wrong_is_one_line(text: str, message: str) -> None:
    with pytest.raises(RecipeError) as caught:
        with_generation([entry()], [text])
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("pretrained=x,think_end=[/THINK]", (None, "[/THINK]")),
        ("think_start=[[,think_end=]],pretrained=x", ("[[", "]]")),
        ('pretrained=x,think_end=</a "b">', (None, '</a "b">')),
    ],
)
def test_marks_among_arguments_are_texts(text: str, marks: tuple[str | None, str]) -> None:
    found = entry(args=text)
    assert (found.marks.start, found.marks.end) == marks
    assert found.args == {"pretrained": "x"}
