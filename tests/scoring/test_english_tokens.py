"""The tokens of spaCy's English tokenizer without spaCy: by its rules, the same for any text."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.scoring.metrics import english_tokens
from torr_plugin.scoring.metrics.english_tokens import EnglishTokenizer

from .english_rules import rules

FILE = Path(english_tokens.__file__).with_suffix(".json")
SPECIALS = sorted(json.loads(FILE.read_text(encoding="utf-8"))["specials"])
WORDS = [
    "http://x.org/a?b=1",
    "www.a.com",
    "a.b@c.de",
    "10km",
    "3,000",
    "1.5",
    "a/b",
    "A.B",
    "it's",
    "n't",
    "1st",
]
SIGNS = [
    *" \n\t.,:;!?()[]{}'\"-/\\$%&#@*+=<>^_~`|",
    "\N{EN DASH}",
    "\N{RIGHT SINGLE QUOTATION MARK}s",
    "...",
    "--",
]


@cache
def tokenizers() -> tuple[Any, EnglishTokenizer]:
    import spacy

    return spacy.blank("en").tokenizer, EnglishTokenizer()


def assert_same(text: str) -> None:
    theirs, ours = tokenizers()
    assert ours(text) == [token.text for token in theirs(text)]


def test_the_rules_are_those_of_spacy() -> None:
    assert json.loads(FILE.read_text(encoding="utf-8")) == rules()


@settings(max_examples=100)
@given(
    st.lists(
        st.one_of(
            st.sampled_from(SPECIALS), st.sampled_from(WORDS), st.sampled_from(SIGNS), st.text(max_size=3)
        )
    ).map("".join)
)
def test_any_text_has_the_same_tokens(text: str) -> None:
    assert_same(text.encode("utf-8", "replace").decode("utf-8"))  # spaCy refuses lone surrogates


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "  a  b ",
        "\n\n",
        "(don't!)",
        "can't-won't",
        ":-) :-)",
        ": -)",
        "e.g.,",
        "U.S.A's",
        "10a.m.",
        "\u00a0x\u2028",
    ],
)
def test_what_once_was_hard(text: str) -> None:
    assert_same(text)


def test_answers_of_people(mirror: Path) -> None:
    rows = pd.read_parquet(mirror / "wikitq" / "test.parquet").head(500)
    for texts in (rows["question"], *rows["answers"]):
        for text in texts:
            assert_same(text)
