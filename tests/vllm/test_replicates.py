"""Equal prompts in different batches: a prompt asked again is answered by the model, not from a cache."""

from __future__ import annotations

from pathlib import Path

import pytest

from torr_plugin.analysis import analyse
from torr_plugin.recipes import ModelEntry, Recipe, plan
from torr_plugin.recipes.replicates import replicate_key
from torr_plugin.running import Run, execute
from torr_plugin.scoring import score_run

from .conftest import ARGUMENTS

pytestmark = [pytest.mark.vllm, pytest.mark.filterwarnings("default")]

RECIPE = {
    "name": "again",
    "cards": ["cards.bundled.fact_verification", "cards.bundled.cell_lookup"],
    "configurations": {"serializers": ["csv", "markdown"], "perturbations": ["none", "shuffle_rows"]},
    "examples": {"count": 25},
    "generation": {"max_tokens": 12},
    "replicates": {"share": 0.5},
}


def test_replicates_are_answered_in_other_batches(tiny: Path, tmp_path: Path) -> None:
    planned = plan(Recipe.model_validate(RECIPE))
    arguments = {**ARGUMENTS, "dtype": "bfloat16", "max_model_len": 4096, "max_num_seqs": 16}
    entry = ModelEntry(model="vllm", args={"pretrained": str(tiny), **arguments}, name="tiny")
    summary = execute(planned, [entry], tmp_path / "run")
    assert summary.failed == 0

    run = Run.open(tmp_path / "run")
    rows = {row["key"]: row for row in run.predictions("tiny", replicates=True).to_pylist()}
    assert len(rows) == summary.requests == summary.answered
    first = run.predictions("tiny", ["key"])["key"].to_pylist()
    pairs = [(rows[key], rows[other]) for key in first if (other := replicate_key(key, 1)) in rows]
    assert len(pairs) == len(rows) - len(first) > 80
    for one, other in pairs:
        assert other["seconds"] > 0
        assert other["completion_tokens"] >= 1
        assert other["prompt_tokens"] == one["prompt_tokens"]
    changed = sum(one["prediction"] != other["prediction"] for one, other in pairs) / len(pairs)

    found = analyse(score_run(run), resamples=50)
    noise = found["noise"]["tiny"]["overall"]
    assert 0 <= noise["low"] <= noise["value"] <= noise["high"] <= 1
    assert noise["cells"] == len(planned.replicated)
    free = found["robustness_noise_free"]["tiny"]["overall"]
    assert free["low"] < free["value"] < free["high"]
    print(f"{len(pairs)} prompts asked again: another text in {changed:.1%}, another score: {noise}")
