"""Which requests of a run each model has answered, and how."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..catalog import load_card, with_metrics
from ..core.errors import RunError
from ..core.names import CUT, REFUSED, UNFINISHED
from ..prompts import designs
from ..running.answer import cut, refused, unfinished
from .example_scores import LAST, scored_leniently
from .final_answers import final_answers
from .request_index import RequestIndex, ScoredRun, key_bytes

if TYPE_CHECKING:
    import pyarrow as pa

    from ..catalog import Card


ENDINGS = (None, UNFINISHED, REFUSED, CUT)
"""How an answer ends: as it should, or not."""

UNREAD = (ENDINGS.index(UNFINISHED), ENDINGS.index(REFUSED))
"""The positions of those whose answers score 0."""


@dataclass(frozen=True)
class DatasetAnswers:
    """One model and one data set.

    Attributes:
        model: its label.
        card: the data set's.
        rows: the requests (of :class:`RequestIndex`) that were answered, in their order.
        texts: the answer to each of them; of the last step the part that is scored.
        ended: how each of them ended, a position in ``ENDINGS``; those of ``UNREAD`` score 0.
        holes: the requests of cells without an answer: a call failed, or none was made.
        step: the step of the designs that was answered; the last one if empty.
    """

    model: str
    card: Card
    rows: np.ndarray
    texts: pa.Array
    ended: np.ndarray
    holes: np.ndarray
    step: str = LAST

    @cached_property
    def coded(self) -> tuple[pa.Array, np.ndarray]:
        """The different texts, and the number of each row's."""
        coded = self.texts.dictionary_encode()
        return coded.dictionary, coded.indices.to_numpy()


def _last_alone(card: Card) -> Sequence[str]:
    return (LAST,)


def answers_by_dataset(
    run: ScoredRun, cells: RequestIndex, steps: Callable[[Card], Sequence[str]] = _last_alone
) -> Iterator[DatasetAnswers]:
    """Yield every model's answers, a data set at a time, in the order of the run's models and requests.

    The answer to a cell is that of its strategy's last step; study.yaml says under ``stages`` how many steps
    a design has, where it has several.

    Args:
        run: whose.
        cells: its requests.
        steps: the steps whose answers are wanted of a card, each in the designs that have it; by default the
            last one alone. Where none of a model's requests has a step, nothing is yielded for it.

    Raises:
        RunError: study.yaml does not say which card a data set is, or answers are damaged.
    """
    cards: dict[str, Card] = {}
    datasets = cells.places["dataset"]
    firsts = np.sort(np.unique(datasets, return_index=True)[1])
    for model in run.models():
        texts, ended, given = _answers(run, model, cells)
        own = cells.of_model(model)
        scored: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        for number in datasets[firsts].tolist():
            if not own[datasets == number].any():
                continue
            name = cells.names["dataset"][number]
            card = cards[name] if name in cards else cards.setdefault(name, card_of(run.study, name))
            for step in steps(card):
                if step not in scored:
                    scored[step] = _scored(cells, given, own, _stages(cells, run.study, step))
                rows, holes = (some[datasets[some] == number] for some in scored[step])
                if len(rows) or len(holes):
                    answers = texts.take(given[rows])
                    if step == LAST:
                        asked = cells.places["design"][rows]
                        answers = final_answers(answers, cells.names["design"], asked)
                    yield DatasetAnswers(model, card, rows, answers, ended[given[rows]], holes, step)


def _answers(run: ScoredRun, model: str, cells: RequestIndex) -> tuple[pa.Array, np.ndarray, np.ndarray]:
    """A model's answers, how each of them ended, and for each request its answer's number or -1."""
    again = bool(cells.replicates.any())
    table = run.predictions(model, ("key", "prediction", "finish_reason"), replicates=again)
    table = table.filter(table["prediction"].is_valid())
    ended = _endings(table)
    texts = table["prediction"].combine_chunks()
    keys = key_bytes(table["key"].to_pylist())
    del table
    if not len(keys):
        return texts, ended, np.full(len(cells.keys), -1)
    order = np.argsort(keys, kind="stable")
    places = np.searchsorted(keys, cells.keys, side="right", sorter=order) - 1  # of equal ones the last
    given = order[np.maximum(places, 0)]
    given[keys[given] != cells.keys] = -1
    return texts, ended, given


def _endings(table: pa.Table) -> np.ndarray:
    """How each answer ended, as positions in ``ENDINGS``."""
    kinds = {UNFINISHED: unfinished(table), REFUSED: refused(table), CUT: cut(table)}
    found = np.zeros(table.num_rows, dtype=np.int8)
    for name, which in kinds.items():
        found[which.to_numpy()] = ENDINGS.index(name)
    return found


_NO_STEP = -1


