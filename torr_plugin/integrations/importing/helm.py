"""A HELM output folder as results.

MERGED: HELM's run folders below a folder.
MERGED: What a HELM run asked: its run_spec.json in our names.
MERGED: HELM's scenario_state.json: each instance with what was asked and answered.
MERGED: HELM's per_instance_stats.json: the scores of each instance.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.errors import InputError
from ..record import FIELD, RequestRecord, read_record
from .json_files import expected, field, number, optional, packed, read_json
from .names import AS_IS, DEFAULT, NONE, DatasetConfig, arguments_of, dataset_config, digest, plain_name
from .results import HarnessOutput, HarnessScore, Result, ResultBatch, ResultFile, model_entry

if TYPE_CHECKING:
    from ...prompts.message import Prompt
    from ...recipes import ModelEntry

NAMED_RUNS = 5


def helm_source(path: Path, *, leave_out: bool = False) -> HarnessOutput:
    """The runs of HELM below a folder.

    Args:
        path: ``benchmark_output``, its ``runs``, a suite, or one run.
        leave_out: leave half-written runs out; their cells are holes.

    Raises:
        InputError: no runs, a half-written one, or files of another version.
    """
    whole, unfinished = run_folders(path, leave_out=leave_out)
    specs = {folder: read_run_spec(folder / RUN_SPEC) for folder in whole}
    entries = _models(specs)
    pieces = [
        ResultFile(spec.name, entries[folder], partial(_read, folder, spec, entries[folder].label))
        for folder, spec in specs.items()
    ]
    announced = [asked_by(folder.name) for folder in unfinished]
    return HarnessOutput(
        harness="HELM",
        path=path,
        pieces=tuple(pieces),
        notes=_left_out(unfinished),
        options=("--leave-out-unfinished",) if unfinished else (),
        announced=tuple(each for each in announced if each is not None),
    )


def _models(specs: Mapping[Path, HelmRun]) -> dict[Path, ModelEntry]:
    """The model of each run; asked through two deployments it is two, which may answer otherwise."""
    deployments: dict[str, set[str]] = {}
    for spec in specs.values():
        deployments.setdefault(spec.model, set()).add(spec.deployment)
    return {folder: spec.entry(apart=len(deployments[spec.model]) > 1) for folder, spec in specs.items()}


def _left_out(unfinished: Sequence[Path]) -> tuple[str, ...]:
    if not unfinished:
        return ()
    some = "; ".join(folder.name for folder in unfinished[:NAMED_RUNS])
    more = f" and {len(unfinished) - NAMED_RUNS} more" if len(unfinished) > NAMED_RUNS else ""
    return (f"{len(unfinished)} half-written runs were left out, and their cells are holes: {some}{more}",)


def _read(folder: Path, spec: HelmRun, label: str) -> ResultBatch:
    stats = read_stats(folder / STATS)
    found = list(read_states(folder / STATE, spec, stats))
    results = tuple(result for result, _ in found)
    return ResultBatch(
        model=label,
        results=results,
        claims=tuple(claim for _, claim in found if claim is not None),
        doubts=_sampled(folder, spec, results),
    )


def _sampled(folder: Path, spec: HelmRun, results: tuple[Result, ...]) -> tuple[str, ...]:
    """A doubt where HELM rated answers against other instances' references.

    UnitxtMetric of HELM 0.5.16 hands unitxt the answers and the data set, which pairs the n-th answer with
    the data set's n-th row; with instances drawn by max_eval_instances these are others.
    """
    ours = any(result.record is not None for result in results)
    in_order = all(
        result.example.endswith(str(place)) and _number(result.example) == place
        for place, result in enumerate(results)
    )
    if ours or not spec.first_rows or in_order:
        return ()
    return (
        "HELM's UnitxtMetric rated drawn instances against the first rows of the data set, so its scores are "
        f"not of these answers (first in {folder.name}); --rate-again rates them by our cards",
    )


def _number(example: str) -> int:
    digits = example[len(example.rstrip("0123456789")) :]
    return int(digits) if digits else -1


RUN_SPEC, STATE, STATS = "run_spec.json", "scenario_state.json", "per_instance_stats.json"
_DEEPEST = 4
_BESIDE = frozenset({"eval_cache", "scenarios", "scenario_instances", "groups", "releases", "cache"})


def run_folders(path: Path, *, leave_out: bool) -> tuple[list[Path], list[Path]]:
    """The folders of runs in a run, a suite, ``runs`` or ``benchmark_output``, by name.

    Links are not followed: ``runs/latest`` is the newest suite again.

    Args:
        path: where to look.
        leave_out: whether half-written runs are left out.

    Returns:
        The whole runs, and the half-written ones.

    Raises:
        InputError: there are none, or one lacks a file and is not to be left out.
    """
    found = sorted(_below(path, _DEEPEST))
    if not found:
        raise InputError(expected(path, "HELM", "benchmark_output, or a suite in its 'runs', of helm-run"))
    unfinished = [folder for folder in found if _missing(folder)]
    whole = [folder for folder in found if folder not in set(unfinished)]
    if unfinished and not (leave_out and whole):
        raise InputError(_half_written(unfinished, whole))
    return whole, unfinished


def _below(path: Path, depth: int) -> Iterator[Path]:
    if _is_run(path):
        yield path
        return
    if not depth or not path.is_dir():
        return
    try:
        with os.scandir(path) as entries:
            inside = [Path(each.path) for each in entries if each.is_dir(follow_symlinks=False)]
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    for folder in inside:
        if folder.name not in _BESIDE:
            yield from _below(folder, depth - 1)


def _is_run(path: Path) -> bool:
    if any((path / name).is_file() for name in (RUN_SPEC, STATE, STATS)):
        return True
    # a folder that helm-run made for a run and left empty
    return ":" in path.name and "model=" in path.name and path.is_dir()


def _missing(folder: Path) -> list[str]:
    return [name for name in (RUN_SPEC, STATE, STATS) if not (folder / name).is_file()]


def _half_written(unfinished: Sequence[Path], whole: Sequence[Path]) -> str:
    """The line on the first half-written run, and how many there are."""
    folder, missing = unfinished[0], _missing(unfinished[0])
    there = [name for name in (RUN_SPEC, STATE, STATS) if name not in missing]
    having = f"it has {' and '.join(there)} alone" if there else "it is empty"
    more = f", and so are {len(unfinished) - 1} others" if len(unfinished) > 1 else ""
    if archive := packed(folder):
        return f"{folder}: has no {missing[0]}{more}{archive}"
    line = f"{folder}: half-written run: has no {missing[0]} ({having}){more}; run helm-run again"
    if not whole:
        return f"{line}: no run is whole"
    return f"{line}, or --leave-out-unfinished imports the {len(whole)} whole runs with these as holes"


_UNITXT = "unitxt"
_OURS = re.compile(r"torr/[a-z0-9._-]+")
# what a run spec's name says of how HELM ran it, not of what it asked
_NOT_ASKED = frozenset({"model", "model_deployment", "groups", "num_train_trials", "max_eval_instances"})


@dataclass(frozen=True, slots=True)
class HelmRun:
    """A run of HELM.

    Attributes:
        path: its run_spec.json.
        name: HELM's.
        model: HELM's name of it.
        deployment: the one it was asked through.
        dataset_config: data set and configuration; of a run of ours those of the records count instead.
        first_rows: whether HELM's own UnitxtMetric rated it, which compares the n-th answer with the data's
            n-th row.
    """

    path: Path
    name: str
    model: str
    deployment: str
    dataset_config: DatasetConfig
    first_rows: bool

    def entry(self, *, apart: bool = False) -> ModelEntry:
        """The model as a run has it: an embedded one under lm-eval's name, any other as HELM's.

        Args:
            apart: name the deployment too, where the model was asked through several.
        """
        where = f"{self.path}: adapter_spec.model"
        if _OURS.fullmatch(self.deployment):
            return model_entry(where, model=self.deployment.replace("/", "-", 1))
        name = f"{self.model} ({self.deployment})" if apart else self.model
        return model_entry(where, model="helm", args={"model_deployment": self.deployment}, name=name)


def read_run_spec(path: Path) -> HelmRun:
    """The run of a run_spec.json.

    Raises:
        InputError: it is no JSON, or not what HELM 0.5 writes.
    """
    spec, where = read_json(path, dict), str(path)
    older = "HELM 0.5 writes it, older versions do not: run helm-run of HELM 0.5 again"
    name = field(spec, "name", str, where, older)
    adapter = field(spec, "adapter_spec", dict, where, older)
    model = field(adapter, "model", str, f"{where}: adapter_spec", older)
    deployment = optional(adapter, "model_deployment", str, f"{where}: adapter_spec") or model
    scenario = field(spec, "scenario_spec", dict, where, older)
    class_name = field(scenario, "class_name", str, f"{where}: scenario_spec", older)
    arguments = optional(scenario, "args", dict, f"{where}: scenario_spec") or {}
    return HelmRun(
        path=path,
        name=name,
        model=model,
        deployment=deployment,
        dataset_config=_dataset_config(name, class_name, arguments, where),
        first_rows=_rated_by_unitxt_metric(spec),
    )


def asked_by(folder: str) -> DatasetConfig | None:
    """What a run was to ask, by its folder's name; None where that does not tell, as in runs of ours."""
    scenario, _, rest = folder.partition(":")
    if scenario != _UNITXT:
        return None
    arguments = arguments_of(rest)
    return dataset_config(arguments, folder) if arguments.keys() & {"recipe", "card"} else None


