"""Logs of HELM 0.5: ``benchmark_output``, where each run is a folder of three files.

``run_spec.json`` says what was asked, ``scenario_state.json`` has each instance with its prompt and answer,
``per_instance_stats.json`` the scores.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import RootModel

from ...core.errors import InputError, counted
from ...prompts import Message, Prompt
from ...recipes import ModelEntry
from ..record import FIELD, read_record
from ..steps import FAILURE
from .files import HarnessModel, Number, Text, at, folders_below, read_json
from .log import Log, LogFile, LogReader, OwnScore, Result, model_entry
from .names import AS_IS, DEFAULT, NONE, DatasetConfig, dataset_config, digest, plain_name

BY_HELM = "by HELM's client"
"""How a model was asked in one text: for a chat model, most clients make one user message of it."""

_SPEC, _STATE, _STATS = _FILES = ("run_spec.json", "scenario_state.json", "per_instance_stats.json")
_SCORE, _CHANGED = "torr_score", "torr_prompt_changed"
_NAMED_RUNS = 5
_OURS = re.compile(r"torr/[a-z0-9._-]+")
# parts of a run spec's name that say how HELM ran it, not what it asked
_NOT_ASKED = frozenset({"model", "model_deployment", "groups", "num_train_trials", "max_eval_instances"})
# what HELM counts of every request
_NO_SCORE = re.compile(
    "num_|inference_|training_|finish_reason_|logprob|torr_(missing|requests|prompt_tokens|output_tokens)"
    "|(batch_size|prompt_truncated|max_prob|perplexity|bits_per_byte|estimated_num_tokens_cost)$"
)


# -- the files' records ----------------------------------------------------------------------------------


class _Metric(HarnessModel):
    class_name: Text


class _RunSpec(HarnessModel):
    """``run_spec.json``."""

    name: Text
    model: Text = at("adapter_spec", "model")
    deployment: Text = at("adapter_spec", "model_deployment", default="")
    method: Text = at("adapter_spec", "method", default="")
    scenario: Text = at("scenario_spec", "class_name")
    arguments: dict[str, Any] = at("scenario_spec", "args", default={})
    metric_specs: list[_Metric] = at("metric_specs", default=[])

    def entry(self, where: str) -> ModelEntry:
        """An embedded model by lm-eval's name, any other by HELM's."""
        deployment = self.deployment or self.model
        if _OURS.fullmatch(deployment):
            return model_entry(where, model=deployment.replace("/", "-", 1))
        args, chat = {"model_deployment": deployment}, self.method == "chat" or None
        return model_entry(where, model="helm", args=args, name=self.model, chat=chat)

    def asks(self, where: str) -> DatasetConfig:
        """Data set and configuration; of a run of ours those of the records count instead."""
        scenario, _, rest = self.name.partition(":")
        if self.scenario.endswith(".UnitxtScenario") or scenario == "unitxt":
            return dataset_config(self.arguments, where)
        kept = [part for part in rest.split(",") if part and part.split("=")[0] not in _NOT_ASKED]
        return DatasetConfig(plain_name(",".join([scenario, *kept])), f"{AS_IS}/{NONE}/{DEFAULT}")


class _Turn(HarnessModel):
    role: Text = "user"
    content: Text


class _Sent(HarnessModel):
    """An instance's input (``text``) or a request (``prompt``); a chat has messages in its place."""

    text: Text = ""
    prompt: Text = ""
    messages: list[_Turn] | None = None

    def as_prompt(self) -> Prompt:
        turns = self.messages or [_Turn(content=self.text or self.prompt)]
        return tuple(
            Message(turn.role if turn.role in ("system", "assistant") else "user", turn.content)  # type: ignore[arg-type]
            for turn in turns
        )


class _Reference(HarnessModel):
    text: Text = at("output", "text")
    tags: list[Text] = at("tags", default=[])


_InstanceKey: TypeAlias = tuple[str, str, int]
"""An instance's id, the name of HELM's own perturbation of it (or nothing), and the trial."""


class _RequestState(HarnessModel):
    """An instance with its request and the answer."""

    id: Text = at("instance", "id")
    input: _Sent = at("instance", "input")
    references: list[_Reference] = at("instance", "references")
    perturbation: Text = at("instance", "perturbation", "name", default="")
    record: Any = at("instance", "extra_data", FIELD, default=None)
    train_trial_index: int
    request: _Sent
    success: bool = at("result", "success")
    completion: Text | None = at("result", "completions", 0, "text", default=None)
    error: Text | None = at("result", "error", default=None)
    seconds: Number = at("result", "request_time", default=None)
    steps: dict[str, Any] | None = at("annotations", FIELD, default=None)
    prompt_truncated: bool = False
    reference_index: None = None
    """Of methods that ask about each reference apart, and so have no answer to an instance."""

    @property
    def key(self) -> _InstanceKey:
        return self.id, self.perturbation, self.train_trial_index

    def right(self) -> tuple[str, ...]:
        """The references that are marked as correct, or all if none is."""
        marked = [each for each in self.references if "correct" in each.tags]
        return tuple(each.text for each in marked or self.references)

    def outcome(self) -> tuple[str | None, str | None]:
        """The answer, or why there is none; of a design of several calls all steps, from our annotator."""
        if self.steps:
            failure = self.steps.get(FAILURE)
            return (None, str(failure)) if failure else (json.dumps(self.steps), None)
        if self.success and self.completion is not None:
            return self.completion, None
        return None, self.error or "HELM: the request failed"


