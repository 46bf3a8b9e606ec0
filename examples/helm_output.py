"""Write a small ``benchmark_output`` as HELM does, to try ``torr import helm`` without downloading one.

Two made-up models answer four statements of TabFact in three of ToRR's configurations.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

RIGHT = ["entailed", "refuted", "entailed", "refuted"]
SAID = {"org/careful": ["entailed", "refuted", "entailed", "entailed"], "org/quick": ["entailed"] * 4}


def run(model: str, recipe: str, answers: list[str]) -> dict[str, Any]:
    """The files of one run, by their names."""
    return {
        "run_spec": {
            "name": name_of(model, recipe),
            "scenario_spec": {
                "class_name": "helm.benchmark.scenarios.unitxt_scenario.UnitxtScenario",
                "args": {"recipe": recipe},
            },
            "adapter_spec": {"method": "generation", "model": model, "model_deployment": model},
            "metric_specs": [],
        },
        "scenario_state": {
            "request_states": [
                {
                    "instance": {
                        "id": f"test{i}",
                        "split": "test",
                        "input": {"text": f"{recipe}: statement {i}"},
                        "references": [{"output": {"text": right}, "tags": ["correct"]}],
                    },
                    "train_trial_index": 0,
                    "request": {"model": model, "prompt": f"{recipe}: statement {i}"},
                    "result": {"success": True, "completions": [{"text": said, "logprob": 0, "tokens": []}]},
                    "prompt_truncated": False,
                }
                for i, (said, right) in enumerate(zip(answers, RIGHT, strict=True))
            ]
        },
        "per_instance_stats": [
            {
                "instance_id": f"test{i}",
                "train_trial_index": 0,
                "stats": [{"name": {"name": "accuracy"}, "count": 1, "mean": float(said == right)}],
            }
            for i, (said, right) in enumerate(zip(answers, RIGHT, strict=True))
        ],
    }


def name_of(model: str, recipe: str) -> str:
    """A run's name, also of its folder."""
    return f"unitxt:recipe={recipe},model={model.replace('/', '_')}"


if __name__ == "__main__":
    for model, answers in SAID.items():
        for config in ("html.no", "html.transpose", "csv.no"):
            recipe = f"recipes.torr.tab_fact.{config}_augmentation_5_demos"
            found = list(reversed(answers)) if config == "html.transpose" else answers
            folder = Path("benchmark_output", "runs", "v1", name_of(model, recipe))
            folder.mkdir(parents=True)
            for file, value in run(model, recipe, found).items():
                (folder / f"{file}.json").write_text(json.dumps(value), encoding="utf-8")
