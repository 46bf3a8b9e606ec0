"""Writes a log's results as the requests and answers of a run, a file at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeAlias

from ...core.atomic_files import make_directory
from ...core.errors import InputError
from ...prompts import Message, first_steps
from ...recipes import Configuration, Request, request_batches
from ...running import Answer, Run
from ...running.answer import storable_text
from ...running.store.shards import ROWS_A_SHARD, AnswerStore, add_shard
from ..logs.log import OwnScore, Result
from ..logs.names import digest, plain_text
from ..steps import steps_of
from .scores import HarnessScores, ModelCell, some_of
from .study import StudyRecords

Cell: TypeAlias = "tuple[str, str, str]"
"""Data set, example and configuration."""

_CUT = "the harness cut the prompt, so this is no answer to the study's"
_NOT_THERE = "not among the imported results"


class _AskedCell(NamedTuple):
    """A cell's request: its key, what tells the question from another, and where it was first found."""

    key: str
    same: str
    where: str


@dataclass
class Writer:
    """Adds results to a run that is being made, and checks that what was asked in a cell is the same for all.

    Attributes:
        run: its study names the models.
        scores: the harness's own, where answers are not rated again by a study's cards.
        only: take the results of this study of ours alone; None for all.
        records: ours, of a study.
        examples: data set -> its examples, in order of occurrence.
        configs: data set -> its configurations, likewise.
        claims: the harness's own scores where answers are rated again, with model, data set and example.
        keys: of all requests.
        failed: how many requests have an error.
        said: notes, and of how many results each is.
    """

    run: Run
    scores: HarnessScores
    only: str | None = None
    records: StudyRecords = field(default_factory=StudyRecords)
    examples: dict[str, dict[str, None]] = field(default_factory=dict)
    configs: dict[str, dict[str, None]] = field(default_factory=dict)
    claims: list[tuple[str, str, str, OwnScore]] = field(default_factory=list)
    rows: int = 0
    keys: set[str] = field(default_factory=set)
    failed: int = 0
    said: Counter[str] = field(default_factory=Counter)
    _asked: dict[Cell, _AskedCell] = field(default_factory=dict)
    _references: dict[Cell, tuple[str, str]] = field(default_factory=dict)
    _answered: dict[str, dict[Cell, str]] = field(default_factory=dict)
    _answers: dict[str, dict[str, str]] = field(default_factory=dict)
    _stores: dict[str, AnswerStore] = field(default_factory=dict)

    def add(self, model: str, results: Sequence[Result]) -> None:
        """Write the requests and answers of a file.

        Raises:
            InputError: what does not fit what was met before, or cannot be written.
        """
        fresh, answers = list[Request](), list[Answer]()
        for result in results:
            if self.only is not None and (result.record is None or result.record.study != self.only):
                self.said[f"results of other tasks and studies than {self.only!r} are left out"] += 1
                continue
            self.records.add(result)
            self.claims += [(model, result.dataset, result.example, claim) for claim in result.claims]
            if self._repeated(model, result):
                continue
            new = self._meet(model, result)
            key = self._asked[result.cell].key
            fresh += _requests(model, result, key, new=new)
            answers += self._answers_of(model, result, key)
            if result.record is None:
                self._keep_scores(model, result)
        self._write(fresh)
        self._store(model, answers)

    def close(self) -> None:
        """Store the holes: every cell that a model lacks gets an error in place of an answer."""
        if self.only is not None:  # others answered nothing of this study, so have no holes in it
            models = self.run.study["models"]
            self.run.study["models"] = [each for each in models if each["label"] in self._answered]
        missing: dict[str, list[Answer]] = {}
        for model, *cell in self.holes():
            if asked := self._asked.get((cell[0], cell[1], cell[2])):
                missing.setdefault(model, []).append(Answer(asked.key, None, _NOT_THERE))
        for model, answers in missing.items():
            self._store(model, answers)

    def expected(self) -> Iterator[ModelCell]:
        """The cells that there are to be: of each model and data set all examples in all configurations."""
        for model in self.run.models():
            for dataset, examples in self.examples.items():
                for config in self.configs[dataset]:
                    yield from ((model, dataset, example, config) for example in examples)

    def holes(self) -> list[ModelCell]:
        """The cells without a result."""
        return [cell for cell in self.expected() if cell[1:] not in self._answered.get(cell[0], ())]

    def results(self) -> int:
        """How many results there are."""
        return sum(map(len, self._answered.values()))

    def notes(self) -> list[str]:
        """What is to be known of the results; and the holes."""
        notes = [f"{count} {note}" for note, count in self.said.items()]
        if holes := self.holes():
            notes.append(f"{len(holes)} cells have no result and are holes: {some_of(holes)}")
        return notes

    def _repeated(self, model: str, result: Result) -> bool:
        """Whether the same answer was read before: a task of all configurations, and one of a single one."""
        met = result.cell in self._answered.get(model, ())
        if result.record is None or result.answer is None or not met:
            return False
        last = result.steps[-1].key if result.steps else result.record.key
        return self._answers[model].get(last) == digest(result.answer)

    def _meet(self, model: str, result: Result) -> bool:
        """Add a cell; whether no model had it before."""
        named = f"data set {result.dataset!r}, example {result.example!r}"
        answered = self._answered.setdefault(model, {})
        if result.cell in answered:
            raise InputError(
                f"{result.where}: {named}, configuration {result.config!r} of model {model!r} is in "
                f"{answered[result.cell]} too; expected one result a cell: leave one of the two runs out"
            )
        answered[result.cell] = result.where
        # references that follow a perturbation differ by configuration, where our record says so
        of = (result.dataset, result.example, "" if result.record is None else result.config)
        right = digest(*result.references)
        known, where = self._references.setdefault(of, (right, result.where))
        if known != right:
            raise InputError(
                f"{result.where}: {named}: the references are others than in {where}; expected one example "
                "under one id: results made from other data, or in another order, cannot be compared"
            )
        new = result.cell not in self._asked
        met = self._asked.setdefault(result.cell, _AskedCell(_key(result), result.same, result.where))
        if met.same and result.same and met.same != result.same:
            raise InputError(
                f"{result.where}: {named}, configuration {result.config!r}: the question is another than in "
                f"{met.where}; expected all models to be asked the same, of the same data"
            )
        self.examples.setdefault(result.dataset, {})[result.example] = None
        self.configs.setdefault(result.dataset, {})[result.config] = None
        return new

    def _answers_of(self, model: str, result: Result, key: str) -> Iterator[Answer]:
        answer, error = result.answer, result.error
        if result.note:
            self.said[result.note] += 1
        if result.cut:
            count = "keep their answers" if result.record is None else "count as failed"
            self.said[f"prompts were cut or changed by the harness, to fit a window; they {count}"] += 1
            answer, error = (answer, error) if result.record is None else (None, _CUT)
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
                self.said["answers differ from an earlier one to an equal prompt, which counts"] += 1

    def _keep_scores(self, model: str, result: Result) -> None:
        if result.answer is not None:
            self.scores.add(model, result)
        elif result.scores:  # HELM rates an empty answer in its place; missing is not zero
            self.said[
                "failed requests were rated by the harness as if the answer were empty; here they are holes"
            ] += 1

    def _write(self, fresh: Sequence[Request]) -> None:
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
        dataset=result.dataset,
        example=result.example,
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
