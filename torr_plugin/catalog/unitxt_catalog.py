"""The catalog that :func:`torr_plugin.register` adds to unitxt's.

In: an artifact's name. Out: the artifact of a card file, a subset of a card, a shipped task or metric, or
whatever a later stage makes on the fly (:func:`add_maker`): recipes, serializers, augmentors, engines.
Importing this imports unitxt.
"""

# no ``from __future__ import annotations``: unitxt makes its fields of annotations that are types, not text

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Optional, TypeAlias

from unitxt.artifact import Artifact, Catalogs
from unitxt.catalog import GithubCatalog, LocalCatalog

from ..core.errors import UnknownNameError
from . import artifacts
from .folders import card_names, card_place, has_card
from .unitxt_artifacts import TorrMetric, scoring_metrics

Make: TypeAlias = Callable[[Mapping[str, Any]], Artifact]
"""Makes an artifact, given the arguments that a user wrote in ``name[...]``."""


@dataclass(frozen=True)
class Maker:
    """A kind of artifacts that are made by name.

    Attributes:
        kind: the first word of their names.
        find: how the artifact of a name is made; None where the name is none of these.
        names: of all of them.
        owns: whether a name is one that only the project can have.
    """

    kind: str
    find: Callable[[str], Optional[Make]]  # noqa: UP045 - as everywhere here
    names: Callable[[], Sequence[str]]
    owns: Callable[[str], bool]


_CARDS, _OWN_CARDS, _OWN_METRICS = "cards.", "cards.torr.", "metrics.torr."
_makers: list[Maker] = []


def offline() -> bool:
    """Whether nothing is to be looked for on the network, as Hugging Face's ``HF_HUB_OFFLINE`` says it."""
    return os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE")


def add_maker(maker: Maker) -> None:
    """Have the catalog ask ``maker`` for names that it has no file of; adding it again does nothing."""
    if maker not in _makers:
        _makers.append(maker)


class TorrCatalog(LocalCatalog):  # type: ignore[misc]
    """``cards.*``, ``tasks.torr.*``, ``metrics.torr.*`` and what the makers make.

    ``cards.torr.NAME`` is the card ``cards.NAME`` whatever other catalog has one of that name. Without
    ``override`` no name that unitxt's own catalog has is answered.
    """

    name: str = "torr"
    location: str = str(artifacts.HERE)
    override: bool = True

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
        """The artifact of a file, with what a subset of a card says otherwise; or one that is made."""
        if not self._has_file(artifact_identifier):
            make = self._make(artifact_identifier)
            if make is not None:
                return _named(make(overwrite_args or {}), artifact_identifier, overwrite_args)
        changed = {**_subset(_card(artifact_identifier)), **(overwrite_args or {})}
        return super().load(artifact_identifier, overwrite_args=changed or None)

    def _has_file(self, artifact_identifier: str) -> bool:
        return bool(LocalCatalog.__contains__(self, artifact_identifier))

    def _make(self, artifact_identifier: str) -> Optional[Make]:  # noqa: UP045
        found = (maker.find(artifact_identifier) for maker in (_METRICS, *_makers))
        return next((make for make in found if make is not None), None)

    def _refuse_misspelt(self, artifact_identifier: str) -> None:
        """Tell the nearest names, before unitxt looks on GitHub for what it cannot find there.

        That is what can only be the project's; and without a network anything of the kinds that the project
        has, whoever's it would be, unless somebody else's catalog is to be asked yet.
        """
        kind = artifact_identifier.partition(".")[0]
        makers = [each for each in (_METRICS, _CARDS_OF_OURS, *_makers) if each.kind == kind]
        owner = next((each for each in makers if each.owns(artifact_identifier)), None)
        if (owner is None and not (makers and self._unreachable())) or self._elsewhere(artifact_identifier):
            return
        known = [name for each in makers for name in each.names()] if owner is None else owner.names()
        theirs = artifacts.unitxt_names(kind) if owner is None else []
        raise UnknownNameError("artifact", artifact_identifier, {*known, *theirs})

    def _unreachable(self) -> bool:
        """Whether what is in no local catalog cannot be had: there is but unitxt's own on GitHub, offline."""
        return offline() and all(
            each is self or each.is_local or type(each) is GithubCatalog for each in Catalogs().catalogs
        )

    def _elsewhere(self, artifact_identifier: str) -> bool:
        others = [each for each in Catalogs().catalogs if each is not self and each.is_local]
        return any(artifact_identifier in each for each in others)


def _named(artifact: Artifact, name: str, overwrite_args: Any) -> Artifact:
    """An artifact under its name; one that was changed is written out in full where unitxt saves it."""
    if not overwrite_args:
        artifact.__id__ = name
    return artifact


def _card(artifact_identifier: str) -> str:
    """The card that a name means, as :func:`card_names` has it; empty where it means none."""
    if not artifact_identifier.startswith(_CARDS):
        return ""
    own = _CARDS + artifact_identifier.removeprefix(_OWN_CARDS)
    return next((name for name in dict.fromkeys((artifact_identifier, own)) if has_card(name)), "")


def _metric(artifact_identifier: str) -> Optional[Make]:  # noqa: UP045
    """The metric that a plugin has registered."""
    name = artifact_identifier.removeprefix(_OWN_METRICS)
    if name == artifact_identifier or name not in scoring_metrics():
        return None
    main = scoring_metrics().get(name).main
    return lambda changed: TorrMetric(**{"name": name, "main_score": main, **changed})


_METRICS = Maker(
    "metrics",
    _metric,
    lambda: [_OWN_METRICS + each for each in scoring_metrics().names()],
    lambda name: name.startswith(_OWN_METRICS),
)
_CARDS_OF_OURS = Maker(
    "cards",
    lambda name: None,
    lambda: [*card_names(), *(_OWN_CARDS + each.removeprefix(_CARDS) for each in card_names())],
    lambda name: name.startswith(_OWN_CARDS),
)


def _subset(card: str) -> dict[str, Any]:
    """What a subset's card says otherwise than the whole one's; nothing of a card that is whole."""
    if not card:
        return {}
    path, subset = card_place(card)
    if not subset:
        return {}
    whole = json.loads(path.read_text(encoding="utf-8"))
    (step,) = whole["preprocess_steps"]
    chosen = whole["subsets"][subset]
    return {
        "__description__": chosen["description"],
        "preprocess_steps": [{**step, "only": {**step.get("only", {}), **chosen["where"]}}],
        "subsets": {},
    }
