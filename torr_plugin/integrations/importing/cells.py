"""Which cells of the score cube were met, and that they fit together across models and configurations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ...core.errors import InputError
from .plain import digest
from .result import Result


@dataclass(frozen=True, slots=True)
class Met:
    """A cell as it was first met: its request's key, and where."""

    key: str
    same: str
    where: str


@dataclass
class Cells:
    """The cells met so far; some hundred bytes each, whatever their prompts.

    ``requests`` is data set -> (example, config) -> the cell; ``answered`` model -> its (data set, example,
    config).
    """

    requests: dict[str, dict[tuple[str, str], Met]] = field(default_factory=dict)
    answered: dict[str, dict[tuple[str, str, str], str]] = field(default_factory=dict)
    _announced: dict[str, set[str]] = field(default_factory=dict)
    _examples: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)

    def meet(self, model: str, result: Result, key: str) -> bool:
        """Take in a result; gives whether its cell is new.

        Raises:
            InputError: the model has an answer in this cell already, or what it was asked, or the right
                answers, are others than those met under the same id.
        """
        self._check_model(model, result)
        self._check_example(result)
        known, cell = self.requests.setdefault(result.dataset, {}), (result.example, result.config)
        if cell not in known:
            known[cell] = Met(key, result.same, result.where)
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
        """A configuration that was to be asked: without a result it is holes, in a data set that has some."""
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
        """The examples of a data set, as they were met."""
        return list(dict.fromkeys(example for example, _ in self.requests[dataset]))

    def configs(self, dataset: str | None = None) -> list[str]:
        """The configurations of a data set, or of all, as they were met."""
        datasets = self.requests if dataset is None else (dataset,)
        return list(dict.fromkeys(config for name in datasets for config in self._configs(name)))

    def _configs(self, dataset: str) -> Iterator[str]:
        yield from (config for _, config in self.requests[dataset])
        yield from sorted(self._announced.get(dataset, ()))

    def expected(self, model: str) -> Iterator[tuple[str, str, str]]:
        """The cells that a model is to have: of each data set all examples in all configurations."""
        for dataset in self.requests:
            examples = self.examples(dataset)
            for config in self.configs(dataset):
                yield from ((dataset, example, config) for example in examples)

    def __len__(self) -> int:
        return sum(map(len, self.requests.values()))


def _named(result: Result) -> str:
    return f"data set {result.dataset!r}, example {result.example!r}, configuration {result.config!r}"
