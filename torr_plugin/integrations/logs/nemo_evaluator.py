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
from .files import HarnessModel, Number, Repeat, Text, at, read_json, read_lines
from .frames import ItemTable, aggregate_frame, error_of_interval
from .log import LogReader
from .scales import observed_scales

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
    repeat: Repeat = 0
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
    below = NEMO_EVALUATOR.files(path)
    bundles = [file for file in below if _BUNDLE.fullmatch(file.name)]
    folders = [file.parent for file in bundles]
    parts = [_bundle(file, samples=folders.count(file.parent) == 1) for file in bundles]
    return joined([*parts, *(_yaml(file) for file in below if file not in bundles)])


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
    table, failed = ItemTable(), 0
    for _, line in read_lines(file, _Sample):
        lost = line.error == "infra_error"
        failed += lost
        reward = {"reward": None if lost else line.reward}
        table.add(line.problem_idx, reward, replicate=line.repeat, failed=lost)
    frame = table.frame(bundle.model, bundle.task)
    notes, found = list[str](), frame["item"].nunique()
    if failed:
        lost_ones = counted(failed, "request")
        notes.append(
            f"{bundle.task}: {lost_ones} of {bundle.model} failed, which is missing here and no zero"
        )
    if found != bundle.samples:
        notes.append(f"{bundle.task}: {found:,} of the {bundle.samples:,} samples of {bundle.model} are here")
    return BoardScores(frame, scales=observed_scales(frame), notes=tuple(notes))


def _yaml(file: Path) -> BoardScores:
    try:
        data = read_yaml(read_text(file, MOST_BYTES, ValueError))
    except ValueError as error:
        raise InputError(f"{file}: is not YAML that can be read: {str(error)[:120]}") from None
    run = validate(_Yaml, data, str(file))
    tasks = dict(_lowest(run.tasks or run.groups or {}))
    parts, main = list[BoardScores](), dict[str, str]()
    for task, group in tasks.items():
        scores = {
            metric if name == metric else f"{metric}.{name}": score
            for metric, found in group.metrics.items()
            for name, score in found.scores.items()
            if score.value is not None
        }
        frame = aggregate_frame(
            [score.value for score in scores.values()],
            model=run.model,
            task=task,
            metric=list(scores),
            n=[score.stats.count or None for score in scores.values()],
            error=[score.stats.stderr for score in scores.values()],
        )
        main |= {task: min(scores)} if scores else {}
        parts.append(BoardScores(aggregates=frame, scales=observed_scales(frame)))
    groups = f"{', '.join(sorted(run.groups or ()))}: left out, because the tasks are here"
    return joined([*parts, BoardScores(main=main, notes=(groups,) if run.tasks and run.groups else ())])


def _lowest(groups: Mapping[str, _TaskOrGroup]) -> Iterator[tuple[str, _TaskOrGroup]]:
    """The groups that have no others below them."""
    for name, group in groups.items():
        if group.groups:
            yield from _lowest(group.groups)
        else:
            yield name, group


def _holds(path: Path, head: bytes) -> bool:
    if path.name == _RESULTS:
        return b"\nresults:" in head or head.startswith((b"command:", b"config:"))
    return _BUNDLE.fullmatch(path.name) is not None and b'"config_hash"' in head


NEMO_EVALUATOR = LogReader(
    "nemo-evaluator",
    "a folder of NeMo Evaluator with eval-*.json or results.yml",
    re.compile(rf"{_BUNDLE.pattern}|{re.escape(_RESULTS)}"),
    scores=_read,
    holds=_holds,
)
"""Reads bundles of NeMo Evaluator 0.3, and ``results.yml`` of earlier versions."""
