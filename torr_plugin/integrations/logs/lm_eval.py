"""Logs of lm-eval 0.4: of each run a ``results_*.json``, and beside it a ``samples_*.jsonl`` a task."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, Field

from ...core.errors import InputError, counted, elided
from ...prompts import Message, Prompt
from ...recipes import ModelEntry
from ...recipes.tokens import Tokenizer, Tokenizers
from ..record import FIELD, RequestRecord, read_record
from .files import HarnessModel, Text, Texts, checked, files_below, names_below, number, read_json, read_lines
from .log import FileResults, Log, LogFile, OwnScore, Result, distinct_models, model_entry
from .names import AS_IS, DEFAULT, NONE, digest, plain_name

_PERFORMANCE = "performance"
_NO_SCORES = frozenset({"doc_id", "bypass"})
_OLD = "this may be of an lm-eval before 0.4; run lm_eval of 0.4.13 with --log_samples"
_LOGGED = "lm-eval 0.4 writes it with --log_samples"
_DATE = r"(?P<date>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)"
_SAMPLES = re.compile(rf"samples_(?P<task>.+)_{_DATE}\.jsonl")
_RESULTS = re.compile(rf".*_{_DATE}\.json")


# -- results_*.json --------------------------------------------------------------------------------------


class _Config(HarnessModel):
    model: Text
    model_args: Any = None


class _Counts(HarnessModel):
    effective: int


class _Run(HarnessModel):
    """``results_*.json``."""

    config: _Config
    configs: dict[Any, Any]
    counts: dict[Any, _Counts] = Field(alias="n-samples")
    chat_template: Any = None
    lm_eval_version: Any = None
    transformers_version: Any = None
    pretty_env_info: Any = None
    max_length: Any = None
    system_instruction: str | None = None

    def entry(self, where: str) -> ModelEntry:
        """The model; one of our own reads chats and texts alike."""
        model, args = self.config.model, self.config.model_args
        chat = None if model.startswith("torr-") else bool(self.chat_template)
        return model_entry(
            where, model=model, args=args if isinstance(args, (dict, str)) and args else {}, chat=chat
        )

    @property
    def window(self) -> int | None:
        """How many tokens prompt and answer may have together before lm-eval cuts the prompt.

        It cuts the texts that it sends itself, and no messages of a chat server; None where it does not say.
        """
        most = self.max_length
        return most if isinstance(most, int) and most > 0 and "chat" not in self.config.model else None

    def versions(self) -> dict[str, str]:
        """Of lm-eval and of what it says beside it."""
        environment = self.pretty_env_info
        torch = re.search(r"\btorch==([\w.+]+)", environment if isinstance(environment, str) else "")
        found = {
            "lm-eval": self.lm_eval_version,
            "transformers": self.transformers_version,
            "torch": torch[1] if torch else None,
        }
        return {name: text for name, text in found.items() if isinstance(text, str) and text != "N/A"}


# -- the folder ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _TaskFile:
    """A file of samples, and the run that it is of."""

    path: Path
    task: str
    date: str
    run_path: Path
    run: _Run
    entry: ModelEntry


class LmEvalLogs:
    """Reads what ``--output_path`` named, a model's folder in it, or one above several."""

    name = "lm-eval"
    expected = "a folder that lm_eval wrote with --output_path and --log_samples"

    def recognises(self, path: Path) -> bool:
        """Whether there are files of samples or results."""
        return any(
            name.startswith(("samples_", "results_")) and name.endswith((".jsonl", ".json"))
            for name in names_below(path)
        )

    def read(self, path: Path) -> Log:
        """The runs below a folder; of a task that a model was asked several times the newest.

        Raises:
            InputError: results without samples, or a half-written or other version's file.
        """
        there = _sample_files(path)
        newest, notes = _newest(there)
        runs = {each.run_path: each.run for each in newest}
        for run_path, run in runs.items():
            logged = [each.task for each in there if each.run_path == run_path]
            missing = [task for task in run.configs if task in run.counts and task not in logged]
            if missing:
                raise InputError(
                    f"{run_path}: half-written run: has no samples of task {missing[0]!r} beside it; "
                    "run lm_eval again with --log_samples"
                )
        entries, tokenizers = distinct_models([each.entry for each in newest]), Tokenizers()
        return Log(
            harness=self.name,
            path=path,
            files=tuple(
                LogFile(each.path.name, entry, partial(_results, each, tokenizers))
                for each, entry in zip(newest, entries, strict=True)
            ),
            versions={name: text for run in runs.values() for name, text in run.versions().items()},
            notes=(*notes, *_changed_prompts(runs.values())),
        )


