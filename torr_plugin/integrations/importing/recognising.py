"""Whose output a folder looks like, for the one line that an importer says of the wrong folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

_MOST_FILES = 5000
_PACKED = (".gz", ".zip", ".tgz", ".tar", ".bz2", ".xz", ".zst", ".7z")


def expected(path: Path, harness: str, what: str) -> str:
    """The line on a folder without results of a harness.

    Args:
        path: what was given.
        harness: whose results were looked for.
        what: what the folder should be.
    """
    if not path.exists():
        return f"{path}: is not there; expected {what}"
    if not path.is_dir():
        return f"{path}: is a file; expected {what}{packed(path)}"
    found = looks_like(path)
    text = f"{path}: holds no results of {harness}; expected {what}{packed(path)}{_linked(path)}"
    if found == "run":
        return f"{text}; it is a run of this project: 'torr analyse' takes it as it is"
    if found is not None and found != harness:
        return f"{text}; it looks like output of {found}: try 'torr import {found.lower()}'"
    return text


def packed(path: Path) -> str:
    """What is said where a folder holds an archive or a compressed file, or the path is one; else nothing."""
    names = [path.name] if path.is_file() else islice(_names(path), _MOST_FILES)
    found = min((name for name in names if name.endswith(_PACKED)), default=None)
    return f"; {found} is packed: unpack it first" if found else ""


def _linked(path: Path) -> str:
    """What is said where a folder holds a link to another one, which is not followed; else nothing."""
    found = None
    with suppress(OSError), os.scandir(path) as entries:
        found = min((each.name for each in entries if each.is_symlink() and each.is_dir()), default=None)
    return f"; {found} is a link to a folder and is not followed: name the folder itself" if found else ""


def looks_like(path: Path) -> str | None:
    """``HELM``, ``lm-eval``, ``unitxt``, ``run`` for a run of ours, or None."""
    names = set(islice(_names(path), _MOST_FILES))
    if "study.yaml" in names:
        return "run"
    if names & {"scenario_state.json", "per_instance_stats.json", "run_spec.json"}:
        return "HELM"
    if any(
        name.startswith(("samples_", "results_")) and name.endswith((".jsonl", ".json")) for name in names
    ):
        return "lm-eval"
    return "unitxt" if any(name.endswith("_samples.json") for name in names) else None


def _names(path: Path) -> Iterator[str]:
    for _, _, files in os.walk(path):
        yield from files
