"""Logs of HELM 0.5: ``benchmark_output``, where each run is a folder of three files.

``run_spec.json`` says what was asked, ``scenario_state.json`` has each instance with its prompt and answer,
``per_instance_stats.json`` the scores.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import Field, RootModel, model_validator

from ...core.atomic_files import read_error
from ...core.errors import InputError
from ...prompts import Message, Prompt
from ...recipes import ModelEntry
from ..record import FIELD, read_record
from ..steps import FAILURE
from .files import HarnessModel, Number, Text, checked, names_below, packed, read_json
from .log import FileResults, Log, LogFile, OwnScore, Result, model_entry
from .names import AS_IS, DEFAULT, NONE, DatasetConfig, arguments_of, dataset_config, digest, plain_name

BY_HELM = "by HELM's client"
"""How a model was asked in one text: for a chat model, most clients make one user message of it."""

_SPEC, _STATE, _STATS = _FILES = ("run_spec.json", "scenario_state.json", "per_instance_stats.json")
_SCORE, _CHANGED = "torr_score", "torr_prompt_changed"
_HINT = "HELM 0.5 writes it; this may be another version's file"
_SPEC_HINT = "HELM 0.5 writes it, older versions do not: run helm-run of HELM 0.5 again"
_UNITXT = "unitxt"
_DEEPEST, _NAMED_RUNS = 4, 5
_NO_RUNS = frozenset({"eval_cache", "scenarios", "scenario_instances", "groups", "releases", "cache"})
_OURS = re.compile(r"torr/[a-z0-9._-]+")
# parts of a run spec's name that say how HELM ran it, not what it asked
_NOT_ASKED = frozenset({"model", "model_deployment", "groups", "num_train_trials", "max_eval_instances"})
# what HELM counts of every request
_NO_SCORES = re.compile(
    "num_(references|train_trials|prompt_tokens|completion_tokens|output_tokens|perplexity_tokens|instances"
    "|train_instances|bytes|completions)|training_(co2|energy)_cost|inference_(idealized_|denoised_)?runtime"
    "|finish_reason_(length|stop|endoftext|unknown)|batch_size|prompt_truncated|max_prob|perplexity"
    "|logprob(_per_byte)?|bits_per_byte|estimated_num_tokens_cost"
    "|torr_(missing|requests|prompt_tokens|output_tokens)"
)


# -- the files' records ----------------------------------------------------------------------------------


class _AdapterSpec(HarnessModel):
    model: Text
    method: Text = ""
    model_deployment: Text | None = None

    @property
    def deployment(self) -> str:
        return self.model_deployment or self.model


class _ClassSpec(HarnessModel):
    class_name: Text
    args: dict[Any, Any] | None = None


class _MetricSpec(HarnessModel):
    class_name: Text


class _RunSpec(HarnessModel):
    """``run_spec.json``."""

    name: Text
    adapter_spec: _AdapterSpec
    scenario_spec: _ClassSpec
    metric_specs: list[_MetricSpec] = Field(default_factory=list)

    def asks(self, where: str) -> DatasetConfig:
        """Data set and configuration; of a run of ours those of the records count instead."""
        scenario, _, rest = self.name.partition(":")
        if self.scenario_spec.class_name.endswith(".UnitxtScenario") or scenario == _UNITXT:
            return dataset_config(self.scenario_spec.args or {}, where)
        kept = [part for part in rest.split(",") if part and part.split("=")[0] not in _NOT_ASKED]
        return DatasetConfig(plain_name(",".join([scenario, *kept])), f"{AS_IS}/{NONE}/{DEFAULT}")


class _HelmText(HarnessModel):
    text: Text


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


class _Reference(HarnessModel):
    output: _HelmText
    tags: list[Text] | None = None


class _Instance(HarnessModel):
    id: Text
    input: _Prompted
    references: list[_Reference]
    perturbation: Any = None
    extra_data: Any = None


class _RequestResult(HarnessModel):
    success: Any = None
    completions: list[_HelmText] | None = None
    error: Any = None
    request_time: Number = None

    def outcome(self) -> tuple[str | None, str | None]:
        """The answer, or why there is none."""
        if self.success is True and self.completions:
            return self.completions[0].text, None
        return None, self.error if isinstance(self.error, str) and self.error else "HELM: the request failed"


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


# -- the folder ------------------------------------------------------------------------------------------


class HelmLogs:
    """Reads ``benchmark_output``, its ``runs``, a suite, or one run.

    Args:
        leave_out: leave half-written runs out; their cells are holes.
    """

    name = "HELM"
    expected = "benchmark_output, or a suite in its 'runs', of helm-run"

    def __init__(self, *, leave_out: bool = False) -> None:
        self._leave_out = leave_out

    def recognises(self, path: Path) -> bool:
        """Whether one of the three files of a run is there."""
        return any(name in _FILES for name in names_below(path))

    def read(self, path: Path) -> Log:
        """The runs below a folder.

        Raises:
            InputError: a half-written run, or files of another version.
        """
        whole, unfinished = self._runs(path)
        specs = {folder: _spec(folder) for folder in whole}
        deployments: dict[str, set[str]] = {}
        for spec in specs.values():
            deployments.setdefault(spec.adapter_spec.model, set()).add(spec.adapter_spec.deployment)
        announced = (_asked_by(folder.name) for folder in unfinished)
        return Log(
            harness=self.name,
            path=path,
            files=tuple(_file(folder, spec, deployments) for folder, spec in specs.items()),
            notes=_left_out(unfinished),
            options=("--leave-out-unfinished",) if unfinished else (),
            announced=tuple(each for each in announced if each is not None),
        )

    def _runs(self, path: Path) -> tuple[list[Path], list[Path]]:
        """The whole runs and the half-written ones; the latter are refused unless they are to be left out."""
        found = sorted(_run_folders(path, _DEEPEST))
        unfinished = [folder for folder in found if _missing(folder)]
        whole = [folder for folder in found if not _missing(folder)]
        if unfinished and not (self._leave_out and whole):
            raise InputError(_half_written(unfinished, whole))
        return whole, unfinished


def _run_folders(path: Path, depth: int) -> Iterator[Path]:
    """Links are not followed: ``runs/latest`` is the newest suite again."""
    if _is_run(path):
        yield path
    elif depth and path.is_dir():
        try:
            with os.scandir(path) as entries:
                inside = [Path(each.path) for each in entries if each.is_dir(follow_symlinks=False)]
        except OSError as error:
            raise read_error(path, error) from error
        for folder in inside:
            if folder.name not in _NO_RUNS:
                yield from _run_folders(folder, depth - 1)


def _is_run(path: Path) -> bool:
    if any((path / name).is_file() for name in _FILES):
        return True
    # a folder that helm-run made for a run and left empty
    return ":" in path.name and "model=" in path.name and path.is_dir()


def _missing(folder: Path) -> list[str]:
    return [name for name in _FILES if not (folder / name).is_file()]


def _half_written(unfinished: Sequence[Path], whole: Sequence[Path]) -> str:
    """The line on the first half-written run, and how many there are."""
    folder, missing = unfinished[0], _missing(unfinished[0])
    there = [name for name in _FILES if name not in missing]
    having = f"it has {' and '.join(there)} alone" if there else "it is empty"
    more = f", and so are {len(unfinished) - 1} others" if len(unfinished) > 1 else ""
    if archive := packed(folder):
        return f"{folder}: has no {missing[0]}{more}{archive}"
    line = f"{folder}: half-written run: has no {missing[0]} ({having}){more}; run helm-run again"
    if not whole:
        return f"{line}: no run is whole"
    return f"{line}, or --leave-out-unfinished imports the {len(whole)} whole runs with these as holes"


def _left_out(unfinished: Sequence[Path]) -> tuple[str, ...]:
    if not unfinished:
        return ()
    some = "; ".join(folder.name for folder in unfinished[:_NAMED_RUNS])
    more = f" and {len(unfinished) - _NAMED_RUNS} more" if len(unfinished) > _NAMED_RUNS else ""
    return (f"{len(unfinished)} half-written runs were left out, and their cells are holes: {some}{more}",)


def _asked_by(folder: str) -> DatasetConfig | None:
    """What a run was to ask, read from its folder's name; None if the name does not say, as in our runs."""
    scenario, _, rest = folder.partition(":")
    arguments = arguments_of(rest)
    if scenario != _UNITXT or not arguments.keys() & {"recipe", "card"}:
        return None
    return dataset_config(arguments, folder)


