"""What is generated at once: within the budget, every sequence once, halved where memory runs out."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.running.engines.memory import bytes_a_token, is_broken, is_out_of_memory
from torr_plugin.running.engines.transformers import BatchBudget, batches

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
