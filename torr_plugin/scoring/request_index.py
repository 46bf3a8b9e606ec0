"""The requests of a run, without their prompts.

A request takes about sixty bytes here: names are coded as numbers, and equal references are stored once.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa

N = TypeVar("N", bound=Hashable)

COLUMNS = [
    "model",
    "dataset",
    "config",
    "serializer",
    "perturbation",
    "design",
    "example",
    "metric",
    "score",
    "main",
]


CELL = COLUMNS[:7]
"""The columns that identify an example, a configuration and a model."""

REQUEST_COLUMNS = CELL[1:]
"""The columns that identify a model's cell."""

REPLICATE = "replicate"
"""The column of scores that is there if prompts were asked again: 0 for a first answer, 1 for the other."""

_READ = ("key", "model", *REQUEST_COLUMNS, "stage", "references", "facts", REPLICATE)


class ScoredRun(Protocol):
    """The columns that scoring needs of a run."""

    @property
    def study(self) -> Mapping[str, Any]: ...  # noqa: D102

    def models(self) -> list[str]: ...  # noqa: D102

    def request_tables(  # noqa: D102
        self, columns: Sequence[str], *, replicates: bool = False
    ) -> Iterable[pa.Table]: ...

    def predictions(  # noqa: D102
        self, label: str, columns: Sequence[str], *, replicates: bool = False
    ) -> pa.Table: ...


class Categories(Generic[N]):
    """Values by number, in the order in which they were first seen; -1 stands for null."""

    def __init__(self) -> None:
        self.values: list[N] = []
        self._numbers: dict[N, int] = {}

    def number(self, value: N) -> int:
        """The value's number."""
        number = self._numbers.setdefault(value, len(self.values))
        if number == len(self.values):
            self.values.append(value)
        return number

    def numbers(self, column: pa.ChunkedArray) -> np.ndarray:
        """The numbers of a column of text."""
        coded = column.combine_chunks().dictionary_encode()
        known = np.array([*map(self.number, coded.dictionary.to_pylist()), -1], dtype=np.int32)
        found: np.ndarray = known[coded.indices.fill_null(-1).to_numpy()]
        return found


@dataclass(frozen=True)
class RequestIndex:
    """A run's requests, in their order.

    Attributes:
        names: for each column of ``REQUEST_COLUMNS`` its different names.
        places: for each column of ``REQUEST_COLUMNS`` the position in ``names`` of each request's.
        keys: a key a request (:func:`key_bytes`).
        models: the labels that ``model_codes`` counts.
        model_codes: the model whose earlier answers the request holds; -1 where all models are asked it.
        stages: the step of its strategy.
        references: the different right answers; ``reference_codes``: the number of each request's.
        facts: the different facts (JSON); ``fact_codes``: the number of each request's; -1: none.
        replicates: 0 for a first answer, 1, 2, ... for those to a prompt asked again.
    """

    names: Mapping[str, Sequence[str]]
    places: Mapping[str, np.ndarray]
    keys: np.ndarray
    models: Sequence[str]
    model_codes: np.ndarray
    stages: np.ndarray
    references: Sequence[tuple[str, ...]]
    reference_codes: np.ndarray
    facts: Sequence[str]
    fact_codes: np.ndarray
    replicates: np.ndarray

    def of_model(self, label: str) -> np.ndarray:
        """Whether each request is one of the model's."""
        own = self.models.index(label) if label in self.models else -1
        found: np.ndarray = (self.model_codes == -1) | (self.model_codes == own)
        return found

    def numbered(self) -> np.ndarray:
        """The number of each request's cell, (data set, configuration, example, replicate)."""
        found: np.ndarray = (
            self.number(*(self.places[name] for name in ("dataset", "config", "example"))) + self.replicates
        )
        return found

    def number(self, dataset: np.ndarray, config: np.ndarray, example: np.ndarray) -> np.ndarray:
        """The number of each cell's first answer, from the places of its names."""
        first = dataset.astype(np.int64) * len(self.names["config"]) + config
        found: np.ndarray = self._answers_a_cell * (first * len(self.names["example"]) + example)
        return found

    @cached_property
    def _answers_a_cell(self) -> int:
        return 1 + int(self.replicates.max(initial=0))


def read_request_index(run: ScoredRun, *, replicates: bool = False) -> RequestIndex:
    """The requests of a run, read a shard at a time; ``replicates``: also those that ask a prompt again.

    Raises:
        RunError: they are damaged or were not all written.
    """
    names: dict[str, Categories[str]] = {
        column: Categories() for column in ("model", *REQUEST_COLUMNS, "facts")
    }
    references: Categories[tuple[str, ...]] = Categories()
    parts: dict[str, list[np.ndarray]] = {column: [] for column in _READ}
    for table in run.request_tables(_READ, replicates=replicates):
        for column, known in names.items():
            parts[column].append(known.numbers(table[column]))
        right = [references.number(tuple(each)) for each in table["references"].to_pylist()]
        parts["references"].append(np.array(right, dtype=np.int32))
        parts["key"].append(key_bytes(table["key"].to_pylist()))
        parts["stage"].append(table["stage"].to_numpy().astype(np.int32))
        parts[REPLICATE].append(table[REPLICATE].fill_null(0).to_numpy().astype(np.int32))
    found = {column: _joined(parts.pop(column), "S16" if column == "key" else "i4") for column in _READ}
    return RequestIndex(
        names={column: names[column].values for column in REQUEST_COLUMNS},
        places={column: found[column] for column in REQUEST_COLUMNS},
        keys=found["key"],
        models=names["model"].values,
        model_codes=found["model"],
        stages=found["stage"],
        references=references.values,
        reference_codes=found["references"],
        facts=names["facts"].values,
        fact_codes=found["facts"],
        replicates=found[REPLICATE],
    )


def key_bytes(keys: Iterable[str]) -> np.ndarray:
    """Sixteen bytes a key (NumPy's type ``S16``), which can be sorted and searched: its BLAKE2b hash."""
    hashes = [blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).digest() for key in keys]
    return np.array(hashes, dtype="S16")


def _joined(parts: Sequence[np.ndarray], kind: str) -> np.ndarray:
    return np.concatenate(parts) if parts else np.zeros(0, dtype=kind)
