"""HELM's run entries ``torr:card=...,serializer=...``: read one by one, written for whole studies."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...catalog import load_card
from ...core.errors import InputError, UnknownNameError
from ...recipes import Configuration
from ..studies import StudyPart, shows_pictures, study_part, study_parts

STUDY = "torr"
"""The study of an entry that names none."""

ARGUMENTS = ("study", "card", "dataset", "serializer", "perturbation", "design", "chat", "draw")


@dataclass(frozen=True, slots=True)
class RunEntry:
    """A data set of a study in one configuration.

    Attributes:
        study: as it was named, a recipe or its file.
        chat: whether prompts go as chat messages, or as one text.
        helm_draws: whether HELM draws the examples of ``--max-eval-instances``; else they are the first.
    """

    study: str
    dataset: str
    config: Configuration
    chat: bool
    helm_draws: bool

    @property
    def group(self) -> str:
        """The HELM group of the data set in all configurations, e.g. ``torr_wikitq``."""
        return study_part(self.study, self.dataset).task

    @property
    def name(self) -> str:
        """The run spec's name, the same however the entry was written."""
        config = self.config
        return (
            f"torr:study={self.study},dataset={self.dataset},serializer={config.serializer},"
            f"perturbation={config.perturbation},design={config.design}"
            + (",chat=yes" if self.chat else "")
            + (",draw=helm" if self.helm_draws else "")
        )


def parse_run_entry(arguments: Mapping[str, Any]) -> RunEntry:
    """Parse the arguments of a run entry.

    Args:
        arguments: ``card`` or ``dataset``, ``serializer``, ``perturbation``; ``study`` (else ``torr``) and
            ``design`` (needed where the study has several); ``chat`` (``yes`` or ``no``); ``draw``
            (``first`` or ``helm``). HELM makes numbers of what looks like one.

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
    configs = [part.config for part in parts if part.dataset == dataset and part.config is not None]
    for field in ("design", "perturbation", "serializer"):
        configs = _narrowed(configs, field, given.get(field), study)
    if shows_pictures(configs[0]):
        raise InputError(f"run entry torr: {configs[0].id!r} shows pictures; run specs of HELM ask texts")
    chat = given.get("chat", "no")
    if chat not in ("yes", "no"):
        raise InputError(f"run entry torr: chat: found {chat!r}; expected yes or no")
    draw = given.get("draw", "first")
    if draw not in ("first", "helm"):
        raise InputError(f"run entry torr: draw: found {draw!r}; expected first or helm")
    return RunEntry(study, dataset, configs[0], chat == "yes", draw == "helm")


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
    """Keep those with this serializer, perturbation or design; ``html`` also means ``torr.html``."""
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


ANY_MODEL = "text"
"""Stands for the models of ``helm-run --models-to-run``."""


def run_entries(
    studies: Sequence[str], models: Sequence[str] = (), *, chat: bool = False, helm_draws: bool = False
) -> list[dict[str, Any]]:
    """A run entry for each data set and configuration of studies, and for each model.

    Priority 1 are tables as they are, 2 perturbed ones: ``helm-run --priority 1`` asks those alone. The run
    specs bring their groups, one a data set, with them (``helm-run --groups-to-run torr_wikitq``).
    Configurations that show pictures have none: HELM would fail them, and their folders stay empty.

    Args:
        studies: recipes or their files.
        models: as HELM names them; without any the entries wait for ``--models-to-run``.
        chat: as of :class:`RunEntry`.
        helm_draws: likewise.

    Raises:
        InputError: no such recipe, one that HELM can ask in no configuration, or a name that a run entry
            cannot hold.
    """
    for name in (*studies, *models):
        _check(name)
    return [
        {
            "description": f"{entry.name},model={model}",
            "priority": 1 if entry.config.perturbation == "none" else 2,
        }
        for study in studies
        for entry in _single(study, chat, helm_draws)
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


def _single(study: str, chat: bool, helm_draws: bool) -> list[RunEntry]:
    pictures = left_out(study)
    found = [
        RunEntry(study, part.dataset, part.config, chat, helm_draws)
        for part in study_parts(study)
        if part.config and part.config.id not in pictures
    ]
    if not found:
        raise InputError(f"recipe {study!r}: all configurations show pictures; run entries of HELM ask texts")
    return found


def _check(name: str) -> None:
    """Refuse commas: HELM splits a run entry at them and has no way to escape one."""
    if not name or "," in name or any(char.isspace() for char in name):
        raise InputError(f"run entries of HELM: found {name!r}; expected a name without commas and blanks")
