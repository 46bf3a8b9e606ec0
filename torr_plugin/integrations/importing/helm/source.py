"""A HELM output folder as results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..result import Batch, Piece, Result, Source
from .finding import RUN_SPEC, STATE, STATS, run_folders
from .run_spec import RunSpec, asked_by, read_run_spec
from .states import read_states
from .stats import read_stats

if TYPE_CHECKING:
    from ....recipes import ModelEntry

NAMED_RUNS = 5


def helm_source(path: Path, *, leave_out: bool = False) -> Source:
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
        Piece(spec.name, entries[folder], partial(_read, folder, spec, entries[folder].label))
        for folder, spec in specs.items()
    ]
    announced = [asked_by(folder.name) for folder in unfinished]
    return Source(
        harness="HELM",
        path=path,
        pieces=tuple(pieces),
        notes=_left_out(unfinished),
        options=("--leave-out-unfinished",) if unfinished else (),
        announced=tuple(each for each in announced if each is not None),
    )


def _models(specs: Mapping[Path, RunSpec]) -> dict[Path, ModelEntry]:
    """The model of each run; asked through two deployments it is two, which may answer otherwise."""
    deployments: dict[str, set[str]] = {}
    for spec in specs.values():
        deployments.setdefault(spec.model, set()).add(spec.deployment)
    return {folder: spec.entry(apart=len(deployments[spec.model]) > 1) for folder, spec in specs.items()}


def _left_out(unfinished: Sequence[Path]) -> tuple[str, ...]:
    if not unfinished:
        return ()
    some = "; ".join(folder.name for folder in unfinished[:NAMED_RUNS])
    more = f" and {len(unfinished) - NAMED_RUNS} more" if len(unfinished) > NAMED_RUNS else ""
    return (f"{len(unfinished)} half-written runs were left out, and their cells are holes: {some}{more}",)


def _read(folder: Path, spec: RunSpec, label: str) -> Batch:
    stats = read_stats(folder / STATS)
    found = list(read_states(folder / STATE, spec, stats))
    results = tuple(result for result, _ in found)
    return Batch(
        model=label,
        results=results,
        claims=tuple(claim for _, claim in found if claim is not None),
        doubts=_sampled(folder, spec, results),
    )


def _sampled(folder: Path, spec: RunSpec, results: tuple[Result, ...]) -> tuple[str, ...]:
    """A doubt where HELM rated answers against other instances' references.

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
