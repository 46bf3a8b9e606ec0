"""HELM's scenario_state.json: each instance with what was asked and answered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ....core.errors import InputError
from ...record import FIELD, Record, read_record
from ..fields import field, number, optional
from ..json_text import read_json
from ..plain import digest, plain_name
from ..result import Claim, Result
from .run_spec import RunSpec
from .stats import Stats, perturbation

if TYPE_CHECKING:
    from ....prompts.message import Prompt

_OLDER = "HELM 0.5 writes it; this may be another version's file"
SCORE = "torr_score"


def read_states(
    path: Path, spec: RunSpec, stats: Mapping[tuple[str, str, int], Stats]
) -> Iterator[tuple[Result, Claim | None]]:
    """The results of a run, and what HELM said of those that are ours.

    Raises:
        InputError: it is no JSON, not what HELM 0.5 writes, or an answered instance has no statistics.
    """
    states = field(read_json(path, dict), "request_states", list, str(path), _OLDER)
    for place, state in enumerate(states):
        where = f"{path}: request state {place}"
        instance = field(state, "instance", dict, where, _OLDER)
        key = _key(instance, state, where)
        if state.get("reference_index") is not None:
            raise InputError(
                f"{where}: asks about one reference (reference_index); expected one answer an instance, as "
                "HELM's method 'generation' has"
            )
        result = state.get("result")
        if not isinstance(result, dict):
            raise InputError(f"{where}: has no 'result': the run was a dry run or did not end; run it again")
        if key not in stats:
            raise InputError(
                f"{where}: instance {key[0]!r:.80} is not in per_instance_stats.json; "
                "expected the two files of one run"
            )
        at = _At(key, where, spec, stats[key])
        yield _result(state, instance, at)


def _key(instance: Mapping[str, Any], state: Mapping[str, Any], where: str) -> tuple[str, str, int]:
    return (
        field(instance, "id", str, f"{where}: instance", _OLDER),
        perturbation(instance),
        field(state, "train_trial_index", int, where, _OLDER),
    )


@dataclass(frozen=True, slots=True)
class _At:
    """Which instance, perturbation and trial of which run a state is of."""

    key: tuple[str, str, int]
    where: str
    spec: RunSpec
    stats: Stats


def _result(state: Mapping[str, Any], instance: Mapping[str, Any], at: _At) -> tuple[Result, Claim | None]:
    key, where, spec, stats = at.key, at.where, at.spec, at.stats
    record = _record(instance, where)
    answer, error = _answer(state["result"], where)
    asked = _asked(instance, where)
    result = Result(
        dataset=record.dataset if record else spec.named.dataset,
        example=record.example if record else key[0],
        config=record.config if record else _config(spec.named.config, key),
        prompt=asked if record else _sent(state, where),
        references=record.references if record else _references(instance, where),
        answer=answer,
        error=error,
        where=where,
        record=record,
        scores=stats.scores,
        same=digest(*(message.content for message in asked)),
        cut=state.get("prompt_truncated") is True or stats.changed,
        seconds=number(state["result"].get("request_time")),
    )
    score = stats.scores.get(SCORE)
    if record is None or score is None or answer is None:
        return result, None
    return result, Claim(result.dataset, result.example, (result.config,), score)


def _record(instance: Mapping[str, Any], where: str) -> Record | None:
    extra = instance.get("extra_data")
    if not isinstance(extra, dict) or FIELD not in extra:
        return None
    return read_record(extra[FIELD], where)


def _config(config: str, key: tuple[str, str, int]) -> str:
    """The configuration, with HELM's own perturbation and trial as parts of it."""
    serializer, disturbed, design = config.split("/")
    disturbed = (
        disturbed if not key[1] else "+".join([*([disturbed] * (disturbed != "none")), plain_name(key[1])])
    )
    return "/".join((serializer, disturbed, design if not key[2] else f"{design}+trial{key[2]}"))


def _answer(result: Mapping[str, Any], where: str) -> tuple[str | None, str | None]:
    completions = result.get("completions")
    if result.get("success") is not True or not isinstance(completions, list) or not completions:
        error = result.get("error")
        return None, error if isinstance(error, str) and error else "HELM: the request failed"
    return field(completions[0], "text", str, f"{where}: result.completions", _OLDER), None


def _asked(instance: Mapping[str, Any], where: str) -> Prompt:
    """The instance as its scenario made it, before any adapter or window."""
    said = instance.get("input")
    if isinstance(said, str):
        raise InputError(f"{where}: instance.input: found a text; expected an object, as HELM 0.5 writes it")
    return _messages(field(instance, "input", dict, f"{where}: instance", _OLDER), "text", f"{where}: input")


def _sent(state: Mapping[str, Any], where: str) -> Prompt:
    return _messages(field(state, "request", dict, where, _OLDER), "prompt", f"{where}: request")


def _messages(value: Mapping[str, Any], text: str, where: str) -> Prompt:
    from ....prompts.message import Message

    said = optional(value, "messages", list, where)
    if not said:
        return (Message("user", field(value, text, str, where, _OLDER)),)
    roles = {"system": "system", "assistant": "assistant"}
    return tuple(
        Message(roles.get(str(each.get("role")), "user"), field(each, "content", str, where))  # type: ignore[arg-type]
        for each in said
        if isinstance(each, dict)
    )


def _references(instance: Mapping[str, Any], where: str) -> tuple[str, ...]:
    found = field(instance, "references", list, f"{where}: instance", _OLDER)
    right = [each for each in found if "correct" in (optional(each, "tags", list, where) or ())]
    return tuple(field(each, "output.text", str, f"{where}: references", _OLDER) for each in right or found)
