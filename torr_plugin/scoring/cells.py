"""The cells of a run's score cube: its stored requests without their prompts, some sixty bytes each."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from .rows import CELL

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

N = TypeVar("N", bound=Hashable)

PLACE = CELL[1:]
"""The columns that say which cell of a model's a request fills."""

_READ = ("key", "model", *PLACE, "stage", "references", "facts")


class ScoredRun(Protocol):
    """What scoring needs of a run."""

    @property
    def study(self) -> Mapping[str, Any]: ...  # noqa: D102

    def models(self) -> list[str]: ...  # noqa: D102

    def request_tables(self, columns: Sequence[str]) -> Iterable[pa.Table]: ...  # noqa: D102

    def predictions(self, label: str, columns: Sequence[str]) -> pa.Table: ...  # noqa: D102


class Names(Generic[N]):
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
        import numpy as np

        coded = column.combine_chunks().dictionary_encode()
        known = np.array([*map(self.number, coded.dictionary.to_pylist()), -1], dtype=np.int32)
        found: np.ndarray = known[coded.indices.fill_null(-1).to_numpy()]
        return found


@dataclass(frozen=True)
class Cells:
    """A run's requests, in their order.

    Attributes:
        names: for each column of ``PLACE`` the names that its numbers stand for.
        places: for each column of ``PLACE`` a number a request.
        keys: a key a request (:func:`torr_plugin.running.store.keyset.key_bytes`).
        models: the labels that ``asked_of`` counts.
        asked_of: whose earlier answer the request holds; -1 where it is every model's.
        stages: the step of its strategy.
        references: the different right answers, and ``right`` which of them are a request's.
        facts: the different facts (JSON), and ``told`` which of them are a request's; -1 where it has none.
    """

    names: Mapping[str, Sequence[str]]
    places: Mapping[str, np.ndarray]
    keys: np.ndarray
    models: Sequence[str]
    asked_of: np.ndarray
    stages: np.ndarray
    references: Sequence[tuple[str, ...]]
    right: np.ndarray
    facts: Sequence[str]
    told: np.ndarray

    def of_model(self, label: str) -> np.ndarray:
        """Whether each request is one of the model's."""
        own = self.models.index(label) if label in self.models else -1
        found: np.ndarray = (self.asked_of == -1) | (self.asked_of == own)
        return found

    def numbered(self) -> np.ndarray:
        """A number for each request: that of its cell, (data set, configuration, example)."""
        import numpy as np

        number = np.zeros(len(self.keys), dtype=np.int64)
        for column in ("dataset", "config", "example"):
            number = number * len(self.names[column]) + self.places[column]
        return number


def read_cells(run: ScoredRun) -> Cells:
    """The requests of a run, read a shard at a time.

    Raises:
        RunError: they are damaged or were not all written.
    """
    import numpy as np

    from ..running.store.keyset import key_bytes

    names: dict[str, Names[str]] = {column: Names() for column in ("model", *PLACE, "facts")}
    references: Names[tuple[str, ...]] = Names()
    parts: dict[str, list[np.ndarray]] = {column: [] for column in _READ}
    for table in run.request_tables(_READ):
        for column, known in names.items():
            parts[column].append(known.numbers(table[column]))
        right = [references.number(tuple(each)) for each in table["references"].to_pylist()]
        parts["references"].append(np.array(right, dtype=np.int32))
        parts["key"].append(key_bytes(table["key"].to_pylist()))
        parts["stage"].append(table["stage"].to_numpy().astype(np.int32))
    found = {column: _joined(parts.pop(column), "S16" if column == "key" else "i4") for column in _READ}
    return Cells(
        names={column: names[column].values for column in PLACE},
        places={column: found[column] for column in PLACE},
        keys=found["key"],
        models=names["model"].values,
        asked_of=found["model"],
        stages=found["stage"],
        references=references.values,
        right=found["references"],
        facts=names["facts"].values,
        told=found["facts"],
    )


def _joined(parts: Sequence[np.ndarray], kind: str) -> np.ndarray:
    import numpy as np

    return np.concatenate(parts) if parts else np.zeros(0, dtype=kind)
