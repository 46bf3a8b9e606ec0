"""Designs that reason before they answer: only the final answer is scored, of runs and of files."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from torr_plugin.catalog import load_card, read_examples
from torr_plugin.core.errors import PluginError
from torr_plugin.prompts import designs
from torr_plugin.prompts.design import DefaultDesign
from torr_plugin.scoring import score_predictions
from torr_plugin.scoring.run_answers import final_answer

from ..catalog import tiny

SAID = "Thought: 1 is wrong.\nFinal Answer: 2"


def test_each_answer_is_cut_as_its_design_says() -> None:
    names = ["tree_thinker", "default", "gone", "tree_thinker_no_tree", None]
    assert [final_answer(name, SAID) for name in names] == ["2", SAID, SAID, "2", SAID]
    assert final_answer("tree_thinker", "nothing") == "nothing"


class Failing(DefaultDesign):
    name = "failing"

    def final_answer(self, answer: str) -> str:
        raise KeyError(answer)


def test_a_plugin_s_design_that_fails_is_named() -> None:
    designs.register("failing", Failing(), origin="my-designs")
    try:
        with pytest.raises(PluginError, match="design 'failing' of plugin 'my-designs' failed: KeyError"):
            final_answer("failing", "a")
    finally:
        designs.remove("failing")


def test_a_file_with_configurations_is_scored_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORR_DATA", str(tiny.write(tmp_path / "data")))
    card = load_card("hctqa.real")
    examples = read_examples(card, card.test_split)
    path = tmp_path / "p.jsonl"
    pd.DataFrame(
        {
            "example": each.id,
            "config": f"csv/none/{design}",
            "prediction": "Thought: look up.\nFinal Answer: 1 || 2",
        }
        for each in examples
        for design in ("default", "tree_thinker_gold")
    ).to_json(path, orient="records", lines=True)
    report = score_predictions(card, path)
    means = {config: scores["precision"]["value"] for (_, config), scores in report.by_model.items()}
    assert means["csv/none/default"] < 1 == means["csv/none/tree_thinker_gold"]