def _rated_by_unitxt_metric(spec: Mapping[str, Any]) -> bool:
    metrics = spec.get("metric_specs")
    names = (
        [each.get("class_name") for each in metrics if isinstance(each, dict)]
        if isinstance(metrics, list)
        else []
    )
    return any(isinstance(name, str) and name.endswith("unitxt_metrics.UnitxtMetric") for name in names)


def _dataset_config(name: str, class_name: str, arguments: Mapping[str, Any], where: str) -> DatasetConfig:
    if class_name.endswith(".UnitxtScenario") or name.startswith(f"{_UNITXT}:"):
        return dataset_config(arguments, where)
    scenario, _, rest = name.partition(":")
    kept = [part for part in rest.split(",") if part and part.split("=")[0] not in _NOT_ASKED]
    return DatasetConfig(plain_name(",".join([scenario, *kept])), f"{AS_IS}/{NONE}/{DEFAULT}")


_OLDER = "HELM 0.5 writes it; this may be another version's file"
SCORE = "torr_score"


def read_states(
    path: Path, spec: HelmRun, stats: Mapping[tuple[str, str, int], HelmScores]
) -> Iterator[tuple[Result, HarnessScore | None]]:
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
    spec: HelmRun
    stats: HelmScores


def _result(
    state: Mapping[str, Any], instance: Mapping[str, Any], at: _At
) -> tuple[Result, HarnessScore | None]:
    key, where, spec, stats = at.key, at.where, at.spec, at.stats
    record = _record(instance, where)
    answer, error = _answer(state["result"], where)
    asked = _asked(instance, where)
    result = Result(
        dataset=record.dataset if record else spec.dataset_config.dataset,
        example=record.example if record else key[0],
        config=record.config if record else _config(spec.dataset_config.config, key),
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
    return result, HarnessScore(result.dataset, result.example, (result.config,), score)


def _record(instance: Mapping[str, Any], where: str) -> RequestRecord | None:
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
    from ...prompts.message import Message

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


_BESIDE_STATS = frozenset(
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
    ]
)
"""What HELM counts of every request; no score."""

