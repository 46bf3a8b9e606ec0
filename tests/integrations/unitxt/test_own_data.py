"""Cards in unitxt: data that is missing is an error there too, and facts reach the metrics."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from torr_plugin.core.errors import DataError


@pytest.mark.parametrize("files", [(), ("train.parquet",)])
def test_missing_data_is_the_error_that_a_recipe_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: tuple[str, ...]
) -> None:
    from unitxt import load_dataset

    monkeypatch.setenv("TORR_DATA", str(tmp_path))
    (tmp_path / "finqa").mkdir()
    for name in files:
        (tmp_path / "finqa" / name).write_bytes(b"")
    with pytest.raises(DataError, match=r"cards\.finqa: split 'test': expected .*test\.parquet"):
        list(load_dataset(card="cards.torr.finqa", template_card_index=0, split="test", streaming=True))


def test_a_tolerance_reaches_the_metric() -> None:
    from unitxt.artifact import fetch_artifact

    metric, _ = fetch_artifact("metrics.torr.number_match")
    facts = {"relative_tolerance": "1%"}
    assert metric.map("1,200", ["1205"], {"facts": facts}) == {"number_match": 1.0}
    assert metric.map("1,200", ["1205"], {}) == {"number_match": 0.0}


def test_a_metric_of_pairs_gives_no_score_to_a_single_answer() -> None:
    from unitxt.artifact import fetch_artifact

    metric, _ = fetch_artifact("metrics.torr.realhitbench_consistency")
    scores = metric.map("12", ["12"], {})
    assert list(scores) == ["consistency_f1", "consistency"]
    assert all(math.isnan(score) for score in scores.values())
    assert math.isnan(metric.reduction.reduce([scores, scores])["consistency"])