# -- a run -----------------------------------------------------------------------------------------------


def _spec(folder: Path) -> _RunSpec:
    path = folder / _SPEC
    return checked(_RunSpec, read_json(path), str(path), _SPEC_HINT)


def _file(folder: Path, spec: _RunSpec, deployments: Mapping[str, set[str]]) -> LogFile:
    several = len(deployments[spec.adapter_spec.model]) > 1
    entry = _entry(spec.adapter_spec, f"{folder / _SPEC}: adapter_spec.model", with_deployment=several)
    by_helm = entry.model == "helm" and entry.chat is None
    return LogFile(spec.name, entry, partial(_results, folder, spec), BY_HELM if by_helm else None)


def _entry(adapter: _AdapterSpec, where: str, *, with_deployment: bool) -> ModelEntry:
    """An embedded model by lm-eval's name, any other by HELM's; asked through two deployments, it is two."""
    if _OURS.fullmatch(adapter.deployment):
        return model_entry(where, model=adapter.deployment.replace("/", "-", 1))
    name = f"{adapter.model} ({adapter.deployment})" if with_deployment else adapter.model
    args = {"model_deployment": adapter.deployment}
    return model_entry(where, model="helm", args=args, name=name, chat=adapter.method == "chat" or None)


def _results(folder: Path, spec: _RunSpec) -> FileResults:
    path, asked = folder / _STATE, spec.asks(str(folder / _SPEC))
    scores = _scores(folder / _STATS)
    states = checked(_ScenarioState, read_json(path), str(path), _HINT).request_states
    results = [
        _result(state, f"{path}: request state {at}", asked, scores) for at, state in enumerate(states)
    ]
    return FileResults(results, _doubts(spec, results))


