"""Which cells of the score cube an import met: what every model was asked in them must be the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from ...core.errors import InputError
from ..logs.log import Result
from ..logs.names import DatasetConfig, digest

Cell: TypeAlias = "tuple[str, str, str, str]"
"""Model, data set, example and configuration."""

_NAMED = 5


class CellSource(NamedTuple):
    """A cell's request: its key, what tells the question from another, and where it was first found."""

    key: str
    same: str
    where: str


@dataclass
class CellIndex:
    """The cells so far.

    Attributes:
        requests: data set -> (example, configuration) -> the cell's request.
        answered: model -> its (data set, example, configuration) -> where it was found.
    """

    requests: dict[str, dict[tuple[str, str], CellSource]] = field(default_factory=dict)
    answered: dict[str, dict[tuple[str, str, str], str]] = field(default_factory=dict)
    _announced: dict[str, set[str]] = field(default_factory=dict)
    _references: dict[tuple[str, str, str], tuple[str, str]] = field(default_factory=dict)

    def meet(self, model: str, result: Result, key: str) -> bool:
        """Add a result; return whether its cell is new.

        Raises:
            InputError: the model has an answer in this cell already, or what it was asked, or the right
                answers, are others than those met under the same id.
        """
        self._add_answer(model, result)
        self._check_references(result)
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

    def announce(self, asked: DatasetConfig) -> None:
        """Add a configuration that was to be asked; without results its cells are holes."""
        self._announced.setdefault(asked.dataset, set()).add(asked.config)

    def _add_answer(self, model: str, result: Result) -> None:
        answered = self.answered.setdefault(model, {})
        if result.cell in answered:
            raise InputError(
                f"{result.where}: {_named(result)} of model {model!r} is in {answered[result.cell]} too; "
                "expected one result a cell: leave one of the two runs out"
            )
        answered[result.cell] = result.where

    def _check_references(self, result: Result) -> None:
        # references that follow a perturbation differ by configuration, where our record says so
        config = result.config if result.record is not None else ""
        right = digest(*result.references)
        name = (result.dataset, config, result.example)
        known, where = self._references.setdefault(name, (right, result.where))
        if known != right:
            raise InputError(
                f"{result.where}: data set {result.dataset!r}, example {result.example!r}: the references "
                f"are others than in {where}; expected one example under one id: results made from other "
                "data, or in another order, cannot be compared"
            )

    def key_of(self, result: Result) -> str:
        """The key of a cell's request."""
        return self.requests[result.dataset][result.example, result.config].key

    def examples(self, dataset: str) -> list[str]:
        """The examples of a data set, in order of occurrence."""
        return list(dict.fromkeys(example for example, _ in self.requests[dataset]))

    def configs(self, dataset: str | None = None) -> list[str]:
        """The configurations of a data set, or of all, in order of occurrence."""
        found: dict[str, None] = {}
        for name in self.requests if dataset is None else (dataset,):
            found |= dict.fromkeys(config for _, config in self.requests[name])
            found |= dict.fromkeys(sorted(self._announced.get(name, ())))
        return list(found)

    def expected(self, model: str) -> Iterator[Cell]:
        """The cells that each model is to have: of each data set all examples in all configurations."""
        for dataset in self.requests:
            examples = self.examples(dataset)
            for config in self.configs(dataset):
                yield from ((model, dataset, example, config) for example in examples)

    def holes(self, model: str) -> list[Cell]:
        """The cells of a model without a result."""
        there = self.answered.get(model, {})
        return [cell for cell in self.expected(model) if cell[1:] not in there]

    def results(self, dataset: str) -> int:
        """How many results there are of a data set."""
        return sum(cell[0] == dataset for cells in self.answered.values() for cell in cells)


def _named(result: Result) -> str:
    return f"data set {result.dataset!r}, example {result.example!r}, configuration {result.config!r}"


def some_of(cells: list[Cell]) -> str:
    """The first of some cells, and how many more there are."""
    some = "; ".join(f"{model}: {name}, {config}, {one}" for model, name, one, config in cells[:_NAMED])
    return some + (f" and {len(cells) - _NAMED} more" if len(cells) > _NAMED else "")
