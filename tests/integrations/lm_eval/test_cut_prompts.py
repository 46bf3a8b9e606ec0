"""Prompts of which something is left out, in lm-eval: the prompts and scores of ``torr run``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from .conftest import Evaluate, main_scores, run_of

LONG_TABLES = """
name: cut
cards: [cards.suc.size_detection, cards.bundled.fact_verification]
configurations: {serializers: [html, csv], perturbations: [none]}
demonstrations: {shots: 1, fit: true}
examples: {count: 6, table_tokens: 250, context: 650, refused: leave_out}
models: [torr-lexical]
"""
DOCUMENTS = """
name: cut
cards: [cards.bundled.filings_extraction, cards.bundled.filings_calculation]
configurations: {serializers: [html], perturbations: [none, shuffle_cols]}
demonstrations: {shots: 0}
examples: {count: 3, context: 3000}
generation: {max_tokens: 128}
models: [torr-lexical]
"""


def has_cut_rows_and_demonstrations(cuts: list[dict[str, Any]]) -> bool:
    return any("rows" in cut for cut in cuts) and {cut["demonstrations"] for cut in cuts} == {0, 1}


def has_cut_documents(cuts: list[dict[str, Any]]) -> bool:
    return bool(cuts)


@pytest.mark.full
@pytest.mark.parametrize(
    ("recipe", "is_cut"), [(LONG_TABLES, has_cut_rows_and_demonstrations), (DOCUMENTS, has_cut_documents)]
)
def test_they_are_asked_and_scored_as_torr_run_does(
    recipe: str, is_cut: Any, evaluate: Evaluate, tmp_path: Path
) -> None:
    path = tmp_path / "cut.yaml"
    path.write_text(recipe)
    found = evaluate("cut", recipes=(str(path),))
    run = run_of(str(path), tmp_path / "run")
    requests = pd.read_parquet(run / "requests")
    prompts = {(row.example, row.config): (row.prompt, *row.references) for row in requests.itertuples()}
    assert is_cut([json.loads(cut) for cut in requests["cut"].dropna()])
    for dataset in set(requests["dataset"]):
        scores = main_scores(run, dataset)
        samples = found["samples"][f"cut_{dataset.replace('.', '_')}"]
        assert len(samples) == len(scores) > 0
        for sample in samples:
            for record, arguments in zip(sample["doc"]["torr"], sample["arguments"], strict=True):
                asked = prompts[record["example"], record["config"]]
                assert (arguments[0], *record["references"]) == asked
            expected = scores.loc[sample["doc"]["example"]].mean()
            assert sample["performance"] == pytest.approx(expected, abs=1e-12)


def test_the_shipped_tasks_of_filings_show_whole_documents(evaluate: Evaluate) -> None:
    found = evaluate("filings_bundled_filings_extraction_markdown_none", recipes=("filings",), limit=2)
    [samples] = found["samples"].values()
    assert len(samples) == 2
    for sample in samples:
        assert "Report:\nAnnual Report of " in sample["arguments"][0][0]
        assert sample["accuracy"] == 1.0
