"""What is made on the fly, by name; no file stands for it. Importing this imports unitxt."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from unitxt.benchmark import Benchmark

from ...catalog import card_names
from ...catalog.artifacts import unitxt_file
from ...catalog.unitxt_catalog import Maker
from ...core.errors import InputError, nearest
from ...running.registry import added_models, baselines
from ...tables import perturbations, serializers
from ..entries import entry_of
from .engine import TorrEngine
from .named_parts import Named, is_of_a_study, named, names
from .recipes import SPLIT, StudyRecipe
from .tables import TorrTableAugmentor, TorrTableSerializer

if TYPE_CHECKING:
    from unitxt.artifact import Artifact

    from ...catalog import Card
    from ...catalog.unitxt_catalog import Make
    from ..studies import Part

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


def recipe(name: str) -> Make | None:
    """``recipes.STUDY[.DATASET[.CONFIGURATION]]``."""
    found = named(name)
    if found is None:
        return None
    return lambda changed: _recipe(found, dict(changed))


def serializer(name: str) -> Make | None:
    """``serializers.table.NAME`` of our formats that unitxt has not; ``serializers.torr.NAME`` of all."""
    own = _own(name, "serializers", serializers.names())
    return None if own is None else lambda changed: TorrTableSerializer(**{"name": own, **changed})


def augmentor(name: str) -> Make | None:
    """``augmentors.table.NAME`` of our perturbations that unitxt has not; ``augmentors.torr.NAME`` of all."""
    own = _own(name, "augmentors", perturbations.names())
    return None if own is None else lambda changed: TorrTableAugmentor(**{"name": own, **changed})


def engine(name: str) -> Make | None:
    """``engines.torr.NAME``: ``lexical`` is ``torr-lexical``; a hyphen of a model's name is ``_`` here."""
    model = _engines().get(name)
    return None if model is None else lambda changed: TorrEngine(**{"model": model, **changed})


def _of_tables(kind: str, find: Callable[[str], Make | None], known: Callable[[], list[str]]) -> Maker:
    """Those of serializers or augmentors, whose names begin alike."""
    return Maker(
        kind,
        find,
        lambda: [artifact_name(kind, each) for each in known()],
        lambda name: name.startswith((f"{kind}.table.", f"{kind}.torr.")),
    )


MAKERS = (
    Maker("recipes", recipe, names, is_of_a_study),
    _of_tables("serializers", serializer, serializers.names),
    _of_tables("augmentors", augmentor, perturbations.names),
    Maker("engines", engine, lambda: sorted(_engines()), lambda name: name.startswith("engines.torr.")),
)


def artifact_name(kind: str, name: str) -> str:
    """The artifact of a format (``serializers``) or perturbation (``augmentors``) of ours."""
    short = f"{kind}.table.{name}"
    return f"{kind}.torr.{name}" if unitxt_file(short) is not None else short


def _own(name: str, kind: str, known: list[str]) -> str | None:
    """Our name of what an artifact's name means; None where it is none of ours, or one that unitxt has."""
    for beginning in (f"{kind}.table.", f"{kind}.torr."):
        own = name.removeprefix(beginning)
        if own != name and own in known and (beginning.endswith(".torr.") or unitxt_file(name) is None):
            return own
    return None


def _engines() -> dict[str, str]:
    return {_engine_name(model): model for model in sorted({*baselines(), *added_models()})}


def _engine_name(model: str) -> str:
    return "engines.torr." + model.removeprefix("torr-").replace("-", "_")


def _recipe(found: Named, changed: Mapping[str, Any]) -> Artifact:
    if found.single is not None:
        _check(found.name, changed, CHANGEABLE)
        return _single(found.source, found.single, changed)
    _check(found.name, changed, OF_BENCHMARKS)
    if len(found.datasets) == 1:
        (parts,) = found.datasets.values()
        return _benchmark(found.source, parts, changed)
    subsets = {dataset: _benchmark(found.source, parts, {}) for dataset, parts in found.datasets.items()}
    return Benchmark(subsets=subsets, **{"splits": [SPLIT], **changed})


def _benchmark(source: str, parts: Mapping[str, Part], changed: Mapping[str, Any]) -> Benchmark:
    """A data set in several configurations; what they have alike is made once."""
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
    from unitxt.artifact import fetch_artifact

    artifact: Artifact = fetch_artifact(name)[0]
    return artifact


def _single(
    source: str, part: Part, changed: Mapping[str, Any], made: Callable[[str], Artifact] = _fetched
) -> StudyRecipe:
    looks = _looks(source, part)
    looks |= {each: made(looks[each]) for each in ("card", "serializer") if each in looks}
    recipe = StudyRecipe(study=source, dataset=part.dataset, **looks, **changed)
    if not changed:
        recipe.__id__ = part.recipe
    return recipe


def _looks(source: str, part: Part) -> dict[str, Any]:
    """What unitxt's recipes say of themselves: card, format of tables, perturbation, demonstrations."""
    if part.config is None:
        return {}
    entry, perturbation = entry_of(source, part.dataset), part.config.perturbation
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
