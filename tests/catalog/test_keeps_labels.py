"""What the cards say of order and place, measured on the real data (the reasons for ``keeps_labels``)."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from torr_plugin.catalog import load_card

ORDER = (
    r"\b(listed|directly|immediately|right|just) (above|below|before|after)\b"
    r"|\bcomes? (right |directly |immediately )?(before|after)\b|\b(the|in) (next|previous|first|last)\b"
)
TABLE_ORDER = r"\b(listed?|row|rows|above|below|(on|in) the (list|chart|table))\b"
ROW_OR_PART = r"\b(first|second|third|last|top|bottom|upper|lower) (\w+ )?(rows?|part|half|block|section)\b"
COLUMN = r"\b(first|second|third|last|left|right|leftmost|rightmost|\d(st|nd|rd|th)) (\w+ )?columns?\b"

# data set, column, what is looked for, the share that the note in the card rests on, what it decides,
# and whether the card says that labels are kept
SHARES = [
    ("wikitq", "test", "question", ORDER, (0.10, 0.15), "shuffle_rows", False),  # one in eight
    ("wikitq", "test", "question", r"\b(rows|columns)\b", (0, 0.005), "insert_empty_rows", True),
    ("tab_fact", "test", "statement", TABLE_ORDER, (0.01, 0.02), "shuffle_rows", False),  # outright
    ("tab_fact", "test", "statement", r"\b(first|last)\b", (0.03, 0.05), "shuffle_rows", False),
    ("tab_fact", "test", "statement", r"\bcolumns?\b", (0, 0.002), "shuffle_cols", True),
    ("scigen", "test", "text", ROW_OR_PART, (0.03, 0.06), "shuffle_rows", False),  # one in twenty to thirty
    ("scigen", "test", "text", COLUMN, (0, 0.01), "shuffle_cols", True),
    ("numeric_nlg", "test", "description", ROW_OR_PART, (0.01, 0.03), "shuffle_rows", True),
    ("numeric_nlg", "test", "description", COLUMN, (0, 0.01), "shuffle_cols", True),
    ("qtsumm", "predictions", "reference", r"\bfirst\b", (0.15, 0.18), "shuffle_rows", False),  # one in six
    ("qtsumm", "predictions", "reference", r"\blast\b", (0.04, 0.06), "shuffle_rows", False),  # one in twenty
    ("qtsumm", "predictions", "reference", r"\bcolumns?\b", (0, 0.003), "shuffle_cols", True),
    ("qtsumm", "predictions", "reference", r"\brows\b", (0, 0), "insert_empty_rows", True),
]


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "split", "column", "words", "between", "perturbation", "kept"),
    SHARES,
    ids=[f"{each[0]}-{each[5]}-{number}" for number, each in enumerate(SHARES)],
)
def test_the_share_that_speaks_of_order_or_place(
    shared_data: Path,
    name: str,
    split: str,
    column: str,
    words: str,
    between: tuple[float, float],
    perturbation: str,
    kept: bool,
) -> None:
    folder = {"qtsumm": "qtsumm_outputs"}.get(name, name)
    table = pq.read_table(shared_data / folder / f"{split}.parquet", columns=[column])
    texts = dict.fromkeys(text.lower() for text in table.column(column).to_pylist())
    share = sum(bool(re.search(words, text)) for text in texts) / len(texts)
    low, high = between
    assert low <= share <= high
    assert (perturbation in load_card(name).keeps_labels) == kept
