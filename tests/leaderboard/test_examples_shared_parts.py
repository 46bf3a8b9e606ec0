"""Parts of prompts that several examples share are stored once, and come back in their places."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.leaderboard.examples import shared_parts
from torr_plugin.leaderboard.examples.shared_parts import SharedParts, characters

from .published import whole

DEMONSTRATION = "| Town | Visitors |\n| --- | --- |\n| Ely | 55094 |\nQuestion: How many?\nAnswer: 55094\n\n"
OTHER = DEMONSTRATION.replace("Ely", "Deal")

pieces = st.sampled_from([DEMONSTRATION, OTHER, "short\n\n", "\n\n\n", "end", ""])
texts = st.lists(pieces, max_size=6).map("".join)
shown = st.one_of(texts, st.tuples(texts, st.integers(1, 99), texts))


@given(st.lists(shown, min_size=1, max_size=8))
def test_every_text_comes_back(given_texts: Sequence[str | tuple[str | int, ...]]) -> None:
    plain = [(number, text) for number, text in enumerate(given_texts) if isinstance(text, str)]
    shared = SharedParts.of(0, plain)
    numbered = [shared.numbered(text) for text in given_texts]
    back = whole({"texts": numbered, "parts": 0}, lambda number: list(shared.places))["texts"]
    for before, after in zip(given_texts, back, strict=True):
        if isinstance(before, str):
            assert after == before
        else:
            assert "".join(map(str, after)) == "".join(map(str, before))
            assert [each for each in after if isinstance(each, int)] == [before[1]]


def test_what_two_examples_share_is_stored_once() -> None:
    shared = SharedParts.of(0, [(0, f"{DEMONSTRATION}one"), (1, f"{DEMONSTRATION}other")])
    assert list(shared.places) == [DEMONSTRATION]
    numbered = [shared.numbered(f"{DEMONSTRATION}{last}") for last in ("one", "other")]
    assert numbered == [[[0], "one"], [[0], "other"]]
    assert characters(numbered) == len("oneother")


def test_what_one_example_alone_repeats_stays_in_it() -> None:
    assert not SharedParts.of(0, [(0, DEMONSTRATION * 2), (0, DEMONSTRATION)]).places


def test_a_page_never_loads_more_than_so_much_for_an_example(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_parts, "MOST", len(DEMONSTRATION))
    two = DEMONSTRATION + OTHER
    assert list(SharedParts.of(0, [(0, two), (1, two)]).places) == [DEMONSTRATION]
