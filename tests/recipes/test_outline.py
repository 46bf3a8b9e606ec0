"""What a plan asks of each model, against counts made another way."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.prompts import Prompt, designs
from torr_plugin.recipes import ModelEntry, Plan, Price, Recipe, Request, costs, outline, plan
from torr_plugin.recipes.costs import in_blocks

from .made import CARD, CARDS

PRICE = Price(prompt=2.0, completion=10.0, cached=0.5)
MODELS = [
    ModelEntry(model="torr-constant", name="priced", price=PRICE),
    ModelEntry(model="torr-lexical", gpus=3),
]


class Words:
    """A tokenizer of words, which counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0
        self.folder = Path("words")

    def encode(self, prompts: Sequence[Prompt], *, chat: bool) -> list[list[int]]:
        self.asked += len(prompts)
        return [[hash(word) for word in text(prompt).split()] for prompt in prompts]


def text(prompt: Prompt) -> str:
    return "\n".join(turn.content for turn in prompt)


def shared_beginning(one: Sequence[object], other: Sequence[object]) -> int:
    """Counted item by item."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def planned(**changes: object) -> Plan:
    said: dict[str, object] = {
        "name": "small",
        "cards": list(CARDS),
        "configurations": {
            "serializers": ["torr.html", "torr.csv"],
            "perturbations": ["none", "shuffle_rows"],
        },
        "demonstrations": {"shots": 1, "draw": "shared"},
        "examples": {"count": 6},
        "generation": {"max_tokens": 50},
    }
    return plan(Recipe.model_validate({**said, **changes}))


@pytest.fixture(scope="module")
def small() -> Plan:
    return planned()


def test_a_model_s_row_by_hand(small: Plan) -> None:
    """All prompts fit one window, so that they are asked in the order of their texts."""
    texts = sorted({text(request.prompt) for request in small.requests()})
    tokens = [-(-len(each) // 4) for each in texts]
    before = ["", *texts[:-1]]
    common = [shared_beginning(*pair) // 4 for pair in zip(before, texts, strict=True)]
    found = outline(small, MODELS)
    priced, lexical = found.models
    assert priced["requests"] == small.size == 3 * 4 * 6
    assert priced["unique requests"] == len(texts)
    assert priced["prompt tokens"] == sum(tokens)
    assert priced["longest prompt"] == max(tokens)
    assert priced["saved tokens"] == sum(common)
    assert priced["saved in blocks"] == sum(
        min(each, whole - 1) // 16 * 16 for each, whole in zip(common, tokens, strict=True)
    )
    assert priced["answer tokens"] == 50 * len(texts)
    assert priced["counted"] == "estimated"
    assert 0 < priced["saved in blocks"] < priced["saved tokens"]
    shared = ("requests", "unique requests", "prompt tokens", "saved tokens", "answer tokens")
    assert [lexical[name] for name in shared] == [priced[name] for name in shared]
    assert (lexical["gpus"], lexical["cost"], priced["gpus"]) == (3, None, None)


def test_rows_hold_names_and_numbers() -> None:
    """So that a program reads ``torr plan --json`` without taking texts apart."""
    asked = planned(replicates={"share": 0.1}, configurations="html/none/self_augmented")
    found = outline(asked, MODELS)
    rows = [*found.datasets, *found.models, *[row["replicates"] for row in found.models]]
    names = {"dataset", "model", "counted", "replicates"}
    values = [value for row in rows for name, value in row.items() if name not in names]
    assert {type(value) for value in values} == {int, float, type(None)}
    shares = [row["shared beginning"] for row in found.datasets]
    assert all(0 <= share < 1 for share in shares)


def test_costs_by_hand(small: Plan) -> None:
    (row, _) = outline(small, MODELS).models
    tokens, saved, answers = row["prompt tokens"], row["saved in blocks"], row["answer tokens"]
    assert row["cost of prompts"] == pytest.approx(tokens * 2e-6)
    assert row["cost of prompts cached"] == pytest.approx((tokens - saved) * 2e-6 + saved * 0.5e-6)
    assert row["cost of answers"] == pytest.approx(answers * 10e-6)
    assert row["cost"] == pytest.approx(tokens * 2e-6 + answers * 10e-6)


def test_models_of_one_tokenizer_are_counted_once(small: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    words = Words()

    def found(entry: ModelEntry) -> Words | None:
        return None if entry.label == "unknown" else words

    monkeypatch.setattr(costs, "tokenizer_of", found)
    names = ("one", "two", "unknown")
    one, two, unknown = outline(small, [ModelEntry(model="hf", name=name) for name in names]).models
    texts = sorted({text(request.prompt) for request in small.requests()})
    assert words.asked == len(texts)
    assert one["prompt tokens"] == two["prompt tokens"] == sum(len(each.split()) for each in texts)
    assert (one["counted"], unknown["counted"]) == ("exact", "estimated")
    assert unknown["prompt tokens"] == sum(-(-len(each) // 4) for each in texts)


def test_the_prompts_before_count_across_portions(small: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = outline(small, MODELS)
    monkeypatch.setattr(costs, "PROMPTS_AT_ONCE", 5)
    assert outline(small, MODELS) == whole


def test_steps_that_follow_answers_are_counted() -> None:
    several = {"serializers": "torr.html", "designs": ["default", "self_augmented"]}
    asked = planned(cards=[CARD], configurations=several)
    steps = designs.get("self_augmented").steps
    assert len(steps) == 2
    assert steps[0].max_tokens is not None
    firsts = list(asked.requests())
    found = outline(asked, MODELS[:1])
    (row,) = found.models
    assert row["requests"] == asked.size + asked.later == 6 * 3
    assert row["unique requests"] == 6 * 3
    own = [-(-len(text(request.prompt)) // 4) for request in firsts]
    again = [
        tokens + steps[0].max_tokens
        for request, tokens in zip(firsts, own, strict=True)
        if request.config.design == "self_augmented"
    ]
    assert row["prompt tokens"] == sum(own) + sum(again)
    assert row["longest prompt"] == max(again)
    assert row["answer tokens"] == 6 * (50 + steps[0].max_tokens + 50)
    assert any("steps that follow an answer" in note for note in found.notes)
    assert outline(planned(cards=[CARD]), MODELS).notes == ()


def test_what_follows_a_first_step_without_the_question_is_counted_for_each_question() -> None:
    several = {"serializers": "csv", "designs": ["tree_thinker", "tree_thinker_no_reasoning"]}
    asked = planned(cards=[CARD], configurations=several, examples={"count": 40})
    ((_, examples),) = asked.examples.items()
    tables = {each.groups["table"] for each in examples}
    assert len(tables) < len(examples) == 40
    assert len({request.key for request in asked.requests()}) == len(tables)  # both designs begin alike
    (row,) = outline(asked, MODELS[:1]).models
    assert row["unique requests"] == len(tables) + 2 * 40


def test_what_follows_equal_first_steps_is_counted_for_each_design() -> None:
    several = {"serializers": ["torr.html", "torr.csv"], "designs": ["self_augmented", "self_augmented_all"]}
    asked = planned(cards=[CARD], configurations=several)
    (row,) = outline(asked, MODELS[:1]).models
    firsts = {request.key: request for request in asked.requests()}
    assert len(firsts) == asked.size * 3 // 4  # the first of the one is one of the other's three
    assert row["unique requests"] == len(firsts) + asked.later
    own = {key: -(-len(text(request.prompt)) // 4) for key, request in firsts.items()}
    again = [own[request.key] + said for request in asked.requests() if (said := followed(request))]
    assert len(again) == asked.later
    assert row["prompt tokens"] == sum(own.values()) + sum(again)


def followed(request: Request) -> int:
    """How many tokens of answers the prompt that follows a first step may hold."""
    steps = designs.get(request.config.design).steps
    return sum(step.max_tokens or 0 for step in steps[:-1]) if request.stage == 0 else 0


@pytest.mark.full
def test_pictures_are_said_not_to_be_counted() -> None:
    shown = {"cards": [CARD], "configurations": "image+csv/none/default"}
    found = outline(planned(**shown, demonstrations={"shots": 0}), MODELS)
    assert found.notes == ("prompts show pictures: their tokens are not counted",)
    assert outline(planned(**shown, demonstrations={"shots": 0}), []).notes == found.notes
    steps = planned(cards=[CARD], configurations="csv/none/tree_thinker")
    assert outline(steps, []).notes == ("steps that follow an answer are not counted",)
    small = {**shown, "cards": ["cards.bundled.aggregation"]}
    found = outline(planned(**small, demonstrations={"shots": 2}), MODELS)
    assert found.notes == (
        "prompts show pictures, up to 3 in one prompt (max_images of a server): their tokens are not counted",
    )


def test_progress_is_told(small: Plan) -> None:
    told: list[tuple[int, int]] = []
    big = planned(examples={"count": 40})
    outline(big, [], progress=lambda done, total: told.append((done, total)))
    assert told == [(256, big.size), (big.size, big.size)]


@given(st.integers(0, 200), st.integers(1, 200))
def test_blocks_are_whole_and_leave_the_last_token(common: int, length: int) -> None:
    saved = in_blocks(min(common, length), length)
    assert saved % 16 == 0
    assert saved <= min(common, length - 1)
    assert min(common, length - 1) - saved < 16


def test_prompts_that_do_not_fit_are_counted(small: Plan, tmp_path: Path) -> None:
    """With their longest answers, of 50 tokens; by an argument, or by the model's own configuration."""
    lengths = sorted(
        -(-len(each) // 4) + 50 for each in {text(request.prompt) for request in small.requests()}
    )
    most = lengths[-3]
    (tmp_path / "config.json").write_text(json.dumps({"text_config": {"max_position_embeddings": most}}))
    (tmp_path / "vocab.json").write_text("{}")
    models = [
        ModelEntry(model="local-chat-completions", name="told", args={"max_length": str(most)}),
        ModelEntry(model="vllm", name="read", args={"pretrained": str(tmp_path)}),
        ModelEntry(model="hf", name="fits", args={"max_length": lengths[-1]}),
    ]
    found = outline(small, models)
    too_long = sum(length > most for length in lengths)
    assert [(row["context"], row["too long"]) for row in found.models] == [
        (most, too_long),
        (most, too_long),
        (lengths[-1], 0),
    ]
    notes = [note for note in found.notes if "do not fit" in note]
    assert [note.split(":")[0] for note in notes] == ["told", "read"]
    assert f"about {too_long:,} of {len(lengths):,} prompts do not fit" in notes[0]
    assert f"the longest about {lengths[-1]:,}" in notes[0]


def test_long_prompts_are_remarked_where_nothing_is_known(
    small: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    served = [ModelEntry(model="local-chat-completions", name=name) for name in "ab"]
    assert outline(small, served).notes == outline(small, []).notes == ()
    monkeypatch.setattr(costs, "LONG", 60)
    (note,) = outline(small, [*served, MODELS[0]]).notes
    assert note.startswith("a, b: the longest prompt takes about ")
    assert "max_length=N" in note
