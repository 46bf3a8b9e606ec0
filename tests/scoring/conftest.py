"""A small card and its examples, for tests that need no data."""

from __future__ import annotations

import pytest

from torr_plugin.catalog.example import Example
from torr_plugin.tables import Table

from .made import FakeCard

ANSWERS = {"q1": "apple", "q2": "two pears", "q3": "1,200", "q4": "plum"}


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch) -> FakeCard:
    """A card with four questions; q1 and q2 come from the market, q3 and q4 from the garden."""
    fruit = FakeCard()
    table = Table.flat(header=["Fruit"], rows=[["apple"]])
    examples = [
        Example(
            name, table, {}, (answer,), answer, {"source": "market" if name in ("q1", "q2") else "garden"}
        )
        for name, answer in ANSWERS.items()
    ]
    monkeypatch.setattr("torr_plugin.scoring.predictions.read_examples", lambda card, split: list(examples))
    monkeypatch.setattr("torr_plugin.scoring.answers.load_card", lambda name: fruit)
    return fruit