CHANGED = "torr_prompt_changed"


@dataclass
class HelmScores:
    """An instance's scores by metric, and whether HELM changed the prompt of ours."""

    scores: dict[str, float] = dataclasses.field(default_factory=dict)
    changed: bool = False


def read_stats(path: Path) -> dict[tuple[str, str, int], HelmScores]:
    """The statistics of a run by instance, HELM's own perturbation and trial.

    HELM writes an entry for each of its metrics; here they are together.

    Raises:
        InputError: it is no JSON, or not what HELM 0.5 writes.
    """
    found: dict[tuple[str, str, int], HelmScores] = {}
    for place, entry in enumerate(read_json(path, list)):
        where = f"{path}: entry {place}"
        name = field(entry, "instance_id", str, where)
        trial = field(entry, "train_trial_index", int, where)
        stats = found.setdefault((name, perturbation(entry), trial), HelmScores())
        for stat in field(entry, "stats", list, where):
            _add(stats, stat, where)
    return found


def perturbation(entry: Mapping[str, Any]) -> str:
    """The name of HELM's own perturbation of an instance; empty where there is none."""
    said = entry.get("perturbation")
    name = said.get("name") if isinstance(said, dict) else said
    return name if isinstance(name, str) else ""


def _add(stats: HelmScores, stat: object, where: str) -> None:
    name = field(stat, "name", dict, f"{where}: stats")
    metric = field(name, "name", str, f"{where}: stats")
    value = number(stat.get("mean")) if isinstance(stat, dict) else None
    if metric == CHANGED:
        stats.changed = value == 1.0
    elif (
        value is not None and metric not in _BESIDE_STATS and stats.scores.setdefault(metric, value) != value
    ):
        raise InputError(f"{where}: metric {metric!r} has the means {stats.scores[metric]} and {value}")