def _doubts(spec: _RunSpec, results: Sequence[Result]) -> tuple[str, ...]:
    """Report that HELM rated answers against other instances' references.

    UnitxtMetric of HELM 0.5.16 hands unitxt the answers and the data set, which pairs the n-th answer with
    the data set's n-th row; with instances drawn by max_eval_instances these are others.
    """
    first_rows = any(each.class_name.endswith("unitxt_metrics.UnitxtMetric") for each in spec.metric_specs)
    in_order = all(_row(result.example) == str(place) for place, result in enumerate(results))
    if not first_rows or in_order or any(result.record is not None for result in results):
        return ()
    return (
        "HELM's UnitxtMetric rated drawn instances against the first rows of the data set, so its scores are "
        "not of these answers; those that --rate-again gives are",
    )


def _row(example: str) -> str:
    """The number at the end of an instance's id, without zeros before it."""
    digits = example[len(example.rstrip("0123456789")) :]
    return digits.lstrip("0") or digits[:1]


_InstanceKey = tuple[str, str, int]
"""An instance's id, HELM's own perturbation of it, and the trial."""


@dataclass
class _HelmScores:
    """An instance's scores by metric, and whether HELM changed the prompt of ours."""

    by_metric: dict[str, float] = field(default_factory=dict)
    changed: bool = False

    def add(self, stat: _Stat, where: str) -> None:
        metric, mean = stat.name.name, stat.mean
        if metric == _CHANGED:
            self.changed = mean == 1.0
        if mean is None or metric == _CHANGED or _NO_SCORES.fullmatch(metric):
            return
        if self.by_metric.setdefault(metric, mean) != mean:
            raise InputError(f"{where}: metric {metric!r} has the means {self.by_metric[metric]} and {mean}")


