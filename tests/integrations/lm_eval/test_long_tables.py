"""Sampled tables and demonstrations that fit, in lm-eval: the prompts and scores of ``torr run``."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from .conftest import Evaluate, main_scores, run_of

CARDS = ("suc.size_detection", "bundled.fact_verification")
STUDY = """
name: short
cards: [cards.suc.size_detection, cards.bundled.fact_verification]
configurations: {serializers: [html, csv], perturbations: [none]}
demonstrations: {shots: 1, fit: true}
examples: {count: 6, table_tokens: 250, context: 650, refused: leave_out}
models: [torr-lexical]
"""


@pytest.mark.full
def test_long_tables_are_asked_and_scored_as_torr_run_does(evaluate: Evaluate, tmp_path: Path) -> None:
    study = tmp_path / "short.yaml"
    study.write_text(STUDY)
    found = evaluate("short", recipes=(str(study),))
    run = run_of(str(study), tmp_path / "run")
    requests = pd.read_parquet(run / "requests")
    prompts = {(row.example, row.config): (row.prompt, *row.references) for row in requests.itertuples()}
    cuts = requests["cut"].map(json.loads)
    assert cuts.map(lambda cut: "rows" in cut).any()
    assert set(cuts.map(lambda cut: cut["demonstrations"])) == {0, 1}
    for card in CARDS:
        scores = main_scores(run, card)
        samples = found["samples"][f"short_{card.replace('.', '_')}"]
        assert len(samples) == len(scores) == 6
        for sample in samples:
            for record, arguments in zip(sample["doc"]["torr"], sample["arguments"], strict=True):
                asked = prompts[record["example"], record["config"]]
                assert (arguments[0], *record["references"]) == asked
            expected = scores.loc[sample["doc"]["example"]].mean()
            assert sample["performance"] == pytest.approx(expected, abs=1e-12)
