"""Writes a harness's results as the requests and answers of a run, a file at a time.

The cells of the score cube must fit together across models and configurations; what does not is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from ...core.atomic_files import make_directory
from ...core.errors import InputError
from ...prompts import Message, first_steps
from ...recipes import Configuration, Request, request_batches
from ...running import Answer, Run
from ...running.answer import storable_text
from ...running.store.predictions import AnswerStore
from ...running.store.requests import ROWS_A_SHARD
from ...running.store.shards import add_shard
from ..steps import steps_of
from .harness_scores import HarnessScores
from .names import digest, plain_text
from .results import HarnessScore, Result, check_names

Cell = tuple[str, str, str, str]
"""Model, data set, example and configuration."""


@dataclass(frozen=True, slots=True)
class CellSource:
    """Where a cell was first found, and its request's key."""

    key: str
    same: str
    where: str


@dataclass
class CellIndex:
    """The cells so far, in about a hundred bytes each.

    ``requests`` is data set -> (example, config) -> the cell; ``answered`` model -> its (data set, example,
    config).
    """

    requests: dict[str, dict[tuple[str, str], CellSource]] = field(default_factory=dict)
    answered: dict[str, dict[tuple[str, str, str], str]] = field(default_factory=dict)
    _announced: dict[str, set[str]] = field(default_factory=dict)
    _examples: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)

    def meet(self, model: str, result: Result, key: str) -> bool:
        """Add a result; return whether its cell is new.

        Raises:
            InputError: the model has an answer in this cell already, or what it was asked, or the right
                answers, are others than those met under the same id.
        """
        self._check_model(model, result)
        self._check_example(result)
        known, cell = self.requests.setdefault(result.dataset, {}), (result.example, result.config)
        if cell not in known:
            known[cell] = CellSource(key, result.same, result.where)
            return True
        met = known[cell]
        if met.same and result.same and met.same != result.same:
            raise InputError(
                f"{result.where}: {_named(result)}: the question is another than in {met.where}; "
                "expected all models to be asked the same: the two were not made from the same data"
            )
        if result.record is not None and met.key != key:
            raise InputError(
                f"{result.where}: {_named(result)}: the key is {key}, in {met.where} {met.key}; "
                "expected results of one study"
            )
        return False

    def announce(self, dataset: str, config: str) -> None:
        """Add a configuration that was to be asked; without results its cells are holes."""
        self._announced.setdefault(dataset, set()).add(config)

    def _check_model(self, model: str, result: Result) -> None:
        answered = self.answered.setdefault(model, {})
        cell = (result.dataset, result.example, result.config)
        if cell in answered:
            raise InputError(
                f"{result.where}: {_named(result)} of model {model!r} is in {answered[cell]} too; "
                "expected one result a cell: leave one of the two runs out"
            )
        answered[cell] = result.where

    def _check_example(self, result: Result) -> None:
        # references that follow a perturbation differ by configuration, where our record says so
        part = result.config if result.record is not None else ""
        right = digest(*result.references)
        name = (f"{result.dataset}\n{part}", result.example)
        known, where = self._examples.setdefault(name, (right, result.where))
        if known != right:
            raise InputError(
                f"{result.where}: data set {result.dataset!r}, example {result.example!r}: the references "
                f"are others than in {where}; expected one example under one id: results made from other "
                "data, or in another order, cannot be compared"
            )

    def examples(self, dataset: str) -> list[str]:
        """The examples of a data set, in order of occurrence."""
        return list(dict.fromkeys(example for example, _ in self.requests[dataset]))

    def configs(self, dataset: str | None = None) -> list[str]:
        """The configurations of a data set, or of all, in order of occurrence."""
        datasets = self.requests if dataset is None else (dataset,)
        return list(dict.fromkeys(config for name in datasets for config in self._configs(name)))

    def _configs(self, dataset: str) -> Iterator[str]:
        yield from (config for _, config in self.requests[dataset])
        yield from sorted(self._announced.get(dataset, ()))

    def expected(self) -> Iterator[tuple[str, str, str]]:
        """The cells that each model is to have: of each data set all examples in all configurations."""
        for dataset in self.requests:
            examples = self.examples(dataset)
            for config in self.configs(dataset):
                yield from ((dataset, example, config) for example in examples)


def _named(result: Result) -> str:
    return f"data set {result.dataset!r}, example {result.example!r}, configuration {result.config!r}"


