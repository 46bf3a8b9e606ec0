"""Logs of lm-eval 0.4, for their answers and for their scores."""

from __future__ import annotations

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

import pandas as pd
from pydantic import TypeAdapter, ValidationError

from ...core.errors import InputError
from ...prompts import Message, Prompt
from ...recipes.known_models import tokenizer_of
from ..record import FIELD, read_record
from .board import BoardScores, joined, stacked
from .files import at, number, read_lines
from .frames import ItemTable, aggregate_frame
from .lm_eval_files import RESULTS, SAMPLES, HarnessRun, LoggedScores, TaskFile, holds, task_runs
from .log import Log, LogFile, LogReader, OwnScore, Result
from .names import AS_IS, DEFAULT, NONE, plain_name
from .scales import observed_scales

_PERFORMANCE = "performance"
_NO_TEXT = "None"  # lm-eval writes every answer as a text, also one that is not there
_HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+")
_STDERR = "_stderr"

_LIKELIHOODS = TypeAdapter(list[tuple[float, Literal["True", "False"]]])
"""Of choices: log-likelihoods, and whether they are greedy, as texts."""


# -- answers ---------------------------------------------------------------------------------------------


def _log(path: Path) -> Log:
    """The runs below a folder.

    Raises:
        InputError: means without samples, or samples without their run's results.
    """
    found = task_runs(LM_EVAL.files(path))
    if not found.newest:
        raise InputError(f"{path}: holds no samples, only means; run lm_eval with --log_samples")
    unlogged = (
        f"{task}: has no samples of {run.entry.label}, and is left out" for task, run in found.unlogged
    )
    changes = dict.fromkeys(note for each in found.newest for note in each.run.changes())
    files = [LogFile(each.path.name, each.run.entry, partial(_results, each)) for each in found.newest]
    version = found.newest[-1].run.lm_eval_version
    return Log(tuple(files), version, (*found.notes, *unlogged, *changes))


class _LoggedDocument(LoggedScores):
    """A document with its requests and answers."""

    records: Any = at("doc", FIELD, default=None)
    target: Any = None
    arguments: dict[str, dict[str, Any]]
    resps: list[Any]
    filtered_resps: list[Any]

    @property
    def scores(self) -> dict[str, float]:
        """Those that are there."""
        return {name: score for name, score in self.given.items() if score is not None}

    @property
    def asked(self) -> list[dict[str, Any]]:
        """The arguments of each request."""
        return list(self.arguments.values())


def _results(file: TaskFile) -> Sequence[Result]:
    window = _Window(file)
    found = [
        result
        for where, sample in read_lines(file.path, _LoggedDocument)
        for result in _of_sample(sample, file.task, window, where)
    ]
    there, expected = len({result.example for result in found}), file.run.expected(file.task)
    if expected is not None and there < expected:
        raise InputError(
            f"{file.path}: half-written run: holds {there} examples of {expected}, by its "
            "results_*.json; run lm_eval again"
        )
    return found


def _of_sample(sample: _LoggedDocument, task: str, window: _Window, where: str) -> Iterator[Result]:
    """The results of a document: of ours one a record, with lm-eval's own scores of all of them."""
    records = sample.records
    if records is None:
        yield _foreign(sample, task, where)
        return
    if not isinstance(records, list) or not len(sample.asked) == len(sample.resps) == len(records):
        raise InputError(f"{where}: doc.{FIELD}: expected a list with a record for each argument and answer")
    read = [read_record(each, f"{where}: doc: {at}") for at, each in enumerate(records)]
    claims = _own_scores(sample, tuple(each.config for each in read))
    # so are our tasks' where a model gave no text
    unrated = any(isinstance(value, float) and math.isnan(value) for value in sample.others.values())
    for record, arguments, answers in zip(read, sample.asked, sample.resps, strict=True):
        answer, prompt = _first_text(answers), _prompt(arguments)
        cut, note = window.cuts(prompt, arguments)
        yield Result.of_record(
            record,
            prompt=prompt,
            answer=None if answer == _NO_TEXT and unrated else answer,
            where=where,
            cut=cut,
            note=note,
            claims=claims,
        )
        claims = ()  # they are of the whole document


def _own_scores(sample: _LoggedDocument, configs: tuple[str, ...]) -> tuple[OwnScore, ...]:
    """The performance of all configurations together; of a single one every score, by its own name."""
    if len(configs) > 1 or _PERFORMANCE in sample.others:  # so has a study of one configuration
        return tuple(
            OwnScore(configs, score) for name, score in sample.scores.items() if name == _PERFORMANCE
        )
    return tuple(OwnScore(configs, score, name) for name, score in sample.scores.items())


