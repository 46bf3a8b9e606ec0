"""unitxt's samples: its instances with predictions and scores, the fields of the task among them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ....core.errors import InputError
from ...record import FIELD, Record, read_record
from ..fields import field, number, optional, texts
from ..names import Named
from ..plain import digest
from ..result import Claim, Result

if TYPE_CHECKING:
    from ....prompts.message import Prompt

_NESTED = ("task_data", "score")
_MOST_NESTED = 16 << 20


def read_samples(
    samples: Sequence[object], named: Named, where: str, *, templated: bool
) -> Iterator[tuple[Result, Claim | None]]:
    """The results of one recipe, and what unitxt said of those that are ours.

    Args:
        samples: as unitxt wrote them.
        named: data set and configuration of a foreign recipe.
        where: the file and the recipe, for messages.
        templated: whether prompts went through a chat template, which each model has of its own.

    Raises:
        InputError: a sample is not what unitxt 1.26 writes.
    """
    for place, sample in enumerate(samples):
        at = f"{where}: sample {place}"
        if not isinstance(sample, dict):
            raise InputError(f"{at}: found {type(sample).__name__}; expected an object")
        flat = _flat(sample, at)
        record = _record(flat, at)
        if record is None:
            yield _foreign(flat, named, place, at, templated=templated), None
        else:
            yield _ours(flat, record, at)


def _flat(sample: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The fields of a sample side by side, as unitxt's command writes them; saved by hand they are nested."""
    found = dict(sample)
    for name in _NESTED:
        inner = found.get(name)
        if isinstance(inner, str) and inner.lstrip().startswith("{"):
            inner = _parsed(inner, f"{where}: {name}")
        if isinstance(inner, dict):
            inner = inner.get("instance", inner) if name == "score" else inner
            found = {**inner, **{key: value for key, value in found.items() if key != name}} | (
                {"score": inner.get("score")} if name == "score" else {}
            )
    return found


def _parsed(text: str, where: str) -> object:
    if len(text) > _MOST_NESTED:
        raise InputError(f"{where}: has {len(text)} characters; expected at most {_MOST_NESTED}")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: is not JSON: {str(error)[:120]}") from None


def _record(sample: Mapping[str, Any], where: str) -> Record | None:
    said = sample.get(FIELD)
    if said is None:
        return None
    return read_record(_parsed(said, f"{where}: {FIELD}") if isinstance(said, str) else said, where)


def _ours(sample: Mapping[str, Any], record: Record, where: str) -> tuple[Result, Claim | None]:
    result = Result(
        dataset=record.dataset,
        example=record.example,
        config=record.config,
        prompt=_prompt(sample, where),
        references=record.references,
        answer=_answer(sample, where),
        where=where,
        record=record,
    )
    score = number(sample.get("score"))
    if score is None:
        return result, None
    return result, Claim(record.dataset, record.example, (record.config,), score)


def _foreign(sample: Mapping[str, Any], named: Named, place: int, where: str, *, templated: bool) -> Result:
    main = optional(sample, "score_name", str, where)
    scores = {
        name: score for name, value in sample.items() if (score := _score(name, value, main)) is not None
    }
    prompt = _prompt(sample, where)
    return Result(
        dataset=named.dataset,
        # unitxt gives instances no id; the order of a split is the recipe's, whatever serializer or augmentor
        example=str(place),
        config=named.config,
        prompt=prompt,
        references=texts(sample.get("references", []), f"{where}: references"),
        answer=_answer(sample, where),
        where=where,
        scores=scores,
        main=main,
        same="" if templated else digest(*(message.content for message in prompt)),
    )


def _score(name: str, value: object, main: str | None) -> float | None:
    """A number that may be a score: the main one, or one in [0, 1]; a task's own numbers may be anything."""
    found = number(value)
    if found is None or name == "score" or (name != main and not 0 <= found <= 1):
        return None
    return found


def _prompt(sample: Mapping[str, Any], where: str) -> Prompt:
    from ...unitxt.instances import prompt_of

    source = sample.get("source")
    if not isinstance(source, (str, list)) or not source:
        raise InputError(f"{where}: source: found {source!r:.60}; expected a text or messages")
    try:
        prompt: Prompt = prompt_of(source)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"{where}: source: {type(error).__name__}: expected a text or messages") from None
    return prompt


def _answer(sample: Mapping[str, Any], where: str) -> str:
    if "prediction" not in sample:
        field(sample, "prediction", str, where, "unitxt 1.26 writes it")
    said = sample["prediction"]
    return said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
