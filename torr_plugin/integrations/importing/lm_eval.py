"""lm-eval's output folder as results.

MERGED: lm-eval's files below a folder, and which of several runs of a task is the newest.
MERGED: lm-eval's results_*.json: which model was asked, how, and how many examples of each task.
MERGED: lm-eval's samples: a line a document and filter.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.errors import InputError
from ..record import FIELD, RequestRecord, read_record
from .json_files import expected, field, files_below, number, optional, read_json, read_lines, texts
from .names import AS_IS, DEFAULT, NONE, digest, plain_name
from .results import (
    HarnessOutput,
    HarnessScore,
    Result,
    ResultBatch,
    ResultFile,
    distinct_models,
    model_entry,
)

if TYPE_CHECKING:
    from ...prompts.message import Prompt
    from ...recipes import ModelEntry


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
        ResultFile(each.path.name, entry, partial(_read, each, runs[each.results], entry.label))
        for each, entry in zip(newest, entries, strict=True)
    ]
    versions = {name: text for each in newest for name, text in runs[each.results].versions.items()}
    return HarnessOutput(
        harness="lm-eval",
        path=path,
        pieces=tuple(pieces),
        version=versions.get("lm-eval"),
        settings={"versions": versions},
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


def _read(file: LmEvalSampleFile, run: LmEvalRun, label: str) -> ResultBatch:
    found = list(read_samples(file.path, file.task))
    results = [result for several, _ in found for result in several]
    expected = run.expected.get(file.task)
    there = len({result.example for result in results})
    if expected is not None and there < expected:
        raise InputError(
            f"{file.path}: half-written run: holds {there} examples, {run.path.name} says {expected}; "
            "run lm_eval again"
        )
    return ResultBatch(label, tuple(results), tuple(claim for _, claims in found for claim in claims))


_DATE = r"(?P<date>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)"
_SAMPLES = re.compile(rf"samples_(?P<task>.+)_{_DATE}\.jsonl")
_RESULTS = re.compile(rf".*_{_DATE}\.json")
_WHAT = "a folder that lm_eval wrote with --output_path and --log_samples"


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
        raise InputError(_without_samples(path, files, results.values()))
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


def _without_samples(path: Path, files: Iterable[Path], results: Iterable[Path]) -> str:
    named = next(iter(results), None) or next(
        (each for each in files if each.name.startswith("results")), None
    )
    if named is not None:
        return f"{named}: has no samples beside it, only means; run lm_eval with --log_samples"
    return expected(path, "lm-eval", _WHAT)


_OLD = "this may be of an lm-eval before 0.4; run lm_eval of 0.4.13 with --log_samples"


@dataclass(frozen=True)
class LmEvalRun:
    """A run of lm-eval.

    Attributes:
        path: the file.
        entry: the model.
        versions: of lm-eval and of what it says beside it.
        expected: task -> how many examples.
        tasks: those that were rated one by one.
        templated: whether prompts went through a chat template, which each model has of its own.
    """

    path: Path
    entry: ModelEntry
    versions: Mapping[str, str]
    expected: Mapping[str, int]
    tasks: tuple[str, ...]
    templated: bool


def read_run_file(path: Path) -> LmEvalRun:
    """The run of a results_*.json.

    Raises:
        InputError: it is no JSON, or not what lm-eval 0.4 writes.
    """
    said, where = read_json(path, dict), str(path)
    config = field(said, "config", dict, where, _OLD)
    counts = field(said, "n-samples", dict, where, _OLD)
    template = said.get("chat_template")
    model = field(config, "model", str, f"{where}: config", _OLD)
    return LmEvalRun(
        path=path,
        entry=_entry(model, config.get("model_args"), bool(template), where),
        versions=_versions(said),
        expected={
            task: field(each, "effective", int, f"{where}: n-samples") for task, each in counts.items()
        },
        tasks=tuple(field(said, "configs", dict, where, _OLD)),
        templated=bool(template),
    )


def _entry(model: str, args: object, templated: bool, where: str) -> ModelEntry:
    given = args if isinstance(args, (dict, str)) and args else {}
    chat = None if model.startswith("torr-") else templated
    return model_entry(f"{where}: config", model=model, args=given, chat=chat)


def _versions(said: Mapping[str, Any]) -> dict[str, str]:
    found = {"lm-eval": said.get("lm_eval_version"), "transformers": said.get("transformers_version")}
    environment = said.get("pretty_env_info")
    torch = re.search(r"\btorch==([\w.+]+)", environment if isinstance(environment, str) else "")
    found["torch"] = torch[1] if torch else None
    return {name: version for name, version in found.items() if isinstance(version, str) and version != "N/A"}


_OLD_SAMPLES = "lm-eval 0.4 writes it with --log_samples"
PERFORMANCE = "performance"


def read_samples(path: Path, task: str) -> Iterator[tuple[list[Result], list[HarnessScore]]]:
    """The results of each document, and what lm-eval said of those that are ours.

    Args:
        path: the file.
        task: lm-eval's name of it.

    Raises:
        InputError: a line is no JSON, or not what lm-eval 0.4 writes.
    """
    for line, sample in read_lines(path):
        where = f"{path}: line {line}"
        records = _records(sample, where)
        if records is None:
            yield [_foreign(sample, task, where)], []
        else:
            results = _ours(sample, records, where)
            yield results, _claims(sample, records, results)


def _records(sample: Mapping[str, Any], where: str) -> list[RequestRecord] | None:
    document = sample.get("doc")
    if not isinstance(document, dict) or FIELD not in document:
        return None
    said = field(document, FIELD, list, f"{where}: doc")
    return [read_record(each, f"{where}: doc: {place}") for place, each in enumerate(said)]


def _ours(sample: Mapping[str, Any], records: Sequence[RequestRecord], where: str) -> list[Result]:
    asked, said = _arguments(sample, where), field(sample, "resps", list, where, _OLD_SAMPLES)
    if not len(asked) == len(said) == len(records):
        raise InputError(
            f"{where}: has {len(records)} records, {len(asked)} arguments and {len(said)} answers; "
            "expected as many of each"
        )
    return [
        Result(
            dataset=record.dataset,
            example=record.example,
            config=record.config,
            prompt=_prompt(arguments),
            references=record.references,
            answer=_text(answers, where),
            where=where,
            record=record,
        )
        for record, arguments, answers in zip(records, asked, said, strict=True)
    ]


def _claims(
    sample: Mapping[str, Any], records: Sequence[RequestRecord], results: Sequence[Result]
) -> list[HarnessScore]:
    """The performance of all configurations together; of a single one every score, by its own name."""
    if not records:
        return []
    first, configs = records[0], tuple(result.config for result in results)
    whole = len(records) > 1 or PERFORMANCE in sample  # a study of one configuration has whole tasks too
    names: dict[str, str | None] = {PERFORMANCE: None}
    if not whole:
        names = {name: name for name in _metrics(sample, results[0].where) or ()}
    return [
        HarnessScore(first.dataset, first.example, configs, score, metric)
        for name, metric in names.items()
        if name not in _NO_SCORES and (score := number(sample.get(name))) is not None
    ]


def _foreign(sample: Mapping[str, Any], task: str, where: str) -> Result:
    document = field(sample, "doc_id", int, where, _OLD_SAMPLES)
    names = _metrics(sample, where)
    found = sample if names is None else {name: sample.get(name) for name in names}
    scores = {name: score for name, value in found.items() if (score := number(value)) is not None}
    said = _arguments(sample, where)
    kept = sample.get("filter") if isinstance(sample.get("filter"), str) else "none"
    answer, references = _said(sample, said, where)
    return Result(
        dataset=plain_name(task),
        example=str(document),
        config=f"{AS_IS}/{NONE}/{DEFAULT if kept == 'none' else plain_name(str(kept))}",
        prompt=_prompt(said[0] if said else {}),
        references=references,
        answer=answer,
        where=where,
        scores={name: score for name, score in scores.items() if name not in _NO_SCORES},
        main=next((name for name in names or () if name in sample and _rates(sample[name])), None),
        same=_same(sample, where),
    )


_NO_SCORES = frozenset({"doc_id", "bypass"})


def _metrics(sample: Mapping[str, Any], where: str) -> list[str] | None:
    """The names of its scores, the main one first; None where it does not list them."""
    names = optional(sample, "metrics", list, where)
    return None if names is None else [name for name in names if isinstance(name, str)]


def _rates(value: object) -> bool:
    """Whether a metric gives numbers; NaN and null are ones that are missing, not another metric's turn."""
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))


