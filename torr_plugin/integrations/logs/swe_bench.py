"""Resolved instances of SWE-bench: ``MODEL.RUN.json``, and ``results/results.json`` of submissions."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import numpy as np
from pydantic import Field

from ...core.errors import InputError, counted
from .board import BoardScores, joined
from .files import HarnessModel, read_json
from .frames import item_frame
from .log import LogReader
from .solved import solved_frame

_NAMED = re.compile(r".+\.json")
_SPLITS = {
    "lite": 300,
    "verified": 500,
    "test": 2294,
    "multimodal": 517,
    "bash-only": 500,
    "multilingual": 300,
}
"""The instances of each leaderboard, by the folder of its submissions in SWE-bench/experiments."""

_TASK = "SWE-bench"
_SUBMISSION = re.compile(
    rb'\s*\{\s*"(?:no_generation|no_logs|generated|with_logs|install_fail|reset_failed|no_apply|applied|'
    rb'test_errored|test_timeout|resolved)"\s*:\s*\['
)


class _Report(HarnessModel):
    """What ``swebench.harness.run_evaluation`` writes."""

    total_instances: int
    resolved_ids: list[str]
    unresolved_ids: list[str]
    error_ids: list[str] = Field(default_factory=list)
    empty_patch_ids: list[str] = Field(default_factory=list)
    incomplete_ids: list[str] = Field(default_factory=list)


class _Submission(HarnessModel):
    """``results/results.json`` of a submission to the leaderboard; all that is not resolved is unresolved."""

    resolved: list[str]
    no_generation: list[str] = Field(default_factory=list)
    no_logs: list[str] = Field(default_factory=list)


def _read(path: Path) -> BoardScores:
    """The reports and submissions below a folder, or one.

    Raises:
        InputError: a file is damaged, its numbers do not agree, or a submission's leaderboard is unknown.
    """
    files = SWE_BENCH.files(path)
    reports = {file: read_json(file, _Report) for file in files if not _is_submission(file)}
    # of MODEL.RUN.json the run counts only where it tells two files apart
    stems = [file.stem.replace("__", "/") for file in reports]
    models = [stem.rpartition(".")[0] or stem for stem in stems]
    parts = [
        _report(file, report, model if models.count(model) == 1 else stem)
        for (file, report), stem, model in zip(reports.items(), stems, models, strict=True)
    ]
    submissions = defaultdict[str, dict[str, _Submission]](dict)
    for file in filter(_is_submission, files):
        split, name = _place(file)
        submissions[split][name] = read_json(file, _Submission)
    return joined([*parts, *(_split(path, split, each) for split, each in submissions.items())])


def _is_submission(file: Path) -> bool:
    return file.name == "results.json"


def _report(path: Path, report: _Report, model: str) -> BoardScores:
    asked = [*report.resolved_ids, *report.unresolved_ids, *report.error_ids, *report.empty_patch_ids]
    ids = [*asked, *report.incomplete_ids]
    if len(ids) != report.total_instances:
        raise InputError(
            f"{path}: total_instances: found {report.total_instances}, but {len(ids)} ids; expected as many"
        )
    scores = np.zeros(len(ids))
    scores[: len(report.resolved_ids)] = 1.0
    scores[len(asked) :] = np.nan
    frame = item_frame(scores, failed=True, model=model, task=_TASK, item=ids, metric="resolved")
    if not report.incomplete_ids:
        return BoardScores(frame)
    missing = counted(len(report.incomplete_ids), "instance")
    note = f"{model}: {missing} without a prediction, which is missing here and not unresolved"
    return BoardScores(frame, notes=(note,))


def _place(file: Path) -> tuple[str, str]:
    """Leaderboard and submission: ``evaluation/verified/NAME/results/results.json``."""
    *_, split, name, results = ("", "", "", *file.absolute().parent.parts)
    if results != "results" or split not in _SPLITS:
        raise InputError(
            f"{file}: of how many instances?; expected it at SPLIT/NAME/results/results.json, "
            f"where SPLIT is one of {', '.join(_SPLITS)}"
        )
    return split, name


def _split(path: Path, split: str, submissions: dict[str, _Submission]) -> BoardScores:
    """The submissions to one leaderboard; instances that none names are numbered."""
    task, total = f"{_TASK} {split}", _SPLITS[split]
    solved = {name: each.resolved for name, each in submissions.items()}
    others = [id_ for each in submissions.values() for id_ in (*each.no_generation, *each.no_logs)]
    frame = solved_frame(path, task, solved, total, others).assign(metric="resolved")
    return BoardScores(
        frame, notes=(f"{task}: {total:,} instances; what is not resolved counts as unresolved",)
    )


def _holds(path: Path, head: bytes) -> bool:
    if _is_submission(path):
        return _SUBMISSION.match(head) is not None
    return path.suffix == ".json" and b'"total_instances"' in head and b'"resolved_instances"' in head


SWE_BENCH = LogReader(
    "swe-bench",
    "reports MODEL.RUN.json of swebench's harness, or submissions SPLIT/NAME/results/results.json",
    _NAMED,
    scores=_read,
    holds=_holds,
)
"""Reads reports of the harness, and the ``evaluation`` folder of SWE-bench/experiments or a part of it."""
