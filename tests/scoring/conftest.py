"""A small card and its examples, for tests that need no data."""

from __future__ import annotations

from pathlib import Path

import pytest

from torr_plugin.catalog import load_card
from torr_plugin.catalog.examples import Example
from torr_plugin.scoring import ScoreReport, score_predictions
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
    monkeypatch.setattr("torr_plugin.scoring.run_answers.load_card", lambda name: fruit)
    return fruit


@pytest.fixture(scope="package")
def gemma(shared_data: Path) -> ScoreReport:
    """The published answers of gemma-2-9b-it to HCT-QA's real tables, scored."""
    path = shared_data / "hctqa" / "responses_gemma-2-9b-it.jsonl.gz"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TORR_DATA", str(shared_data))
        return score_predictions(load_card("cards.hctqa.real"), path, by="source")
