"""The bounded memory."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.core.caches import BoundedCache


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 6)), max_size=60), st.integers(1, 20))
def test_it_is_right_and_within_its_bound(asked: list[tuple[int, int]], most: int) -> None:
    cache: BoundedCache[tuple[int, int], str] = BoundedCache(most, len)
    for key in asked:
        assert cache.get(key, lambda key=key: str(key[0]) * key[1]) == str(key[0]) * key[1]
        assert cache.weight <= max(most, 6)


def test_what_was_used_last_stays() -> None:
    made: list[str] = []
    cache: BoundedCache[str, str] = BoundedCache(2, len)

    def get(key: str) -> str:
        return cache.get(key, lambda: made.append(key) or key)  # type: ignore[func-returns-value]

    for key in "abacab":
        get(key)
    assert made == ["a", "b", "c", "b"]
