"""The three files of a run of HELM 0.5.

``run_spec.json`` says what was asked, ``scenario_state.json`` has each instance with its prompt and answer,
``per_instance_stats.json`` the scores.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import Field, RootModel, model_validator

from ...core.errors import InputError
from ...prompts import Message, Prompt
from ...recipes import ModelEntry
from ..record import FIELD, read_record
from ..steps import FAILURE
from .json_files import HarnessModel, Number, Text, checked, read_json
from .names import AS_IS, DEFAULT, NONE, DatasetConfig, arguments_of, dataset_config, digest, plain_name
from .results import Result, model_entry

RUN_SPEC, STATE, STATS = "run_spec.json", "scenario_state.json", "per_instance_stats.json"
SCORE, CHANGED = "torr_score", "torr_prompt_changed"

_OLDER = "HELM 0.5 writes it; this may be another version's file"
_UNITXT = "unitxt"
_OURS = re.compile(r"torr/[a-z0-9._-]+")
# parts of a run spec's name that say how HELM ran it, not what it asked
_NOT_ASKED = frozenset({"model", "model_deployment", "groups", "num_train_trials", "max_eval_instances"})

_NO_SCORES = frozenset(
    [
        "num_references",
        "num_train_trials",
        "num_prompt_tokens",
        "num_completion_tokens",
        "num_output_tokens",
        "num_instances",
        "num_perplexity_tokens",
        "num_bytes",
        "num_completions",
        "num_train_instances",
        "training_co2_cost",
        "training_energy_cost",
        "inference_runtime",
        "inference_idealized_runtime",
        "inference_denoised_runtime",
        "batch_size",
        "prompt_truncated",
        "logprob",
        "max_prob",
        "perplexity",
        "bits_per_byte",
        "logprob_per_byte",
        "estimated_num_tokens_cost",
        "finish_reason_length",
        "finish_reason_stop",
        "finish_reason_endoftext",
        "finish_reason_unknown",
        "torr_missing",
        "torr_requests",
        "torr_prompt_tokens",
        "torr_output_tokens",
    ]
)
"""What HELM counts of every request; no score."""


# -- the files' records ----------------------------------------------------------------------------------


class _AdapterSpec(HarnessModel):
    model: Text
    method: Text = ""
    model_deployment: Text | None = None


class _ScenarioSpec(HarnessModel):
    class_name: Text
    args: dict[Any, Any] | None = None


class _MetricSpec(HarnessModel):
    class_name: Text


class _RunSpec(HarnessModel):
    """``run_spec.json``."""

    name: Text
    adapter_spec: _AdapterSpec
    scenario_spec: _ScenarioSpec
    metric_specs: list[_MetricSpec] = Field(default_factory=list)


class _Message(HarnessModel):
    role: Text = "user"
    content: Text


class _Prompted(HarnessModel):
    """An instance's input (``text``) or a request (``prompt``); a chat has messages in its place."""

    text: Text | None = None
    prompt: Text | None = None
    messages: list[_Message] | None = None

    @model_validator(mode="after")
    def _says_something(self) -> _Prompted:
        if self.text is None and self.prompt is None and not self.messages:
            raise ValueError("found neither a text nor messages; expected one of them")
        return self

    def as_prompt(self) -> Prompt:
        roles = {"system": "system", "assistant": "assistant"}
        if not self.messages:
            return (Message("user", self.text or self.prompt or ""),)
        return tuple(
            Message(roles.get(each.role, "user"), each.content)  # type: ignore[arg-type]
            for each in self.messages
        )


class _Output(HarnessModel):
    text: Text


class _Reference(HarnessModel):
    output: _Output
    tags: list[Text] | None = None


class _Instance(HarnessModel):
    id: Text
    input: _Prompted
    references: list[_Reference]
    perturbation: Any = None
    extra_data: Any = None


class _Completion(HarnessModel):
    text: Text


class _RequestResult(HarnessModel):
    success: Any = None
    completions: list[_Completion] | None = None
    error: Any = None
    request_time: Number = None


class _RequestState(HarnessModel):
    instance: _Instance
    train_trial_index: int
    request: _Prompted
    result: _RequestResult | None = None
    reference_index: int | None = None
    prompt_truncated: Any = None
    annotations: dict[str, Any] | None = None


