"""study.yaml and examples.parquet of an imported run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd

from ...catalog import Card, Example, card_names, load_card, read_examples
from ...core.errors import InputError, UnknownNameError
from ...recipes import Configuration, Recipe, load, shipped_recipe
from ...recipes.study_record import design_bases
from ...running import examples_frame
from ...running.store.manifest import FORMAT, with_models
from ...scoring.answers import card_of
from ..logs.log import Log
from ..logs.names import digest
from ..record import RequestRecord
from ..steps import steps_of
from .cells import CellIndex

ITS_OWN, AGAIN = "its own", "rated again"
_OF_A_CARD = ("description", "licence", "main_metric")


def initial_study(log: Log, folder: Path) -> dict[str, Any]:
    """The contents of study.yaml before any result is read; ``folder`` is the run's."""
    name = Path(log.path).resolve().name  # leaves out the path on this machine
    study: dict[str, Any] = {
        "format": FORMAT,
        "fingerprint": "",
        "created": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "versions": {"torr-plugin": version("torr-plugin"), **log.versions},
        "name": name,
        "limit": None,
        "imported": {
            "harness": log.harness,
            "version": log.versions.get(log.harness),
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
    """Checks that all records of an import are of one study, and of one plan for each data set."""

    def __init__(self) -> None:
        self._first: dict[tuple[str, str], RequestRecord] = {}
        self._met: dict[tuple[str, ...], tuple[Any, str]] = {}

    def add(self, record: RequestRecord, where: str) -> None:
        """Add a record.

        Raises:
            InputError: it is of another study, card or plan than those before it.
        """
        study, at = self._met.setdefault(("study",), (record.study, where))
        if record.study != study:
            raise InputError(
                f"{where}: is of study {record.study!r}, {at} of {study!r}; "
                "expected one study: choose it by --study NAME"
            )
        dataset, design = record.dataset, record.config.rpartition("/")[2]
        # a design may set generation parameters
        for name, *parts in (("card", dataset), ("fingerprint", dataset), ("generation", dataset, design)):
            value = getattr(record, name)
            there, at = self._met.setdefault((name, *parts), (value, where))
            if value != there:
                raise InputError(f"{where}: data set {dataset!r}: {_another_plan(name, value, there, at)}")
        self._first.setdefault((dataset, design), record)

    @property
    def by_dataset(self) -> dict[str, RequestRecord]:
        """The first record of each data set."""
        return {dataset: record for (dataset, _), record in reversed(self._first.items())}

    @property
    def study(self) -> str:
        """The recipe's name."""
        return next(iter(self._first.values())).study

    @property
    def generation(self) -> dict[str, Any]:
        """The generation parameters, of a design of one call where there is one."""
        found = list(self._first.values())
        one = (each for each in found if len(steps_of(Configuration.of(each.config))) == 1)
        return dict(next(one, found[0]).generation)

    @property
    def fingerprint(self) -> str:
        """A fingerprint of all plans together, different from any run's, as an import cannot be resumed."""
        prints = (f"{name} {record.fingerprint}" for name, record in sorted(self.by_dataset.items()))
        return digest("imported", *prints)


def _another_plan(name: str, here: object, there: object, at: str) -> str:
    if name == "fingerprint" and not (here and there):
        return (
            f"options of the harness changed the study's requests here or in {at}, and not in both; "
            "import them apart"
        )
    return (
        f"{name} is {here!r:.200}, in {at} {there!r:.200}; expected results of one plan: the recipe, its "
        "seed, its data or its examples changed in between"
    )


def completed_study(
    study: dict[str, Any], cells: CellIndex, records: StudyRecords | None, given: Recipe | None = None
) -> tuple[dict[str, Any], list[str]]:
    """The study with its data sets, and notes on it.

    Args:
        study: of :func:`initial_study`.
        cells: those that were met.
        records: None where the results are of no study of ours.
        given: the study's recipe, where the user names its file.

    Raises:
        InputError: ``given`` is not the recipe of these results, or a card is not here.
    """
    counts = {name: len(cells.examples(name)) for name in cells.requests}
    common = {"configurations": cells.configs()}
    if records is None:
        datasets = {name: {**_known(name), "examples": count} for name, count in counts.items()}
        names = digest("imported", *(f"{name} {count}" for name, count in counts.items()), *cells.configs())
        return {**study, **common, "datasets": datasets, "fingerprint": names}, []
    recipe, notes = _recipe(records.study, cells) if given is None else (_fitting(given, records, cells), [])
    study_now = {**study, **common, "name": records.study, "fingerprint": records.fingerprint}
    study_now |= {"generation": records.generation, **_of_designs(cells), "datasets": {}}
    if recipe is not None:
        study_now |= {"recipe": recipe.model_dump(mode="json"), "seed": recipe.seed}
        notes += _configurations_missing(recipe, cells)
    if not all(record.fingerprint for record in records.by_dataset.values()):
        notes.append(
            "not the study's own requests: options of the harness changed prompts or generation parameters"
        )
    for name, count in counts.items():
        study_now["datasets"][name] = {"card": records.by_dataset[name].card}
        study_now["datasets"][name] |= {**_of_card(_card(study_now, name)), "examples": count}
    return study_now, notes


def _of_designs(cells: CellIndex) -> dict[str, Any]:
    """What study.yaml says of designs: how many steps those of several calls have, and their bases."""
    configs = [Configuration.of(each) for each in cells.configs()]
    steps = {config.design: len(steps_of(config)) for config in configs}
    several = {design: count for design, count in sorted(steps.items()) if count > 1}
    found = {"stages": several, "design_bases": design_bases(configs)}
    return {name: each for name, each in found.items() if each}


def _card(study: Mapping[str, Any], dataset: str) -> Card:
    try:
        return card_of(study, dataset)
    except UnknownNameError as error:
        raise InputError(
            f"data set {dataset!r}: {error}; where a recipe of your own asks a card file, name the recipe: "
            "--recipe FILE"
        ) from None


def _of_card(card: Card) -> dict[str, Any]:
    fields = {name: getattr(card, name) for name in _OF_A_CARD}
    return {**fields, "metrics": list(card.metrics), "keeps_labels": list(card.keeps_labels)}


def _known(dataset: str) -> dict[str, Any]:
    """Our card's description of a foreign data set; the scores are the harness's."""
    name = f"cards.{dataset}"
    if name not in card_names():
        return {}
    card = load_card(name)
    return {"description": card.description, "licence": card.licence, "keeps_labels": list(card.keeps_labels)}


def _recipe(study: str, cells: CellIndex) -> tuple[Recipe | None, list[str]]:
    """Find the recipe of that name, if it is here and matches the results."""
    notes = [
        f"recipe {study!r} is not here as it was: answers are rated by the cards' own metrics, and "
        "configurations that are missing altogether are not known; --recipe FILE names one of your own"
    ]
    file = shipped_recipe(study)  # others wrote the name: it opens no file of the working directory
    if file is None:
        return None, notes
    try:
        recipe = load(file)
        lacks = _without(cells.configs(), _configs(recipe)) or _without(cells.requests, _datasets(recipe))
    except InputError:
        return None, notes
    return (None, notes) if lacks else (recipe, [])


def _fitting(recipe: Recipe, records: StudyRecords, cells: CellIndex) -> Recipe:
    """Refuse a given recipe that does not match the results."""
    if recipe.name != records.study:
        raise InputError(
            f"--recipe: found study {recipe.name!r}; expected {records.study!r}, the study of the results"
        )
    unasked = [
        *(f"data set {name!r}" for name in _without(cells.requests, _datasets(recipe))),
        *(f"configuration {name!r}" for name in _without(cells.configs(), _configs(recipe))),
    ]
    if unasked:
        raise InputError(f"--recipe: the results are of {unasked[0]}, which the recipe lacks")
    return recipe


def _datasets(recipe: Recipe) -> list[str]:
    return [load_card(entry.card).dataset for entry in recipe.cards]


def _configs(recipe: Recipe) -> list[str]:
    return [config.id for config in recipe.expanded()]


def _configurations_missing(recipe: Recipe, cells: CellIndex) -> list[str]:
    asked = _configs(recipe)
    notes = []
    for dataset in cells.requests:
        lacks = _without(asked, cells.configs(dataset))
        if lacks:
            some = ", ".join(lacks[:3]) + (", ..." if len(lacks) > 3 else "")
            notes.append(
                f"{dataset}: {len(asked) - len(lacks)} of the {len(asked)} configurations of recipe "
                f"{recipe.name!r} are there; missing: {some}"
            )
    return notes


def _without(asked: Iterable[str], there: Iterable[str]) -> list[str]:
    known = set(there)
    return [name for name in asked if name not in known]


def known_examples(study: Mapping[str, Any], cells: CellIndex) -> tuple[pd.DataFrame | None, list[str]]:
    """The contents of examples.parquet, as far as the cards' data are here; and a note on what is not."""
    found: dict[str, list[Example]] = {}
    notes = []
    for dataset in cells.requests:
        wanted = set(cells.examples(dataset))
        try:
            found[dataset] = [example for example in _examples(study, dataset) if example.id in wanted]
        except InputError:  # it says folders of this machine, and notes are published
            notes.append(
                f"{dataset}: groups and properties of its examples are not known, for its card's data cannot "
                "be read here; 'torr doctor' says where they are looked for"
            )
    kept = {name: examples for name, examples in found.items() if examples}
    return (examples_frame(kept) if kept else None), notes


def _examples(study: Mapping[str, Any], dataset: str) -> list[Example]:
    card = card_of(study, dataset)
    return list(read_examples(card, card.test_split))