def _sample_files(path: Path) -> list[_TaskFile]:
    files = files_below(path, ".json", ".jsonl")
    results = {
        (each.parent, match["date"]): each for each in files if (match := _RESULTS.fullmatch(each.name))
    }
    matched = [(each, match) for each in files if (match := _SAMPLES.fullmatch(each.name))]
    means = [*results.values(), *(each for each in files if each.name.startswith("results"))]
    if means and not matched:
        raise InputError(f"{means[0]}: has no samples beside it, only means; run lm_eval with --log_samples")
    read, found = cache(_run), []
    for each, match in matched:
        of_run = results.get((each.parent, match["date"]))
        if of_run is None:
            raise InputError(
                f"{each}: half-written run: has no results_{match['date']}.json beside it, which says "
                "what model this is; run lm_eval again, or leave the file out"
            )
        found.append(_TaskFile(each, match["task"], match["date"], of_run, *read(of_run)))
    return found


def _run(path: Path) -> tuple[_Run, ModelEntry]:
    run = checked(_Run, read_json(path), str(path), _OLD)
    return run, run.entry(f"{path}: config")


def _newest(files: Iterable[_TaskFile]) -> tuple[list[_TaskFile], list[str]]:
    found: dict[tuple[str, str], list[_TaskFile]] = {}
    for each in files:
        found.setdefault((each.entry.label + each.entry.digest, each.task), []).append(each)
    notes = []
    for several in found.values():
        several.sort(key=lambda each: each.date)
        if len(several) > 1:
            last = several[-1]
            notes.append(
                f"{last.task}: {len(several)} runs of {last.entry.label}; the newest counts, of {last.date}"
            )
    return [several[-1] for several in found.values()], notes


def _changed_prompts(runs: Iterable[_Run]) -> Iterator[str]:
    if any(run.chat_template for run in runs):
        yield "prompts went through models' chat templates; they are kept as the first model was sent them"
    for text in sorted({run.system_instruction for run in runs if run.system_instruction}):
        yield f"--system_instruction put {elided(text, 80)!r} before every prompt"


def _results(file: _TaskFile, tokenizers: Tokenizers) -> FileResults:
    window = None
    if file.run.window is not None:
        window = _Window(file.run.window, tokenizers.of(file.entry))
    results = list(_samples(file.path, file.task, window))
    there, expected = len({result.example for result in results}), file.run.counts.get(file.task)
    if expected is not None and there < expected.effective:
        raise InputError(
            f"{file.path}: half-written run: holds {there} examples, {file.run_path.name} says "
            f"{expected.effective}; run lm_eval again"
        )
    if window is None or not window.unknown:
        return FileResults(results)
    unknown = (
        f"{file.entry.label}: {counted(window.unknown, 'prompt')} may have been cut: its window is "
        f"{window.most:,} tokens, and without its tokenizer on this machine nothing tells; import where "
        "that is"
    )
    return FileResults(results, (unknown,))


# -- samples_*.jsonl -------------------------------------------------------------------------------------


class _LmEvalSample(HarnessModel):
    """A document under one filter; its scores stand beside these fields."""

    model_config = ConfigDict(extra="allow")

    doc_id: int
    doc: Any = None
    target: Any = None
    arguments: dict[Any, Any]
    resps: list[Any] = Field(default_factory=list)
    filtered_resps: list[Any] = Field(default_factory=list)
    filter: Any = None
    metrics: list[Any] | None = None
    doc_hash: Text | None = None

    @property
    def values(self) -> Mapping[str, Any]:
        """What stands beside the fields that every sample has."""
        return self.model_extra or {}

    def asked(self, where: str) -> list[dict[str, Any]]:
        """The arguments of each request."""
        found = [self.arguments.get(f"gen_args_{place}") for place in range(len(self.arguments))]
        if not all(isinstance(each, dict) for each in found):
            raise InputError(
                f"{where}: arguments: found {sorted(self.arguments)[:3]}; expected gen_args_0 and so on"
            )
        return [each for each in found if isinstance(each, dict)]

    def metric_names(self) -> list[str] | None:
        """The names of its scores, the main one first; None where it does not list them."""
        return None if self.metrics is None else [name for name in self.metrics if isinstance(name, str)]


class _Target(HarnessModel):
    target: Texts


class _Window:
    """Tells which prompts lm-eval cut: it drops their beginning, and logs them whole.

    Args:
        most: tokens of a prompt and its answer together.
        tokenizer: the model's; None where it is not on this machine.

    Attributes:
        unknown: how many prompts may be too long, which nothing but the tokenizer can tell.
    """

    def __init__(self, most: int, tokenizer: Tokenizer | None) -> None:
        self.most, self.unknown, self._tokenizer = most, 0, tokenizer
        self._own = len(tokenizer.encode([()], chat=False)[0]) if tokenizer else 0  # its beginning of a text

    def cuts(self, prompt: Prompt, arguments: Mapping[str, Any]) -> bool:
        """Whether a request's prompt does not fit; a token has a byte at least."""
        given = arguments.get("arg_1")
        most = number(given.get("max_gen_toks")) if isinstance(given, Mapping) else None
        room = self.most - int(most or 0)
        if sum(len(turn.content.encode("utf-8", "replace")) for turn in prompt) <= room:
            return False
        if self._tokenizer is None:
            self.unknown += 1
            return False
        return len(self._tokenizer.encode([prompt], chat=False)[0]) - self._own > room


