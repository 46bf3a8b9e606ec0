"""What a reader gives: a log of files, each with the results of one model."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from ...core.errors import InputError
from ...core.validation import validate
from ...prompts import Prompt
from ...recipes import Configuration, ModelEntry
from ...recipes.model_entries import labelled
from ..record import RequestRecord
from ..steps import LoggedStep, logged_steps
from .board import BoardScores
from .files import files_below, folders_below, head_of
from .names import check_name

_RunT = TypeVar("_RunT")


class OwnScore(NamedTuple):
    """The harness's own score of an example: the mean of its answers in some configurations.

    ``metric`` is the score's name; None for the main one.
    """

    configs: tuple[str, ...]
    score: float
    metric: str | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """One answer of one model.

    Attributes:
        dataset: as in scores.
        example: the example's id, the same in all configurations.
        config: ``serializer/perturbation/design``.
        prompt: as it was sent.
        references: the right answers.
        answer: None where the request failed.
        where: file and place, for messages.
        error: why there is no answer.
        record: ours, where a task of ours was asked.
        scores: the harness's own, by metric; what is no number is not among them.
        main: the metric that counts, where the harness says so.
        same: what must be the same for all models in one cell: a digest of the question as the harness knows
            it, before any chat template; empty where it does not tell.
        cut: whether the harness shortened the prompt.
        seconds: how long the answer took, where it is known.
        claims: the harness's own scores of this answer (and those beside it), where it is rated again.
        steps: of a design of several calls, all of them; ``answer`` is then that of the last one.
        note: what else is to be known, after a number of such results: ``answers were ...``.
    """

    dataset: str
    example: str
    config: str
    prompt: Prompt
    references: tuple[str, ...]
    answer: str | None
    where: str
    error: str | None = None
    record: RequestRecord | None = None
    scores: Mapping[str, float] = field(default_factory=dict)
    main: str | None = None
    same: str = ""
    cut: bool = False
    seconds: float | None = None
    claims: tuple[OwnScore, ...] = ()
    steps: tuple[LoggedStep, ...] = ()
    note: str = ""

    def __post_init__(self) -> None:
        """Refuse names that no column, folder or page could show."""
        names = {"data set": self.dataset, "example": self.example, "configuration": self.config}
        for what, name in [*names.items(), *(("metric", metric) for metric in self.scores)]:
            check_name(f"{self.where}: {what}", name)

    @property
    def cell(self) -> tuple[str, str, str]:
        """Data set, example and configuration."""
        return self.dataset, self.example, self.config

    @classmethod
    def of_record(cls, record: RequestRecord, *, answer: str | None, **fields: Any) -> Result:
        """The answer to a request of a study of ours.

        Args:
            record: of the request.
            answer: as the harness kept it; of a design of several calls all of its steps.
            fields: the others of a result.

        Raises:
            InputError: of a design of several calls the answer to one of them alone.
        """
        steps = list[LoggedStep]()
        if answer is not None:
            steps = logged_steps(Configuration.of(record.config), answer, fields["where"])
        if steps:
            answer, fields["prompt"] = steps[-1].answer, steps[0].messages
        return cls(
            dataset=record.dataset,
            example=record.example,
            config=record.config,
            references=record.references,
            record=record,
            same=record.key,
            answer=answer,
            steps=tuple(steps),
            **fields,
        )


@dataclass(frozen=True)
class LogFile:
    """One file of results of one model (or some that belong together), read on demand.

    Attributes:
        name: of the file, for messages.
        model: whose results they are.
        read: the results.
        chat: how the model was asked where its entry cannot say, as study.yaml is to have it.
    """

    name: str
    model: ModelEntry
    read: Callable[[], Sequence[Result]]
    chat: str | None = None


@dataclass(frozen=True)
class Log:
    """A harness's output.

    Attributes:
        files: with results.
        version: of the harness, where the files say it.
        notes: what was chosen or left out, a line each.
        harness: whose; its reader says so.
        path: as it was given to the reader.
    """

    files: tuple[LogFile, ...]
    version: str | None = None
    notes: tuple[str, ...] = ()
    harness: str = ""
    path: Path = Path()


@dataclass(frozen=True)
class LogReader:
    """Reads the logs of one format.

    Attributes:
        name: of the harness; in lower case that of its command below ``torr import``.
        expected: what the folder should be, for messages.
        named: matches the names of this format's files.
        scores: the scores in a file or folder, without prompts and answers, for ``torr audit``.
        holds: whether a file is of this format, by its path and first bytes (``HEAD``); None where the name
            is enough in a folder, and single files are not read.
        log: the log in a folder that has such files; None where its files hold no answers.
        general: reads any table, and so is asked only where no other reader knows a path.
    """

    name: str
    expected: str
    named: re.Pattern[str]
    scores: Callable[[Path], BoardScores]
    holds: Callable[[Path, bytes], bool] | None = None
    log: Callable[[Path], Log] | None = None
    general: bool = False

    def files(self, path: Path) -> list[Path]:
        """The files of this format below a folder, by name; a file itself.

        An empty file of such a name, as a full disk leaves it, is among them, for the reader to refuse.

        Raises:
            InputError: a folder or a file cannot be read.
        """
        if not path.is_dir():
            return [path]
        return [
            file
            for file in files_below(path)
            if self.named.fullmatch(file.name)
            and (self.holds is None or not (head := head_of(file)) or self.holds(file, head))
        ]

    def read(self, path: Path) -> Log:
        """What the harness wrote in a folder; different models get different labels.

        Raises:
            InputError: there is nothing of it, or nothing whole, or another version's files; or two models
                have one name.
        """
        if not path.is_dir():
            raise InputError(f"{path}: is not a folder that is there; expected {self.expected}")
        if not self.files(path):
            raise InputError(f"{path}: holds no results of {self.name}; expected {self.expected}")
        if self.log is None:
            raise InputError(f"{path}: {self.name} writes no answers; torr audit reads its scores")
        log = replace(self.log(path), harness=self.name, path=path)
        different = {(file.model.label, file.model.digest): file.model for file in log.files}
        named = dict(zip(different, labelled(list(different.values())), strict=True))
        files = (replace(each, model=named[each.model.label, each.model.digest]) for each in log.files)
        return replace(log, files=tuple(files))


def recognising(path: Path, readers: Iterable[LogReader]) -> list[LogReader]:
    """The readers that know a file, or one below a folder; each file's head is read once for all."""
    every, found = list(readers), set[LogReader]()
    for folder, names in folders_below(path) if path.is_dir() else [(path.parent, [path.name])]:
        for file in map(folder.joinpath, names):
            asked = [each for each in every if each not in found]
            if path.is_dir():
                asked = [each for each in asked if each.named.fullmatch(file.name)]
            head = head_of(file) if asked else b""
            found |= {each for each in asked if (each.holds(file, head) if each.holds else path.is_dir())}
    return [each for each in every if each in found]