CUT = "the harness cut the prompt, so this is no answer to the study's"
NOT_THERE = "not among the imported results"
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
        ours: whether the results carry our records; then keys are the study's.
        cells: all.
        scores: the harness's own, where answers are not rated again.
        claims: the harness's own scores where answers are rated again, a model each.
        rows: how many requests were written.
        cut: how many prompts the harness had cut.
        failed: how many requests have an error.
        unanswered: the cells of these, where the harness's own scores are kept.
        rated_failures: how many of them the harness rated nevertheless.
        differing: how many answers differ from another one to an equal prompt, and so do not count.
    """

    run: Run
    ours: bool
    cells: CellIndex = field(default_factory=CellIndex)
    scores: HarnessScores = field(default_factory=HarnessScores)
    claims: list[tuple[str, HarnessScore]] = field(default_factory=list)
    rows: int = 0
    cut: int = 0
    failed: int = 0
    unanswered: set[Cell] = field(default_factory=set)
    rated_failures: int = 0
    differing: int = 0
    _study: str = ""
    _keys: set[str] = field(default_factory=set)
    _answer_marks: dict[str, dict[str, str]] = field(default_factory=dict)
    _stores: dict[str, AnswerStore] = field(default_factory=dict)

    def add(self, model: str, results: Sequence[Result]) -> None:
        """Write the requests and answers of some results of a model.

        Raises:
            InputError: what does not fit what was met before, or cannot be written.
        """
        fresh: list[Request] = []
        answers: list[Answer] = []
        for result in results:
            self._refuse_mixture(result)
            check_names(result)
            self.claims += [(model, claim) for claim in result.claims]
            key = _key(result)
            if self._repeated(model, result, key):
                continue
            new = self.cells.meet(model, result, key)
            fresh += _requests(model, result, key, new=new)
            key = self.cells.requests[result.dataset][result.example, result.config].key
            answers += self._answers(model, result, key)
            self._keep_scores(model, result)
        self._write_requests(fresh)
        self._store(model, answers)

    def close(self) -> None:
        """Store the holes: every cell that a model lacks gets an error in place of an answer."""
        for model in self.run.models():
            lacks = [self.cells.requests[name].get((one, config)) for name, one, config in self._holes(model)]
            missing = [Answer(met.key, None, NOT_THERE) for met in lacks if met is not None]
            for start in range(0, len(missing), _ANSWERS_AT_ONCE):
                self._store(model, missing[start : start + _ANSWERS_AT_ONCE])

    def holes(self) -> list[Cell]:
        """The cells without a result."""
        return [(model, *cell) for model in self.run.models() for cell in self._holes(model)]

    def _holes(self, model: str) -> list[tuple[str, str, str]]:
        there = self.cells.answered.get(model, {})
        return [cell for cell in self.cells.expected() if cell not in there]

    @property
    def unique(self) -> int:
        """How many different requests there are."""
        return len(self._keys)

    def _store(self, model: str, answers: Sequence[Answer]) -> None:
        if model not in self._stores:
            self._stores[model] = self.run.answers(model)
        self._stores[model].append(answers)

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
        cell = (result.dataset, result.example, result.config)
        if cell not in self.cells.answered.get(model, {}):
            return False
        last = result.steps[-1].key if result.steps else key
        return self._answer_marks.get(model, {}).get(last) == digest(result.answer)

    def _answers(self, model: str, result: Result, key: str) -> Iterator[Answer]:
        self.cut += result.cut
        answer, error = result.answer, result.error
        if self.ours and result.cut:
            answer, error = None, CUT
        if answer is None:
            self.failed += 1
            yield Answer(key, None, storable_text((error or "the harness has no answer")[:500]))
            return
        marks = self._answer_marks.setdefault(model, {})
        for its_key, text in [(each.key, each.answer) for each in result.steps] or [(key, answer)]:
            mark = digest(text)
            if its_key in marks:  # equal prompts are asked once
                self.differing += marks[its_key] != mark
                continue
            marks[its_key] = mark
            yield Answer(its_key, storable_text(text), seconds=None if result.steps else result.seconds)

    def _keep_scores(self, model: str, result: Result) -> None:
        if self.ours:
            return
        if result.answer is None:  # HELM rates an empty answer in its place; missing is not zero
            self.unanswered.add((model, result.dataset, result.example, result.config))
            self.rated_failures += bool(result.scores)
            return
        self.scores.add(model, result)

    def _write_requests(self, fresh: Sequence[Request]) -> None:
        folder = self.run.path / "requests"
        make_directory(folder)
        for batch in request_batches(fresh, ROWS_A_SHARD):
            add_shard(folder, batch)
            self.rows += batch.num_rows
            self._keys.update(batch.column("key").to_pylist())


def _key(result: Result) -> str:
    if result.record is not None:
        return result.record.key
    # a cell each: another harness may have given equal prompts different answers
    texts = (message.content for message in result.prompt)
    return digest("imported", result.dataset, result.example, result.config, *texts)


def _requests(model: str, result: Result, key: str, *, new: bool) -> Iterator[Request]:
    """The requests of a result that were not met before; prompts with earlier answers are the model's own."""
    first = _request(result, key)
    if new:
        yield first
    shared = first_steps(steps_of(first.config))
    for stage, step in enumerate(result.steps[1:], 1):
        if new or stage not in shared:
            prompt = tuple(Message(each.role, plain_text(each.content)) for each in step.messages)
            label = None if stage in shared else model
            yield replace(first, key=step.key, model=label, stage=stage, prompt=prompt)


def _request(result: Result, key: str) -> Request:
    return Request(
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
