"""What a run entry ``torr:card=...,serializer=...`` asks: one data set in one configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ...core.errors import InputError, UnknownNameError
from ..studies import Part, parts_of, shows_pictures

if TYPE_CHECKING:
    from ...recipes import Configuration

STUDY = "torr"
"""The study of an entry that names none."""

ARGUMENTS = ("study", "card", "dataset", "serializer", "perturbation", "design", "chat")
_CHAT = {"yes": True, "no": False}


@dataclass(frozen=True, slots=True)
class Asked:
    """A data set of a study in one configuration.

    Attributes:
        study: as it was named, a recipe or its file.
        group: the HELM group of the data set in all configurations, e.g. ``torr_wikitq``.
        chat: whether prompts go as chat messages, or as one text.
    """

    study: str
    dataset: str
    config: Configuration
    group: str
    chat: bool

    @property
    def name(self) -> str:
        """The run spec's name, the same however the entry was written."""
        config = self.config
        told = [
            f"study={self.study}",
            f"dataset={self.dataset}",
            f"serializer={config.serializer}",
            f"perturbation={config.perturbation}",
            f"design={config.design}",
        ]
        return "torr:" + ",".join([*told, "chat=yes"] if self.chat else told)


def asked(arguments: Mapping[str, Any]) -> Asked:
    """What the arguments of a run entry ask.

    Args:
        arguments: ``card`` or ``dataset``, ``serializer``, ``perturbation``; ``study`` (else ``torr``) and
            ``design`` (needed where the study has several); ``chat`` (``yes`` or ``no``). HELM makes numbers
            of what looks like one.

    Raises:
        InputError: an argument that there is not, none where one is needed, or a name that the study does
            not have; the names it has are said. Or a configuration that shows pictures.
    """
    unknown = sorted(set(arguments) - set(ARGUMENTS))
    if unknown:
        raise InputError(f"run entry torr: argument {unknown[0]!r}; expected one of {', '.join(ARGUMENTS)}")
    given = {name: str(value) for name, value in arguments.items()}
    study = given.get("study", STUDY)
    parts = _parts(study)
    dataset = _dataset(given, study, parts)
    of_dataset = [part for part in parts if part.dataset == dataset]
    group = next(part.task for part in of_dataset if part.config is None)
    configs = [part.config for part in of_dataset if part.config is not None]
    for field in ("design", "perturbation", "serializer"):
        configs = _narrowed(configs, field, given.get(field), study)
    if shows_pictures(configs[0]):
        raise InputError(f"run entry torr: {configs[0].id!r} shows pictures; run specs of HELM ask texts")
    return Asked(study, dataset, configs[0], group, _chat(given.get("chat", "no")))


@lru_cache(maxsize=32)
def _parts(study: str) -> tuple[Part, ...]:
    """A study's parts, read once: HELM asks for every entry of thousands."""
    return parts_of(study)


def _dataset(given: Mapping[str, str], study: str, parts: Sequence[Part]) -> str:
    from ...catalog import load_card

    known = list(dict.fromkeys(part.dataset for part in parts))
    if ("card" in given) == ("dataset" in given):
        found = "both" if "card" in given else "neither"
        raise InputError(f"run entry torr: card, dataset: found {found}; expected one of {', '.join(known)}")
    dataset = given["dataset"] if "dataset" in given else load_card(given["card"]).dataset
    if dataset not in known:
        hint = "" if "study" in given else " (study=NAME asks another study)"
        where = f"run entry torr: study {study!r}{hint}"
        raise UnknownNameError("data set", dataset, known, where=where)
    return dataset


def _narrowed(configs: list[Configuration], field: str, value: str | None, study: str) -> list[Configuration]:
    """Those with that serializer, perturbation or design; ToRR's dialects go by the short name."""
    names = list(dict.fromkeys(getattr(config, field) for config in configs))
    where = f"run entry torr: study {study!r}"
    if value is None:
        if len(names) > 1:
            raise InputError(f"{where}: {field}: found none; expected one of {', '.join(names)}")
        return configs
    meant = value if value in names else f"torr.{value}"
    if meant not in names:
        raise UnknownNameError(field, value, names, where=where)
    return [config for config in configs if getattr(config, field) == meant]


def _chat(value: str) -> bool:
    if value not in _CHAT:
        raise InputError(f"run entry torr: chat: found {value!r}; expected yes or no")
    return _CHAT[value]
