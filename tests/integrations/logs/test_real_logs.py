"""Logs that HELM and lm-eval wrote elsewhere (of the public Every Eval Ever collection), if they are here."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import missing
from torr_plugin.core.errors import InputError
from torr_plugin.integrations.importing import import_results
from torr_plugin.integrations.logs.helm import HELM
from torr_plugin.integrations.logs.lm_eval import LM_EVAL
from torr_plugin.running import Run

MATH = "math_perturbed_full"


@pytest.fixture
def logs(shared_data: Path) -> Path:
    folder = shared_data / "harness_logs"
    if not folder.is_dir():
        missing("these logs are not here")
    return folder


def exact_matches(run: Path) -> dict[str, float]:
    """HELM's own, by instance, as its file has them."""
    entries: list[Any] = json.loads((run / "per_instance_stats.json").read_text())
    return {
        entry["instance_id"]: stat["mean"]
        for entry in entries
        for stat in entry["stats"]
        if stat["name"]["name"] == "exact_match"
    }


def test_helm_s_runs(logs: Path, tmp_path: Path) -> None:
    done = import_results(HELM.read(logs / "helm"), tmp_path / "run").report
    assert done["models"] == ["eleutherai/pythia-1b-v0", "openai/gpt2"]
    assert (sum(done["datasets"].values()), done["results"], done["holes"], done["failed"]) == (25, 25, 25, 0)
    run = Run.open(tmp_path / "run")
    scores = run.scores()
    for folder in (logs / "helm").iterdir():
        (dataset,) = [name for name in done["datasets"] if name.startswith(folder.name.split("-")[0])]
        mine = scores[(scores.dataset == dataset) & (scores.metric == "exact_match") & scores.score.notna()]
        assert dict(zip(mine.example, mine.score, strict=True)) == exact_matches(folder)
    assert {model["label"]: model["chat"] for model in run.study["models"]} == dict.fromkeys(
        done["models"], "by HELM's client"
    )


def test_lm_eval_s_run_of_two_tasks_of_which_one_was_kept(logs: Path, tmp_path: Path) -> None:
    (few,) = LM_EVAL.read(logs / "lm_eval").files
    with pytest.raises(InputError, match="half-written run: holds 10 examples of 5000"):
        few.read()
    folder = tmp_path / "log"
    shutil.copytree(logs / "lm_eval", folder, copy_function=shutil.copyfile)
    (path,) = folder.glob("results_*.json")
    results = json.loads(path.read_text())
    results["n-samples"][MATH]["effective"] = 10
    path.write_text(json.dumps(results))
    done = import_results(LM_EVAL.read(folder), tmp_path / "run").report
    assert (done["datasets"], done["holes"]) == ({MATH: 10}, 0)
    model = done["models"][0]
    assert done["notes"] == [f"math_rephrased_full: has no samples of {model}, and is left out"]
    scores = Run.open(tmp_path / "run").scores()
    lines = next(folder.glob("samples_*")).read_text().splitlines()
    for sample in map(json.loads, lines):
        mine = scores[(scores.example == str(sample["doc_id"])) & scores.main]
        assert mine.score.tolist() == [sample[sample["metrics"][0]]]