def _stages(cells: RequestIndex, study: Mapping[str, Any], step: str) -> np.ndarray:
    """The place of a step in each design; ``_NO_STEP`` in those without it, and in unknown ones."""
    if step == LAST:
        steps = study.get("stages") or {}
        found = [int(steps.get(design) or 1) - 1 for design in cells.names["design"]]
    else:
        found = [_place_of(step, design) for design in cells.names["design"]]
    return np.array(found, dtype=np.int32)


def _place_of(step: str, design: str) -> int:
    names = [each.name for each in designs.get(design).steps] if design in designs else []
    return names.index(step) if step in names else _NO_STEP


def _scored(
    cells: RequestIndex, given: np.ndarray, own: np.ndarray, stages: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The requests of a model whose answers count, and one request of every cell without such an answer.

    Args:
        cells: all requests.
        given: for each the number of its answer, -1 without one.
        own: whether it is one of the model's.
        stages: of :func:`_stages`; the answers to these steps count.
    """
    wanted = stages[cells.places["design"]]
    final = own & (cells.stages == wanted)
    rows = np.flatnonzero(final & (given >= 0))
    if not stages.any():
        return rows, np.flatnonzero(final & (given < 0))
    cell = cells.numbered()
    requests = np.flatnonzero(own & (wanted != _NO_STEP))
    open_ = requests[~np.isin(cell[requests], cell[rows])]
    return _as_planned(rows, cell), open_[np.sort(np.unique(cell[open_], return_index=True)[1])]


def _as_planned(rows: np.ndarray, cell: np.ndarray) -> np.ndarray:
    """The requests in the order of the plan; later steps are stored in the order of earlier answers."""
    numbers, firsts = np.unique(cell, return_index=True)
    ordered: np.ndarray = rows[np.argsort(firsts[np.searchsorted(numbers, cell[rows])], kind="stable")]
    return ordered


@dataclass(frozen=True)
class FactsOfRows:
    """Facts of answers.

    Attributes:
        codes: a number an answer, equal for equal facts; -1: none.
        text: the JSON of a number's facts; None without any.
    """

    codes: np.ndarray
    text: Callable[[int], str | None]


_AT_ONCE = 1 << 14  # answers whose texts are in memory as Python's


def for_each_distinct(
    each: DatasetAnswers,
    cells: RequestIndex,
    use: Callable[[list[str], list[tuple[str, ...]], list[str | None]], None],
    facts: FactsOfRows | None = None,
) -> np.ndarray:
    """Pass every different answer with its references to ``use``, some thousands at a time.

    Args:
        each: the answers.
        cells: of the run.
        use: takes texts, their references, and their facts (JSON) or None.
        facts: of each answer; answers that differ in nothing but these are then different.

    Returns:
        For each answer the position of the equal one among those passed.
    """
    texts, text_codes = each.coded
    number = text_codes.astype(np.int64) * len(cells.references) + cells.reference_codes[each.rows]
    number = number * (facts.codes.max(initial=0) + 2) + facts.codes if facts else number
    _, firsts, which = np.unique(number, return_index=True, return_inverse=True)
    for start in range(0, len(firsts), _AT_ONCE):
        some = firsts[start : start + _AT_ONCE]
        use(
            texts.take(text_codes[some]).to_pylist(),
            [cells.references[right] for right in cells.reference_codes[each.rows[some]].tolist()],
            [facts.text(code) for code in facts.codes[some].tolist()] if facts else [None] * len(some),
        )
    found: np.ndarray = which.reshape(-1)
    return found


def card_of(study: Mapping[str, Any], dataset: str) -> Card:
    """The card of a data set, rated as the recipe says: by its metrics, with its main score.

    One from a file of its own is found by the path that the recipe gave.

    Raises:
        RunError: study.yaml does not say which card it is.
    """
    name = study.get("datasets", {}).get(dataset, {}).get("card")
    if not name and "imported" in study:
        raise RunError(
            f"data set {dataset!r} was imported with the scores of another harness and has no card, so its "
            "answers cannot be rated; 'torr import ... --rate-again' names cards where there are some"
        )
    if not name:
        raise RunError(
            f"study.yaml: no card for data set {dataset!r}; expected it under datasets.{dataset}.card"
        )
    recipe = study.get("recipe", {})
    entries = {str(entry["card"]): entry.get("metrics") for entry in recipe.get("cards", [])}
    files = {path: load_card(path) for path in entries if path.endswith(".json")}
    given = next((path for path, card in files.items() if card.name == name), None)
    card = files[given] if given else load_card(name)
    chosen = [entries[each] for each in entries if each in (given, name, card.dataset) and entries[each]]
    rated = with_metrics(card, chosen[0] if chosen else None)
    return scored_leniently(rated) if recipe.get("scoring") == "lenient" else rated
