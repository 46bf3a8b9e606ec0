"""Thoughts are taken off, whatever marks stand around them, and nothing else is."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from torr_plugin.core.texts import ThinkingMarks, ends_in_thoughts, split_thoughts

OWN = ThinkingMarks("[BEGIN]", "[/BEGIN]")
HARMONY = "<|channel|>analysis<|message|>Rows: 7.<|end|><|start|>assistant<|channel|>final<|message|>7"
WRITTEN = {
    "7": "7",
    "<think>Rows: 7.</think>\n\n7": "7",
    "\n<think>\nRows: 7.\n</think>7": "7",
    "Rows: 7.\n</think>\n7": "7",
    "[THINK]Rows: 7.[/THINK]7": "7",
    "<thinking>Rows: 7.</thinking> 7": "7",
    "◁think▷Rows◁/think▷7": "7",
    "<think>a</think>8<think>b</think>7": "7",
    "7 <think>or 8?": "7",
    HARMONY: "7",
    HARMONY + "<|return|>": "7",
    "analysisThe user asks. 7.assistantfinal7": "7",
    "analysis of the table: 7": "analysis of the table: 7",
    "7 < 8 and [8] > 7": "7 < 8 and [8] > 7",
    " 7\n": " 7\n",
}
CUT = [
    "<think>Rows",
    "<think>Rows</think>\n",
    "[THINK]",
    "<|channel|>analysis<|message|>R",
    "analysisThe user",
]
CHANNELS = ["<|channel|>", "<|channel|>final<|message|>", "<|end|>"]
MARKS = ["<think>", "</think>", "[THINK]", "[/THINK]", *CHANNELS]


@pytest.mark.parametrize(("text", "answer"), WRITTEN.items())
def test_the_answer_is_what_follows_the_thoughts(text: str, answer: str) -> None:
    found = split_thoughts(text)
    assert found.text == answer
    assert bool(found.reasoning) == (text != answer)
    assert not found.unfinished


@pytest.mark.parametrize("text", CUT)
def test_a_text_that_ends_in_thoughts_is_unfinished(text: str) -> None:
    found = split_thoughts(text)
    assert found.text == ""
    assert found.unfinished


def test_marks_that_are_named() -> None:
    assert split_thoughts("[BEGIN]hm[/BEGIN] 7", OWN).text == "7"
    assert split_thoughts("[BEGIN]hm[/BEGIN] 7").text == "[BEGIN]hm[/BEGIN] 7"
    assert split_thoughts("hm", OWN, cut=True).unfinished
    assert split_thoughts("7", OWN).text == "7"


def test_thoughts_that_the_prompt_begins() -> None:
    assert ends_in_thoughts("<|assistant|>\n<think>\n")
    assert ends_in_thoughts("[BEGIN]", OWN)
    assert not ends_in_thoughts("<think></think>\n")
    assert split_thoughts("Rows: 7", begun=True).unfinished
    assert split_thoughts("Rows</think>7", begun=True).text == "7"


@given(st.lists(st.sampled_from([*MARKS, "7", "\n", "analysisThe", "assistantfinal"])).map("".join))
@example(HARMONY)
def test_an_answer_is_a_part_of_the_text_and_holds_no_thoughts(text: str) -> None:
    found = split_thoughts(text)
    assert found.text in text
    assert len(found.reasoning) + len(found.text) <= len(text)
    assert split_thoughts(found.text).text == found.text or found.text.startswith("analysis")


@pytest.mark.parametrize("mark", [*MARKS, "analysisA", "assistantfinal", "<|", "["])
def test_no_text_takes_more_than_linear_time(mark: str) -> None:
    started = time.process_time()
    split_thoughts(mark * 200_000)
    assert time.process_time() - started < 5
