"""study.yaml and examples.parquet of an imported run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
from ...running.store.manifest import FORMAT
from ...scoring.answers import card_of
from ..record import RequestRecord
from ..steps import steps_of
from .names import digest
from .results import HarnessOutput
from .writer import CellIndex

ITS_OWN, AGAIN = "its own", "rated again"
_OF_A_CARD = ("description", "licence", "main_metric")


def initial_study(source: HarnessOutput, *, ours: bool) -> dict[str, Any]:
    """The contents of study.yaml before any result is read."""
    folder = Path(source.path).resolve().name  # leaves out the path on this machine
    return {
        "format": FORMAT,
        "fingerprint": "",
        "created": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "versions": {"torr-plugin": version("torr-plugin"), **source.versions},
        "name": folder,
        "limit": None,
        "imported": {
            "harness": source.harness,
            "version": source.versions.get(source.harness),
            "from": folder,
            "files": len(source.pieces),
            "scores": AGAIN if ours else ITS_OWN,
        },
        "models": [],
    }


class StudyRecords:
    """Checks that all records of an import are of one study, and of one plan for each data set."""

    def __init__(self) -> None:
        self.by_dataset: dict[str, tuple[RequestRecord, str]] = {}
        self._by_design: dict[tuple[str, str], tuple[RequestRecord, str]] = {}

    def add(self, record: RequestRecord, where: str) -> None:
        """Add a record.

        Raises:
            InputError: it is of another study, card or plan than those before it.
        """
        first = next(iter(self.by_dataset.values()), (record, where))
        if record.study != first[0].study:
            raise InputError(
                f"{where}: is of study {record.study!r}, {first[1]} of {first[0].study!r}; "
                "expected one study: choose it by --study NAME"
            )
        known = self.by_dataset.setdefault(record.dataset, (record, where))
        _refuse_another_plan(record, where, known, ("card", "fingerprint"))
        # a design may set generation parameters
        design = record.config.rpartition("/")[2]
        alike = self._by_design.setdefault((record.dataset, design), (record, where))
        _refuse_another_plan(record, where, alike, ("generation",))

    @property
    def study(self) -> str:
        """The recipe's name."""
        return next(iter(self.by_dataset.values()))[0].study

    @property
    def generation(self) -> dict[str, Any]:
        """The generation parameters, of a design of one call where there is one."""
        found = [record for record, _ in self._by_design.values()]
        one = (each for each in found if len(steps_of(Configuration.of(each.config))) == 1)
        return dict(next(one, found[0]).generation)

    @property
    def fingerprint(self) -> str:
        """A fingerprint of all plans together, different from any run's, as an import cannot be resumed."""
        prints = (f"{name} {record.fingerprint}" for name, (record, _) in sorted(self.by_dataset.items()))
        return digest("imported", *prints)


def _refuse_another_plan(
    record: RequestRecord, where: str, known: tuple[RequestRecord, str], names: Sequence[str]
) -> None:
    before, at = known
    for name in names:
        here, there = getattr(record, name), getattr(before, name)
        if here == there:
            continue
        if name == "fingerprint" and not (here and there):
            raise InputError(
                f"{where}: data set {record.dataset!r}: options of the harness changed the study's requests "
                f"here or in {at}, and not in both; import them apart"
            )
        raise InputError(
            f"{where}: data set {record.dataset!r}: {name} is {here!r:.200}, in {at} "
            f"{there!r:.200}; expected results of one plan: the recipe, its seed, its data or its "
            "examples changed in between"
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
    if not all(record.fingerprint for record, _ in records.by_dataset.values()):
        notes.append(
            "not the study's own requests: options of the harness changed prompts or generation parameters"
        )
    for name, count in counts.items():
        study_now["datasets"][name] = {"card": records.by_dataset[name][0].card}
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
        asked = {config.id for config in recipe.expanded()}
        datasets = set(_datasets(recipe))
    except InputError:
        return None, notes
    if asked.issuperset(cells.configs()) and datasets.issuperset(cells.requests):
        return recipe, []
    return None, notes


def _fitting(recipe: Recipe, records: StudyRecords, cells: CellIndex) -> Recipe:
    """Refuse a given recipe that does not match the results."""
    if recipe.name != records.study:
        raise InputError(
            f"--recipe: found study {recipe.name!r}; expected {records.study!r}, the study of the results"
        )
    _refuse_unasked("data set", cells.requests, _datasets(recipe))
    _refuse_unasked("configuration", cells.configs(), [config.id for config in recipe.expanded()])
    return recipe


def _refuse_unasked(kind: str, found: Iterable[str], asked: Sequence[str]) -> None:
    for name in _without(found, asked):
        raise InputError(f"--recipe: the results are of {kind} {name!r}, which the recipe lacks")


def _datasets(recipe: Recipe) -> list[str]:
    return [load_card(entry.card).dataset for entry in recipe.cards]


def _configurations_missing(recipe: Recipe, cells: CellIndex) -> list[str]:
    asked = [config.id for config in recipe.expanded()]
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
