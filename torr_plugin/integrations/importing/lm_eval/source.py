"""lm-eval's output folder as results."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from ....core.errors import InputError
from ..models import told_apart
from ..result import Batch, Piece, Source
from .finding import Samples, sample_files
from .run_file import RunFile, read_run_file
from .samples import read_samples


def lm_eval_source(path: Path) -> Source:
    """The runs of lm-eval in a folder; of a task that a model was asked several times the newest.

    Args:
        path: what ``--output_path`` named, a model's folder in it, or one above several.

    Raises:
        InputError: no samples, or a half-written or other version's file.
    """
    files, results = sample_files(path)
    runs = {each: read_run_file(each) for each in results}
    newest, notes = _newest(files, runs)
    for run in {each.results for each in newest}:
        _check_whole(runs[run], [each.task for each in files if each.results == run])
    entries = told_apart([runs[each.results].entry for each in newest])
    pieces = [
        Piece(each.path.name, entry, partial(_read, each, runs[each.results], entry.label))
        for each, entry in zip(newest, entries, strict=True)
    ]
    versions = {name: text for each in newest for name, text in runs[each.results].versions.items()}
    return Source(
        harness="lm-eval",
        path=path,
        pieces=tuple(pieces),
        version=versions.get("lm-eval"),
        settings={"versions": versions},
        notes=(*notes, *_templated([runs[each.results] for each in newest])),
    )


def _newest(files: Sequence[Samples], runs: dict[Path, RunFile]) -> tuple[list[Samples], list[str]]:
    found: dict[tuple[str, str], list[Samples]] = {}
    for each in files:
        entry = runs[each.results].entry
        found.setdefault((entry.label + entry.digest, each.task), []).append(each)
    notes = []
    for several in found.values():
        several.sort(key=lambda each: each.date)
        if len(several) > 1:
            last = several[-1]
            notes.append(
                f"{last.task}: {len(several)} runs of {runs[last.results].entry.label}; the newest "
                f"counts, of {last.date}"
            )
    return [several[-1] for several in found.values()], notes


def _check_whole(run: RunFile, logged: Sequence[str]) -> None:
    missing = [task for task in run.tasks if task in run.expected and task not in logged]
    if missing:
        raise InputError(
            f"{run.path}: half-written run: has no samples of task {missing[0]!r} beside it; "
            "run lm_eval again with --log_samples"
        )


def _templated(runs: Sequence[RunFile]) -> list[str]:
    if not any(run.templated for run in runs):
        return []
    return ["prompts went through models' chat templates; they are kept as the first model was sent them"]


def _read(file: Samples, run: RunFile, label: str) -> Batch:
    found = list(read_samples(file.path, file.task))
    results = [result for several, _ in found for result in several]
    expected = run.expected.get(file.task)
    there = len({result.example for result in results})
    if expected is not None and there < expected:
        raise InputError(
            f"{file.path}: half-written run: holds {there} examples, {run.path.name} says {expected}; "
            "run lm_eval again"
        )
    return Batch(label, tuple(results), tuple(claim for _, claims in found for claim in claims))
