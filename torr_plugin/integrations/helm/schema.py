"""The schema that tells ``helm-summarize`` which tables to make of studies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..studies import parts_of
from .names import DESCRIBED, FIGURES

_SHIPPED = Path(__file__).with_name("schema_torr_plugin.yaml")


def schema_of(studies: Sequence[str]) -> dict[str, Any]:
    """A schema as plain data: our figures and statistics, a group a study, and in it a group a data set.

    Args:
        studies: recipes or their files.

    Raises:
        InputError: no such recipe, or one that other harnesses cannot ask.
    """
    import yaml

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
    from ...recipes import load

    return f"study_{load(study).name}"


def _fields() -> list[dict[str, Any]]:
    return [
        {"name": name, "display_name": said.display, "description": said.description}
        | ({} if said.lower_is_better is None else {"lower_is_better": said.lower_is_better})
        for name, said in {**FIGURES, **DESCRIBED}.items()
    ]


def _datasets(study: str) -> list[dict[str, str]]:
    """The data sets of a study: group, name, main metric."""
    from ..entries import entry_of

    whole = [part for part in parts_of(study) if part.config is None]
    return [
        {"group": part.task, "dataset": part.dataset, "main": entry_of(study, part.dataset).card.main_metric}
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
    from ...recipes import load

    recipe = load(study)
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