def _samples(path: Path, task: str, window: _Window | None) -> Iterator[Result]:
    """The results, document by document, with lm-eval's own scores of those that are ours."""
    for line, value in read_lines(path):
        where = f"{path}: line {line}"
        sample = checked(_LmEvalSample, value, where, _LOGGED)
        records = _records(sample, where)
        if records is None:
            yield _foreign(sample, task, where)
        else:
            yield from _ours(sample, records, where, window)


def _records(sample: _LmEvalSample, where: str) -> list[RequestRecord] | None:
    if not isinstance(sample.doc, dict) or FIELD not in sample.doc:
        return None
    found = sample.doc[FIELD]
    if not isinstance(found, list):
        raise InputError(f"{where}: doc.{FIELD}: found {type(found).__name__}; expected a list")
    return [read_record(each, f"{where}: doc: {place}") for place, each in enumerate(found)]


def _ours(
    sample: _LmEvalSample, records: Sequence[RequestRecord], where: str, window: _Window | None
) -> Iterator[Result]:
    asked = sample.asked(where)
    if not len(asked) == len(sample.resps) == len(records):
        raise InputError(
            f"{where}: has {len(records)} records, {len(asked)} arguments and {len(sample.resps)} answers; "
            "expected as many of each"
        )
    claims = _own_scores(sample, records)
    for record, arguments, answers in zip(records, asked, sample.resps, strict=True):
        prompt = _prompt(arguments)
        cut = window is not None and window.cuts(prompt, arguments)
        answer = _first_text(answers, where)
        yield Result.of_record(record, prompt=prompt, answer=answer, where=where, cut=cut, claims=claims)
        claims = ()  # they are of the whole document


def _own_scores(sample: _LmEvalSample, records: Sequence[RequestRecord]) -> tuple[OwnScore, ...]:
    """The performance of all configurations together; of a single one every score, by its own name."""
    whole = len(records) > 1 or _PERFORMANCE in sample.values  # so has a study of one configuration
    names: dict[str, str | None] = {_PERFORMANCE: None}
    if not whole:
        names = {name: name for name in sample.metric_names() or ()}
    return tuple(
        OwnScore(tuple(each.config for each in records), score, metric)
        for name, metric in names.items()
        if name not in _NO_SCORES and (score := number(sample.values.get(name))) is not None
    )


def _foreign(sample: _LmEvalSample, task: str, where: str) -> Result:
    names = sample.metric_names()
    found = {name: number(sample.values.get(name)) for name in (sample.values if names is None else names)}
    kept = sample.filter if isinstance(sample.filter, str) else "none"
    asked = sample.asked(where)
    answer, references = _answer(sample, asked, where)
    return Result(
        dataset=plain_name(task),
        example=str(sample.doc_id),
        config=f"{AS_IS}/{NONE}/{DEFAULT if kept == 'none' else plain_name(kept)}",
        prompt=_prompt(asked[0] if asked else {}),
        references=references,
        answer=answer,
        where=where,
        scores={name: score for name, score in found.items() if score is not None and name not in _NO_SCORES},
        main=next(
            (name for name in names or () if name in sample.values and _rates(sample.values[name])), None
        ),
        # the document is the same for all models, whatever chat template its text went through
        same=sample.doc_hash or digest(json.dumps(sample.doc, sort_keys=True, default=str)),
    )


def _rates(value: object) -> bool:
    """Whether a metric gives numbers; NaN and null are missing ones, for which no other metric stands in."""
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))


def _answer(
    sample: _LmEvalSample, asked: Sequence[Mapping[str, Any]], where: str
) -> tuple[str | None, tuple[str, ...]]:
    """The answer and the right one; of a choice by likelihood the choices' texts."""
    choices = [each.get("arg_1") for each in asked]
    likely = [_likelihood(each) for each in sample.filtered_resps]
    if not likely or any(value is None for value in likely) or not all(isinstance(c, str) for c in choices):
        target = "" if sample.target is None else sample.target
        return _first_text(sample.filtered_resps, where), checked(_Target, {"target": target}, where).target
    if len(choices) != len(likely):
        raise InputError(
            f"{where}: has {len(choices)} arguments and {len(likely)} likelihoods; expected as many"
        )
    best = max(range(len(likely)), key=lambda place: likely[place] or 0.0)
    right = str(sample.target)
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


def _prompt(arguments: Mapping[str, Any]) -> Prompt:
    """What was sent: a text, after any chat template; or messages as JSON."""
    sent = arguments.get("arg_0", "")
    if isinstance(sent, list) and len(sent) == 1:
        sent = sent[0]
    return (Message("user", sent if isinstance(sent, str) else json.dumps(sent, ensure_ascii=False)),)


def _first_text(value: object, where: str) -> str | None:
    """The first answer of a request, None for null; lm-eval writes lists of lists of texts."""
    found = value
    while isinstance(found, list) and found:
        found = found[0]
    if isinstance(found, list):
        raise InputError(f"{where}: has no answer; expected a text")
    return found if found is None or isinstance(found, str) else str(found)
