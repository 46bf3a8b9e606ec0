"""Self-augmented prompting: the model is asked about the table, then has its words beside it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.prompts.made import MadeCard, made_example
from torr_plugin.papers.suc.augmented import AugmentedDesign
from torr_plugin.prompts import IMAGE, PromptBuilder, designs, images_of
from torr_plugin.prompts.design import DefaultDesign, Shown
from torr_plugin.recipes import Configuration

NAMES = ("self_augmented", "self_augmented_format", "self_augmented_structure", "self_augmented_all")
ASKED = Shown("Answer.", "Table: t\nQuestion: q?", "Answer: ", "yes")
OTHER = Shown("Answer.", "Table: u\nQuestion: r?", "Answer: ", "no")


def design(name: str) -> AugmentedDesign:
    found = designs.get(name)
    assert isinstance(found, AugmentedDesign)
    return found


def test_the_prompts_as_a_person_reads_them() -> None:
    ours = design("self_augmented")
    first, last = ours.steps
    (message,) = ours.begin(first, ASKED, [OTHER])
    assert message.content == (
        "Answer.\nTable: t\nQuestion: q?\n\nDo not do the task yet. First name the values and the ranges of "
        "values in the table that matter for it, in at most five sentences.\nNotes:"
    )
    (message,) = ours.follow(last, ASKED, [OTHER], {"values": " It is 7.\n"})
    assert message.content == (
        "Answer.\nTable: u\nQuestion: r?\nAnswer: no\n\nTable: t\nQuestion: q?\n\n"
        "Values and ranges that matter: It is 7.\nAnswer: "
    )


@pytest.mark.parametrize("name", NAMES)
def test_the_steps(name: str) -> None:
    steps = design(name).steps
    assert all(step.max_tokens == 400 and step.until == () and not step.after for step in steps[:-1])
    assert steps[-1].after == tuple(step.name for step in steps[:-1])
    assert steps[-1].changes({"max_tokens": 5}) is None
    assert len(steps) == (4 if name == "self_augmented_all" else 2)


@pytest.mark.parametrize("name", NAMES)
def test_all_prompts_of_an_example_begin_with_its_table(name: str) -> None:
    ours = design(name)
    firsts = [ours.begin(step, ASKED, ())[0].content for step in ours.steps[:-1]]
    (last,) = ours.follow(ours.steps[-1], ASKED, (), {each.name: "words" for each in ours.asks})
    assert len({*firsts}) == len(firsts)
    assert all(
        text.startswith(f"{ASKED.instruction}\n{ASKED.source}\n\n") for text in [*firsts, last.content]
    )


@pytest.mark.parametrize("name", NAMES)
@given(words=st.text(), shots=st.integers(0, 2))
def test_the_task_is_that_of_default_with_the_words_beside_it(name: str, words: str, shots: int) -> None:
    ours = design(name)
    answers = {each.name: words for each in ours.asks}
    (message,) = ours.follow(ours.steps[-1], ASKED, [OTHER] * shots, answers)
    (plain,) = DefaultDesign().compose(ASKED, [OTHER] * shots)
    if not words.strip():
        assert message == plain
        return
    assert message.content.count(words.strip()) >= len(ours.asks)
    left = message.content
    for each in ours.asks:
        assert left.count(f"\n\n{each.heading}: {words.strip()}") >= 1
        left = left.replace(f"\n\n{each.heading}: {words.strip()}", "", 1)
    assert left == plain.content


def test_a_table_that_is_a_picture_is_seen_in_every_step() -> None:
    configuration = Configuration("image", "none", "self_augmented_all")
    pool = [made_example(number, prefix="p") for number in range(4)]
    builder = PromptBuilder(MadeCard(), pool, shots=2)  # type: ignore[arg-type]
    ours, example = design("self_augmented_all"), made_example(1)
    for step in ours.steps[:-1]:
        prompt = builder.build(example, configuration, step)
        assert len(images_of(prompt)) == prompt[0].content.count(IMAGE) == 1
    answers = {each.name: f"as {IMAGE} shows" for each in ours.asks}
    prompt = builder.build(example, configuration, ours.steps[-1], answers)
    assert len(images_of(prompt)) == prompt[0].content.count(IMAGE) == 3  # two demonstrations, one example
    assert prompt[0].content.count("as <image > shows") == 3


def test_what_a_model_says_is_text_and_no_template() -> None:
    builder = PromptBuilder(MadeCard(), [], shots=0)  # type: ignore[arg-type]
    configuration = Configuration("html", "none", "self_augmented")
    step = design("self_augmented").steps[-1]
    prompt = builder.build(made_example(1), configuration, step, {"values": "{table} {0} %s <table>"})
    assert "{table} {0} %s <table>" in prompt[0].content


def test_a_configuration_alone_gives_the_first_step() -> None:
    builder = PromptBuilder(MadeCard(), [], shots=0)  # type: ignore[arg-type]
    configuration = Configuration("csv", "none", "self_augmented")
    first = design("self_augmented").steps[0]
    assert builder.build(made_example(1), configuration) == builder.build(
        made_example(1), configuration, first
    )
