"""HELM's run entries ``torr:card=...,serializer=...``: read one by one, written for whole studies."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...catalog import load_card
from ...core.errors import InputError, UnknownNameError
from ...recipes import Configuration
from ..studies import StudyPart, shows_pictures, study_parts

STUDY = "torr"
"""The study of an entry that names none."""

ARGUMENTS = ("study", "card", "dataset", "serializer", "perturbation", "design", "chat")
_CHAT = {"yes": True, "no": False}


@dataclass(frozen=True, slots=True)
class RunEntry:
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
        parts = [
            f"study={self.study}",
            f"dataset={self.dataset}",
            f"serializer={config.serializer}",
            f"perturbation={config.perturbation}",
            f"design={config.design}",
        ]
        return "torr:" + ",".join([*parts, "chat=yes"] if self.chat else parts)


def parse_run_entry(arguments: Mapping[str, Any]) -> RunEntry:
    """Parse the arguments of a run entry.

    Args:
        arguments: ``card`` or ``dataset``, ``serializer``, ``perturbation``; ``study`` (else ``torr``) and
            ``design`` (needed where the study has several); ``chat`` (``yes`` or ``no``). HELM makes numbers
            of what looks like one.

    Raises:
        InputError: an argument that there is not, none where one is needed, or a name that the study does
            not have; the message lists those it has. Or a configuration that shows pictures.
    """
    unknown = sorted(set(arguments) - set(ARGUMENTS))
    if unknown:
        raise InputError(f"run entry torr: argument {unknown[0]!r}; expected one of {', '.join(ARGUMENTS)}")
    given = {name: str(value) for name, value in arguments.items()}
    study = given.get("study", STUDY)
    parts = study_parts(study)
    dataset = _dataset(given, study, parts)
    of_dataset = [part for part in parts if part.dataset == dataset]
    group = next(part.task for part in of_dataset if part.config is None)
    configs = [part.config for part in of_dataset if part.config is not None]
    for field in ("design", "perturbation", "serializer"):
        configs = _narrowed(configs, field, given.get(field), study)
    if shows_pictures(configs[0]):
        raise InputError(f"run entry torr: {configs[0].id!r} shows pictures; run specs of HELM ask texts")
    return RunEntry(study, dataset, configs[0], group, _chat(given.get("chat", "no")))


def _dataset(given: Mapping[str, str], study: str, parts: Sequence[StudyPart]) -> str:
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


ANY_MODEL = "text"
"""Stands for the models of ``helm-run --models-to-run``."""

_UNPERTURBED = "none"


def run_entries(studies: Sequence[str], models: Sequence[str] = ()) -> list[dict[str, Any]]:
    """A run entry for each data set and configuration of studies, and for each model.

    Priority 1 are tables as they are, 2 perturbed ones: ``helm-run --priority 1`` asks those alone. The run
    specs bring their groups, one a data set, with them (``helm-run --groups-to-run torr_wikitq``).
    Configurations that show pictures have none: HELM would fail them, and their folders stay empty.

    Args:
        studies: recipes or their files.
        models: as HELM names them; without any the entries wait for ``--models-to-run``.

    Raises:
        InputError: no such recipe, one that HELM can ask in no configuration, or a name that a run entry
            cannot hold.
    """
    for name in (*studies, *models):
        _check(name)
    return [
        {"description": f"{_description(study, part)},model={model}", "priority": _priority(part)}
        for study in studies
        for part in _single(study)
        for model in models or (ANY_MODEL,)
    ]


def conf(entries: Sequence[dict[str, Any]]) -> str:
    """Run entries as a ``.conf`` file."""
    lines = [
        f"  {{description: {json.dumps(entry['description'])}, priority: {entry['priority']}}}"
        for entry in entries
    ]
    return "\n".join(["entries: [", *lines, "]", ""])


def left_out(study: str) -> list[str]:
    """The ids of a study's configurations that have no entries, as they show pictures."""
    configs = dict.fromkeys(part.config for part in study_parts(study) if part.config is not None)
    return [config.id for config in configs if shows_pictures(config)]


def _single(study: str) -> Iterator[StudyPart]:
    pictures = left_out(study)
    parts = [part for part in study_parts(study) if part.config and part.config.id not in pictures]
    if not parts:
        raise InputError(f"recipe {study!r}: all configurations show pictures; run entries of HELM ask texts")
    yield from parts


def _description(study: str, part: StudyPart) -> str:
    config = _config(part)
    return (
        f"torr:study={study},dataset={part.dataset},serializer={config.serializer},"
        f"perturbation={config.perturbation},design={config.design}"
    )


def _priority(part: StudyPart) -> int:
    return 1 if _config(part).perturbation == _UNPERTURBED else 2


def _config(part: StudyPart) -> Configuration:
    assert part.config is not None  # noqa: S101 - see _single
    return part.config


def _check(name: str) -> None:
    """HELM divides a run entry at commas, and knows no way to write one."""
    if not name or "," in name or any(char.isspace() for char in name):
        raise InputError(f"run entries of HELM: found {name!r}; expected a name without commas and blanks")
