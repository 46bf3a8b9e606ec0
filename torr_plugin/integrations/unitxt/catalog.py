"""The catalog that :func:`torr_plugin.register` adds to unitxt's.

In: an artifact's name. Out: the artifact of a card file, of a subset of a card, or of a shipped task or
metric; or one that is made by name and has no file: recipes, serializers, augmentors, engines, metrics of
plugins. Importing this imports unitxt.
"""

# no ``from __future__ import annotations``: unitxt makes its fields of annotations that are types, not text

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

from unitxt.artifact import Artifact, Catalogs, fetch_artifact
from unitxt.benchmark import Benchmark
from unitxt.catalog import GithubCatalog, LocalCatalog

from ...catalog import Card, artifacts, card_names
from ...catalog.folders import card_document, card_place, has_card
from ...core.errors import InputError, UnknownNameError, nearest
from ...running.registry import added_models, baselines
from ...scoring.metrics import metrics
from ...tables import perturbations, serializers
from ..studies import AND, StudyPart, dataset_entry
from .artifacts import TorrMetric
from .engine import TorrEngine
from .recipes import SCORED_PART, SPLIT, RecipeName, StudyRecipe, is_of_a_study, names, recipe_name
from .stepping import ScoredPart
from .tables import TorrTableAugmentor, TorrTableSerializer

Make: TypeAlias = Callable[[Mapping[str, Any]], Artifact]
"""Makes an artifact, given the arguments that a user wrote in ``name[...]``."""

_CARDS, _OWN_CARDS, _OWN_METRICS = "cards.", "cards.torr.", "metrics.torr."

# what of a recipe is unitxt's; the rest is the study's
CHANGEABLE = (
    "format",
    "loader_limit",
    "max_train_instances",
    "max_validation_instances",
    "max_test_instances",
    "metrics",
    "postprocessors",
    "group_by",
    "data_classification_policy",
)
# of a study's data set in all its configurations
OF_BENCHMARKS = ("format", "loader_limit", "max_test_instances", "max_samples_per_subset", "subset", "splits")


class TorrCatalog(LocalCatalog):  # type: ignore[misc]
    """``cards.*``, ``tasks.torr.*``, ``metrics.torr.*`` and what the makers make.

    ``cards.torr.NAME`` is the card ``cards.NAME`` whatever other catalog has one of that name. Without
    ``override`` no name that unitxt's own catalog has is answered.
    """

    name: str = "torr"
    location: str = str(artifacts.HERE)
    override: bool = False

    def path(self, artifact_identifier: str) -> str:
        """The file of an artifact, or where it would be."""
        card = _card(artifact_identifier)
        if card:
            return str(card_place(card)[0])
        return os.fspath(artifacts.HERE.joinpath(*artifact_identifier.split(".")).with_suffix(".json"))

    def __contains__(self, artifact_identifier: str) -> bool:
        if not self.override and artifacts.unitxt_file(artifact_identifier) is not None:
            return False
        if self._has_file(artifact_identifier) or self._make(artifact_identifier) is not None:
            return True
        self._refuse_misspelt(artifact_identifier)
        return False

    def load(self, artifact_identifier: str, overwrite_args: Any = None) -> Artifact:
        """The artifact of a card or of a file; or one that is made."""
        card = _card(artifact_identifier)
        if card:
            artifact = Artifact.from_dict(card_document(card).content, overwrite_args=overwrite_args)
            artifact.__id__ = artifact_identifier
            return artifact
        if not self._has_file(artifact_identifier):
            make = self._make(artifact_identifier)
            if make is not None:
                return _named(make(overwrite_args or {}), artifact_identifier, overwrite_args)
        return super().load(artifact_identifier, overwrite_args=overwrite_args)

    def _has_file(self, artifact_identifier: str) -> bool:
        return bool(LocalCatalog.__contains__(self, artifact_identifier))

    def _make(self, artifact_identifier: str) -> Make | None:
        found = (maker.find(artifact_identifier) for maker in _MAKERS)
        return next((make for make in found if make is not None), None)

    def _refuse_misspelt(self, artifact_identifier: str) -> None:
        """Suggest the nearest names, before unitxt looks on GitHub for what it cannot find there.

        Refused are names that only the project can have; and without a network any name of a kind that the
        project has, unless a catalog that is not asked yet has it.
        """
        kind = artifact_identifier.partition(".")[0]
        makers = [each for each in (*_MAKERS, _CARDS_OF_OURS) if each.kind == kind]
        owner = next((each for each in makers if each.owns(artifact_identifier)), None)
        if (owner is None and not (makers and self._unreachable())) or self._elsewhere(artifact_identifier):
            return
        known = [name for each in makers for name in each.names()] if owner is None else owner.names()
        theirs = artifacts.unitxt_names(kind) if owner is None else []
        raise UnknownNameError("artifact", artifact_identifier, {*known, *theirs})

    def _unreachable(self) -> bool:
        """Whether no other catalog can be asked: offline, with none but unitxt's own on GitHub left."""
        return offline() and all(
            each is self or each.is_local or type(each) is GithubCatalog for each in Catalogs().catalogs
        )

    def _elsewhere(self, artifact_identifier: str) -> bool:
        others = [each for each in Catalogs().catalogs if each is not self and each.is_local]
        return any(artifact_identifier in each for each in others)


