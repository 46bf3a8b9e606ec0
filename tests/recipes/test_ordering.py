"""The order of requests: a permutation of what came, in windows, whose neighbours begin alike."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Iterator
from itertools import pairwise, permutations

from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.recipes.costs import common_beginning
from torr_plugin.recipes.request import in_prefix_order

TEXTS = st.lists(st.text(alphabet="ab", max_size=6), max_size=30)
FEW_TEXTS = st.lists(st.text(alphabet="abc", max_size=4), min_size=1, max_size=5)


def in_common(texts: list[str] | tuple[str, ...]) -> int:
    """The total of what each text has in common with the one before."""
    return sum(common_beginning(one, other) for one, other in pairwise(texts))


@given(TEXTS, st.integers(1, 40), st.integers(1, 60))
def test_each_window_is_sorted_and_holds_what_came(texts: list[str], most: int, characters: int) -> None:
    items = list(enumerate(texts))
    found = list(in_prefix_order(items, lambda item: item[1], most=most, most_characters=characters))
    assert sorted(found) == items
    at = 0
    while at < len(items):  # the windows, counted by the rule that their description states
        end = at + 1
        while (
            end < len(items) and end - at < most and sum(len(text) for _, text in items[at:end]) < characters
        ):
            end += 1
        # equal texts in the order in which they came: the number decides
        assert found[at:end] == sorted(items[at:end], key=lambda item: (item[1], item[0]))
        at = end


@given(TEXTS)
def test_neighbours_have_no_less_in_common_than_before(texts: list[str]) -> None:
    assert in_common(list(in_prefix_order(texts, str))) >= in_common(texts)


@given(FEW_TEXTS)
def test_no_order_has_more_in_common(texts: list[str]) -> None:
    best = max(in_common(order) for order in permutations(texts))
    assert in_common(list(in_prefix_order(texts, str))) == best


def test_only_one_window_is_in_memory() -> None:
    draw = random.Random(1)

    def stream() -> Iterator[str]:
        for _ in range(5_000):
            yield f"{draw.random():.12f}" * 70  # about 1,000 characters

    tracemalloc.start()
    count = sum(1 for _ in in_prefix_order(stream(), str, most_characters=500_000))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 5_000
    assert peak < 2_500_000  # the whole stream is five million


def test_the_stream_is_read_a_window_ahead() -> None:
    read: list[int] = []
    ordered = in_prefix_order((read.append(n) or str(n) for n in range(10)), str, most=3)
    assert next(ordered) == "0"
    assert read == [0, 1, 2]
