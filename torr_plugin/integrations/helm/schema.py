"""The schema that tells ``helm-summarize`` which tables to make of studies, with our statistics' names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml

from ..studies import dataset_entry, recipe_of, study_parts

SCORE = "torr_score"
MISSING = "torr_missing"
CHANGED = "torr_prompt_changed"


@dataclass(frozen=True, slots=True)
class StatText:
    """A statistic as HELM's tables show it; ``lower_is_better`` None: neither is."""

    display: str
    description: str
    lower_is_better: bool | None


DESCRIBED = MappingProxyType(
    {
        SCORE: StatText("Score", "Mean main score of the answers that are there.", False),
        MISSING: StatText(
            "Missing", "Share of requests of finished runs without an answer; they have no score.", True
        ),
        CHANGED: StatText(
            "Prompt changed", "Share of prompts that HELM cut to a window or wrapped for the model.", True
        ),
    }
)
"""What the metric gives for each instance."""

FIGURES = MappingProxyType(
    {
        "torr_performance": StatText(
            "Performance", "Mean score over configurations and examples, with its interval.", False
        ),
        "torr_robustness": StatText(
            "Robustness",
            "One minus the mean range of an example's scores over configurations, with its interval.",
            False,
        ),
        "torr_worst": StatText("Worst", "Mean over examples of the least score over configurations.", False),
        "torr_best": StatText("Best", "Mean over examples of the best score over configurations.", False),
        "torr_holes": StatText(
            "Holes", "Scores that are missing; examples with a hole are in none of the figures.", True
        ),
    }
)
"""What the summarizer computes from all configurations of a data set."""


_SHIPPED = Path(__file__).with_name("schema_torr_plugin.yaml")


def schema_of(studies: Sequence[str]) -> dict[str, Any]:
    """A schema as plain data: our figures and statistics, a group a study, and in it a group a data set.

    Args:
        studies: recipes or their files.

    Raises:
        InputError: no such recipe, or one that other harnesses cannot ask.
    """
    shipped = yaml.safe_load(_SHIPPED.read_text(encoding="utf-8"))
    groups = [name["name"] for name in shipped["metric_groups"]]
    asked = {study: _datasets(study) for study in studies}
    return {
        **shipped,
        "metrics": [*_fields(), *_main_metrics(asked.values()), *shipped["metrics"]],
        "run_groups": [
            *[_study_group(study, datasets) for study, datasets in asked.items()],
            *_unique(_dataset_group(each, groups) for datasets in asked.values() for each in datasets),
        ],
    }


def study_group_name(study: str) -> str:
    """The group of all data sets of a study; no data set's, also where they are one."""
    return f"study_{recipe_of(study).name}"


def _fields() -> list[dict[str, Any]]:
    return [
        {"name": name, "display_name": figure.display, "description": figure.description}
        | ({} if figure.lower_is_better is None else {"lower_is_better": figure.lower_is_better})
        for name, figure in {**FIGURES, **DESCRIBED}.items()
    ]


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


def _main_metrics(asked: Iterable[Sequence[Mapping[str, str]]]) -> list[dict[str, Any]]:
    names = dict.fromkeys(each["main"] for datasets in asked for each in datasets)
    return [
        {
            "name": name,
            "display_name": name,
            "description": "A data set's main metric.",
            "lower_is_better": False,
        }
        for name in names
    ]


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