def _named(artifact: Artifact, name: str, overwrite_args: Any) -> Artifact:
    """Name an artifact, unless it was changed: unitxt then saves it in full."""
    if not overwrite_args:
        artifact.__id__ = name
    return artifact


def _card(artifact_identifier: str) -> str:
    """The card that a name means, by its name in :func:`card_names`; empty if it means none."""
    if not artifact_identifier.startswith(_CARDS):
        return ""
    own = _CARDS + artifact_identifier.removeprefix(_OWN_CARDS)
    return next((name for name in dict.fromkeys((artifact_identifier, own)) if has_card(name)), "")


def offline() -> bool:
    """Whether ``HF_HUB_OFFLINE``, Hugging Face's variable, forbids the network."""
    return os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE")


@dataclass(frozen=True)
class Maker:
    """Makes one kind of artifacts by name.

    Attributes:
        kind: the first word of their names.
        find: how the artifact of a name is made; None where the name is none of these.
        names: of all of them.
        owns: whether a name is one that only the project can have.
    """

    kind: str
    find: Callable[[str], Make | None]
    names: Callable[[], Sequence[str]]
    owns: Callable[[str], bool]


def recipe(name: str) -> Make | None:
    """``recipes.STUDY[.DATASET[.CONFIGURATION]]``."""
    found = recipe_name(name)
    if found is None:
        return None
    return lambda changed: _recipe(found, dict(changed))


def engine(name: str) -> Make | None:
    """``engines.torr.NAME``: ``lexical`` is ``torr-lexical``; a hyphen of a model's name is ``_`` here."""
    model = _engines().get(name)
    return None if model is None else lambda changed: TorrEngine(**{"model": model, **changed})


def metric(name: str) -> Make | None:
    """``metrics.torr.NAME``, also of a plugin's metric."""
    own = name.removeprefix(_OWN_METRICS)
    if own == name or own not in metrics:
        return None
    main = metrics.get(own).main
    return lambda changed: TorrMetric(**{"name": own, "main_score": main, **changed})


def _of_tables(kind: str, artifact: type[Artifact], known: Callable[[], list[str]]) -> Maker:
    """Formats or perturbations: ``KIND.torr.NAME``, and ``KIND.table.NAME`` where unitxt has no such name."""

    def find(name: str) -> Make | None:
        own = _own(name, kind, known())
        return None if own is None else lambda changed: artifact(**{"name": own, **changed})

    return Maker(
        kind,
        find,
        lambda: [artifact_name(kind, each) for each in known()],
        lambda name: name.startswith((f"{kind}.table.", f"{kind}.torr.")),
    )


_MAKERS = (
    Maker(
        "metrics",
        metric,
        lambda: [_OWN_METRICS + each for each in metrics.names()],
        lambda name: name.startswith(_OWN_METRICS),
    ),
    Maker("recipes", recipe, names, is_of_a_study),
    Maker(
        "processors",
        lambda name: (lambda changed: ScoredPart(**changed)) if name == SCORED_PART else None,
        lambda: [SCORED_PART],
        lambda name: name == SCORED_PART,
    ),
    _of_tables("serializers", TorrTableSerializer, serializers.names),
    _of_tables("augmentors", TorrTableAugmentor, perturbations.names),
    Maker("engines", engine, lambda: sorted(_engines()), lambda name: name.startswith("engines.torr.")),
)
_CARDS_OF_OURS = Maker(
    "cards",
    lambda name: None,
    lambda: [*card_names(), *(_OWN_CARDS + each.removeprefix(_CARDS) for each in card_names())],
    lambda name: name.startswith(_OWN_CARDS),
)


