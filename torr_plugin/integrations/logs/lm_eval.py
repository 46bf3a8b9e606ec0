"""Logs of lm-eval 0.4, for their answers and for their scores."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from ...core.errors import InputError
from ...prompts import Message, Prompt
from ...recipes.known_models import tokenizer_of
from ..record import FIELD, read_record
from .files import at, number, read_lines
from .lm_eval_files import NAMED, LoggedScores, TaskFile, holds, task_runs
from .lm_eval_scores import scores
from .log import Log, LogFile, LogReader, OwnScore, Result
from .names import AS_IS, DEFAULT, NONE, plain_name

_PERFORMANCE = "performance"
_NO_TEXT = "None"  # lm-eval writes every answer as a text, also one that is not there

_LIKELIHOODS = TypeAdapter(list[tuple[float, Literal["True", "False"]]])
"""Of choices: log-likelihoods, and whether they are greedy, as texts."""


def _log(path: Path) -> Log:
    """The runs below a folder; of a task that a model was asked several times the newest.

    Raises:
        InputError: means without samples, or samples without their run's results.
    """
    found = task_runs(path, answers=True)
    unlogged = (
        f"{task}: has no samples of {run.entry.label}, and is left out" for task, run in found.unlogged
    )
    changes = dict.fromkeys(note for each in found.newest for note in each.run.changes())
    files = [LogFile(each.path.name, each.run.entry, partial(_results, each)) for each in found.newest]
    version = found.newest[-1].run.lm_eval_version
    return Log(LM_EVAL.name, path, tuple(files), version, (*found.notes, *unlogged, *changes))


# -- samples_*.jsonl -------------------------------------------------------------------------------------


class _LoggedDocument(LoggedScores):
    """A document with its requests and answers."""

    records: Any = at("doc", FIELD, default=None)
    target: Any = None
    arguments: dict[str, dict[str, Any]]
    resps: list[Any]
    filtered_resps: list[Any]

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
    there, expected = len({result.example for result in found}), file.run.counts.get(file.task)
    if expected is not None and there < expected.effective:
        raise InputError(
            f"{file.path}: half-written run: holds {there} examples of {expected.effective}, by its "
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
    # NaN and null are missing scores, for which no other metric stands in
    main = (name for name in sample.given if sample.metrics)
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
        main=next(main, None),
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


LM_EVAL = LogReader(
    "lm-eval",
    "a folder that lm_eval wrote with --output_path and --log_samples",
    NAMED,
    scores=scores,
    holds=holds,
    log=_log,
)
"""Reads what ``--output_path`` named, a model's folder in it, or one above several."""