def _foreign(sample: _LoggedDocument, task: str, where: str) -> Result:
    answer, right = _answer(sample)
    return Result(
        dataset=plain_name(task),
        example=str(sample.doc_id),
        config=f"{AS_IS}/{NONE}/{DEFAULT if sample.filter == 'none' else plain_name(sample.filter)}",
        prompt=_prompt(sample.asked[0] if sample.asked else {}),
        references=(right,),
        answer=answer,
        where=where,
        scores=sample.scores,
        # NaN and null are missing scores, for which no other metric stands in
        main=next(iter(sample.given), None) if sample.metrics else None,
        same=sample.doc_hash,  # of the document, whatever chat template its text went through
    )


def _answer(sample: _LoggedDocument) -> tuple[str, str]:
    """The answer and the right one; of a choice by likelihood the choices' texts."""
    choices = [str(each.get("arg_1", "")).strip() for each in sample.asked]
    right = str(sample.target)
    try:
        likely = _LIKELIHOODS.validate_python(sample.filtered_resps)
    except ValidationError:
        likely = []
    if not likely or len(likely) != len(choices):
        return _first_text(sample.filtered_resps), right
    best = max(range(len(likely)), key=lambda at: likely[at][0])
    return choices[best], dict(zip(map(str, range(len(choices))), choices, strict=True)).get(right, right)


def _prompt(arguments: Mapping[str, Any]) -> Prompt:
    """What was sent: a text, after any chat template; or messages as JSON, a list of one text."""
    sent = arguments.get("arg_0", "")
    if isinstance(sent, list) and len(sent) == 1:
        sent = sent[0]
    return (Message("user", sent if isinstance(sent, str) else json.dumps(sent, ensure_ascii=False)),)


def _first_text(value: object) -> str:
    """The first answer of a request, of which there are lists of lists; empty where there is none."""
    while isinstance(value, list):
        value = value[0] if value else ""
    return str(value)


class _Window:
    """Tells which prompts lm-eval cut: it drops their beginning, and logs them whole.

    It cuts the texts that it sends itself, and no messages of a chat server.
    """

    def __init__(self, file: TaskFile) -> None:
        served = "chat" in file.run.model
        self._most = 0 if served else int(file.run.max_length or 0)  # tokens of a prompt and its answer
        self._tokenizer = tokenizer_of(file.run.entry) if self._most else None
        self._unknown = (
            f"prompts may have been cut: {file.run.entry.label} has a window of {self._most:,} tokens, and "
            "its tokenizer is not on this machine"
        )

    def cuts(self, prompt: Prompt, arguments: Mapping[str, Any]) -> tuple[bool, str]:
        """Whether a request's prompt does not fit, and a note where nothing tells."""
        given = arguments.get("arg_1")
        room = self._most - int(number(given.get("max_gen_toks") if isinstance(given, dict) else 0) or 0)
        size = sum(len(turn.content.encode("utf-8", "replace")) for turn in prompt)
        if not self._most or size <= room:  # a token has a byte at least
            return False, ""
        if self._tokenizer is None:
            return False, self._unknown
        empty, whole = self._tokenizer.encode([(), prompt], chat=False)
        return len(whole) - len(empty) > room, ""


# -- scores: items where a task's samples are all there, else its means --------------------------------------


def _scores(path: Path) -> BoardScores:
    """The scores below a folder, or in the run of a file.

    Raises:
        InputError: neither samples nor means, or samples without their run's results.
    """
    files, alone = LM_EVAL.files(path), SAMPLES.fullmatch(path.name)
    if alone and not path.is_dir():  # its results say whose they are
        files += path.parent.glob(f"[!.]*_{alone['date']}.json")
    found = task_runs(files)
    runs = {each.run.entry.digest: each.run for each in found.newest}
    runs |= {run.entry.digest: run for _, run in found.unlogged}
    names = {digest: _name(run) for digest, run in runs.items()}
    several = Counter(names.values())
    labels = {digest: name if several[name] == 1 else f"{name}-{digest}" for digest, name in names.items()}
    parts = [_items(each, labels[each.run.entry.digest]) for each in found.newest]
    for task, run in () if alone else found.unlogged:
        model = labels[run.entry.digest]
        parts.append(_means(run, task, model, f"{task}: {model} has no samples; the run's means count"))
    return joined([BoardScores(notes=found.notes), *parts])


