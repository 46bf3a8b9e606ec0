"""Writes a log's results as the requests and answers of a run, a file at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from ...core.atomic_files import make_directory
from ...core.errors import InputError, counted
from ...prompts import Message, first_steps
from ...recipes import Configuration, Request, request_batches
from ...running import Answer, Run
from ...running.answer import storable_text
from ...running.store.predictions import AnswerStore
from ...running.store.requests import ROWS_A_SHARD
from ...running.store.shards import add_shard
from ..logs.log import FileResults, LogFile, OwnScore, Result
from ..logs.names import check_name, digest, plain_text
from ..steps import steps_of
from .cells import Cell, CellIndex, some_of
from .harness_scores import HarnessScores
from .study import StudyRecords

_CUT = "the harness cut the prompt, so this is no answer to the study's"
_NOT_THERE = "not among the imported results"
_ANSWERS_AT_ONCE = 4096


class OtherTasksError(InputError):
    """Results of a study of ours stand beside others.

    Attributes:
        study: its name.
    """

    def __init__(self, message: str, study: str) -> None:
        super().__init__(message)
        self.study = study


@dataclass
class Writer:
    """Adds results to a run that is being made.

    Attributes:
        run: its study names the models.
        only: take the results of this study of ours; None for all.
        ours: whether the results carry our records: keys are the study's then, and answers are rated again.
        cells: all.
        records: ours.
        scores: the harness's own, where answers are not rated again.
        claims: the harness's own where they are, each with model, data set and example.
        unanswered: the cells of failed requests, where the harness's own scores are kept.
        rows: how many requests were written.
        keys: of these.
        failed: how many requests have an error.
        left_out: how many results are of others than ``only``.
    """

    run: Run
    only: str | None = None
    ours: bool = False
    cells: CellIndex = field(default_factory=CellIndex)
    records: StudyRecords = field(default_factory=StudyRecords)
    scores: HarnessScores = field(default_factory=HarnessScores)
    claims: list[tuple[str, str, str, OwnScore]] = field(default_factory=list)
    unanswered: set[Cell] = field(default_factory=set)
    rows: int = 0
    keys: set[str] = field(default_factory=set)
    failed: int = 0
    left_out: int = 0
    _of_files: Counter[str] = field(default_factory=Counter)
    _study: str = ""
    _seen: Counter[str] = field(default_factory=Counter)
    _answers: dict[str, dict[str, str]] = field(default_factory=dict)
    _stores: dict[str, AnswerStore] = field(default_factory=dict)

    def add(self, file: LogFile, found: FileResults) -> None:
        """Write the requests and answers of a file.

        Raises:
            InputError: what does not fit what was met before, or cannot be written.
        """
        self._of_files.update(found.notes)
        results = [each for each in found.results if self.only is None or each.study == self.only]
        self.left_out += len(found.results) - len(results)
        if results and not self.cells.answered:
            self.ours = results[0].record is not None
        model, fresh, answers = file.model.label, list[Request](), list[Answer]()
        for result in results:
            if result.record is not None:
                self.records.add(result.record, result.where)
            self._refuse_mixture(result)
            _check_names(result)
            self.claims += [(model, result.dataset, result.example, claim) for claim in result.claims]
            key = _key(result)
            if self._repeated(model, result, key):
                continue
            new = self.cells.meet(model, result, key)
            fresh += _requests(model, result, key, new=new)
            answers += self._answers_of(model, result, self.cells.key_of(result))
            if not self.ours:
                self._keep_scores(model, result)
        self._write_requests(fresh)
        self._store(model, answers)

    def close(self) -> None:
        """Store the holes: every cell that a model lacks gets an error in place of an answer."""
        for model in self.run.models():
            lacks = (
                self.cells.requests[name].get((one, config)) for _, name, one, config in self.holes(model)
            )
            missing = [Answer(met.key, None, _NOT_THERE) for met in lacks if met is not None]
            for start in range(0, len(missing), _ANSWERS_AT_ONCE):
                self._store(model, missing[start : start + _ANSWERS_AT_ONCE])

    def holes(self, *models: str) -> list[Cell]:
        """The cells of some models, or of all, without a result."""
        return [cell for model in models or self.run.models() for cell in self.cells.holes(model)]

    def notes(self) -> list[str]:
        """What the files say of themselves; results left out, cut prompts, answers that differ, and holes."""
        notes = [
            note if count == 1 else f"{note} ({count} such files)" for note, count in self._of_files.items()
        ]
        if self.left_out:
            left_out = counted(self.left_out, "result")
            notes.append(f"left out: {left_out} of other tasks and studies than {self.only!r}")
        if cut := self._seen["cut"]:
            what = "count as failed" if self.ours else "keep their answers"
            notes.append(f"{cut} prompts were cut or changed by the harness, to fit a window; they {what}")
        if rated := self._seen["rated failures"]:
            notes.append(
                f"{rated} failed requests were rated by the harness as if the answer were "
                "empty; here they are holes"
            )
        if differing := self._seen["differing"]:
            notes.append(
                f"{differing} answers differ from an earlier one to an equal prompt; the first counts, "
                "as in a run, where equal prompts are asked once"
            )
        if holes := self.holes():
            notes.append(f"{len(holes)} cells have no result and are holes: {some_of(holes)}")
        return notes

    def _refuse_mixture(self, result: Result) -> None:
        self._study = self._study or result.study
        if (result.record is not None) is not self.ours:
            kinds = ("a task of this project", "another task")
            here, before = kinds if not self.ours else kinds[::-1]
            raise OtherTasksError(
                f"{result.where}: is of {here}, the results before it are of {before}; "
                "expected one kind: import them apart",
                self._study,
            )

    def _repeated(self, model: str, result: Result, key: str) -> bool:
        """Whether the same answer was read before: a task of all configurations, and one of a single one."""
        if result.record is None or result.answer is None:
            return False
        last = result.steps[-1].key if result.steps else key
        met = result.cell in self.cells.answered.get(model, {})
        return met and self._answers[model].get(last) == digest(result.answer)

    def _answers_of(self, model: str, result: Result, key: str) -> Iterator[Answer]:
        self._seen["cut"] += result.cut
        answer, error = result.answer, result.error
        if self.ours and result.cut:
            answer, error = None, _CUT
        known = self._answers.setdefault(model, {})
        if answer is None:
            self.failed += 1
            yield Answer(key, None, storable_text((error or "the harness has no answer")[:500]))
            return
        for its_key, text in [(each.key, each.answer) for each in result.steps] or [(key, answer)]:
            if its_key not in known:
                known[its_key] = digest(text)
                seconds = None if result.steps else result.seconds
                yield Answer(its_key, storable_text(text), seconds=seconds)
            elif known[its_key] != digest(text):  # equal prompts are asked once
                self._seen["differing"] += 1

    def _keep_scores(self, model: str, result: Result) -> None:
        if result.answer is not None:
            self.scores.add(model, result)
            return
        # HELM rates an empty answer in its place; missing is not zero
        self.unanswered.add((model, *result.cell))
        self._seen["rated failures"] += bool(result.scores)

    def _write_requests(self, fresh: Sequence[Request]) -> None:
        folder = self.run.path / "requests"
        make_directory(folder)
        for batch in request_batches(fresh, ROWS_A_SHARD):
            add_shard(folder, batch)
            self.rows += batch.num_rows
            self.keys.update(batch.column("key").to_pylist())

    def _store(self, model: str, answers: Sequence[Answer]) -> None:
        if model not in self._stores:
            self._stores[model] = self.run.answers(model)
        self._stores[model].append(answers)


def _check_names(result: Result) -> None:
    """Refuse names that no column, folder or page could show."""
    names = {"data set": result.dataset, "example": result.example, "configuration": result.config}
    if result.record is not None:
        names["key"] = result.record.key
    for what, name in [*names.items(), *(("metric", metric) for metric in result.scores)]:
        check_name(f"{result.where}: {what}", name)


def _key(result: Result) -> str:
    if result.record is not None:
        return result.record.key
    # a cell each: another harness may have given equal prompts different answers
    return digest("imported", *result.cell, *(message.content for message in result.prompt))


def _requests(model: str, result: Result, key: str, *, new: bool) -> Iterator[Request]:
    """The requests of a result that were not met before; prompts with earlier answers are the model's own."""
    first = Request(
        key=key,
        model=None,
        dataset=plain_text(result.dataset),
        example=plain_text(result.example),
        config=Configuration.of(result.config),
        stage=0,
        prompt=tuple(Message(each.role, plain_text(each.content), each.images) for each in result.prompt),
        references=tuple(map(plain_text, result.references)),
        facts=dict(result.record.facts) if result.record is not None else {},
    )
    if new:
        yield first
    shared = first_steps(steps_of(first.config))
    for stage, step in enumerate(result.steps[1:], 1):
        if new or stage not in shared:
            prompt = tuple(Message(each.role, plain_text(each.content)) for each in step.messages)
            label = None if stage in shared else model
            yield replace(first, key=step.key, model=label, stage=stage, prompt=prompt)
