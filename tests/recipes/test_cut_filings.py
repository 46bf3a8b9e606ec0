"""A study of documents that are cut, by the commands: planned, run, and the same command again."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from ..conftest import Torr

STUDY = """\
name: short
cards: [cards.bundled.filings_extraction]
configurations: {serializers: [html, csv], perturbations: [none]}
demonstrations: {shots: 0}
examples: {count: 4, context: 3000}
generation: {max_tokens: 128}
models: [torr-lexical]
"""
SAID = "4 of 4 examples show their document cut to 3,000 tokens"


@pytest.mark.full
def test_cut_documents_are_planned_asked_and_resumed(torr: Torr, tmp_path: Path) -> None:
    (tmp_path / "short.yaml").write_text(STUDY)
    planned = torr("plan", "short.yaml")
    assert planned.returncode == 0, planned.stderr
    assert SAID in " ".join((planned.stdout + planned.stderr).split())
    ran = torr("run", "short.yaml", "--out", "run", "--json")
    assert ran.returncode == 0, ran.stderr
    assert SAID in " ".join(ran.stderr.split())
    assert json.loads(ran.stdout)["answered"] == 8

    requests = pd.read_parquet(tmp_path / "run" / "requests")
    assert requests.groupby("example")["cut"].nunique(dropna=False).eq(1).all()
    assert requests["prompt"].str.len().max() / 4 + 128 <= 3000
    cuts = {row.example: json.loads(row.cut) for row in requests.itertuples()}
    scores = pd.read_parquet(tmp_path / "run" / "scores.parquet")
    main = scores[scores["main"]].groupby("example")["score"].mean()
    assert {main[example] for example, cut in cuts.items() if cut["lost_table"]} == {0.0}
    assert max(main[example] for example, cut in cuts.items() if not cut["lost_table"]) == 1.0

    again = torr("run", "short.yaml", "--out", "run")
    assert "torr-lexical: 8 of 8 requests already answered" in again.stderr
