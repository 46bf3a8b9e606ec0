"""helm-run for real, without a network: what torr run asks, and its scores."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from .conftest import Both
from .harness import LABELS, LIMIT, MODELS, command, read, runs_of, scores_of, states

pytestmark = pytest.mark.full


def test_every_cell_is_run_with_the_study_s_prompts_in_its_order(both: Both) -> None:
    requests = pd.read_parquet(both.run / "requests")
    runs = runs_of(both.folder, "s")
    assert len(runs) == len(MODELS) * 2 * 2 * 2
    for run in runs.values():
        args = read(run / "run_spec.json")["scenario_spec"]["args"]
        asked = requests[(requests.dataset == args["dataset"]) & (requests.config == args["config"])]
        found = states(run)
        assert [state["instance"]["id"] for state in found] == list(asked.example)
        assert len(found) == LIMIT
        for state, key, prompt in zip(found, asked.key, asked.prompt, strict=True):
            assert state["instance"]["extra_data"]["torr"]["key"] == key
            assert state["request"]["prompt"] == prompt
            assert (state["request"]["max_tokens"], state["request"]["temperature"]) == (40, 0.0)
            assert not state["prompt_truncated"]


def test_every_score_is_torr_run_s(both: Both) -> None:
    ours = pd.read_parquet(both.run / "scores.parquet")
    expected = ours.set_index(["model", "dataset", "config", "example", "metric"]).score.to_dict()
    seen = set()
    for run in runs_of(both.folder, "s").values():
        spec = read(run / "run_spec.json")
        args, model = spec["scenario_spec"]["args"], LABELS[spec["adapter_spec"]["model_deployment"]]
        for example, scores in scores_of(run).items():
            assert (scores["torr_missing"], scores["torr_prompt_changed"]) == (0.0, 0.0)
            for metric in (name for name in scores if not name.startswith("torr_")):
                cell = (model, args["dataset"], args["config"], example, metric)
                assert scores[metric] == expected[cell]
                seen.add(cell)
            main = ours[(ours.dataset == args["dataset"]) & ours.main].metric.iloc[0]
            assert scores["torr_score"] == scores[main]
    assert seen == set(expected)
    assert {round(score, 6) for score in expected.values()} >= {0.0, 1.0}  # the models are not all alike


def test_without_helm_s_commands_nothing_imports_helm(tmp_path: Path) -> None:
    code = (
        "import sys, torr_plugin.cli.app, torr_plugin.integrations.helm.run_entries as s\n"
        "s.run_entries(['quickstart']); print('helm' in sys.modules)"
    )
    assert command("python", "-c", code, cwd=tmp_path).strip().endswith("False")
