"""Designs that reason before they answer: only the final answer is scored, of runs and of files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from torr_plugin.catalog import load_card, read_examples
from torr_plugin.core.errors import PluginError
from torr_plugin.prompts import designs
from torr_plugin.prompts.design import DefaultDesign
from torr_plugin.scoring import score_predictions
from torr_plugin.scoring.final_answers import final_answers, with_final_answers

from ..catalog import tiny

SAID = "Thought: 1 is wrong.\nFinal Answer: 2"


def test_each_answer_is_cut_as_its_design_says() -> None:
    names = ["default", "tree_thinker", "gone", "tree_thinker_no_tree"]
    codes = np.array([1, 0, 2, 3, 1])
    texts = pa.array([SAID, SAID, SAID, SAID, "nothing"])
    assert final_answers(texts, names, codes).to_pylist() == ["2", SAID, SAID, "2", "nothing"]
    assert final_answers(pa.array([], pa.string()), names, codes[:0]).to_pylist() == []


def test_rows_of_a_file_too() -> None:
    answered = pd.DataFrame({"design": ["tree_thinker", None, "given"], "prediction": [SAID] * 3})
    assert list(with_final_answers(answered)["prediction"]) == ["2", SAID, SAID]
    plain = answered[1:]
    assert with_final_answers(plain) is plain


class Failing(DefaultDesign):
    name = "failing"

    def final_answer(self, answer: str) -> str:
        raise KeyError(answer)


def test_a_plugin_s_design_that_fails_is_named() -> None:
    designs.register("failing", Failing(), origin="my-designs")
    try:
        with pytest.raises(PluginError, match="design 'failing' of plugin 'my-designs' failed: KeyError"):
            final_answers(pa.array(["a"]), ["failing"], np.array([0]))
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
    report = score_predictions(card, path, resamples=50)
    means = {config: scores["precision"]["value"] for (_, config), scores in report.by_model.items()}
    assert means["csv/none/default"] < 1 == means["csv/none/tree_thinker_gold"]
