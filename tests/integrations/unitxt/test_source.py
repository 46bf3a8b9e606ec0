from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.core.errors import InputError
from torr_plugin.integrations.unitxt.instances import prompt_of, source_of
from torr_plugin.prompts import IMAGE, Message, Prompt

texts = st.text(max_size=20).filter(lambda text: IMAGE not in text)
roles = st.sampled_from(["system", "user", "assistant"])


@st.composite
def messages(draw: st.DrawFn) -> Message:
    pictures = draw(st.lists(st.binary(min_size=1, max_size=9), max_size=2))
    pieces = draw(st.lists(texts, min_size=len(pictures) + 1, max_size=len(pictures) + 1))
    return Message(draw(roles), IMAGE.join(pieces), tuple(pictures))


@given(st.lists(messages(), min_size=1, max_size=4).map(tuple), st.booleans())
def test_a_prompt_comes_back_as_it_was(prompt: Prompt, chat: bool) -> None:
    assert prompt_of(source_of(prompt, chat=chat)) == prompt


def test_one_message_is_its_text_unless_a_chat_is_wished() -> None:
    prompt = (Message("user", "How many?"),)
    assert source_of(prompt, chat=False) == "How many?"
    assert source_of(prompt, chat=True) == [{"role": "user", "content": "How many?"}]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (7, "found int; expected a text or a chat"),
        ([{"role": "tool", "content": "x"}], "role: found 'tool'"),
        ([{"role": "user", "content": None}], "content: found NoneType"),
        (
            [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "http://x"}}]}],
            "a PNG as",
        ),
    ],
)
def test_what_is_no_prompt_is_refused(source: object, said: str) -> None:
    with pytest.raises(InputError, match=said):
        prompt_of(source)
