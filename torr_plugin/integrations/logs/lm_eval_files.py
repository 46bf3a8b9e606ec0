"""The files of a run of lm-eval 0.4: ``results_*.json``, and beside it a ``samples_*.jsonl`` a task."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ConfigDict

from ...core.errors import InputError, elided
from ...recipes import ModelEntry
from .files import DATE, HarnessModel, Number, Text, at, number, read_json
from .log import model_entry, newest_runs

SAMPLES = re.compile(rf"samples_(?P<task>.+)_(?P<date>{DATE})\.jsonl")
RESULTS = re.compile(rf".*_(?P<when>{DATE})\.json")

_NO_SCORE = "bypass"


def holds(path: Path, head: bytes) -> bool:
    """Whether a file is one of lm-eval's, and not lighteval's, whose results have such names."""
    if SAMPLES.fullmatch(path.name):
        return b'"doc_id"' in head
    return RESULTS.fullmatch(path.name) is not None and b'"config_general"' not in head


# -- results_*.json --------------------------------------------------------------------------------------


class HarnessRun(HarnessModel):
    """``results_*.json``."""

    model: Text = at("config", "model")
    model_args: dict[str, Any] | str | None = at("config", "model_args", default=None)
    counts: dict[str, dict[str, int]] = at("n-samples")
    means: dict[str, dict[str, Any]] = at("results", default={})
    versions: dict[str, Any] = at("versions", default={})
    higher: dict[str, dict[str, Any]] = at("higher_is_better", default={})
    chat_template: Any = None
    lm_eval_version: Text | None = None
    max_length: Number = None
    system_instruction: str | None = None

    @cached_property
    def entry(self) -> ModelEntry:
        """The model; one of our own reads chats and texts alike."""
        chat = None if self.model.startswith("torr-") else bool(self.chat_template)
        return model_entry("results_*.json: config", model=self.model, args=self.model_args or {}, chat=chat)

    def expected(self, task: str) -> int | None:
        """How many samples of a task there are to be, where the run says so."""
        return self.counts.get(task, {}).get("effective")

    def changes(self) -> Iterator[str]:
        """What is to be known of the prompts."""
        if self.chat_template:
            yield (
                "prompts went through models' chat templates; they are kept as the first model was sent them"
            )
        if self.system_instruction:
            yield f"--system_instruction put {elided(self.system_instruction, 80)!r} before every prompt"


# -- samples_*.jsonl -------------------------------------------------------------------------------------


class LoggedScores(HarnessModel):
    """A document under one filter; its scores stand beside these fields."""

    model_config = ConfigDict(extra="allow")

    doc_id: int
    filter: Text = "none"
    metrics: list[Text] | None = None
    doc_hash: Text = ""
    target_hash: str = ""

    @property
    def others(self) -> dict[str, Any]:
        """What stands beside the fields that every sample has: scores by name."""
        return self.model_extra or {}

    @property
    def given(self) -> dict[str, float | None]:
        """The scores, the main one first where it says which are scores; null and NaN are missing, None."""
        names = [name for name in self.metrics or self.others if name != _NO_SCORE]
        found = {name: self.others[name] for name in names if name in self.others}
        return {
            name: score
            for name, value in found.items()
            if (score := score_number(value)) is not None or value is None or isinstance(value, float)
        }


def score_number(value: object) -> float | None:
    """A score: a number, a truth, or a list of truths (of IFEval's instructions), whose mean counts."""
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, list):  # of numbers it is what a metric of the whole task is computed from
        return sum(value) / len(value) if value and all(isinstance(each, bool) for each in value) else None
    return number(value)


# -- the folder ------------------------------------------------------------------------------------------


class TaskFile(NamedTuple):
    """A file of samples, and the run that it is of."""

    path: Path
    task: str
    date: str
    run: HarnessRun

    @property
    def of(self) -> tuple[str, str]:
        """The model and the task."""
        return self.run.entry.digest, self.task


class TaskRuns(NamedTuple):
    """What is below a folder.

    Attributes:
        newest: of the tasks that a model was asked, with samples.
        unlogged: tasks without samples, each with the newest run that has its means.
        notes: what was chosen, a line each.
    """

    newest: tuple[TaskFile, ...]
    unlogged: tuple[tuple[str, HarnessRun], ...]
    notes: tuple[str, ...]


def task_runs(files: Sequence[Path]) -> TaskRuns:
    """The runs in some files; of a task that a model was asked several times the newest.

    Raises:
        InputError: there are samples without their run's results.
    """
    results = {
        (file.parent, match["when"]): read_json(file, HarnessRun)
        for file in files
        if (match := RESULTS.fullmatch(file.name))
    }
    found = list[TaskFile]()
    for file in files:
        if match := SAMPLES.fullmatch(file.name):
            run = results.get((file.parent, match["date"]))
            if run is None:
                raise InputError(
                    f"{file}: half-written run: has no results_{match['date']}.json beside it, which says "
                    "what model this is; run lm_eval again, or leave the file out"
                )
            found.append(TaskFile(file, match["task"], match["date"], run))
    newest, notes = newest_runs(
        found,
        of=lambda each: each.of,
        when=lambda each: each.date,
        said=lambda each: (each.task, each.run.entry.label, f"of {each.date}"),
    )
    asked = {each.of for each in newest}
    unlogged = {
        (run.entry.digest, task): (task, run)
        for (_, date), run in sorted(results.items(), key=lambda each: each[0][1])
        for task in run.counts
        if (run.entry.digest, task) not in asked
    }
    return TaskRuns(tuple(newest), tuple(unlogged.values()), tuple(notes))
