"""HELM's ``benchmark_output`` as results: which folders are runs, and whose results they hold."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from ...core.atomic_files import read_error
from ...core.errors import InputError
from ...recipes import ModelEntry
from .helm_files import RUN_SPEC, STATE, STATS, HelmRun, asked_by, read_run_spec, read_states, read_stats
from .json_files import no_results, packed
from .results import HarnessOutput, Result, ResultBatch, ResultFile

NAMED_RUNS = 5

_DEEPEST = 4
_NO_RUNS = frozenset({"eval_cache", "scenarios", "scenario_instances", "groups", "releases", "cache"})


def helm_source(path: Path, *, leave_out: bool = False) -> HarnessOutput:
    """The runs of HELM below a folder.

    Args:
        path: ``benchmark_output``, its ``runs``, a suite, or one run.
        leave_out: leave half-written runs out; their cells are holes.

    Raises:
        InputError: no runs, a half-written one, or files of another version.
    """
    whole, unfinished = run_folders(path, leave_out=leave_out)
    specs = {folder: read_run_spec(folder / RUN_SPEC) for folder in whole}
    entries = _models(specs)
    pieces = [
        ResultFile(spec.name, entries[folder], partial(_read, folder, spec)) for folder, spec in specs.items()
    ]
    announced = [asked_by(folder.name) for folder in unfinished]
    return HarnessOutput(
        harness="HELM",
        path=path,
        pieces=tuple(pieces),
        notes=_left_out(unfinished),
        options=("--leave-out-unfinished",) if unfinished else (),
        announced=tuple(each for each in announced if each is not None),
    )


def _models(specs: Mapping[Path, HelmRun]) -> dict[Path, ModelEntry]:
    """The model of each run; one asked through two deployments is two, as their answers may differ."""
    deployments: dict[str, set[str]] = {}
    for spec in specs.values():
        deployments.setdefault(spec.model, set()).add(spec.deployment)
    return {
        folder: spec.entry(with_deployment=len(deployments[spec.model]) > 1) for folder, spec in specs.items()
    }


def _left_out(unfinished: Sequence[Path]) -> tuple[str, ...]:
    if not unfinished:
        return ()
    some = "; ".join(folder.name for folder in unfinished[:NAMED_RUNS])
    more = f" and {len(unfinished) - NAMED_RUNS} more" if len(unfinished) > NAMED_RUNS else ""
    return (f"{len(unfinished)} half-written runs were left out, and their cells are holes: {some}{more}",)


def _read(folder: Path, spec: HelmRun) -> ResultBatch:
    results = list(read_states(folder / STATE, spec, read_stats(folder / STATS)))
    return ResultBatch(results, _sampled(folder, spec, results))


def _sampled(folder: Path, spec: HelmRun, results: Sequence[Result]) -> tuple[str, ...]:
    """Report that HELM rated answers against other instances' references.

    UnitxtMetric of HELM 0.5.16 hands unitxt the answers and the data set, which pairs the n-th answer with
    the data set's n-th row; with instances drawn by max_eval_instances these are others.
    """
    ours = any(result.record is not None for result in results)
    in_order = all(
        result.example.endswith(str(place)) and _number(result.example) == place
        for place, result in enumerate(results)
    )
    if ours or not spec.first_rows or in_order:
        return ()
    return (
        "HELM's UnitxtMetric rated drawn instances against the first rows of the data set, so its scores are "
        f"not of these answers (first in {folder.name}); --rate-again rates them by our cards",
    )


def _number(example: str) -> int:
    digits = example[len(example.rstrip("0123456789")) :]
    return int(digits) if digits else -1


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
        raise no_results(path, "HELM", "benchmark_output, or a suite in its 'runs', of helm-run")
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
        raise read_error(path, error) from error
    for folder in inside:
        if folder.name not in _NO_RUNS:
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
