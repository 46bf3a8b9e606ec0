"""The keys that models share, and each one's own."""

from __future__ import annotations

import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.running.stages.remaining_work import RequestKeys
from torr_plugin.running.store.keyset import KeySet

KEYS = st.lists(st.integers(0, 30).map(str), max_size=20)


@given(planned=KEYS, later=st.lists(KEYS, max_size=4), stored=KEYS)
def test_they_are_counted_as_a_set_is(planned: list[str], later: list[list[str]], stored: list[str]) -> None:
    asked = RequestKeys(KeySet(planned))
    for keys in later:
        asked.add(keys)
    expected = {*planned, *(key for keys in later for key in keys)}
    assert len(asked) == len(expected)
    assert asked.common(KeySet(stored)) == len(expected & {*stored})


def test_a_model_more_costs_nothing_for_what_is_planned() -> None:
    planned = KeySet(f"{number:032x}" for number in range(100_000))
    tracemalloc.start()
    try:
        many = [RequestKeys(planned) for _ in range(50)]
        for number, asked in enumerate(many):
            asked.add([f"{number:032x}", f"{number + 100_000:032x}"])
        assert all(len(asked) == 100_001 for asked in many)
        assert tracemalloc.get_traced_memory()[0] < 1_000_000
    finally:
        tracemalloc.stop()
