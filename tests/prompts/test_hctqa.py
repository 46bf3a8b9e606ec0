"""The design ``hctqa``: a system and a user turn, in our own words; what is shown before the question."""

from __future__ import annotations

import pytest

from torr_plugin.catalog import Example
from torr_plugin.core.errors import CardError
from torr_plugin.prompts import Message, PromptBuilder
from torr_plugin.prompts.message import merged, plain_text
from torr_plugin.recipes import Configuration
from torr_plugin.running.baselines.reading import read_prompt

from .made import MadeCard, MadeTemplate, made_example

HTML = Configuration("markdown", "none", "hctqa")
PAPERS = (  # what the paper writes to models (appendix D.3.1); ours are other words
    "You are a table question answering assistant",
    "Answer the question given the input table",
    "Do not provide any explanations, equations, code",
    "try to understand the structure of the table",
    "Return only the final answer itself",
)


def test_a_system_and_a_user_turn(card: MadeCard) -> None:
    example = made_example(3)
    system, user = PromptBuilder(card, []).build(example, HTML)
    assert (system.role, user.role) == ("system", "user")
    assert "No Answer" in system.content
    assert "` || `" in system.content
    assert user.content.endswith(f"\n\nQuestion: {example.fields['question']}\n\nAnswer:")
    assert "Table:\n| name | size |" in user.content
    assert card.template.instruction not in plain_text((system, user))


def test_the_words_are_our_own(card: MadeCard) -> None:
    text = plain_text(PromptBuilder(card, []).build(made_example(1), HTML))
    assert [words for words in PAPERS if words.lower() in text.lower()] == []


def test_one_shot_is_a_fixed_example_in_the_users_turn(
    card: MadeCard, pool: list[Example], examples: list[Example]
) -> None:
    builder = PromptBuilder(card, pool, shots=1, draw="shared")
    starts = set()
    for example in examples:
        (shown,) = builder.demonstrations(example)
        system, user = builder.build(example, HTML)
        begin, _, asked = user.content.partition(f"\n\nAnswer: {shown.target}\n\n")
        assert shown.fields["question"] in begin
        assert asked.startswith("Table:\n")
        assert example.fields["question"] in asked
        starts.add((system, begin))
    assert len(starts) == 1


def test_the_baselines_read_it(card: MadeCard, pool: list[Example]) -> None:
    builder = PromptBuilder(card, pool, shots=2)
    example = made_example(0, prefix="asked")
    found = read_prompt(plain_text(builder.build(example, HTML)))
    assert found.answers == tuple(each.target for each in builder.demonstrations(example))
    assert found.question == example.fields["question"]


def test_a_card_without_a_question_is_refused() -> None:
    card = MadeCard(template=MadeTemplate(input_format="{table}"))
    example = made_example(0)
    with pytest.raises(CardError, match="asks for field 'question'; its examples have table, statement"):
        PromptBuilder(card, []).build(
            Example(example.id, example.table, {"statement": "x"}, ("yes",), "yes"), HTML
        )


def test_a_system_turn_merged_into_the_users() -> None:
    system, user, assistant = Message("system", "S"), Message("user", "U", (b"i",)), Message("assistant", "A")
    assert merged((system, user)) == (Message("user", "S\n\nU", (b"i",)),)
    assert merged((system, system, user, assistant, user)) == (
        Message("user", "S\n\nS\n\nU", (b"i",)),
        assistant,
        user,
    )
    assert merged((user, assistant)) == (user, assistant)
    assert merged((user, system)) == (user, Message("user", "S"))
