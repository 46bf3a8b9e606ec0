"""Results of NeMo Evaluator: ``eval-*.json`` with ``results.jsonl``, and ``results.yml`` before 0.3."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import Field

from ...core.atomic_files import read_text
from ...core.errors import InputError, counted
from ...core.validation import validate
from ...core.yaml_files import MOST_BYTES, read_yaml
from .board import BoardScores, joined
from .files import HarnessModel, Number, Text, at, files_below, read_json, read_lines
from .frames import aggregate_frame, error_of_interval, item_frame
from .log import LogReader
from .scales import scale_of

_BUNDLE = re.compile(r"eval-.+\.json")
_RESULTS = "results.yml"


class _BundleScore(HarnessModel):
    value: Number = None
    ci_lower: Number = None
    ci_upper: Number = None


class _Bundle(HarnessModel):
    """``eval-*.json``, since version 0.3."""

    model: Text = at("config", "model", default="")
    task: Text = at("benchmark", "name")
    samples: int = at("benchmark", "samples")
    repeats: int = at("benchmark", "repeats", default=1)
    scores: dict[str, Any] = at("benchmark", "scores")


class _Sample(HarnessModel):
    """A line of ``results.jsonl``."""

    problem_idx: int
    repeat: int = 0
    reward: Number = None
    error: Text | None = at("scoring_details", "error_category", default=None)


class _Stats(HarnessModel):
    count: Number = None
    stderr: Number = None


class _YamlScore(HarnessModel):
    value: Number = None
    stats: _Stats = _Stats()


class _MetricScores(HarnessModel):
    scores: dict[str, _YamlScore] = Field(default_factory=dict)


class _TaskOrGroup(HarnessModel):
    """A task, or a group with others below it."""

    metrics: dict[str, _MetricScores] = Field(default_factory=dict)
    groups: dict[str, _TaskOrGroup] | None = None


class _Yaml(HarnessModel):
    """``results.yml``, up to version 0.2."""

    model: Text = at("target", "api_endpoint", "model_id")
    tasks: dict[str, _TaskOrGroup] | None = at("results", "tasks", default=None)
    groups: dict[str, _TaskOrGroup] | None = at("results", "groups", default=None)


def _read(path: Path) -> BoardScores:
    """The bundles below a folder, or one; samples where they are beside it.

    Raises:
        InputError: a file is damaged, or is not what these versions write.
    """
    below = files_below(path)
    bundles = [file for file in below if _BUNDLE.fullmatch(file.name)]
    folders = [file.parent for file in bundles]
    parts = [_bundle(file, samples=folders.count(file.parent) == 1) for file in bundles]
    return joined([*parts, *(_yaml(file) for file in below if file.name == _RESULTS)])


def _bundle(file: Path, *, samples: bool) -> BoardScores:
    bundle = read_json(file, _Bundle)
    if not bundle.model:
        raise InputError(f"{file}: config.model: is empty; expected the model's name")
    lines = file.parent / "results.jsonl"
    if samples and lines.is_file():
        return _samples(lines, bundle)
    metric = next((name for name in ("mean_reward", "pass@1") if name in bundle.scores), None)
    if metric is None:
        return BoardScores(notes=(f"{bundle.task}: has no score of {bundle.model}, and is left out",))
    found = validate(_BundleScore, bundle.scores[metric], f"{file}: benchmark.scores.{metric}")
    low, high = np.array([found.ci_lower, found.ci_upper], dtype=float)
    frame = aggregate_frame(
        file,
        [found.value],
        model=bundle.model,
        task=bundle.task,
        metric="reward",
        n=bundle.samples,
        error=error_of_interval(low, high) if bundle.repeats > 1 else np.nan,
        digits=4,
    )
    return BoardScores(aggregates=frame)


def _samples(file: Path, bundle: _Bundle) -> BoardScores:
    """A request that failed for want of a server has a reward of 0, which is none."""
    rows = [line for _, line in read_lines(file, _Sample)]
    failed = np.array([row.error == "infra_error" for row in rows])
    rewards = np.array([row.reward for row in rows], dtype=float)
    scores = np.where(failed, np.nan, rewards)
    status = np.where(failed, "failed", np.where(np.isnan(scores), "unscored", "scored")).astype(object)
    frame = item_frame(
        file,
        scores,
        model=bundle.model,
        task=bundle.task,
        item=np.array([str(row.problem_idx) for row in rows], dtype=object),
        replicate=[row.repeat for row in rows],
        metric="reward",
        status=status,
    )
    notes, found = list[str](), frame["item"].nunique()
    if failed.any():
        lost = counted(int(failed.sum()), "request")
        notes.append(f"{bundle.task}: {lost} of {bundle.model} failed, which is missing here and no zero")
    if found != bundle.samples:
        notes.append(f"{bundle.task}: {found:,} of the {bundle.samples:,} samples of {bundle.model} are here")
    return BoardScores(frame, scales=scale_of("reward", scores), notes=tuple(notes))


def _yaml(file: Path) -> BoardScores:
    try:
        data = read_yaml(read_text(file, MOST_BYTES, lambda text: InputError(f"{file}: {text}")))
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"{file}: is not YAML that can be read: {str(error)[:120]}") from None
    run = validate(_Yaml, data, str(file))
    parts, main, notes = list[BoardScores](), dict[str, str](), list[str]()
    for task, group in _lowest(run.tasks or run.groups or {}):
        scores = {
            metric if name == metric else f"{metric}.{name}": score
            for metric, found in group.metrics.items()
            for name, score in found.scores.items()
        }
        parts += [_yaml_score(file, run.model, task, metric, score) for metric, score in scores.items()]
        if len(scores) > 1:
            main[task] = min(scores)
            notes.append(f"{task}: {main[task]} counts, of {', '.join(scores)}")
    if run.tasks and run.groups:
        notes.append(f"{', '.join(sorted(run.groups))}: left out, because the tasks are here")
    return joined([*parts, BoardScores(main=main, notes=tuple(notes))])


def _lowest(groups: Mapping[str, _TaskOrGroup]) -> Iterator[tuple[str, _TaskOrGroup]]:
    """The groups that have no others below them."""
    for name, group in groups.items():
        if group.groups:
            yield from _lowest(group.groups)
        else:
            yield name, group


def _yaml_score(file: Path, model: str, task: str, metric: str, score: _YamlScore) -> BoardScores:
    if score.value is None:
        return BoardScores(notes=(f"{task}: has no {metric} of {model}, and is left out",))
    frame = aggregate_frame(
        file,
        [score.value],
        model=model,
        task=task,
        metric=metric,
        n=score.stats.count if score.stats.count and score.stats.count >= 1 else np.nan,
        error=score.stats.stderr,
    )
    return BoardScores(aggregates=frame, scales=scale_of(metric, [score.value]))


def _holds(path: Path, head: bytes) -> bool:
    if path.name == _RESULTS:
        return b"\nresults:" in head or head.startswith((b"command:", b"config:"))
    return _BUNDLE.fullmatch(path.name) is not None and b'"config_hash"' in head


NEMO_EVALUATOR = LogReader(
    "nemo-evaluator",
    "a folder of NeMo Evaluator with eval-*.json or results.yml",
    re.compile(r"eval-.+\.json|results\.yml"),
    scores=_read,
    holds=_holds,
)
"""Reads bundles of NeMo Evaluator 0.3, and ``results.yml`` of earlier versions."""
