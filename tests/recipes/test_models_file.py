"""The file that says what is known of models."""

from __future__ import annotations

from pathlib import Path

import pytest

from torr_plugin.core.errors import RecipeError
from torr_plugin.recipes import (
    ModelEntry,
    Price,
    labelled,
    load,
    model_entry,
    read_models,
    read_pool,
    selected_models,
    with_descriptions,
)

from .made import SMALL, written

POOL = """\
- {name: llama-8b, family: llama-3.1, size: 8, open: true}
- {name: gpt-4o, family: gpt-4o, open: false, price: {prompt: 2.5, completion: 10}, gpus: 0}
- model: vllm
  args: pretrained=org/Qwen2-72B,tensor_parallel_size=4
  size: 72.7
  gpus: 4
- plain
"""
FOUND = {
    "llama-8b": {"family": "llama-3.1", "size": 8.0, "open": True},
    "gpt-4o": {"family": "gpt-4o", "open": False, "price": {"prompt": 2.5, "completion": 10.0}},
    "Qwen2-72B": {"size": 72.7},
    "plain": {},
}


def test_a_list_and_a_mapping_say_the_same(tmp_path: Path) -> None:
    assert read_models(written(tmp_path, POOL)) == FOUND
    indented = "models:\n" + "".join(f"  {line}\n" for line in POOL.splitlines())
    assert read_models(written(tmp_path, indented)) == FOUND


