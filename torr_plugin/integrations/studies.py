"""Studies as the other harnesses know them, in parts: a data set in all configurations, or in one.

In: a recipe. Out: its parts by name, and the requests of a part, which are those of ``torr run``. What
was made of a study is kept, and made anew when one of its files changes, for programs and notebooks that
stay open.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

from ..catalog import Card, load_card, with_metrics
from ..core.errors import UnknownNameError
from ..core.versions import shipped_folder
from ..prompts import designs, is_picture
from ..recipes import Configuration, Plan, Recipe, Request, load, plan, recipe_file, recipe_names, with_cards
from ..scoring import scored_leniently

_TORR = "torr."

AND = "_and_"
"""Stands for ``+`` in names of unitxt's artifacts, which it reads as the end of one: ``image_and_latex``."""


@dataclass(frozen=True, slots=True)
class StudyPart:
    """A data set of a study in all its configurations, or in one of them.

    Attributes:
        study: the recipe's name, e.g. ``torr``.
        dataset: e.g. ``wikitq``, ``hctqa.real.pak``.
        config: None for all configurations.
        words: the name in parts, e.g. ``("torr", "wikitq", "html", "transpose")``.
    """

    study: str
    dataset: str
    config: Configuration | None
    words: tuple[str, ...]

    @property
    def task(self) -> str:
        """The name as a task of lm-eval, e.g. ``torr_wikitq_html_transpose``."""
        return re.sub(r"\W", "_", "_".join(self.words))

    @property
    def recipe(self) -> str:
        """The name as an artifact of unitxt, e.g. ``recipes.torr.wikitq.html.transpose``."""
        return ".".join(("recipes", *self.words)).replace("+", AND)


def known_studies() -> list[str]:
    """The names of all recipes: the package's own before plugins', so that it wins a name both take."""
    return sorted(recipe_names(), key=lambda name: (not is_shipped(name), name))


def is_shipped(study: str) -> bool:
    """Whether a study is one of the package's own recipes."""
    return recipe_file(study).parent == shipped_folder("recipes")


def study_parts(study: str) -> tuple[StudyPart, ...]:
    """The parts of a recipe: for each data set all configurations together, then each alone.

    Serializers of ToRR's own dialect go by their format's name (``torr.html`` as ``html``) unless the recipe
    has both; a design is named where the recipe has several; the study is not named twice (``hctqa.real.pak``
    of the recipe ``hctqa``).

    Args:
        study: a recipe's name or path.

    Raises:
        RecipeError: no such recipe, or it is wrong.
    """
    return _study_parts(study, file_state(study))


@lru_cache(maxsize=32)
def _study_parts(study: str, state: FileState) -> tuple[StudyPart, ...]:
    recipe = recipe_of(study)
    configs = recipe.expanded()
    words = {config: _words(config, configs) for config in configs}
    found = []
    for entry in recipe.cards:
        dataset = load_card(entry.card).dataset
        begin = _beginning(recipe.name, dataset)
        found.append(StudyPart(recipe.name, dataset, None, begin))
        found += [StudyPart(recipe.name, dataset, config, (*begin, *words[config])) for config in configs]
    return tuple(found)


def study_part(study: str, dataset: str, config: Configuration | None = None) -> StudyPart:
    """A part by what it is.

    Raises:
        UnknownNameError: the study asks no such data set, or not in that configuration.
    """
    parts = study_parts(study)
    for part in parts:
        if part.dataset == dataset and part.config == config:
            return part
    known = [each.dataset for each in parts]
    if dataset in known and config is not None:
        ids = [each.config.id for each in parts if each.config is not None]
        raise UnknownNameError("configuration", config.id, ids, where=f"recipe {study!r}")
    raise UnknownNameError("data set", dataset, known, where=f"recipe {study!r}")


def plan_of(study: str, dataset: str, limit: int | None = None) -> Plan:
    """The plan of one data set of a study: its examples and prompts are those of the whole study's plan.

    It is made once, and anew when the recipe's file, a card's or ``TORR_DATA`` changed.

    Raises:
        InputError: as :func:`torr_plugin.recipes.plan`.
    """
    return _plan_of(study, dataset, limit, file_state(study))


