"""Real answers of five models under 0, 1 and 2 shots: scored with ROUGE-L, analysed with everything."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from torr_plugin.analysis import analyse
from torr_plugin.scoring import metrics

MODELS = {
    "gpt-4": {"family": "gpt", "open": False},
    "gpt-3.5-turbo": {"family": "gpt", "open": False},
    "llama-2-70b-chat-awq": {"family": "llama-2", "size": 70, "open": True},
    "llama-2-7b-chat-hf": {"family": "llama-2", "size": 7, "open": True},
    "mistral-7b-instruct-v0.1": {"family": "mistral", "size": 7, "open": True},
}
AUTHORS_RESAMPLES = 1000


@pytest.fixture(scope="module")
def scores(shared_data: Path) -> pd.DataFrame:
    """A row a model, shots and example."""
    found = pd.read_parquet(shared_data / "qtsumm_outputs" / "predictions.parquet")
    metric = metrics.get("rouge")
    pairs = zip(found["prediction"], found["reference"], strict=True)
    score = [metric.scores(prediction, [reference])["rougeL"] for prediction, reference in pairs]
    return found[["model", "config"]].assign(
        dataset="qtsumm", example=found["example_id"], metric="rougeL", score=score, main=True
    )


@pytest.fixture(scope="module")
def found(scores: pd.DataFrame) -> dict[str, Any]:
    """The whole analysis."""
    return analyse(scores, models=MODELS, resamples=200)


@pytest.mark.full
def test_the_authors_means(shared_data: Path, scores: pd.DataFrame, found: dict[str, Any]) -> None:
    """The authors' figures are not means but medians of 1,000 bootstrap means, and so random.

    That is what Hugging Face's ``evaluate`` gives for ROUGE (rouge-score's ``BootstrapAggregator``), with its
    settings: lower case, words of a-z and 0-9, no stemming, which are ours. The median of B resampled means
    has a standard deviation of about sqrt(pi / 2B) standard errors of the mean around it.
    """
    published = json.loads((shared_data / "qtsumm_outputs" / "scores.json").read_text())
    deviations = []
    for config, entries in published.items():
        for entry in entries:
            mine = found["configurations"]["qtsumm"][config][entry["model_name"]]
            assert mine == pytest.approx(entry["Rouge-L"], abs=5e-4)
            own = scores[(scores["model"] == entry["model_name"]) & (scores["config"] == config)]["score"]
            spread = own.sem() * np.sqrt(np.pi / (2 * AUTHORS_RESAMPLES))
            deviations.append((mine - entry["Rouge-L"]) / spread)
    assert len(deviations) == 15
    assert np.abs(deviations).max() < 4
    assert 0.5 < np.sqrt(np.mean(np.square(deviations))) < 1.7, "as large as chance makes them, and no larger"


@pytest.mark.full  # beside the one that takes the same scores
def test_every_analysis(scores: pd.DataFrame, found: dict[str, Any]) -> None:
    json.dumps(found, allow_nan=False)
    assert found["holes"]["complete"] is True
    assert found["settings"]["examples"] == {"qtsumm": 1078}
    means = scores.groupby(["model", "config"])["score"].mean().unstack()
    for model, row in means.iterrows():
        assert found["performance"][model]["overall"]["value"] == pytest.approx(row.mean())
        means_here = {config: own[model] for config, own in found["configurations"]["overall"].items()}
        assert means_here == pytest.approx(row.to_dict())
    assert found["difficulty"]["qtsumm"]["mean"] == pytest.approx(scores["score"].mean())
    openness = found["groups"]["openness"]["performance"]["qtsumm"]
    assert openness["difference"]["low"] > 0, "the closed models are better here"
    family = found["groups"]["families"]["families"]["llama-2"]
    assert family["difference"]["low"] > 0, "and the larger llama than the smaller"
    # 70 billion are log2(10) doublings of 7
    assert family["per_doubling"]["value"] == pytest.approx(family["difference"]["value"] / np.log2(10))
    assert "serializers" not in found
    assert "perturbations" not in found
    assert any("left out" in note for note in found["notes"])