WRONG = {
    "text as size": ("- {name: a, size: 8b}", "1: [0].size: found '8b'; expected a number"),
    "no size": ("- name: a\n  size: 0", "2: [0].size: found 0; expected a number of more than 0"),
    "words as open": (
        "models:\n- {name: a, open: 'yes'}",
        "2: models[0].open: found 'yes'; expected true or false",
    ),
    "script as link": (
        "- {name: a, link: 'javascript:alert(1)'}",
        "1: [0].link: found 'javascript:alert(1)'; expected an address that begins with https://",
    ),
    "number as family": ("- {name: a, family: 3}", "1: [0].family: found 3; expected text"),
    "misspelt": ("- name: a\n  famly: x", "2: [0].famly: unknown key; did you mean 'family' or 'ray'?"),
    "no name": (
        "- {size: 3}",
        "1: [0]: neither 'name' nor 'model'; expected the model's name as in the scores",
    ),
    "twice": ("- {name: a}\n- {name: a, size: 3}", "2: two models are called 'a'; expected one"),
    "a word": ("llama", "1: found str; expected a list of models, each a mapping with 'name'"),
    "empty": ("", " the file is empty; expected a list of models"),
    "no models": ("models: []", "1: models: the list is empty"),
    "args": ("- {model: hf, args: [1]}", "1: [0].args: found [1]; expected a mapping"),
    "no YAML": ("- {name: a", "1: not YAML"),
    "GPUs in words": (
        "- {name: a, gpus: two}",
        "1: [0].gpus: found 'two'; expected a number or a whole number",
    ),
    "half a GPU more": ("- {name: a, gpus: 1.5}", "1: [0].gpus: found 1.5; expected a number"),
    "GPUs below none": ("- {name: a, gpus: -1}", "1: [0].gpus: found -1; expected a number of at least 0"),
    "a price in words": (
        "- name: a\n  price: {prompt: cheap, completion: 1}",
        "2: [0].price.prompt: found 'cheap'; expected a number",
    ),
    "a price below nothing": (
        "- name: a\n  price: {prompt: 1, completion: -2}",
        "2: [0].price.completion: found -2; expected a number of at least 0",
    ),
    "half a price": ("- {name: a, price: {prompt: 1}}", "1: [0].price: the key 'completion' is missing"),
    "one number as price": ("- {name: a, price: 3}", "1: [0].price: found 3; expected a mapping"),
    "another word of price": (
        "- {name: a, price: {prompt: 1, completion: 1, cache: 1}}",
        "1: [0].price.cache: unknown key; did you mean 'cached' or 'cache_write'?",
    ),
    "odd key": ("- {name: a, yes: 1}", "1: found yes as a key; expected a name"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_wrong_is_one_line(wrong: str, tmp_path: Path) -> None:
    text, message = WRONG[wrong]
    path = written(tmp_path, text)
    with pytest.raises(RecipeError) as error:
        read_models(path)
    assert str(error.value).startswith(f"{path}:{message}")
    assert "\n" not in str(error.value)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="cannot be read: No such file"):
        read_models(tmp_path / "gone.yaml")


def test_a_recipe_describes_its_models(tmp_path: Path) -> None:
    text = (
        SMALL
        + "models:\n- torr-lexical\n- {model: torr-majority, family: baselines, size: 0.5, open: true}\n"
    )
    lexical, majority = load(written(tmp_path, text)).models
    assert lexical.description == {}
    assert majority.description == {"family": "baselines", "size": 0.5, "open": True}
    wrong = written(tmp_path, SMALL + "models: [{model: torr-lexical, size: large}]\n")
    with pytest.raises(RecipeError, match=r"models\[0\]\.size: found 'large'; expected a number"):
        load(wrong)


def test_a_description_makes_no_other_model() -> None:
    entries = [ModelEntry(model="hf", args={"pretrained": "a/b"}, size=size) for size in (7.0, 8.0)]
    assert entries[0].digest == entries[1].digest
    with pytest.raises(RecipeError, match="two models are called 'b'"):
        labelled(entries)


def test_a_model_of_the_command_line_is_the_recipes_of_that_name() -> None:
    known = [ModelEntry(model="hf", args={"pretrained": "a/b"}, family="b", open=True)]
    given = [model_entry("vllm", "pretrained=c/b"), model_entry("vllm", "pretrained=c/other")]
    found = with_descriptions(given, known)
    assert [entry.description for entry in found] == [{"family": "b", "open": True}, {}]
    assert [entry.model for entry in found] == ["vllm", "vllm"]


def test_a_model_of_the_command_line_has_the_marks_of_the_recipes_model() -> None:
    known = [ModelEntry(model="hf", args={"pretrained": "a/b"}, think_start="<a>", think_end="</a>")]
    given = [model_entry("vllm", "pretrained=c/b"), model_entry("vllm", "pretrained=c/b,think_end=</b>")]
    marks = [(entry.think_start, entry.think_end) for entry in with_descriptions(given, known)]
    assert marks == [("<a>", "</a>"), (None, "</b>")]


RUNNABLE = """\
models:
- {model: torr-lexical, family: baselines}
- name: big
  model: vllm
  args: {pretrained: org/big, tensor_parallel_size: 4}
  size: 70
  open: true
  gpus: 4
- name: served
  model: local-chat-completions
  args: model=x
  price: {prompt: 0.15, completion: 0.6, cached: 0.07}
"""


def test_a_pool_names_models_to_run(tmp_path: Path) -> None:
    lexical, big, served = read_pool(written(tmp_path, RUNNABLE))
    assert (lexical.label, big.label, served.label) == ("torr-lexical", "big", "served")
    assert (big.model, big.args["tensor_parallel_size"], big.gpus, big.price) == ("vllm", 4, 4, None)
    assert (served.args, served.gpus) == ({"model": "x"}, None)
    assert served.price == Price(prompt=0.15, completion=0.6, cached=0.07)
    assert read_models(written(tmp_path, RUNNABLE))["big"] == {"size": 70.0, "open": True}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "- {name: a, model: hf}\n- {name: b}",
            "2: [1]: the key 'model' is missing; expected lm-eval's name",
        ),
        ("models:\n- {name: b}", "2: models[0]: the key 'model' is missing; expected lm-eval's name"),
        ("- {name: a, model: hf}\n- {name: A, model: hf}", " two models are called 'A'; give them different"),
    ],
)
def test_a_pool_that_cannot_run_is_one_line(text: str, message: str, tmp_path: Path) -> None:
    path = written(tmp_path, text)
    with pytest.raises(RecipeError) as error:
        read_pool(path)
    assert str(error.value).startswith(f"{path}:{message}")


def test_some_of_a_pool(tmp_path: Path) -> None:
    pool = read_pool(written(tmp_path, RUNNABLE))
    assert selected_models(pool, []) == list(pool)
    assert [entry.label for entry in selected_models(pool, ["served, torr-lexical"])] == [
        "torr-lexical",
        "served",
    ]
    assert [entry.label for entry in selected_models(pool, ["big", "served"])] == ["big", "served"]
    with pytest.raises(RecipeError, match="--only: no model is called 'serve'; did you mean 'served'"):
        selected_models(pool, ["serve"])
    for empty in ("", " , "):  # an empty variable of a script does not mean the whole pool
        with pytest.raises(RecipeError, match="--only: found no name; expected one of: big, served"):
            selected_models(pool, [empty])


def test_gpus_and_price_make_no_other_model() -> None:
    plain, told = (
        ModelEntry(model="hf", args={"pretrained": "a/b"}, **more)
        for more in ({}, {"gpus": 2, "price": Price(prompt=1.0, completion=2.0), "ray": {"replicas": 3}})
    )
    assert (plain.digest, plain.label) == (told.digest, told.label)
    (again,) = with_descriptions([plain], [told])
    assert (again.gpus, again.price, again.ray) == (told.gpus, told.price, told.ray)
    kept = told.model_copy(update={"gpus": 0})
    assert with_descriptions([kept], [told])[0].gpus == 0
