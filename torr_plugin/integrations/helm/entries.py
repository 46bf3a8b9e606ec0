"""Whole studies as run entries, in the format of HELM's ``.conf`` files (HOCON)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ...core.errors import InputError
from ..studies import Part, parts_of, shows_pictures

if TYPE_CHECKING:
    from ...recipes import Configuration

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
    configs = dict.fromkeys(part.config for part in parts_of(study) if part.config is not None)
    return [config.id for config in configs if shows_pictures(config)]


def _single(study: str) -> Iterator[Part]:
    pictures = left_out(study)
    parts = [part for part in parts_of(study) if part.config and part.config.id not in pictures]
    if not parts:
        raise InputError(f"recipe {study!r}: all configurations show pictures; run entries of HELM ask texts")
    yield from parts


def _description(study: str, part: Part) -> str:
    config = _config(part)
    return (
        f"torr:study={study},dataset={part.dataset},serializer={config.serializer},"
        f"perturbation={config.perturbation},design={config.design}"
    )


def _priority(part: Part) -> int:
    return 1 if _config(part).perturbation == _UNPERTURBED else 2


def _config(part: Part) -> Configuration:
    assert part.config is not None  # noqa: S101 - see _single
    return part.config


def _check(name: str) -> None:
    """HELM divides a run entry at commas, and knows no way to write one."""
    if not name or "," in name or any(char.isspace() for char in name):
        raise InputError(f"run entries of HELM: found {name!r}; expected a name without commas and blanks")
