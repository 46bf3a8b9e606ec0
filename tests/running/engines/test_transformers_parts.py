"""Batches within the budget; and from generated tokens to an answer: where it ends, why, after how many."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.running.engines.base import ModelOutput
from torr_plugin.running.engines.memory import bytes_a_token, is_broken, is_out_of_memory
from torr_plugin.running.engines.transformers import BatchBudget, batches
from torr_plugin.running.engines.transformers_generate import OutputDecoder

BUDGETS = st.builds(BatchBudget, st.integers(1, 20), st.none() | st.integers(1, 5000))


@given(st.lists(st.integers(1, 1000), max_size=60), BUDGETS)
def test_every_sequence_is_in_one_batch_and_no_batch_is_too_large(
    widths: list[int], budget: BatchBudget
) -> None:
    made = batches(widths, budget)
    assert sorted(place for batch in made for place in batch) == list(range(len(widths)))
    for batch in made:
        longest = widths[batch[0]]
        assert longest == max(widths[place] for place in batch)
        assert 1 <= len(batch) <= budget.rows
        assert budget.tokens is None or len(batch) == 1 or len(batch) * longest <= budget.tokens
    assert [widths[batch[0]] for batch in made] == sorted((widths[batch[0]] for batch in made), reverse=True)


@given(st.integers(1, 8).flatmap(lambda n: st.lists(st.integers(1, 1000), min_size=8 * n, max_size=8 * n)))
def test_full_batches_hold_no_more_padding_than_in_the_order_of_the_study(widths: list[int]) -> None:
    def padded(order: list[list[int]]) -> int:
        return sum(len(batch) * max(widths[place] for place in batch) for batch in order)

    as_given = [list(range(start, min(start + 8, len(widths)))) for start in range(0, len(widths), 8)]
    assert padded(batches(widths, BatchBudget(8))) <= padded(as_given)


@given(BUDGETS, st.integers(1, 100), st.integers(1, 1000))
def test_after_memory_ran_out_half_as_much_is_asked(budget: BatchBudget, rows: int, width: int) -> None:
    assert budget.halved(rows, width).first([width] * rows) <= max(1, rows // 2)
    assert budget.halved(rows, width).rows == budget.rows


def test_a_tokens_memory_follows_from_the_configuration() -> None:
    """Llama 3.1 8B in bf16: keys and values of a token take 32 layers x 8 heads x 128 x 2 x 2 bytes."""
    llama = SimpleNamespace(
        num_hidden_layers=32,
        num_attention_heads=32,
        num_key_value_heads=8,
        hidden_size=4096,
        intermediate_size=14336,
    )
    activations = 2 * (8 * 4096 + 3 * 14336)
    assert bytes_a_token(llama, 2) == 128 * 1024 + activations
    assert bytes_a_token(SimpleNamespace(text_config=llama), 2) == 128 * 1024 + activations
    gpt2 = SimpleNamespace(n_layer=12, n_head=12, n_embd=768, n_inner=None)
    assert bytes_a_token(gpt2, 4) == 4 * (2 * 12 * 768 + 8 * 768 + 3 * 4 * 768)
    assert bytes_a_token(SimpleNamespace(hidden_size=768), 4) is None


class OutOfMemoryError(RuntimeError):
    """As torch calls its own."""


class AcceleratorError(RuntimeError):
    """As torch calls its own."""


@pytest.mark.parametrize(
    ("error", "memory", "broken"),
    [
        (OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB"), True, False),
        (RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory"), True, False),
        (RuntimeError("CUDA error: out of memory"), True, False),
        (MemoryError(), True, False),
        (RuntimeError("CUDA error: device-side assert triggered"), False, True),
        (AcceleratorError("an illegal memory access was encountered"), False, True),
        (ValueError("out of memory"), False, False),
        (TypeError("generate() got an unexpected keyword"), False, False),
    ],
)
def test_which_errors_a_smaller_batch_may_help(error: Exception, memory: bool, broken: bool) -> None:
    assert (is_out_of_memory(error), is_broken(error)) == (memory, broken)


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


def test_thoughts_are_told_apart_and_their_tokens_counted() -> None:
    def said(count: int, thoughts: str) -> ModelOutput:
        return ModelOutput("yes", "stop", 7, count, reasoning=thoughts)

    assert read("hm\nhm% yes\nno", think_end=THOUGHT, most=99) == said(11, "hm\nhm")
    assert read("hm\nhm</t> yes$", think_end="</t>", most=99) == said(14, "hm\nhm</t> ")
    assert read("hm\nhm</t> yes\nno", think_end="</t>", most=99) == said(14, "hm\nhm</t> ")
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
