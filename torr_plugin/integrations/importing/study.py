"""study.yaml and examples.parquet of an imported run."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd

from ...catalog import Example, load_card, read_examples
from ...core.errors import InputError, UnknownNameError
from ...recipes import Configuration, Recipe, load, shipped_recipe
from ...recipes.planning import design_bases
from ...running import examples_frame
from ...running.store.manifest import FORMAT, with_models
from ...scoring.run_answers import card_of
from ..logs.log import Log, Result
from ..logs.names import digest
from ..record import RequestRecord
from ..steps import steps_of, takes_steps
from .scores import known_card

_DESCRIBING = ("description", "licence", "keeps_labels")
_RATING = ("main_metric", "metrics")


def initial_study(log: Log, folder: Path) -> dict[str, Any]:
    """The contents of study.yaml before any result is read; ``folder`` is the run's."""
    name = Path(log.path).resolve().name  # leaves out the path on this machine
    study: dict[str, Any] = {
        "format": FORMAT,
        "fingerprint": "",
        "created": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "versions": {
            "torr-plugin": version("torr-plugin"),
            **({log.harness: log.version} if log.version else {}),
        },
        "name": name,
        "limit": None,
        "imported": {
            "harness": log.harness,
            "version": log.version,
            "from": name,
            "files": len(log.files),
        },
        "models": [],
    }
    files = {file.model.label: file for file in log.files}
    study = with_models(study, [file.model for file in files.values()], folder)
    for model, file in zip(study["models"], files.values(), strict=True):
        if file.chat is not None:
            model["chat"] = file.chat
    return study


class StudyRecords:
    """Checks that all results are of one study of ours, of one plan for each data set; or of none.

    Attributes:
        first: data set and design -> their first record; empty where the results are of other tasks.
    """

    def __init__(self) -> None:
        self.first: dict[tuple[str, str], RequestRecord] = {}
        self._met: dict[str, tuple[object, str]] = {}

    def add(self, result: Result) -> None:
        """Add a result's record.

        Raises:
            InputError: it is of another study, card or plan than those before it.
        """
        record, where = result.record, result.where
        one = "one study: choose it by --study NAME"
        self._agree("study", "of another task" if record is None else record.study, where, one)
        if record is None:
            return
        dataset, design = record.dataset, record.config.rpartition("/")[2]
        one = (
            "results of one plan: the recipe, its seed, its data, its examples or options of the harness "
            "changed in between"
        )
        self._agree(f"data set {dataset!r}: card", record.card, where, one)
        self._agree(f"data set {dataset!r}: fingerprint", record.fingerprint, where, one)
        # which a design may set
        self._agree(f"data set {dataset!r}, {design!r}: generation", record.generation, where, one)
        self.first.setdefault((dataset, design), record)

    def _agree(self, what: str, value: object, where: str, expected: str) -> None:
        there, at = self._met.setdefault(what, (value, where))
        if value != there:
            raise InputError(
                f"{where}: {what} is {value!r:.200}, in {at} {there!r:.200}; expected {expected}"
            )


Cells = Mapping[str, Collection[str]]
"""Data set -> its examples, or its configurations."""


def foreign_study(examples: Cells, configs: Cells) -> dict[str, Any]:
    """What study.yaml says of results of other tasks than ours."""
    ids = _union(configs)
    counts = [f"{name} {len(found)}" for name, found in examples.items()]
    datasets = dict[str, Any]()
    for name, found in examples.items():
        card = known_card(name)
        about = {} if card is None else {each: getattr(card, each) for each in _DESCRIBING}
        datasets[name] = {**about, "examples": len(found)}
    return {"configurations": ids, "datasets": datasets, "fingerprint": digest("imported", *counts, *ids)}


