"""lm-eval's samples: a line a document and filter."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ....core.errors import InputError
from ...record import FIELD, Record, read_record
from ..fields import field, number, optional, texts
from ..json_text import read_lines
from ..names import AS_IS, DEFAULT, NONE
from ..plain import digest, plain_name
from ..result import Claim, Result

if TYPE_CHECKING:
    from ....prompts.message import Prompt

_OLD = "lm-eval 0.4 writes it with --log_samples"
PERFORMANCE = "performance"


def read_samples(path: Path, task: str) -> Iterator[tuple[list[Result], list[Claim]]]:
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


def _records(sample: Mapping[str, Any], where: str) -> list[Record] | None:
    document = sample.get("doc")
    if not isinstance(document, dict) or FIELD not in document:
        return None
    said = field(document, FIELD, list, f"{where}: doc")
    return [read_record(each, f"{where}: doc: {place}") for place, each in enumerate(said)]


def _ours(sample: Mapping[str, Any], records: Sequence[Record], where: str) -> list[Result]:
    asked, said = _arguments(sample, where), field(sample, "resps", list, where, _OLD)
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


def _claims(sample: Mapping[str, Any], records: Sequence[Record], results: Sequence[Result]) -> list[Claim]:
    """The performance of all configurations together; of a single one every score, by its own name."""
    if not records:
        return []
    first, configs = records[0], tuple(result.config for result in results)
    whole = len(records) > 1 or PERFORMANCE in sample  # a study of one configuration has whole tasks too
    names: dict[str, str | None] = {PERFORMANCE: None}
    if not whole:
        names = {name: name for name in _metrics(sample, results[0].where) or ()}
    return [
        Claim(first.dataset, first.example, configs, score, metric)
        for name, metric in names.items()
        if name not in _NO_SCORES and (score := number(sample.get(name))) is not None
    ]


def _foreign(sample: Mapping[str, Any], task: str, where: str) -> Result:
    document = field(sample, "doc_id", int, where, _OLD)
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
    filtered = field(sample, "filtered_resps", list, where, _OLD)
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
    said = field(sample, "arguments", dict, where, _OLD)
    found = [said.get(f"gen_args_{place}") for place in range(len(said))]
    if not all(isinstance(each, dict) for each in found):
        raise InputError(f"{where}: arguments: found {sorted(said)[:3]}; expected gen_args_0 and so on")
    return [each for each in found if isinstance(each, dict)]


def _prompt(arguments: Mapping[str, Any]) -> Prompt:
    """What was sent: a text, after any chat template; or messages as JSON."""
    from ....prompts.message import Message

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
