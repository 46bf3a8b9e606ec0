"""HELM's run folders below a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from ....core.errors import InputError
from ..recognising import expected, packed

RUN_SPEC, STATE, STATS = "run_spec.json", "scenario_state.json", "per_instance_stats.json"
_DEEPEST = 4
_BESIDE = frozenset({"eval_cache", "scenarios", "scenario_instances", "groups", "releases", "cache"})


def run_folders(path: Path, *, leave_out: bool) -> tuple[list[Path], list[Path]]:
    """The folders of runs in a run, a suite, ``runs`` or ``benchmark_output``, by name.

    Links are not followed: ``runs/latest`` is the newest suite again.

    Args:
        path: where to look.
        leave_out: whether half-written runs are left out.

    Returns:
        The whole runs, and the half-written ones.

    Raises:
        InputError: there are none, or one lacks a file and is not to be left out.
    """
    found = sorted(_below(path, _DEEPEST))
    if not found:
        raise InputError(expected(path, "HELM", "benchmark_output, or a suite in its 'runs', of helm-run"))
    unfinished = [folder for folder in found if _missing(folder)]
    whole = [folder for folder in found if folder not in set(unfinished)]
    if unfinished and not (leave_out and whole):
        raise InputError(_half_written(unfinished, whole))
    return whole, unfinished


def _below(path: Path, depth: int) -> Iterator[Path]:
    if _is_run(path):
        yield path
        return
    if not depth or not path.is_dir():
        return
    try:
        with os.scandir(path) as entries:
            inside = [Path(each.path) for each in entries if each.is_dir(follow_symlinks=False)]
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    for folder in inside:
        if folder.name not in _BESIDE:
            yield from _below(folder, depth - 1)


def _is_run(path: Path) -> bool:
    if any((path / name).is_file() for name in (RUN_SPEC, STATE, STATS)):
        return True
    # a folder that helm-run made for a run and left empty
    return ":" in path.name and "model=" in path.name and path.is_dir()


def _missing(folder: Path) -> list[str]:
    return [name for name in (RUN_SPEC, STATE, STATS) if not (folder / name).is_file()]


def _half_written(unfinished: Sequence[Path], whole: Sequence[Path]) -> str:
    """The line on the first half-written run, and how many there are."""
    folder, missing = unfinished[0], _missing(unfinished[0])
    there = [name for name in (RUN_SPEC, STATE, STATS) if name not in missing]
    having = f"it has {' and '.join(there)} alone" if there else "it is empty"
    more = f", and so are {len(unfinished) - 1} others" if len(unfinished) > 1 else ""
    if archive := packed(folder):
        return f"{folder}: has no {missing[0]}{more}{archive}"
    line = f"{folder}: half-written run: has no {missing[0]} ({having}){more}; run helm-run again"
    if not whole:
        return f"{line}: no run is whole"
    return f"{line}, or --leave-out-unfinished imports the {len(whole)} whole runs with these as holes"