class _ScenarioState(HarnessModel):
    """``scenario_state.json``."""

    request_states: list[_RequestState]


class _Stat(HarnessModel):
    name: Text = at("name", "name")
    mean: Number = None


class _InstanceStats(HarnessModel):
    instance_id: Text
    perturbation: Text = at("perturbation", "name", default="")
    train_trial_index: int
    stats: list[_Stat]


class _AllStats(RootModel[list[_InstanceStats]]):
    """``per_instance_stats.json``; an instance has an entry for each of HELM's metrics."""

    def scores(self) -> dict[_InstanceKey, dict[str, float]]:
        """The scores of each instance by metric."""
        found: dict[_InstanceKey, dict[str, float]] = {}
        for entry in self.root:
            scores = found.setdefault((entry.instance_id, entry.perturbation, entry.train_trial_index), {})
            for stat in entry.stats:
                if stat.mean is not None and not _NO_SCORE.match(stat.name):
                    scores[stat.name] = stat.mean
        return found


# -- the folder ------------------------------------------------------------------------------------------


def _log(path: Path) -> Log:
    """The whole runs of ``benchmark_output``, its ``runs``, a suite, or one run; others are noted."""
    folders = sorted(_run_folders(path))
    unfinished = [folder for folder in folders if not all((folder / name).is_file() for name in _FILES)]
    if len(unfinished) == len(folders):
        raise InputError(
            f"{unfinished[0]}: half-written run: lacks one of {', '.join(_FILES)}; none is whole"
        )
    named = "; ".join([folder.name for folder in unfinished[:_NAMED_RUNS]])
    note = f"{counted(len(unfinished), 'half-written run')} left out, so that cells are missing: {named}"
    return Log(
        harness=HELM.name,
        path=path,
        files=tuple(_file(folder) for folder in folders if folder not in {*unfinished}),
        notes=(note,) if unfinished else (),
    )


def _run_folders(path: Path) -> Iterator[Path]:
    """Also empty ones, as helm-run makes a run's folder first and fills it at its end."""
    for folder, names in folders_below(path):
        if not {*_FILES}.isdisjoint(names) or (":" in folder.name and "model=" in folder.name):
            yield folder


def _file(folder: Path) -> LogFile:
    spec = read_json(folder / _SPEC, _RunSpec)
    entry = spec.entry(f"{folder / _SPEC}: adapter_spec")
    chat = BY_HELM if entry.model == "helm" and entry.chat is None else None
    return LogFile(spec.name, entry, partial(_results, folder, spec), chat)


# -- a run -----------------------------------------------------------------------------------------------


def _results(folder: Path, spec: _RunSpec) -> Sequence[Result]:
    path, asked = folder / _STATE, spec.asks(str(folder / _SPEC))
    scores = read_json(folder / _STATS, _AllStats).scores()
    states = read_json(path, _ScenarioState).request_states
    by_unitxt = any(each.class_name.endswith("unitxt_metrics.UnitxtMetric") for each in spec.metric_specs)
    note = _DOUBT if by_unitxt and not _in_order(states) else ""
    return [
        _result(state, f"{path}: request state {at}", asked, dict(scores.get(state.key, ())), note)
        for at, state in enumerate(states)
    ]


_DOUBT = (
    "answers to drawn instances were rated by HELM's UnitxtMetric against the first rows of the data set, so "
    "HELM's scores are not of these answers; those that --rate-again gives are"
)


def _in_order(states: Sequence[_RequestState]) -> bool:
    """Whether the instances are the first rows of the data set, in their order.

    UnitxtMetric of HELM 0.5.16 hands unitxt the answers and the data set, which pairs the n-th answer with
    the data set's n-th row; with instances drawn by max_eval_instances these are others.
    """
    rows = (re.search(r"\d{1,15}$", state.id) for state in states)
    return all(row is not None and int(row[0]) == at for at, row in enumerate(rows))


def _result(
    state: _RequestState, where: str, asked: DatasetConfig, scores: dict[str, float], note: str
) -> Result:
    changed = scores.pop(_CHANGED, 0.0) == 1.0
    answer, error = state.outcome()
    common: dict[str, Any] = {
        "where": where,
        "answer": answer,
        "error": error,
        "scores": scores,
        "cut": state.prompt_truncated or changed,
        "seconds": state.seconds,
    }
    prompt = state.input.as_prompt()  # as the scenario made it, before adapter and window
    if state.record is not None:
        record = read_record(state.record, where)
        score = None if answer is None else scores.get(_SCORE)
        claims = () if score is None else (OwnScore((record.config,), score),)
        return Result.of_record(record, prompt=prompt, claims=claims, **common)
    return Result(
        dataset=asked.dataset,
        example=state.id,
        config=_config(asked.config, state.key),
        prompt=state.request.as_prompt(),
        references=state.right(),
        same=digest(*(message.content for message in prompt)),
        note=note,
        **common,
    )


def _config(config: str, key: _InstanceKey) -> str:
    """The configuration, with HELM's own perturbation and trial as parts of it."""
    serializer, perturbation, design = config.split("/")
    if key[1]:
        perturbation = "+".join([*([perturbation] * (perturbation != NONE)), plain_name(key[1])])
    return "/".join((serializer, perturbation, f"{design}+trial{key[2]}" if key[2] else design))


HELM = LogReader(
    "HELM",
    "benchmark_output, or a suite in its 'runs', of helm-run",
    re.compile("|".join(map(re.escape, _FILES))),
    _log,
)
"""Reads what helm-run wrote."""