class _ScenarioState(HarnessModel):
    """``scenario_state.json``."""

    request_states: list[_RequestState]


class _StatName(HarnessModel):
    name: Text


class _Stat(HarnessModel):
    name: _StatName
    mean: Number = None


class _InstanceStats(HarnessModel):
    instance_id: Text
    train_trial_index: int
    stats: list[_Stat]
    perturbation: Any = None


class _AllStats(RootModel[list[_InstanceStats]]):
    """``per_instance_stats.json``; an instance has an entry for each of HELM's metrics."""


InstanceKey = tuple[str, str, int]
"""An instance's id, HELM's own perturbation of it, and the trial."""


# -- what was asked --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HelmRun:
    """A run of HELM.

    Attributes:
        path: its run_spec.json.
        name: HELM's.
        model: HELM's name of it.
        deployment: the one it was asked through.
        chat: whether it was asked in chat messages.
        dataset_config: data set and configuration; of a run of ours those of the records count instead.
        first_rows: whether HELM's own UnitxtMetric rated it, which compares the n-th answer with the data's
            n-th row.
    """

    path: Path
    name: str
    model: str
    deployment: str
    chat: bool
    dataset_config: DatasetConfig
    first_rows: bool

    def entry(self, *, with_deployment: bool = False) -> ModelEntry:
        """The model for study.yaml: an embedded one by lm-eval's name, any other by HELM's.

        Args:
            with_deployment: name the deployment too, if the model was asked through several.
        """
        where = f"{self.path}: adapter_spec.model"
        if _OURS.fullmatch(self.deployment):
            return model_entry(where, model=self.deployment.replace("/", "-", 1))
        name = f"{self.model} ({self.deployment})" if with_deployment else self.model
        args = {"model_deployment": self.deployment}
        return model_entry(where, model="helm", args=args, name=name, chat=self.chat or None)


def read_run_spec(path: Path) -> HelmRun:
    """The run of a run_spec.json.

    Raises:
        InputError: it is no JSON, or not what HELM 0.5 writes.
    """
    older = "HELM 0.5 writes it, older versions do not: run helm-run of HELM 0.5 again"
    spec = checked(_RunSpec, read_json(path), str(path), older)
    return HelmRun(
        path=path,
        name=spec.name,
        model=spec.adapter_spec.model,
        deployment=spec.adapter_spec.model_deployment or spec.adapter_spec.model,
        chat=spec.adapter_spec.method == "chat",
        dataset_config=_dataset_config(spec, str(path)),
        first_rows=any(each.class_name.endswith("unitxt_metrics.UnitxtMetric") for each in spec.metric_specs),
    )


def asked_by(folder: str) -> DatasetConfig | None:
    """What a run was to ask, read from its folder's name; None if the name does not say, as in our runs."""
    scenario, _, rest = folder.partition(":")
    if scenario != _UNITXT:
        return None
    arguments = arguments_of(rest)
    return dataset_config(arguments, folder) if arguments.keys() & {"recipe", "card"} else None


def _dataset_config(spec: _RunSpec, where: str) -> DatasetConfig:
    scenario, _, rest = spec.name.partition(":")
    if spec.scenario_spec.class_name.endswith(".UnitxtScenario") or spec.name.startswith(f"{_UNITXT}:"):
        return dataset_config(spec.scenario_spec.args or {}, where)
    kept = [part for part in rest.split(",") if part and part.split("=")[0] not in _NOT_ASKED]
    return DatasetConfig(plain_name(",".join([scenario, *kept])), f"{AS_IS}/{NONE}/{DEFAULT}")


# -- scores ----------------------------------------------------------------------------------------------


@dataclass
class HelmScores:
    """An instance's scores by metric, and whether HELM changed the prompt of ours."""

    scores: dict[str, float] = field(default_factory=dict)
    changed: bool = False


def read_stats(path: Path) -> dict[InstanceKey, HelmScores]:
    """The statistics of a run by instance; HELM writes an entry for each of its metrics.

    Raises:
        InputError: it is no JSON, or not what HELM 0.5 writes.
    """
    found: dict[InstanceKey, HelmScores] = {}
    for place, entry in enumerate(checked(_AllStats, read_json(path), str(path), _OLDER).root):
        key = (entry.instance_id, _perturbation(entry.perturbation), entry.train_trial_index)
        scores = found.setdefault(key, HelmScores())
        for stat in entry.stats:
            _add(scores, stat, f"{path}: entry {place}")
    return found