@lru_cache(maxsize=8)
def _plan_of(study: str, dataset: str, limit: int | None, state: FileState) -> Plan:
    return plan(with_cards(recipe_of(study), dataset), limit=limit)


def requests_of(planned: Plan, part: StudyPart) -> Iterator[Request]:
    """The requests of a part: by configuration, then by example in the plan's order; no replicates.

    Of a design of several calls the first one's, see :mod:`.steps`.

    Raises:
        RecipeError: a prompt that cannot be built.
    """
    for config in planned.configurations if part.config is None else [part.config]:
        yield from (each for each in planned.requests_of(part.dataset, config) if not each.stage)


def shows_pictures(configuration: Configuration) -> bool:
    """Whether its prompts show tables as pictures, which a harness that asks texts alone cannot send."""
    return is_picture(configuration.serializer) and not designs.get(configuration.design).carries


def _beginning(study: str, dataset: str) -> tuple[str, ...]:
    parts = tuple(dataset.split("."))
    return parts if parts[0] == study and len(parts) > 1 else (study, *parts)


def _words(config: Configuration, among: Sequence[Configuration]) -> tuple[str, ...]:
    formats = {each.serializer for each in among}
    short = config.serializer.removeprefix(_TORR)
    serializer = config.serializer if short in formats else short
    several = len({each.design for each in among}) > 1
    return (*serializer.split("."), config.perturbation, *([config.design] if several else []))


@dataclass(frozen=True, slots=True)
class DatasetEntry:
    """A data set as a study asks it.

    Attributes:
        card: with the metrics that the study rates it by.
        split: of the examples.
        shots: demonstrations a prompt.
        seed: of the study.
    """

    card: Card
    split: str
    shots: int
    seed: int


def dataset_entry(study: str, dataset: str) -> DatasetEntry:
    """What a study says of a data set.

    Args:
        study: as :func:`torr_plugin.recipes.load` knows it; read once, and again when its files change.
        dataset: one that it asks.

    Raises:
        RecipeError: no such study, or its file is wrong.
        UnknownNameError: the study asks no such data set.
    """
    entries = _entries(study, file_state(study))
    if dataset not in entries:
        raise UnknownNameError("data set", dataset, list(entries), where=f"recipe {study!r}")
    return entries[dataset]


@lru_cache(maxsize=8)
def _entries(study: str, state: FileState) -> dict[str, DatasetEntry]:
    recipe = recipe_of(study)
    found = {}
    for entry in recipe.cards:
        card = with_metrics(load_card(entry.card), entry.metrics)
        card = scored_leniently(card) if recipe.scoring == "lenient" else card
        shots = recipe.demonstrations.shots if entry.shots is None else entry.shots
        found[card.dataset] = DatasetEntry(card, entry.split or card.test_split, shots, recipe.seed)
    return found


FileState: TypeAlias = "tuple[object, ...]"


def file_state(study: str) -> FileState:
    """What changes with the recipe's file, with its cards' files and with the mirror that is read.

    Raises:
        RecipeError: no such study, or its file is wrong.
        InputError: a card of it cannot be read.
    """
    cards = _loaded(study, _stamp(recipe_file(study)))[1]
    return (_stamp(recipe_file(study)), *map(_stamp, cards), os.environ.get("TORR_DATA"))


def recipe_of(study: str) -> Recipe:
    """The recipe of a study, read once, and again when its file changed.

    Raises:
        RecipeError: no such study, or its file is wrong.
    """
    return _loaded(study, _stamp(recipe_file(study)))[0]


def _stamp(path: Path) -> FileState:
    with suppress(OSError):  # who reads it says what is wrong
        found = path.stat()
        return (path.absolute(), found.st_mtime_ns, found.st_size, found.st_ino)
    return (path.absolute(),)


@lru_cache(maxsize=32)
def _loaded(study: str, stamp: FileState) -> tuple[Recipe, tuple[Path, ...]]:
    """The recipe and the files of its cards; read again when ``stamp``, the recipe's, changed."""
    recipe = load(study)
    return recipe, tuple(load_card(entry.card).path for entry in recipe.cards)
