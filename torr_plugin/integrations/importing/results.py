"""What importers return: a harness's results one by one, their models, and their source."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...core.errors import InputError
from ...core.validation import validate
from ...prompts import Prompt
from ...recipes import Configuration, ModelEntry
from ...recipes.models import labelled
from ..record import RequestRecord
from ..steps import LoggedStep, logged_steps
from .names import DatasetConfig, check_name


@dataclass(frozen=True, slots=True)
class HarnessScore:
    """The harness's own score of an example: the mean of its answers in some configurations.

    ``metric`` is the score's name; None for the main one.
    """

    dataset: str
    example: str
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
        same: a digest of what must be the same for all models in one cell: the question as the harness knows
            it, before any chat template; empty where it does not tell.
        cut: whether the harness shortened the prompt.
        seconds: how long the answer took, where it is known.
        claims: the harness's own scores of this answer (and those beside it), where it is rated again.
        steps: of a design of several calls, all of them; ``answer`` is then that of the last one.
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
    claims: tuple[HarnessScore, ...] = ()
    steps: tuple[LoggedStep, ...] = ()

    @property
    def study(self) -> str:
        """The study of ours that was asked; empty for another task."""
        return "" if self.record is None else self.record.study

    @classmethod
    def of_record(
        cls, record: RequestRecord, *, answer: str | None, score: float | None = None, **fields: Any
    ) -> Result:
        """The answer to a request of a study of ours.

        Args:
            record: of the request.
            answer: as the harness kept it; of a design of several calls all of its steps.
            score: the harness's own main score of the answer, where it gave one.
            fields: the others of a result.

        Raises:
            InputError: of a design of several calls the answer to one of them alone.
        """
        config, steps = Configuration.of(record.config), list[LoggedStep]()
        if answer is not None:
            steps = logged_steps(config, answer, fields["where"])
        if steps:
            answer, fields["prompt"] = steps[-1].answer, steps[0].messages
        claims = (
            (HarnessScore(record.dataset, record.example, (record.config,), score),)
            if score is not None
            else ()
        )
        return cls(
            dataset=record.dataset,
            example=record.example,
            config=record.config,
            references=record.references,
            record=record,
            claims=claims,
            answer=answer,
            steps=tuple(steps),
            **fields,
        )


@dataclass(frozen=True, slots=True)
class ResultBatch:
    """The results of one file: one model's.

    Attributes:
        results: in the order of the file.
        doubts: why the harness's own scores may be wrong.
        notes: what else is to be known of them, a line each.
    """

    results: Sequence[Result]
    doubts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class ResultFile:
    """One file of results (or some that belong together), read on demand.

    Attributes:
        name: of the file, for messages.
        model: whose results they are.
        read: the results.
    """

    name: str
    model: ModelEntry
    read: Callable[[], ResultBatch]


@dataclass(frozen=True)
class HarnessOutput:
    """A harness's output.

    Attributes:
        harness: ``HELM``, ``lm-eval`` or ``unitxt``.
        path: as it was given.
        pieces: the files.
        versions: of the harness and of packages beside it, as far as the files say them.
        notes: what was chosen or left out, a line each.
        options: of the command, that chose what is read.
        announced: data sets and configurations that were to be asked, also where no file holds results.
    """

    harness: str
    path: Path
    pieces: tuple[ResultFile, ...]
    versions: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    announced: tuple[DatasetConfig, ...] = ()

    def batches(self) -> Iterator[tuple[ResultFile, ResultBatch]]:
        """The pieces with what they hold, one in memory at a time."""
        for piece in self.pieces:
            try:
                yield piece, piece.read()
            except RecursionError:
                raise InputError(f"{piece.name}: holds values nested too deeply to be read") from None


def check_names(result: Result) -> None:
    """Refuse names that no column, folder or page could show.

    Raises:
        InputError: a name is empty, too long, or holds half a character.
    """
    names = {"data set": result.dataset, "example": result.example, "configuration": result.config}
    if result.record is not None:
        names["key"] = result.record.key
    for what, name in [*names.items(), *(("metric", metric) for metric in result.scores)]:
        check_name(f"{result.where}: {what}", name)


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


def distinct_models(entries: Sequence[ModelEntry]) -> list[ModelEntry]:
    """Give different models different labels."""
    different = {entry.digest: entry for entry in entries}
    named = dict(zip(different, labelled(list(different.values())), strict=True))
    return [named[entry.digest] for entry in entries]
