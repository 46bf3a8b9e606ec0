"""lm-eval's output folder as results: which files belong together, and which run of a task is the newest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ...core.errors import InputError
from .json_files import files_below, no_results
from .lm_eval_files import LmEvalRun, read_run_file, read_samples
from .results import HarnessOutput, ResultBatch, ResultFile, distinct_models

_DATE = r"(?P<date>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)"
_SAMPLES = re.compile(rf"samples_(?P<task>.+)_{_DATE}\.jsonl")
_RESULTS = re.compile(rf".*_{_DATE}\.json")
_WHAT = "a folder that lm_eval wrote with --output_path and --log_samples"


def lm_eval_source(path: Path) -> HarnessOutput:
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
    entries = distinct_models([runs[each.results].entry for each in newest])
    pieces = [
        ResultFile(each.path.name, entry, partial(_read, each, runs[each.results]))
        for each, entry in zip(newest, entries, strict=True)
    ]
    versions = {name: text for each in newest for name, text in runs[each.results].versions.items()}
    return HarnessOutput(
        harness="lm-eval",
        path=path,
        pieces=tuple(pieces),
        versions=versions,
        notes=(*notes, *_templated([runs[each.results] for each in newest])),
    )


def _newest(
    files: Sequence[LmEvalSampleFile], runs: dict[Path, LmEvalRun]
) -> tuple[list[LmEvalSampleFile], list[str]]:
    found: dict[tuple[str, str], list[LmEvalSampleFile]] = {}
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


def _check_whole(run: LmEvalRun, logged: Sequence[str]) -> None:
    missing = [task for task in run.tasks if task in run.expected and task not in logged]
    if missing:
        raise InputError(
            f"{run.path}: half-written run: has no samples of task {missing[0]!r} beside it; "
            "run lm_eval again with --log_samples"
        )


def _templated(runs: Sequence[LmEvalRun]) -> list[str]:
    if not any(run.templated for run in runs):
        return []
    return ["prompts went through models' chat templates; they are kept as the first model was sent them"]


def _read(file: LmEvalSampleFile, run: LmEvalRun) -> ResultBatch:
    results = list(read_samples(file.path, file.task))
    expected = run.expected.get(file.task)
    there = len({result.example for result in results})
    if expected is not None and there < expected:
        raise InputError(
            f"{file.path}: half-written run: holds {there} examples, {run.path.name} says {expected}; "
            "run lm_eval again"
        )
    return ResultBatch(results)


@dataclass(frozen=True, slots=True)
class LmEvalSampleFile:
    """A file of samples, and the results of the same run."""

    path: Path
    task: str
    date: str
    results: Path


def sample_files(path: Path) -> tuple[list[LmEvalSampleFile], list[Path]]:
    """The files of samples in a folder and those below it, and all files of results.

    Raises:
        InputError: there are none, samples were not logged, or a file of samples has no results.
    """
    files = files_below(path, ".json", ".jsonl")
    results = {
        (each.parent, match["date"]): each for each in files if (match := _RESULTS.fullmatch(each.name))
    }
    matched = [(each, match) for each in files if (match := _SAMPLES.fullmatch(each.name))]
    if not matched:
        raise _without_samples(path, files, results.values())
    found = []
    for each, match in matched:
        of_run = results.get((each.parent, match["date"]))
        if of_run is None:
            raise InputError(
                f"{each}: half-written run: has no results_{match['date']}.json beside it, which says "
                "what model this is; run lm_eval again, or leave the file out"
            )
        found.append(LmEvalSampleFile(each, match["task"], match["date"], of_run))
    return found, list(results.values())


def _without_samples(path: Path, files: Iterable[Path], results: Iterable[Path]) -> InputError:
    named = next(iter(results), None) or next(
        (each for each in files if each.name.startswith("results")), None
    )
    if named is not None:
        return InputError(f"{named}: has no samples beside it, only means; run lm_eval with --log_samples")
    return no_results(path, "lm-eval", _WHAT)