def _scores(path: Path) -> dict[_InstanceKey, _HelmScores]:
    """HELM writes an entry for each of its metrics."""
    found: dict[_InstanceKey, _HelmScores] = {}
    for place, entry in enumerate(checked(_AllStats, read_json(path), str(path), _HINT).root):
        key = (entry.instance_id, _perturbation(entry.perturbation), entry.train_trial_index)
        scores = found.setdefault(key, _HelmScores())
        for stat in entry.stats:
            scores.add(stat, f"{path}: entry {place}")
    return found


def _perturbation(value: object) -> str:
    """The name of HELM's own perturbation of an instance; empty where there is none."""
    name = value.get("name") if isinstance(value, dict) else value
    return name if isinstance(name, str) else ""


def _result(
    state: _RequestState, where: str, asked: DatasetConfig, scores: Mapping[_InstanceKey, _HelmScores]
) -> Result:
    instance, extra = state.instance, state.instance.extra_data
    if state.reference_index is not None:
        raise InputError(
            f"{where}: asks about one reference (reference_index); expected one answer an instance, as "
            "HELM's method 'generation' has"
        )
    if state.result is None:
        raise InputError(f"{where}: has no 'result': the run was a dry run or did not end; run it again")
    key = (instance.id, _perturbation(instance.perturbation), state.train_trial_index)
    if key not in scores:
        raise InputError(
            f"{where}: instance {key[0]!r:.80} is not in {_STATS}; expected the two files of one run"
        )
    own, prompt = (
        scores[key],
        instance.input.as_prompt(),
    )  # as the scenario made it, before adapter and window
    common: dict[str, Any] = {
        "where": where,
        "scores": own.by_metric,
        "same": digest(*(message.content for message in prompt)),
        "cut": state.prompt_truncated is True or own.changed,
        "seconds": state.result.request_time,
    }
    answer, error = state.result.outcome()
    if not isinstance(extra, dict) or FIELD not in extra:
        return Result(
            dataset=asked.dataset,
            example=instance.id,
            config=_config(asked.config, key),
            prompt=state.request.as_prompt(),
            references=_references(instance.references),
            answer=answer,
            error=error,
            **common,
        )
    record = read_record(extra[FIELD], where)
    answer, error = _with_steps(state.annotations, answer, error)
    score = None if answer is None else own.by_metric.get(_SCORE)
    common["claims"] = () if score is None else (OwnScore((record.config,), score),)
    return Result.of_record(record, answer=answer, error=error, prompt=prompt, **common)


def _with_steps(
    annotations: Mapping[str, Any] | None, answer: str | None, error: str | None
) -> tuple[str | None, str | None]:
    """The answer and the error; of a design of several calls all steps, which are in our annotation."""
    steps = (annotations or {}).get(FIELD)
    if not isinstance(steps, dict):
        return answer, error
    failure = steps.get(FAILURE)
    return (None, str(failure)) if failure else (json.dumps(steps), None)


def _config(config: str, key: _InstanceKey) -> str:
    """The configuration, with HELM's own perturbation and trial as parts of it."""
    serializer, perturbation, design = config.split("/")
    if key[1]:
        perturbation = "+".join([*([perturbation] * (perturbation != NONE)), plain_name(key[1])])
    return "/".join((serializer, perturbation, f"{design}+trial{key[2]}" if key[2] else design))


def _references(found: Sequence[_Reference]) -> tuple[str, ...]:
    """Those marked as correct, or all if none is marked."""
    right = [each for each in found if "correct" in (each.tags or ())]
    return tuple(each.output.text for each in right or found)