def artifact_name(kind: str, name: str) -> str:
    """The artifact of a format (``serializers``) or perturbation (``augmentors``) of ours.

    unitxt takes no ``+`` in names: ``image+latex`` is ``serializers.table.image_and_latex``.
    """
    name = name.replace("+", AND)
    short = f"{kind}.table.{name}"
    return f"{kind}.torr.{name}" if artifacts.unitxt_file(short) is not None else short


def _own(name: str, kind: str, known: list[str]) -> str | None:
    """Our name of an artifact; None if it is not ours, or is one that unitxt has."""
    for beginning in (f"{kind}.table.", f"{kind}.torr."):
        own = name.removeprefix(beginning).replace(AND, "+")
        free = beginning.endswith(".torr.") or artifacts.unitxt_file(name) is None
        if name.startswith(beginning) and own in known and free:
            return own
    return None


def _engines() -> dict[str, str]:
    models = sorted({*baselines(), *added_models()})
    return {f"engines.torr.{model.removeprefix('torr-').replace('-', '_')}": model for model in models}


def _recipe(found: RecipeName, changed: Mapping[str, Any]) -> Artifact:
    if found.single is not None:
        _check(found.name, changed, CHANGEABLE)
        return _single(found.source, found.single, changed)
    _check(found.name, changed, OF_BENCHMARKS)
    if len(found.datasets) == 1:
        (parts,) = found.datasets.values()
        return _benchmark(found.source, parts, changed)
    subsets = {dataset: _benchmark(found.source, parts, {}) for dataset, parts in found.datasets.items()}
    return Benchmark(subsets=subsets, **{"splits": [SPLIT], **changed})


def _benchmark(source: str, parts: Mapping[str, StudyPart], changed: Mapping[str, Any]) -> Benchmark:
    """A data set in several configurations, which share their card and serializers."""
    made = lru_cache(maxsize=None)(_fetched)
    subsets = {name: _single(source, part, {}, made) for name, part in parts.items()}
    return Benchmark(subsets=subsets, **{"splits": [SPLIT], **changed})


def _check(name: str, changed: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for field in changed:
        if field not in known:
            raise InputError(
                f"{name}: {field}: found {changed[field]!r}, but the study decides it; "
                f"{nearest(field, known)} (for more, card=cards.torr.NAME in a recipe of unitxt's own)"
            )


def _fetched(name: str) -> Artifact:
    artifact: Artifact = fetch_artifact(name)[0]
    return artifact


def _single(
    source: str, part: StudyPart, changed: Mapping[str, Any], made: Callable[[str], Artifact] = _fetched
) -> StudyRecipe:
    looks = _looks(source, part)
    looks |= {each: made(looks[each]) for each in ("card", "serializer") if each in looks}
    recipe = StudyRecipe(study=source, dataset=part.dataset, **looks, **changed)
    if not changed:
        recipe.__id__ = part.recipe
    return recipe


def _looks(source: str, part: StudyPart) -> dict[str, Any]:
    """The fields by which unitxt's recipes describe themselves: card, format, perturbation and so on."""
    if part.config is None:
        return {}
    entry, perturbation = dataset_entry(source, part.dataset), part.config.perturbation
    looks: dict[str, Any] = {
        "config": part.config.id,
        "card": _card_name(entry.card),
        "serializer": artifact_name("serializers", part.config.serializer),
        "num_demos": entry.shots,
    }
    if perturbation != "none":
        looks["augmentor"] = f"augmentors.torr.{perturbation}[seed={entry.seed},dataset={part.dataset}]"
    if entry.shots:
        looks |= {"demos_pool_size": -1, "demos_taken_from": entry.card.demo_split}
    return looks


def _card_name(card: Card) -> str:
    """The card's name, or its path where it lies outside the known folders."""
    return card.name.replace("cards.", "cards.torr.", 1) if card.name in card_names() else str(card.path)
