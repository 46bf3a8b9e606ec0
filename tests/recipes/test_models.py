"""Models in a recipe: their arguments and their labels."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.core.errors import RecipeError
from torr_plugin.recipes import ModelEntry, labelled, model_entry, parse_model_args

ARGS = {
    "": {},
    "pretrained=org/name,dtype=auto": {"pretrained": "org/name", "dtype": "auto"},
    " a = b , c=d,": {"a": "b", "c": "d"},
    "a=1,b=1.5,c=-2,d=1e-3,e=.5": {"a": 1, "b": 1.5, "c": -2, "d": 0.001, "e": 0.5},
    "a=true,b=False,c=None": {"a": True, "b": False, "c": None},
    "a='1',b=\"x, y\"": {"a": "1", "b": "x, y"},
    "b=[1,2]": {"b": [1, 2]},
    'b=[1, 2],c={"x": [3, "a,b"]},d=4': {"b": [1, 2], "c": {"x": [3, "a,b"]}, "d": 4},
    "base_url=http://localhost:8000/v1/chat?a=b,n=1": {
        "base_url": "http://localhost:8000/v1/chat?a=b",
        "n": 1,
    },
    "name=o'brien,n=1": {"name": "o'brien", "n": 1},
    "a=": {"a": ""},
    "revision=1.2.3,b=nan,c=1_000": {"revision": "1.2.3", "b": "nan", "c": "1_000"},
    '{"pretrained": "x", "n": 2}': {"pretrained": "x", "n": 2},
}


@pytest.mark.parametrize("text", ARGS)
def test_arguments_on_one_line(text: str) -> None:
    found = parse_model_args(text)
    assert found == ARGS[text]
    assert [type(value) for value in found.values()] == [type(value) for value in ARGS[text].values()]


@pytest.mark.parametrize(
    "text", ["pretrained=org/name,dtype=auto", "a=1,b=1.5,c=-2", "a=true,b=False,c=None", "a='1'"]
)
def test_plain_arguments_are_read_as_lm_eval_reads_them(text: str) -> None:
    from lm_eval.utils import simple_parse_args_string

    assert parse_model_args(text) == simple_parse_args_string(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pretrained", "found 'pretrained'; expected name=value, joined by commas"),
        ("a=1,=2", "found '=2'; expected name=value"),
        ("a=1,a=2", "'a' is given twice"),
        ("a=[1,2", r"model args: a: found '\[1,2'; expected JSON"),
        ("a=[1]2", "found '2' after its value; expected a comma"),
        ("{} 1", "found ' 1' after the JSON object"),
        ("a='x", "left open"),
        ("a=[b]", r"model args: a: found '\[b\]'; expected JSON"),
        ("{nope", "expected JSON"),
    ],
)
def test_wrong_arguments(text: str, message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        parse_model_args(text)


@settings(deadline=None)
@given(st.text(alphabet=st.sampled_from("ab=,[]{}'\" 1.-"), max_size=20))
def test_any_line_is_read_or_refused(text: str) -> None:
    try:
        found = parse_model_args(text)
    except RecipeError:
        return
    assert all(isinstance(name, str) and name for name in found)


@pytest.mark.parametrize(
    ("entry", "label"),
    [
        ({"model": "torr-lexical"}, "torr-lexical"),
        ({"model": "torr-lexical", "args": {"pretrained": "x/y"}}, "torr-lexical"),
        ({"model": "hf", "args": "pretrained=meta/Llama-3.1-8B,dtype=auto"}, "Llama-3.1-8B"),
        ({"model": "vllm", "args": {"pretrained": "/models/mine/"}}, "mine"),
        ({"model": "openai-chat-completions", "args": "model=gpt-4o"}, "gpt-4o"),
        ({"model": "hf", "args": {"dtype": "auto"}}, "hf"),
        ({"model": "hf", "args": {"pretrained": 3}}, "hf"),
        ({"model": "hf", "args": "pretrained=a/b", "name": "my model"}, "my model"),
        ("dummy", "dummy"),
    ],
)
def test_labels(entry: object, label: str) -> None:
    assert ModelEntry.model_validate(entry).label == label


def test_models_of_one_name_are_told_apart_and_the_first_keeps_its_label() -> None:
    entries = [
        ModelEntry(model="hf", args={"pretrained": "a/b", "dtype": kind})
        for kind in ("auto", "float16", "float32")
    ]
    labels = [entry.label for entry in labelled(entries)]
    assert labels[0] == "b"
    assert len(set(labels)) == 3
    assert all(label.startswith("b-") and len(label) == 8 for label in labels[1:])
    assert [entry.label for entry in labelled(entries[:2])] == labels[:2]
    assert labelled(labelled(entries)) == labelled(entries)


def test_labels_differ_where_case_does_not_count() -> None:
    labels = [
        entry.label
        for entry in labelled([model_entry("hf", "pretrained=a/B"), model_entry("hf", "pretrained=a/b")])
    ]
    assert labels[0] == "B"
    assert labels[1].startswith("b-")


@pytest.mark.parametrize("names", [("x", "x"), (None, None)])
def test_the_same_model_or_name_twice_is_refused(names: tuple[str | None, str | None]) -> None:
    entries = [ModelEntry(model="hf", args={"pretrained": "a/b"}, name=name) for name in names]
    with pytest.raises(RecipeError, match="two models are called"):
        labelled(entries)


def test_a_model_of_the_command_line() -> None:
    assert model_entry("hf", "pretrained=a/b").args == {"pretrained": "a/b"}
    with pytest.raises(RecipeError, match="empty model name"):
        model_entry("")
