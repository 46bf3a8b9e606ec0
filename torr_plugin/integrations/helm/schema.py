"""The schema that tells ``helm-summarize`` which tables to make of studies, with our statistics' names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from ..studies import dataset_entry, recipe_of, study_parts

SCORE, MISSING, CHANGED = "torr_score", "torr_missing", "torr_prompt_changed"
TRAFFIC = REQUESTS, PROMPT_TOKENS, OUTPUT_TOKENS = (
    "torr_requests",
    "torr_prompt_tokens",
    "torr_output_tokens",
)
INSTANCE_STATISTICS = (SCORE, MISSING, CHANGED, *TRAFFIC)
"""What the metric gives for each instance."""

FIGURES = ("torr_performance", "torr_robustness", "torr_worst", "torr_best", "torr_holes")
"""What the summarizer computes from all configurations of a data set."""

_SHIPPED: dict[str, Any] = yaml.safe_load(
    Path(__file__).with_name("schema_torr_plugin.yaml").read_text(encoding="utf-8")
)

STATISTICS: dict[str, dict[str, Any]] = {each["name"]: each for each in _SHIPPED["metrics"]}
"""Display name, description and direction (``lower_is_better``) of each statistic."""


def schema_of(studies: Sequence[str]) -> dict[str, Any]:
    """A schema as plain data: our figures and statistics, a group a study, and in it a group a data set.

    Args:
        studies: recipes or their files.

    Raises:
        InputError: no such recipe, or one that other harnesses cannot ask.
    """
    groups = [group["name"] for group in _SHIPPED["metric_groups"]]
    asked = {study: _datasets(study) for study in studies}
    ours = [STATISTICS[name] for name in (*FIGURES, *INSTANCE_STATISTICS)]
    others = [each for each in _SHIPPED["metrics"] if each not in ours]
    return {
        **_SHIPPED,
        "metrics": [*ours, *_main_metrics(asked.values()), *others],
        "run_groups": [
            *[_study_group(study, datasets) for study, datasets in asked.items()],
            *_unique(_dataset_group(each, groups) for datasets in asked.values() for each in datasets),
        ],
    }


def study_group_name(study: str) -> str:
    """The name of the group of all data sets of a study, which differs from that of any data set."""
    return f"study_{recipe_of(study).name}"


def _datasets(study: str) -> list[dict[str, str]]:
    """The data sets of a study: group, name, main metric."""
    whole = [part for part in study_parts(study) if part.config is None]
    return [
        {
            "group": part.task,
            "dataset": part.dataset,
            "main": dataset_entry(study, part.dataset).card.main_metric,
        }
        for part in whole
    ]


def score_field(name: str) -> dict[str, Any]:
    """What HELM shows of a score of ours; of all of them more is better."""
    about = "A score of torr-plugin's, from 0 to 1; its documentation of metrics says what it gives."
    return {"name": name, "display_name": name, "description": about, "lower_is_better": False}


def _main_metrics(asked: Iterable[Sequence[Mapping[str, str]]]) -> list[dict[str, Any]]:
    return [score_field(name) for name in dict.fromkeys(each["main"] for part in asked for each in part)]


def _study_group(study: str, datasets: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    recipe = recipe_of(study)
    return {
        "name": study_group_name(study),
        "display_name": recipe.name,
        "description": recipe.description or f"The study {recipe.name}.",
        "category": "Studies",
        "subgroups": [each["group"] for each in datasets],
    }


def _dataset_group(dataset: Mapping[str, str], metric_groups: Sequence[str]) -> dict[str, Any]:
    return {
        "name": dataset["group"],
        "display_name": dataset["dataset"],
        "description": f"{dataset['dataset']} in all configurations, rated by {dataset['main']}.",
        "category": "Data sets",
        "metric_groups": list(metric_groups),
    }


def _unique(groups: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return list({group["name"]: group for group in groups}.values())
