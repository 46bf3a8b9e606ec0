"""From generated tokens to an answer: where it ends, why, and how many tokens it took."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.running.engines.base import ModelOutput
from torr_plugin.running.engines.transformers_generate import OutputDecoder

END, THOUGHT = 0, 1


def decode(tokens: Sequence[int]) -> str:
    """A letter a token; END and THOUGHT are special and have no text."""
    return "".join(chr(token) for token in tokens if token > 1)


def reading(
    until: Sequence[str] = ("\n",), most: int = 10, think_end: int | str | None = None
) -> OutputDecoder:
    return OutputDecoder(decode, frozenset({END}), until, most, think_end)


def codes(text: str) -> list[int]:
    return [{"$": END, "%": THOUGHT}.get(letter, ord(letter)) for letter in text]


def read(text: str, **given: object) -> ModelOutput:
    return reading(**given).read(codes(text), 7)  # type: ignore[arg-type]


def test_the_ways_in_which_an_answer_ends() -> None:
    assert read("yes$$$$") == ModelOutput("yes", "stop", 7, 4)
    assert read("yes\nno, wait") == ModelOutput("yes", "stop", 7, 4)
    assert read("0123456789") == ModelOutput("0123456789", "length", 7, 10)
    assert read("012345678$") == ModelOutput("012345678", "stop", 7, 10)
    assert read("$$$") == ModelOutput("", "stop", 7, 1)
    assert read("\nlate") == ModelOutput("", "stop", 7, 1)
    assert read("", most=0) == ModelOutput("", "length", 7, 0)


def test_what_stands_after_the_end_is_not_read() -> None:
    assert read("yes$\nno") == ModelOutput("yes", "stop", 7, 4)
    assert read("ab</s>cd", until=["</s>", "\n"]) == ModelOutput("ab", "stop", 7, 6)
    assert read("a\nb</s>", until=["</s>", "\n"]) == ModelOutput("a", "stop", 7, 2)


def test_thoughts_are_left_out_and_their_tokens_counted() -> None:
    assert read("hm\nhm% yes\nno", think_end=THOUGHT, most=99) == ModelOutput("yes", "stop", 7, 11)
    assert read("hm\nhm</t> yes$", think_end="</t>", most=99) == ModelOutput("yes", "stop", 7, 14)
    assert read("hm\nhm</t> yes\nno", think_end="</t>", most=99) == ModelOutput("yes", "stop", 7, 14)
    assert read(" no thoughts$", think_end=THOUGHT, most=99) == ModelOutput("no thoughts", "stop", 7, 13)


@given(st.text(st.sampled_from("ab\n;$"), max_size=30), st.lists(st.sampled_from(["\n", ";", "ab", ""])))
@settings(deadline=None)
def test_the_text_is_what_lm_eval_cuts(text: str, until: list[str]) -> None:
    from lm_eval.models.utils import postprocess_generated_text

    found = read(text, until=until, most=30)
    whole = decode(codes(text.partition("$")[0]))
    assert found.text == postprocess_generated_text(whole, until, None)
    assert found.completion_tokens is not None
    assert decode(codes(text)[: found.completion_tokens]).startswith(found.text)
    assert found.completion_tokens <= len(text)
