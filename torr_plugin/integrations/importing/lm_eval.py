"""lm-eval's output folder as results: which files belong together, and which run of a task is the newest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from ...core.errors import InputError, counted, elided
from ...recipes.tokens import Tokenizers
from .json_files import files_below, no_results
from .lm_eval_files import LmEvalRun, Window, read_run_file, read_samples
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
    files = sample_files(path)
    newest, notes = _newest(files)
    runs = {each.run.path: each.run for each in newest}.values()
    for run in runs:
        _check_whole(run, [each.task for each in files if each.run is run])
    entries = distinct_models([each.run.entry for each in newest])
    tokenizers = Tokenizers()
    return HarnessOutput(
        harness="lm-eval",
        path=path,
        pieces=tuple(
            ResultFile(each.path.name, entry, partial(_read, each, tokenizers))
            for each, entry in zip(newest, entries, strict=True)
        ),
        versions={name: text for run in runs for name, text in run.versions.items()},
        notes=(*notes, *_templated(runs), *_instructed(runs)),
    )


def _newest(files: Iterable[LmEvalSampleFile]) -> tuple[list[LmEvalSampleFile], list[str]]:
    found: dict[tuple[str, str], list[LmEvalSampleFile]] = {}
    for each in files:
        found.setdefault((each.run.entry.label + each.run.entry.digest, each.task), []).append(each)
    notes = []
    for several in found.values():
        several.sort(key=lambda each: each.date)
        if len(several) > 1:
            last, model = several[-1], several[-1].run.entry.label
            notes.append(f"{last.task}: {len(several)} runs of {model}; the newest counts, of {last.date}")
    return [several[-1] for several in found.values()], notes


def _check_whole(run: LmEvalRun, logged: Sequence[str]) -> None:
    missing = [task for task in run.tasks if task in run.expected and task not in logged]
    if missing:
        raise InputError(
            f"{run.path}: half-written run: has no samples of task {missing[0]!r} beside it; "
            "run lm_eval again with --log_samples"
        )


def _templated(runs: Iterable[LmEvalRun]) -> list[str]:
    if not any(run.templated for run in runs):
        return []
    return ["prompts went through models' chat templates; they are kept as the first model was sent them"]


def _instructed(runs: Iterable[LmEvalRun]) -> list[str]:
    given = sorted({run.system for run in runs if run.system})
    return [f"--system_instruction put {elided(text, 80)!r} before every prompt" for text in given]


def _read(file: LmEvalSampleFile, tokenizers: Tokenizers) -> ResultBatch:
    most, entry = file.run.window, file.run.entry
    window = None if most is None else Window(most, tokenizers.of(entry))
    results = list(read_samples(file.path, file.task, window))
    expected = file.run.expected.get(file.task)
    there = len({result.example for result in results})
    if expected is not None and there < expected:
        raise InputError(
            f"{file.path}: half-written run: holds {there} examples, {file.run.path.name} says {expected}; "
            "run lm_eval again"
        )
    return ResultBatch(results, notes=_unknown(window, entry.label) if window else ())


def _unknown(window: Window, model: str) -> tuple[str, ...]:
    if not window.unknown:
        return ()
    return (
        f"{model}: {counted(window.unknown, 'prompt')} may have been cut: its window is {window.most:,} "
        "tokens, and without its tokenizer on this machine nothing tells; import where that is",
    )


@dataclass(frozen=True, slots=True)
class LmEvalSampleFile:
    """A file of samples, and the run that it is of."""

    path: Path
    task: str
    date: str
    run: LmEvalRun


def sample_files(path: Path) -> list[LmEvalSampleFile]:
    """The files of samples in a folder and those below it.

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
    read_once = cache(read_run_file)
    found = []
    for each, match in matched:
        of_run = results.get((each.parent, match["date"]))
        if of_run is None:
            raise InputError(
                f"{each}: half-written run: has no results_{match['date']}.json beside it, which says "
                "what model this is; run lm_eval again, or leave the file out"
            )
        found.append(LmEvalSampleFile(each, match["task"], match["date"], read_once(of_run)))
    return found


def _without_samples(path: Path, files: Iterable[Path], results: Iterable[Path]) -> InputError:
    named = next(iter(results), None) or next(
        (each for each in files if each.name.startswith("results")), None
    )
    if named is not None:
        return InputError(f"{named}: has no samples beside it, only means; run lm_eval with --log_samples")
    return no_results(path, "lm-eval", _WHAT)
