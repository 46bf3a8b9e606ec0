"""The catalog that :func:`torr_plugin.register` adds to unitxt's.

In: an artifact's name. Out: the artifact of a card file, of a subset of a card, or of a shipped task or
metric; or one that is made by name and has no file: recipes, serializers, augmentors, engines, metrics of
plugins. Importing this imports unitxt.
"""

# no ``from __future__ import annotations``: unitxt makes its fields of annotations that are types, not text

import os
from typing import Any

from unitxt.artifact import Artifact
from unitxt.catalog import LocalCatalog

from ...catalog import card_names
from ...catalog.folders import ARTIFACTS, card_document, card_place, has_card, unitxt_file
from ...core.errors import UnknownNameError
from ...running.model_classes import added_models, baselines
from ...scoring.metrics import metrics
from ...tables import perturbations, serializers
from ..studies import AND
from .artifacts import TorrMetric
from .engine import TorrEngine
from .recipes import SCORED_PART, ScoredPart, recipe, study_of
from .tables import TorrTableAugmentor, TorrTableSerializer

_CARDS, _OWN_CARDS = "cards.", "cards.torr."


class TorrCatalog(LocalCatalog):  # type: ignore[misc]
    """``cards.*``, ``tasks.torr.*``, ``metrics.torr.*`` and what is made by name.

    ``cards.torr.NAME`` is the card ``cards.NAME`` whatever other catalog has one of that name. No name that
    unitxt's own catalog has is answered.
    """

    name: str = "torr"
    location: str = str(ARTIFACTS)

    def path(self, artifact_identifier: str) -> str:
        """The file of an artifact, or where it would be."""
        card = _card(artifact_identifier)
        if card:
            return str(card_place(card)[0])
        return os.fspath(ARTIFACTS.joinpath(*artifact_identifier.split(".")).with_suffix(".json"))

    def __contains__(self, artifact_identifier: str) -> bool:
        """Whether the name is ours; also one misspelt that nobody else can have, for :meth:`load` to say."""
        if unitxt_file(artifact_identifier) is not None:
            return False
        kind, second = f"{artifact_identifier}.".split(".")[:2]
        return bool(
            self._has_file(artifact_identifier)
            or study_of(artifact_identifier)
            or artifact_identifier in made_names(kind)
            or (second == "torr" and (kind == "cards" or made_names(kind)))
        )

    def load(self, artifact_identifier: str, overwrite_args: Any = None) -> Artifact:
        """The artifact of a card or of a file; or one that is made.

        Raises:
            UnknownNameError: a name that could only be ours, and is not.
        """
        card = _card(artifact_identifier)
        if card:
            artifact = Artifact.from_dict(card_document(card).content, overwrite_args=overwrite_args)
            artifact.__id__ = artifact_identifier
            return artifact
        if self._has_file(artifact_identifier):
            return super().load(artifact_identifier, overwrite_args=overwrite_args)
        changed = dict(overwrite_args or {})
        make = recipe if study_of(artifact_identifier) else _made
        artifact = make(artifact_identifier, changed)
        if not changed:
            artifact.__id__ = artifact_identifier  # of a changed one unitxt saves all
        return artifact

    def _has_file(self, artifact_identifier: str) -> bool:
        return bool(LocalCatalog.__contains__(self, artifact_identifier))


def _card(artifact_identifier: str) -> str:
    """The card that a name means, by its name in :func:`card_names`; empty if it means none."""
    if not artifact_identifier.startswith(_CARDS):
        return ""
    own = _CARDS + artifact_identifier.removeprefix(_OWN_CARDS)
    return next((name for name in dict.fromkeys((artifact_identifier, own)) if has_card(name)), "")


def made_names(kind: str) -> dict[str, str]:
    """The names of the artifacts of a kind that are made, each with our own name of it.

    A format or perturbation is ``KIND.torr.NAME``, and ``KIND.table.NAME`` where unitxt has no such name.
    unitxt takes no ``+`` in names: ``image+latex`` is ``serializers.table.image_and_latex``. A hyphen of a
    model's name is ``_``.
    """
    match kind:
        case "metrics":
            return {f"metrics.torr.{name}": name for name in metrics.names()}
        case "engines":
            models = sorted({*baselines(), *added_models()})
            return {f"engines.torr.{name.removeprefix('torr-').replace('-', '_')}": name for name in models}
        case "serializers" | "augmentors":
            known = serializers.names() if kind == "serializers" else perturbations.names()
            return {
                f"{kind}.{beginning}.{name.replace('+', AND)}": name
                for name in known
                for beginning in ("torr", "table")
            }
        case "processors":
            return {SCORED_PART: SCORED_PART}
    return {}


def _made(name: str, changed: dict[str, Any]) -> Artifact:
    kind = name.partition(".")[0]
    known = made_names(kind)
    if name not in known:
        raise UnknownNameError("artifact", name, known or [_own_card(each) for each in card_names()])
    own = known[name]
    match kind:
        case "metrics":
            return TorrMetric(**{"name": own, "main_score": metrics.get(own).main, **changed})
        case "engines":
            return TorrEngine(**{"model": own, **changed})
        case "serializers":
            return TorrTableSerializer(**{"name": own, **changed})
        case "augmentors":
            return TorrTableAugmentor(**{"name": own, **changed})
    return ScoredPart(**changed)


def _own_card(card: str) -> str:
    return _OWN_CARDS + card.removeprefix(_CARDS)
