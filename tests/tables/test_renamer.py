from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.tables.perturbations.base import renamer

PIECES = st.sampled_from(["a", "b", "A", "é", "_", "1", "-", " ", "$", "ab", "a-b", "a b"])
TEXTS = st.lists(PIECES, max_size=12).map("".join)


def reference(renames: dict[str, str], text: str) -> str:
    """One expression with all the words, which takes time for each of them at every letter."""
    words = sorted(filter(None, renames), key=len, reverse=True)
    pattern = r"(?<!\w)(?:" + "|".join(map(re.escape, words)) + r")(?!\w)"
    return re.sub(pattern, lambda match: renames[match.group()], text) if words else text


@pytest.mark.full
@settings(max_examples=200)
@given(renames=st.dictionaries(TEXTS, st.sampled_from(["x", "", "<a>"]), max_size=6), text=TEXTS)
def test_words_and_phrases_are_replaced_as_one_expression_would(renames: dict[str, str], text: str) -> None:
    assert renamer(renames)(text) == reference(renames, text)
