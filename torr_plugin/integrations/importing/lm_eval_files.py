"""The two files of a run of lm-eval 0.4: ``results_*.json``, and ``samples_*.jsonl`` for each task."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, Field

from ...core.errors import InputError
from ...prompts import Message, Prompt
from ...recipes import ModelEntry
from ...recipes.tokens import Tokenizer
from ..record import FIELD, RequestRecord, read_record
from .json_files import HarnessModel, Text, Texts, checked, number, read_json, read_lines
from .names import AS_IS, DEFAULT, NONE, digest, plain_name
from .results import HarnessScore, Result, model_entry

PERFORMANCE = "performance"

_NO_SCORES = frozenset({"doc_id", "bypass"})
_OLD = "this may be of an lm-eval before 0.4; run lm_eval of 0.4.13 with --log_samples"
_LOGGED = "lm-eval 0.4 writes it with --log_samples"


# -- results_*.json --------------------------------------------------------------------------------------


class _Config(HarnessModel):
    model: Text
    model_args: Any = None


class _Counts(HarnessModel):
    effective: int


class _Results(HarnessModel):
    config: _Config
    configs: dict[Any, Any]
    counts: dict[Any, _Counts] = Field(alias="n-samples")
    chat_template: Any = None
    lm_eval_version: Any = None
    transformers_version: Any = None
    pretty_env_info: Any = None
    max_length: Any = None
    system_instruction: str | None = None


@dataclass(frozen=True)
class LmEvalRun:
    """A run of lm-eval.

    Attributes:
        path: the file.
        entry: the model.
        versions: of lm-eval and of what it says beside it.
        expected: task -> how many examples.
        tasks: those that were rated one by one.
        templated: whether prompts went through a chat template, which differs between models.
        window: how many tokens prompt and answer may have together before lm-eval cuts the prompt; None where
            it does not, or does not say.
        system: what ``--system_instruction`` put before every prompt.
    """

    path: Path
    entry: ModelEntry
    versions: Mapping[str, str]
    expected: Mapping[str, int]
    tasks: tuple[str, ...]
    templated: bool
    window: int | None = None
    system: str | None = None


def read_run_file(path: Path) -> LmEvalRun:
    """The run of a results_*.json.

    Raises:
        InputError: it is no JSON, or not what lm-eval 0.4 writes.
    """
    results = checked(_Results, read_json(path), str(path), _OLD)
    templated = bool(results.chat_template)
    return LmEvalRun(
        path=path,
        entry=_entry(results.config, templated, f"{path}: config"),
        versions=_versions(results),
        expected={task: each.effective for task, each in results.counts.items()},
        tasks=tuple(results.configs),
        templated=templated,
        window=_window(results),
        system=results.system_instruction,
    )


def _window(results: _Results) -> int | None:
    """lm-eval cuts the texts that it sends itself, and no messages of a chat server."""
    most = results.max_length
    return most if isinstance(most, int) and most > 0 and "chat" not in results.config.model else None


def _entry(config: _Config, templated: bool, where: str) -> ModelEntry:
    args = config.model_args if isinstance(config.model_args, (dict, str)) and config.model_args else {}
    chat = None if config.model.startswith("torr-") else templated
    return model_entry(where, model=config.model, args=args, chat=chat)


def _versions(results: _Results) -> dict[str, str]:
    environment = results.pretty_env_info
    torch = re.search(r"\btorch==([\w.+]+)", environment if isinstance(environment, str) else "")
    found = {
        "lm-eval": results.lm_eval_version,
        "transformers": results.transformers_version,
        "torch": torch[1] if torch else None,
    }
    return {name: version for name, version in found.items() if isinstance(version, str) and version != "N/A"}


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


class Window:
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


def read_samples(path: Path, task: str, window: Window | None = None) -> Iterator[Result]:
    """The results, document by document, with lm-eval's own scores of those that are ours.

    Args:
        path: the file.
        task: lm-eval's name of it.
        window: tells which prompts of ours were cut; None where none was.

    Raises:
        InputError: a line is no JSON, or not what lm-eval 0.4 writes.
    """
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
    sample: _LmEvalSample, records: Sequence[RequestRecord], where: str, window: Window | None
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
        result = Result.of_record(
            record, prompt=prompt, answer=_first_text(answers, where), where=where, cut=cut
        )
        yield replace(result, claims=claims)
        claims = ()  # they are of the whole document


def _own_scores(sample: _LmEvalSample, records: Sequence[RequestRecord]) -> tuple[HarnessScore, ...]:
    """The performance of all configurations together; of a single one every score, by its own name."""
    whole = len(records) > 1 or PERFORMANCE in sample.values  # so has a study of one configuration
    names: dict[str, str | None] = {PERFORMANCE: None}
    if not whole:
        names = {name: name for name in sample.metric_names() or ()}
    return tuple(
        HarnessScore(
            records[0].dataset, records[0].example, tuple(each.config for each in records), score, metric
        )
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