def _name(run: HarnessRun) -> str:
    """A model's name on the hub, where it has one."""
    args = run.entry.args
    given = next((str(args[name]) for name in ("pretrained", "model") if args.get(name)), "")
    return given if _HUB_NAME.fullmatch(given) else run.entry.label


def _items(file: TaskFile, model: str) -> BoardScores:
    """A task's samples; its means where they are not all there, for a few are no mean."""
    run, task = file.run, file.task
    tables, met = dict[str, ItemTable](), defaultdict[str, Counter[str]](Counter)
    main: str | None = None
    for _, sample in read_lines(file.path, LoggedScores):
        of = sample.doc_hash or str(sample.doc_id)
        met[sample.filter][of] += 1  # documents that are alike are apart by their order
        again = met[sample.filter][of]
        scores = {_named(name, sample.filter): score for name, score in sample.given.items()}
        main = next(iter(scores), None) if main is None else main
        table = tables.setdefault(sample.filter, ItemTable())
        table.add(of if again == 1 else f"{of}#{again}", scores, same=sample.target_hash)
    there, expected = max(map(len, tables.values()), default=0), run.expected(task)
    if expected is not None and there < expected:
        part = f"{there} of {expected:,}"
        means = _means(run, task, model, f"{task}: {model} has samples of {part}; the run's means count")
        if means.aggregates.empty:
            raise InputError(
                f"{file.path}: half-written run: holds {part} samples, and its results_*.json no mean; "
                "run lm_eval again"
            )
        return means
    items = stacked(table.frame(model, task) for table in tables.values())
    board = _board(run, task, items, tuple(_differences(run, task, model, items)))
    return BoardScores(items, **board, main={} if main is None else {task: main})


def _means(run: HarnessRun, task: str, model: str, note: str) -> BoardScores:
    """A task whose samples are not there."""
    means = _mean_frame(run, task, model)
    return (
        BoardScores() if means.empty else BoardScores(aggregates=means, **_board(run, task, means, (note,)))
    )


def _board(run: HarnessRun, task: str, scores: pd.DataFrame, notes: tuple[str, ...]) -> dict[str, Any]:
    """What a run says of a task beside the scores."""
    higher, version = run.higher.get(task, {}), run.versions.get(task)
    metrics = map(str, scores["metric"].unique())
    lower = {name for name in metrics if higher.get(name.partition(",")[0]) is False}
    versions = {} if version is None else {task: str(version)}
    return {"scales": observed_scales(scores, lower), "versions": versions, "notes": notes}


def _mean_frame(run: HarnessRun, task: str, model: str) -> pd.DataFrame:
    """The means of a run with their standard errors, over all documents."""
    given, scores, errors = run.means.get(task, {}), dict[str, float](), list[float | None]()
    for key, value in given.items():
        metric, comma, filter_ = key.partition(",")
        if comma and not metric.endswith(_STDERR) and (score := number(value)) is not None:
            scores[_named(metric, filter_)] = score
            errors.append(number(given.get(f"{metric}{_STDERR},{filter_}")))
    return aggregate_frame(
        list(scores.values()),
        model=model,
        task=task,
        metric=list(scores),
        n=run.expected(task),
        error=errors,
    )


def _named(metric: str, filter_: str) -> str:
    """A metric as lm-eval's own table has it, without the filter that does nothing."""
    return metric if filter_ == "none" else f"{metric},{filter_}"


def _differences(run: HarnessRun, task: str, model: str, items: pd.DataFrame) -> Iterator[str]:
    """Where the run's own figure is no mean of its samples."""
    found = items.groupby("metric")["score"].mean().to_dict()
    means = _mean_frame(run, task, model)
    for metric, mean in zip(means["metric"], means["score"], strict=True):
        if metric in found and not math.isclose(mean, found[metric], abs_tol=1e-6):
            yield (
                f"{task}: {model}: {metric}: the run reports {mean:.4g}, its samples have {found[metric]:.4g}"
            )


LM_EVAL = LogReader(
    "lm-eval",
    "a folder that lm_eval wrote with --output_path and --log_samples",
    re.compile(rf"{SAMPLES.pattern}|{RESULTS.pattern}"),
    scores=_scores,
    holds=holds,
    log=_log,
)
"""Reads what ``--output_path`` named, a model's folder in it, or one above several."""