def _perturbation(value: object) -> str:
    """The name of HELM's own perturbation of an instance; empty where there is none."""
    name = value.get("name") if isinstance(value, dict) else value
    return name if isinstance(name, str) else ""


def _add(found: HelmScores, stat: _Stat, where: str) -> None:
    metric, value = stat.name.name, stat.mean
    if metric == CHANGED:
        found.changed = value == 1.0
    elif value is not None and metric not in _NO_SCORES and found.scores.setdefault(metric, value) != value:
        raise InputError(f"{where}: metric {metric!r} has the means {found.scores[metric]} and {value}")


# -- answers ---------------------------------------------------------------------------------------------


def read_states(path: Path, run: HelmRun, stats: Mapping[InstanceKey, HelmScores]) -> Iterator[Result]:
    """The results of a run, with HELM's own score of those that are ours.

    Raises:
        InputError: it is no JSON, not what HELM 0.5 writes, or an answered instance has no statistics.
    """
    states = checked(_ScenarioState, read_json(path), str(path), _OLDER).request_states
    for place, state in enumerate(states):
        where = f"{path}: request state {place}"
        if state.reference_index is not None:
            raise InputError(
                f"{where}: asks about one reference (reference_index); expected one answer an instance, as "
                "HELM's method 'generation' has"
            )
        if state.result is None:
            raise InputError(f"{where}: has no 'result': the run was a dry run or did not end; run it again")
        key = (state.instance.id, _perturbation(state.instance.perturbation), state.train_trial_index)
        if key not in stats:
            raise InputError(
                f"{where}: instance {key[0]!r:.80} is not in per_instance_stats.json; "
                "expected the two files of one run"
            )
        yield _result(state, key, where, run, stats[key])


def _result(state: _RequestState, key: InstanceKey, where: str, run: HelmRun, stats: HelmScores) -> Result:
    instance, extra = state.instance, state.instance.extra_data
    result = state.result or _RequestResult()
    answer, error = _answer(result)
    asked = instance.input.as_prompt()  # as the scenario made it, before any adapter or window
    common: dict[str, Any] = {
        "answer": answer,
        "error": error,
        "where": where,
        "scores": stats.scores,
        "same": digest(*(message.content for message in asked)),
        "cut": state.prompt_truncated is True or stats.changed,
        "seconds": result.request_time,
    }
    if isinstance(extra, dict) and FIELD in extra:
        common |= _with_steps(state.annotations, answer, error)
        score = None if common["answer"] is None else stats.scores.get(SCORE)
        return Result.of_record(read_record(extra[FIELD], where), score=score, prompt=asked, **common)
    return Result(
        dataset=run.dataset_config.dataset,
        example=key[0],
        config=_config(run.dataset_config.config, key),
        prompt=state.request.as_prompt(),
        references=_references(instance.references),
        **common,
    )


def _with_steps(
    annotations: Mapping[str, Any] | None, answer: str | None, error: str | None
) -> dict[str, str | None]:
    """The answer and the error; of a design of several calls all steps, which are in our annotation."""
    steps = (annotations or {}).get(FIELD)
    if not isinstance(steps, dict):
        return {"answer": answer, "error": error}
    failure = steps.get(FAILURE)
    return (
        {"answer": None, "error": str(failure)} if failure else {"answer": json.dumps(steps), "error": None}
    )


def _config(config: str, key: InstanceKey) -> str:
    """The configuration, with HELM's own perturbation and trial as parts of it."""
    serializer, perturbation, design = config.split("/")
    if key[1]:
        perturbation = "+".join([*([perturbation] * (perturbation != NONE)), plain_name(key[1])])
    return "/".join((serializer, perturbation, f"{design}+trial{key[2]}" if key[2] else design))


def _answer(result: _RequestResult) -> tuple[str | None, str | None]:
    if result.success is not True or not result.completions:
        error = result.error
        return None, error if isinstance(error, str) and error else "HELM: the request failed"
    return result.completions[0].text, None


def _references(found: list[_Reference]) -> tuple[str, ...]:
    """Those marked as correct, or all if none is marked."""
    right = [each for each in found if "correct" in (each.tags or ())]
    return tuple(each.output.text for each in right or found)
