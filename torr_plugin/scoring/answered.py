"""Which cells of a run a model has answered, and with what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from .cells import Cells, ScoredRun
from .run_cards import card_of

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from ..catalog import Card


@dataclass(frozen=True)
class Answered:
    """One model and one data set.

    Attributes:
        model: its label.
        card: the data set's.
        rows: the requests (of :class:`Cells`) that were answered, in their order.
        texts: the answer to each of them.
        holes: the requests whose cells have no answer: this call failed or an earlier one, or none was made.
    """

    model: str
    card: Card
    rows: np.ndarray
    texts: pa.Array
    holes: np.ndarray

    @cached_property
    def coded(self) -> tuple[pa.Array, np.ndarray]:
        """The different texts, and for each row which of them."""
        coded = self.texts.dictionary_encode()
        return coded.dictionary, coded.indices.to_numpy()


def answered(run: ScoredRun, cells: Cells) -> Iterator[Answered]:
    """Every model's answers, a data set at a time, in the order of the run's models and requests.

    The answer to a cell is that of its strategy's last step; study.yaml says under ``stages`` how many steps
    a design has, where it has several.

    Raises:
        RunError: study.yaml does not say which card a data set is, or answers are damaged.
    """
    import numpy as np

    cards: dict[str, Card] = {}
    datasets = cells.places["dataset"]
    firsts = np.sort(np.unique(datasets, return_index=True)[1])
    for model in run.models():
        texts, given = _answers(run, model, cells)
        rows, holes = _scored(cells, given, model, run.study)
        for number in datasets[firsts].tolist():
            here, open_ = rows[datasets[rows] == number], holes[datasets[holes] == number]
            if not len(here) and not len(open_):
                continue
            name = cells.names["dataset"][number]
            card = cards[name] if name in cards else cards.setdefault(name, card_of(run.study, name))
            yield Answered(model, card, here, texts.take(given[here]), open_)


def _answers(run: ScoredRun, model: str, cells: Cells) -> tuple[pa.Array, np.ndarray]:
    """A model's answers, and for each request the number of its answer; -1 where it has none."""
    import numpy as np

    from ..running.store.keyset import key_bytes

    table = run.predictions(model, ("key", "prediction")).drop_null()
    texts = table["prediction"].combine_chunks()
    keys = key_bytes(table["key"].to_pylist())
    del table
    if not len(keys):
        return texts, np.full(len(cells.keys), -1)
    order = np.argsort(keys, kind="stable")
    places = np.searchsorted(keys, cells.keys, side="right", sorter=order) - 1  # of equal ones the last
    given = order[np.maximum(places, 0)]
    given[keys[given] != cells.keys] = -1
    return texts, given


def _scored(
    cells: Cells, given: np.ndarray, model: str, study: Mapping[str, Any]
) -> tuple[np.ndarray, np.ndarray]:
    """The requests of a model whose answers count, and one request of every cell without such an answer."""
    import numpy as np

    steps = study.get("stages") or {}
    last = np.array([int(steps.get(design) or 1) - 1 for design in cells.names["design"]], dtype=np.int32)
    own = cells.of_model(model)
    final = own & (cells.stages == last[cells.places["design"]])
    rows = np.flatnonzero(final & (given >= 0))
    if not last.any():
        return rows, np.flatnonzero(final & (given < 0))
    cell = cells.numbered()
    asked = np.flatnonzero(own)
    open_ = asked[~np.isin(cell[asked], cell[rows])]
    return _as_planned(rows, cell), open_[np.sort(np.unique(cell[open_], return_index=True)[1])]


def _as_planned(rows: np.ndarray, cell: np.ndarray) -> np.ndarray:
    """The requests in the order of the plan: later steps are stored as the answers before them came."""
    import numpy as np

    numbers, firsts = np.unique(cell, return_index=True)
    ordered: np.ndarray = rows[np.argsort(firsts[np.searchsorted(numbers, cell[rows])], kind="stable")]
    return ordered