def own_study(
    records: StudyRecords, examples: Cells, configs: Cells, given: Recipe | None
) -> tuple[dict[str, Any], list[str]]:
    """What study.yaml says of results of a study of ours, and notes on it.

    Args:
        records: of the results.
        examples: data set -> its examples.
        configs: data set -> its configurations.
        given: the study's recipe, where the user names its file.

    Raises:
        InputError: ``given`` is not the recipe of these results, or a card is not here.
    """
    first = list(records.first.values())
    by_dataset = {record.dataset: record for record in reversed(first)}
    recipe, notes = _recipe(first[0].study, configs, given)
    asked = [Configuration.of(each) for each in _union(configs)]
    several = {each.design: len(steps_of(each)) for each in asked if takes_steps(each)}
    bases = design_bases(asked)
    # of a design of one call where there is one
    generation = next(
        (each for each in first if each.config.rpartition("/")[2] not in several), first[0]
    ).generation
    # different from any run's, as an import cannot be resumed
    prints = digest("imported", *(f"{name} {by_dataset[name].fingerprint}" for name in sorted(by_dataset)))
    study: dict[str, Any] = {
        "configurations": _union(configs),
        "name": first[0].study,
        "fingerprint": prints,
        "generation": dict(generation),
        **({"stages": dict(sorted(several.items()))} if several else {}),
        **({"design_bases": bases} if bases else {}),
        **({"recipe": recipe.model_dump(mode="json"), "seed": recipe.seed} if recipe else {}),
        "datasets": {name: {"card": by_dataset[name].card} for name in examples},
    }
    if not all(record.fingerprint for record in first):
        notes.append(
            "not the study's own requests: options of the harness changed prompts or generation parameters"
        )
    for name, entry in study["datasets"].items():
        try:
            card = card_of(study, name)
        except UnknownNameError as error:
            raise InputError(
                f"data set {name!r}: {error}; where a recipe of your own asks a card file, name the recipe: "
                "--recipe FILE"
            ) from None
        entry |= {each: getattr(card, each) for each in (*_DESCRIBING, *_RATING)}
        entry["examples"] = len(examples[name])
    return study, notes


def _recipe(study: str, configs: Cells, given: Recipe | None) -> tuple[Recipe | None, list[str]]:
    """The given recipe, or that of the study's name here if it asks what there are results of; and notes."""
    # others wrote the name: it opens no file of the working directory
    file = shipped_recipe(study) if given is None else None
    recipe = given if file is None else load(file)
    if given is not None and given.name != study:
        raise InputError(
            f"--recipe: found study {given.name!r}; expected {study!r}, the study of the results"
        )
    asked = [] if recipe is None else [config.id for config in recipe.expanded()]
    datasets = [] if recipe is None else [load_card(entry.card).dataset for entry in recipe.cards]
    unasked = [
        *(f"data set {name!r}" for name in configs if name not in datasets),
        *(f"configuration {name!r}" for name in _union(configs) if name not in asked),
    ]
    if given is not None and unasked:
        raise InputError(f"--recipe: the results are of {unasked[0]}, which the recipe lacks")
    if recipe is None or unasked:
        return None, [
            f"recipe {study!r} is not here as it was: answers are rated by the cards' own metrics, and "
            "configurations that are missing altogether are not known; --recipe FILE names one of your own"
        ]
    notes = []
    for dataset, found in configs.items():
        if lacks := [name for name in asked if name not in found]:
            some = ", ".join(lacks[:3]) + (", ..." if len(lacks) > 3 else "")
            notes.append(
                f"{dataset}: {len(asked) - len(lacks)} of the {len(asked)} configurations of recipe "
                f"{study!r} are there; missing: {some}"
            )
    return recipe, notes


def _union(configs: Cells) -> list[str]:
    return list(dict.fromkeys(config for found in configs.values() for config in found))


def known_examples(study: Mapping[str, Any], examples: Cells) -> tuple[pd.DataFrame | None, list[str]]:
    """The contents of examples.parquet, as far as the cards' data are here; and a note on what is not."""
    found: dict[str, list[Example]] = {}
    notes = []
    for dataset, wanted in examples.items():
        try:
            card = card_of(study, dataset)
            found[dataset] = [each for each in read_examples(card, card.test_split) if each.id in wanted]
        except InputError:  # it says folders of this machine, and notes are published
            notes.append(
                f"{dataset}: groups and properties of its examples are not known, for its card's data cannot "
                "be read here; 'torr doctor' says where they are looked for"
            )
    kept = {name: each for name, each in found.items() if each}
    return (examples_frame(kept) if kept else None), notes
