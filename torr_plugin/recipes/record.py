"""A plan as plain data: what ``study.yaml`` holds, and the fingerprint that tells studies apart."""

from __future__ import annotations

import hashlib
import json
import platform
from dataclasses import asdict
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from ..catalog import data_fingerprint, twin_fingerprint, twin_template
from .pools import pool_split

if TYPE_CHECKING:
    from ..catalog import Card
    from .study_plan import Plan

RECORDED = ("torr-plugin", "unitxt", "lm-eval", "numpy")
_OF_THE_RECIPE = ("seed", "demonstrations", "generation")
_OF_A_DATASET = (
    "card",
    "fingerprint",
    "split",
    "shots",
    "demo_split",
    "data",
    "examples_fingerprint",
    "unitxt",
)


def study_record(plan: Plan) -> dict[str, Any]:
    """All that a study rests on, as plain data: the recipe as run, cards, data, configurations, versions.

    ``datasets`` holds for each data set its card with fingerprint, licence and metrics, the splits read with
    the fingerprints of their data, the shots, and the number of examples asked with a fingerprint of their
    ids. ``stages`` is there where a design takes several calls.
    """
    recipe = plan.recipe.model_dump(mode="json")
    return {
        "recipe": recipe,
        "name": plan.recipe.name,
        "seed": plan.recipe.seed,
        "limit": plan.limit,
        "datasets": {dataset: _dataset(plan, dataset) for dataset in plan.cards},
        "configurations": [configuration.id for configuration in plan.configurations],
        "generation": dict(plan.generation),
        "requests": plan.size,
        **({"stages": _stages(plan)} if plan.steps else {}),
        "notes": list(plan.notes),
        "versions": versions(),
    }


def _stages(plan: Plan) -> dict[str, int]:
    """The designs that take several calls, with how many; the last one's answer is scored."""
    return {design: len(steps) for design, steps in sorted(plan.steps.items())}


def _dataset(plan: Plan, dataset: str) -> dict[str, Any]:
    card, split, shots = plan.cards[dataset], plan.splits[dataset], plan.shots[dataset]
    demo_split = pool_split(plan.recipe, card) if shots else None
    of_data = twin_fingerprint if plan.recipe.of_unitxt else data_fingerprint
    return {
        "card": card.name,
        "fingerprint": card.fingerprint,
        "description": card.description,
        "licence": card.licence,
        "metrics": list(card.metrics),
        "main_metric": card.main_metric,
        "keeps_labels": list(card.keeps_labels),
        "skills": dict(card.skills),
        "split": split,
        "shots": shots,
        "demo_split": demo_split,
        "data": {name: of_data(card, name) for name in dict.fromkeys([split, demo_split]) if name},
        "examples": len(plan.examples[dataset]),
        "examples_fingerprint": _digest([example.id for example in plan.examples[dataset]]),
        "unitxt": _words_of_unitxt(plan, card),
    }


def _words_of_unitxt(plan: Plan, card: Card) -> dict[str, str] | None:
    """Unitxt's card whose words are used, with their digest; None where no configuration uses any."""
    if card.unitxt is None or not any(each.design == "torr" for each in plan.configurations):
        return None
    return {"card": card.unitxt.card, "words": _digest(asdict(twin_template(card)))}


def fingerprint(record: dict[str, Any]) -> str:
    """32 hex digits over what of a record decides the prompts and the scores.

    Two studies with one fingerprint ask the same prompts and score the same answers alike. A model added, a
    description, a name, an analysis option or a version changes nothing; another example asked does.
    """
    decisive = {
        "recipe": {name: record["recipe"][name] for name in _OF_THE_RECIPE},
        "datasets": {
            dataset: {name: said.get(name) for name in _OF_A_DATASET}
            for dataset, said in sorted(record["datasets"].items())
        },
        "configurations": sorted(record["configurations"]),
        **({"stages": record["stages"]} if record.get("stages") else {}),
    }
    return _digest(decisive)


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:32]


def versions() -> dict[str, str]:
    """The versions that a study was run with; nothing is imported to learn them."""
    return dict(_versions())


@lru_cache(maxsize=1)
def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in RECORDED:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found