def _same(sample: Mapping[str, Any], where: str) -> str:
    """What all models are to be asked alike: the document, whatever chat template its text went through."""
    known = optional(sample, "doc_hash", str, where)
    return known or digest(json.dumps(sample.get("doc"), sort_keys=True, default=str))


def _said(
    sample: Mapping[str, Any], asked: Sequence[Mapping[str, Any]], where: str
) -> tuple[str | None, tuple[str, ...]]:
    """The answer and the right one; of a choice by likelihood the choices' texts."""
    target = sample.get("target")
    filtered = field(sample, "filtered_resps", list, where, _OLD_SAMPLES)
    choices = [each.get("arg_1") for each in asked]
    likely = [_likelihood(each) for each in filtered]
    if not filtered or any(value is None for value in likely) or not all(isinstance(c, str) for c in choices):
        return _text(filtered, where), texts(target if target is not None else "", f"{where}: target")
    best = max(range(len(likely)), key=lambda place: likely[place] or 0.0)
    if len(choices) != len(likely):
        raise InputError(
            f"{where}: has {len(choices)} arguments and {len(likely)} likelihoods; expected as many"
        )
    right = str(target)
    of_place = choices[int(right)] if right.isdigit() and int(right) < len(choices) else right
    return str(choices[best]).strip(), (str(of_place).strip(),)


def _likelihood(value: object) -> float | None:
    """The log-likelihood in lm-eval's pair (log-likelihood, whether greedy), written as texts."""
    if not isinstance(value, (list, tuple)) or len(value) != 2 or str(value[1]) not in ("True", "False"):
        return None
    try:
        return float(value[0])
    except (TypeError, ValueError):
        return None


def _arguments(sample: Mapping[str, Any], where: str) -> list[dict[str, Any]]:
    said = field(sample, "arguments", dict, where, _OLD_SAMPLES)
    found = [said.get(f"gen_args_{place}") for place in range(len(said))]
    if not all(isinstance(each, dict) for each in found):
        raise InputError(f"{where}: arguments: found {sorted(said)[:3]}; expected gen_args_0 and so on")
    return [each for each in found if isinstance(each, dict)]


def _prompt(arguments: Mapping[str, Any]) -> Prompt:
    """What was sent: a text, after any chat template; or messages as JSON."""
    from ...prompts.message import Message

    said = arguments.get("arg_0", "")
    if isinstance(said, list) and len(said) == 1:
        said = said[0]
    return (Message("user", said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)),)


def _text(value: object, where: str) -> str | None:
    """The first answer of a request, None for null; lm-eval writes lists of lists of texts."""
    found = value
    while isinstance(found, list) and found:
        found = found[0]
    if isinstance(found, list):
        raise InputError(f"{where}: has no answer; expected a text")
    return found if found is None or isinstance(found, str) else str(found)
