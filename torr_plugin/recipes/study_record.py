"""The record of a study for ``study.yaml``: all that it depends on, and a fingerprint of what is decisive."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ..catalog import data_fingerprint, unitxt_fingerprint, unitxt_template
from ..core.versions import versions
from ..prompts import designs
from .generation import without_room

if TYPE_CHECKING:
    from ..catalog import Card
    from ..prompts import Configuration
    from .schema import Recipe
    from .study_plan import Plan

RECORDED = ("torr-plugin", "unitxt", "lm-eval", "numpy")
_OF_THE_RECIPE = ("seed", "demonstrations")
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
    """Everything a study depends on, as plain data: recipe, cards, data, configurations, versions.

    ``datasets`` has for each data set its card with fingerprint, licence and metrics, the splits with
    fingerprints of their data, the shots, and the number of examples with a fingerprint of their ids.
    ``stages`` is present if a design takes several calls, ``design_bases`` if one has a base.
    """
    installed = versions()
    recipe = plan.recipe.model_dump(mode="json", exclude=_unused(plan.recipe))
    return {
        "recipe": recipe,
        "name": plan.recipe.name,
        "seed": plan.recipe.seed,
        "limit": plan.limit,
        "datasets": {dataset: _dataset(plan, dataset) for dataset in plan.cards},
        "configurations": [configuration.id for configuration in plan.configurations],
        **({"design_bases": bases} if (bases := design_bases(plan.configurations)) else {}),
        "generation": dict(plan.generation),
        **{
            name: most
            for name in ("context", "table_tokens")
            if (most := getattr(plan.recipe.examples, name))
        },
        "requests": plan.size,
        **({"stages": _stages(plan)} if plan.steps else {}),
        "notes": list(plan.notes),
        "versions": {name: installed.get(name, "not installed") for name in ("python", *RECORDED)},
    }


def _unused(recipe: Recipe) -> dict[str, Any]:
    """The fields that only some studies have, where a recipe leaves them out."""
    return {
        **({} if recipe.judges else {"judges": True}),
        **({} if recipe.scoring == "lenient" else {"scoring": True}),
        **({} if recipe.demonstrations.fit else {"demonstrations": {"fit"}}),
        **({} if recipe.examples.table_tokens is not None else {"examples": {"table_tokens"}}),
        **({} if recipe.replicates.count > 1 else {"replicates": {"count"}}),
    }


def _stages(plan: Plan) -> dict[str, int]:
    """The number of steps of each design with several; the last one's answer is scored."""
    return {design: len(steps) for design, steps in sorted(plan.steps.items())}


def design_bases(configurations: Iterable[Configuration]) -> dict[str, str]:
    """The design that each is compared with, where there is one; nothing of designs that are not here."""
    names = {each.design for each in configurations if each.design in designs}
    bases = {name: designs.get(name).compared_with(names) for name in names}
    return {design: base for design, base in sorted(bases.items()) if base is not None}


def _dataset(plan: Plan, dataset: str) -> dict[str, Any]:
    card, split, shots = plan.cards[dataset], plan.splits[dataset], plan.shots[dataset]
    demo_split = plan.demo_splits.get(dataset)
    of_data = unitxt_fingerprint if plan.recipe.of_unitxt else data_fingerprint
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
        "unitxt": _unitxt_words(plan, card),
    }


def _unitxt_words(plan: Plan, card: Card) -> dict[str, str] | None:
    """The unitxt card whose template the design ``torr`` uses, with a digest; None without that design."""
    if card.unitxt is None or not any(
        each.design.rpartition("+")[2] == "torr" for each in plan.configurations
    ):
        return None
    return {"card": card.unitxt.card, "words": _digest(asdict(unitxt_template(card)))}


def fingerprint(record: dict[str, Any]) -> str:
    """32 hex digits over everything in a record that affects prompts and scores.

    Two studies with the same fingerprint ask the same prompts and score answers alike. Models, description,
    name, analysis options and versions do not count; the choice of examples does.
    """
    decisive = {
        "recipe": {
            **{name: record["recipe"][name] for name in _OF_THE_RECIPE},
            "generation": without_room(record["recipe"]["generation"]),
        },
        "datasets": {
            dataset: {name: entry.get(name) for name in _OF_A_DATASET}
            for dataset, entry in sorted(record["datasets"].items())
        },
        "configurations": sorted(record["configurations"]),
        **{name: record[name] for name in ("stages", "context", "table_tokens") if record.get(name)},
    }
    return _digest(decisive)


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:32]
