"""Made-up output of HELM 0.5.16: the files of a run, as helm-run writes them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

UNITXT_METRIC = "helm.benchmark.metrics.unitxt_metrics.UnitxtMetric"

HTML = "recipes.torr.tab_fact.html.no_augmentation_5_demos"
CSV = "recipes.torr.tab_fact.csv.no_augmentation_5_demos"

TRUTH = {"test0": "entailed", "test1": "refuted", "test2": "entailed"}
"""The references of a made-up data set, by the instance's id."""


def write_run(
    suite: Path,
    recipe: str,
    model: str,
    answers: Mapping[str, str],
    *,
    scores: Mapping[str, float] | None = None,
    truth: Mapping[str, str] = TRUTH,
) -> Path:
    """A run of a recipe of unitxt's catalog: instance -> answer; scores are exact unless given."""
    given = scores or {name: float(answer == truth[name]) for name, answer in answers.items()}
    states = [state(name, f"{recipe} {name}", [truth[name]], text, model) for name, text in answers.items()]
    arguments = {"recipe": recipe}
    spec = run_spec(f"unitxt:recipe={recipe},model={model.replace('/', '_')}", arguments, model)
    stats = [entry(name, {"accuracy": score, "f1_macro": score / 2}) for name, score in given.items()]
    return write(suite, spec, states, stats)


def run_spec(name: str, arguments: Mapping[str, Any], model: str, scenario: str = "") -> dict[str, Any]:
    return {
        "name": name,
        "scenario_spec": {
            "class_name": scenario or "helm.benchmark.scenarios.unitxt_scenario.UnitxtScenario",
            "args": dict(arguments),
        },
        "adapter_spec": {"method": "generation", "model": model, "model_deployment": model},
        "metric_specs": [{"class_name": UNITXT_METRIC, "args": dict(arguments)}],
        "groups": [],
    }


def state(
    name: str, prompt: str, references: Sequence[str], answer: str | None, model: str, **extra: Any
) -> dict[str, Any]:
    failed = {"success": False, "embedding": [], "completions": [], "cached": False, "error": "no reply"}
    result = {"success": True, "completions": [{"text": answer, "logprob": 0, "tokens": []}], "cached": False}
    return {
        "instance": {
            "input": {"text": prompt},
            "references": [{"output": {"text": text}, "tags": ["correct"]} for text in references],
            "split": "test",
            "id": name,
            **extra,
        },
        "train_trial_index": 0,
        "request": {"model": model, "model_deployment": model, "prompt": prompt, "max_tokens": 512},
        "result": failed if answer is None else result | {"request_time": 0.25},
        "num_train_instances": 0,
        "prompt_truncated": False,
    }


def entry(name: str, scores: Mapping[str, float]) -> dict[str, Any]:
    stats = [
        {"name": {"name": metric, "split": "test"}, "count": 1, "mean": v} for metric, v in scores.items()
    ]
    return {"instance_id": name, "train_trial_index": 0, "stats": stats}


def write(
    suite: Path, spec: Mapping[str, Any], states: Sequence[Any], stats: Sequence[Mapping[str, Any]]
) -> Path:
    folder = suite / spec["name"].replace("/", "_")
    folder.mkdir(parents=True)
    # HELM writes an entry for each of its metric classes
    beside = [entry(each["instance_id"], {"num_prompt_tokens": 7, "num_completions": 1}) for each in stats]
    for name, value in {
        "run_spec.json": spec,
        "scenario_state.json": {"adapter_spec": spec["adapter_spec"], "request_states": states},
        "per_instance_stats.json": [*stats, *beside],
        "stats.json": [],
    }.items():
        (folder / name).write_text(json.dumps(value, indent=2))
    return folder


def leaderboard(output: Path) -> Path:
    """Two models, html as it is and transposed, and csv; gives the suite."""
    suite = output / "runs" / "v1"
    right, wrong = dict(TRUTH), dict.fromkeys(TRUTH, "entailed")
    for config in ("html.no", "html.transpose", "csv.no"):
        recipe = f"recipes.torr.tab_fact.{config}_augmentation_5_demos"
        write_run(suite, recipe, "org/good", right if config != "html.transpose" else wrong)
        write_run(suite, recipe, "org/poor", wrong)
    return suite
