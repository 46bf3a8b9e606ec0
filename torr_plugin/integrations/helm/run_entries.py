"""HELM's run entries ``torr:card=...,serializer=...``: read one by one, written for whole studies."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...catalog import load_card
from ...core.errors import InputError, UnknownNameError
from ...recipes import Configuration
from ..studies import shows_pictures, study_part, study_parts

STUDY = "torr"
"""The study of an entry that names none."""

ARGUMENTS = ("study", "card", "dataset", "serializer", "perturbation", "design", "chat")


@dataclass(frozen=True, slots=True)
class RunEntry:
    """A data set of a study in one configuration.

    Attributes:
        study: as it was named, a recipe or its file.
        chat: whether prompts go as chat messages, or as one text.
    """

    study: str
    dataset: str
    config: Configuration
    chat: bool = False

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
            f"perturbation={config.perturbation},design={config.design}" + (",chat=yes" if self.chat else "")
        )


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
    if "card" in given:
        if "dataset" in given:
            raise InputError("run entry torr: card, dataset: found both; expected one")
        given["dataset"] = load_card(given["card"]).dataset
    parts = study_parts(study)
    dataset = _known("dataset", given.get("dataset"), [part.dataset for part in parts], study)
    configs = [part.config for part in parts if part.dataset == dataset and part.config is not None]
    for field in ("design", "perturbation", "serializer"):
        names = [getattr(config, field) for config in configs]
        name = _known(field, given.get(field), names, study)
        configs = [config for config in configs if getattr(config, field) == name]
    (config,) = configs
    if shows_pictures(config):
        raise InputError(f"run entry torr: {config.id!r} shows pictures; run specs of HELM ask texts")
    chat = given.get("chat", "no")
    if chat not in ("no", "yes"):
        raise InputError(f"run entry torr: chat: found {chat!r}; expected no or yes")
    return RunEntry(study, dataset, config, chat == "yes")


def _known(field: str, value: str | None, known: Sequence[str], study: str) -> str:
    """A name that the study has; ``html`` also means ``torr.html``, and one name alone may be left out."""
    names = list(dict.fromkeys(known))
    where = f"run entry torr: study {study!r}"
    if value is None:
        if len(names) > 1:
            raise InputError(f"{where}: {field}: found none; expected one of {', '.join(names)}")
        return names[0]
    for name in (value, f"torr.{value}"):
        if name in names:
            return name
    raise UnknownNameError(field, value, names, where=where)


ANY_MODEL = "text"
"""Stands for the models of ``helm-run --models-to-run``."""


def run_entries(
    studies: Sequence[str], models: Sequence[str] = (), *, chat: bool = False
) -> list[dict[str, Any]]:
    """A run entry for each data set and configuration of studies, and for each model.

    Priority 1 are tables as they are, 2 perturbed ones: ``helm-run --priority 1`` asks those alone. The run
    specs bring their groups, one a data set, with them (``helm-run --groups-to-run torr_wikitq``).
    Configurations that show pictures have none: HELM would fail them, and their folders stay empty.

    Args:
        studies: recipes or their files.
        models: as HELM names them; without any the entries wait for ``--models-to-run``.
        chat: as of :class:`RunEntry`.

    Raises:
        InputError: no such recipe, one that HELM can ask in no configuration, or a name that a run entry
            cannot hold.
    """
    for name in (*studies, *models):  # HELM splits a run entry at commas and has no way to escape one
        if not name or "," in name or any(char.isspace() for char in name):
            raise InputError(
                f"run entries of HELM: found {name!r}; expected a name without commas and blanks"
            )
    return [
        {
            "description": f"{entry.name},model={model}",
            "priority": 1 if entry.config.perturbation == "none" else 2,
        }
        for study in studies
        for entry in _entries(study, chat)
        for model in models or (ANY_MODEL,)
    ]


def _entries(study: str, chat: bool) -> list[RunEntry]:
    found = [
        RunEntry(study, part.dataset, part.config, chat)
        for part in study_parts(study)
        if part.config and not shows_pictures(part.config)
    ]
    if not found:
        raise InputError(f"recipe {study!r}: all configurations show pictures; run entries of HELM ask texts")
    return found


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
