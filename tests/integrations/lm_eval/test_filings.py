"""Questions about documents in lm-eval: the prompts and scores of ``torr run``, cut documents included."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from .conftest import Evaluate, main_scores, run_of

CARDS = ("bundled.filings_extraction", "bundled.filings_calculation")
STUDY = """
name: reports
cards: [cards.bundled.filings_extraction, cards.bundled.filings_calculation]
configurations: {serializers: [html], perturbations: [none, shuffle_cols]}
demonstrations: {shots: 0}
examples: {count: 3, context: 3000}
generation: {max_tokens: 128}
models: [torr-lexical]
"""


@pytest.mark.full
def test_documents_are_asked_and_scored_as_torr_run_does(evaluate: Evaluate, tmp_path: Path) -> None:
    study = tmp_path / "reports.yaml"
    study.write_text(STUDY)
    found = evaluate("reports", recipes=(str(study),))
    run = run_of(str(study), tmp_path / "run")
    requests = pd.read_parquet(run / "requests")
    prompts = {(row.example, row.config): row.prompt for row in requests.itertuples()}
    assert requests["cut"].notna().any()
    means = set()
    for card in CARDS:
        scores = main_scores(run, card)
        samples = found["samples"][f"reports_{card.replace('.', '_')}"]
        assert len(samples) == len(scores) == 3
        for sample in samples:
            asked = zip(sample["doc"]["torr"], sample["arguments"], strict=True)
            assert all(
                prompts[record["example"], record["config"]] == arguments[0] for record, arguments in asked
            )
            expected = scores.loc[sample["doc"]["example"]].mean()
            assert sample["performance"] == pytest.approx(expected, abs=1e-12)
            means.add(expected)
    assert len(means) > 1


def test_the_shipped_tasks_of_filings_show_whole_documents(evaluate: Evaluate) -> None:
    found = evaluate("filings_bundled_filings_extraction_markdown_none", recipes=("filings",), limit=2)
    [samples] = found["samples"].values()
    assert len(samples) == 2
    for sample in samples:
        assert "Report:\nAnnual Report of " in sample["arguments"][0][0]
        assert sample["accuracy"] == 1.0
