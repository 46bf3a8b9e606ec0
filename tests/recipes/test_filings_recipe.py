"""From documents to a site, offline: made-up reports, baselines, a judge of pairs, ratings by level."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from ..conftest import Torr


@pytest.mark.full
def test_the_bundled_study_becomes_a_site_with_ratings(torr: Torr, tmp_path: Path) -> None:
    run = tmp_path / "run"
    done = torr("run", "filings", "--limit", "2", "--out", run, "--json")
    assert done.returncode == 0, done.stderr
    battles = pd.read_parquet(run / "battles.parquet")
    assert set(battles["level"]) == {"extraction", "calculation", "analysis"}
    assert battles["verdict"].notna().all()
    rated = json.loads((run / "ratings.json").read_text())
    assert next(iter(rated["bradley_terry"])) == "torr-lexical"
    assert set(rated["levels"]) == {"extraction", "calculation", "analysis"}
    published = torr("publish", run, "--out", tmp_path / "site", "--no-charts")
    assert published.returncode == 0, published.stderr
    assert "torr-lexical" in (tmp_path / "site" / "filings" / "ratings.html").read_text()
    assert (tmp_path / "site" / "filings" / "battles.html").exists()