def newest_runs(
    runs: Iterable[_RunT],
    of: Callable[[_RunT], Hashable],
    when: Callable[[_RunT], Any],
    said: Callable[[_RunT], tuple[str, str, str]],
) -> tuple[list[_RunT], list[str]]:
    """Of several runs of one thing the newest, and notes on which these are.

    Args:
        runs: in any order.
        of: what a run is of, such as a model and a task.
        when: by which runs of one thing are ordered; the last counts.
        said: task, model and the run's own name, for the note.
    """
    found = defaultdict[Hashable, list[_RunT]](list)
    for run in runs:
        found[of(run)].append(run)
    newest, notes = list[_RunT](), list[str]()
    for several in found.values():
        newest.append(sorted(several, key=when)[-1])
        if len(several) > 1:
            task, model, name = said(newest[-1])
            notes.append(f"{task}: {len(several)} runs of {model}; the newest counts, {name}")
    return newest, notes


def model_entry(where: str, **fields: Any) -> ModelEntry:
    """Validate a model that a harness named.

    Args:
        where: file and field, for messages.
        fields: the fields of a model in a recipe.

    Raises:
        InputError: it is no model that a recipe could have.
    """
    entry = validate(ModelEntry, fields, where)
    check_name(where, entry.label)
    return entry
