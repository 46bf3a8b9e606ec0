"""The requests of a run, merged with every model's answers: what is scored, and the facts for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ..catalog import load_card, with_metrics
from ..core.errors import RunError
from ..core.names import CUT, REFUSED, UNFINISHED
from ..prompts import designs
from ..recipes import facts_column, facts_of_column
from ..running.answer import cut, refused, unfinished
from .example_scores import LAST, card_metrics, scored_leniently, table_fact
from .metrics import SHOWN_TABLE
from .shown_examples import ShownExamples

if TYPE_CHECKING:
    from ..catalog import Card
    from ..running import Run

REPLICATE = "replicate"
"""The column of scores that is there if prompts were asked again: 0 for a first answer, 1 for the other."""

CELL = ["model", "dataset", "config", "serializer", "perturbation", "design", "example"]
"""The columns that identify an example, a configuration and a model."""

REQUEST_COLUMNS = CELL[1:]
"""The columns that identify a model's cell."""

ENDINGS = (None, UNFINISHED, REFUSED, CUT)
"""How an answer ends: as it should, or not."""

UNREAD = (ENDINGS.index(UNFINISHED), ENDINGS.index(REFUSED))
"""The positions of those whose answers score 0."""

PAIR = "pair"
"""The group that the two examples of a pair share."""

_NO_STEP = -1


# -- requests and answers ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Requests:
    """A run's requests in their order, without their prompts.

    Attributes:
        frame: ``key``; ``model``, the one whose earlier answers the request holds, null where all are asked;
            ``REQUEST_COLUMNS`` and ``facts`` (JSON or null) as categories; ``stage``, the step of its
            strategy; ``references``, the number of its right answers; ``replicate``.
        references: the different right answers.
    """

    frame: pd.DataFrame
    references: Sequence[tuple[str, ...]]

    def codes(self, name: str, rows: np.ndarray | slice = slice(None)) -> np.ndarray:
        """The number of each request's value of a column, -1 for null; of all requests, or of some."""
        found: np.ndarray = self.frame[name].cat.codes.to_numpy()[rows].astype(np.int64)
        return found

    def names(self, name: str) -> list[str]:
        """The different values of a column."""
        return list(self.frame[name].cat.categories)

    @cached_property
    def replicates(self) -> np.ndarray:
        """0 for a first answer, 1, 2, ... for those to a prompt asked again."""
        found: np.ndarray = self.frame[REPLICATE].to_numpy()
        return found

    @cached_property
    def cells(self) -> np.ndarray:
        """The number of each request's cell: data set, configuration, example, replicate."""
        places = (self.codes(name) for name in ("dataset", "config", "example"))
        found: np.ndarray = self.cell_numbers(*places) + self.replicates
        return found

    @cached_property
    def planned(self) -> pd.Series[int]:
        """Of each cell its first request."""
        places = pd.Series(np.arange(len(self.cells)), index=self.cells)
        found: pd.Series[int] = places.groupby(level=0, sort=False).first()
        return found

    @cached_property
    def _answers_a_cell(self) -> int:
        return 1 + int(self.replicates.max(initial=0))

    def cell_numbers(self, dataset: np.ndarray, config: np.ndarray, example: np.ndarray) -> np.ndarray:
        """The numbers of the cells' first answers."""
        configs, examples = (len(self.frame[name].cat.categories) for name in ("config", "example"))
        found: np.ndarray = ((dataset * configs + config) * examples + example) * self._answers_a_cell
        return found


def read_requests(run: Run, *, replicates: bool = False) -> Requests:
    """The requests of a run, read a shard at a time; ``replicates``: also those that ask a prompt again.

    Raises:
        RunError: they are damaged or were not all written.
    """
    names = ("model", *REQUEST_COLUMNS, "facts")
    references: dict[tuple[str, ...], int] = {}
    shards = []
    for table in run.request_tables(("key", *names, "stage", "references", REPLICATE), replicates=replicates):
        listed = map(tuple, table["references"].to_pylist())
        right = [references.setdefault(each, len(references)) for each in listed]
        columns: dict[str, Any] = {name: table[name].dictionary_encode() for name in names}
        columns |= {"key": table["key"], "stage": table["stage"].cast(pa.int32())}
        columns |= {"references": pa.array(right, pa.int32())}
        shards.append(pa.table({**columns, REPLICATE: table[REPLICATE].fill_null(0).cast(pa.int32())}))
    if not shards:
        empty = {name: pd.Categorical([]) for name in names}
        numbers = {name: np.zeros(0, np.int32) for name in ("stage", "references", REPLICATE)}
        return Requests(pd.DataFrame({**empty, **numbers, "key": []}), [])
    return Requests(pa.concat_tables(shards).unify_dictionaries().to_pandas(), list(references))


@dataclass(frozen=True)
class DatasetAnswers:
    """One model and one data set.

    Attributes:
        model: its label.
        card: the data set's.
        rows: the requests that were answered, in their order.
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
    run: Run, requests: Requests, steps: Callable[[Card], Sequence[str]] = _last_alone
) -> Iterator[DatasetAnswers]:
    """Yield every model's answers, a data set at a time, in the order of the run's models and requests.

    The answer to a cell is that of its strategy's last step; study.yaml says under ``stages`` how many steps
    a design has, where it has several.

    Args:
        run: whose.
        requests: its requests.
        steps: the steps whose answers are wanted of a card, each in the designs that have it; by default the
            last one alone. Where none of a model's requests has a step, nothing is yielded for it.

    Raises:
        RunError: study.yaml does not say which card a data set is, or answers are damaged.
    """
    cards: dict[str, Card] = {}
    stages = cache(partial(_stages, requests, run.study))
    datasets, names = requests.codes("dataset"), requests.names("dataset")
    for model in run.models():
        table = run.predictions(
            model, ("key", "prediction", "finish_reason"), replicates=bool(requests.replicates.any())
        )
        table = table.filter(table["prediction"].is_valid())
        texts, ended = table["prediction"].combine_chunks(), _endings(table)
        answer = pd.Series(np.arange(len(texts)), index=table["key"].to_pylist(), dtype=np.int64)
        answer = answer[~answer.index.duplicated(keep="last")]
        given = answer.reindex(requests.frame["key"], fill_value=-1).to_numpy()
        own = (requests.frame["model"].isna() | (requests.frame["model"] == model)).to_numpy()
        scored: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        for number in pd.unique(datasets[own]).tolist():
            name = names[number]
            cards[name] = card = cards.get(name) or card_of(run.study, name)
            for step in steps(card):
                if step not in scored:
                    scored[step] = _scored(requests, given, own, stages(step))
                rows, holes = (some[datasets[some] == number] for some in scored[step])
                if len(rows) or len(holes):
                    answers = texts.take(given[rows])
                    if step == LAST:
                        answers = _final(answers, requests.frame["design"].iloc[rows])
                    yield DatasetAnswers(model, card, rows, answers, ended[given[rows]], holes, step)


def _endings(table: pa.Table) -> np.ndarray:
    """How each answer ended, as positions in ``ENDINGS``."""
    found = np.zeros(table.num_rows, dtype=np.int8)
    for name, which in ((UNFINISHED, unfinished), (REFUSED, refused), (CUT, cut)):
        found[which(table).to_numpy()] = ENDINGS.index(name)
    return found


def _stages(requests: Requests, study: Mapping[str, Any], step: str) -> np.ndarray:
    """The place of a step in each design; ``_NO_STEP`` in those without it, and in unknown ones."""
    if step == LAST:
        last = study.get("stages") or {}
        return np.array([int(last.get(design) or 1) - 1 for design in requests.names("design")])
    steps = [
        [each.name for each in designs.get(design).steps] if design in designs else []
        for design in requests.names("design")
    ]
    return np.array([names.index(step) if step in names else _NO_STEP for names in steps])


def _scored(
    requests: Requests, given: np.ndarray, own: np.ndarray, stages: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The requests of a model whose answers count, and one request of every cell without such an answer.

    Args:
        requests: all of the run.
        given: for each the number of its answer, -1 without one.
        own: whether it is one of the model's.
        stages: of :func:`_stages`; the answers to these steps count.
    """
    wanted = stages[requests.codes("design")]
    final = own & (requests.frame["stage"].to_numpy() == wanted)
    rows = np.flatnonzero(final & (given >= 0))
    if not stages.any():
        return rows, np.flatnonzero(final & (given < 0))
    # later steps are stored in the order of earlier answers: they stand where their cell was planned
    cells = requests.cells
    rows = rows[np.argsort(requests.planned.loc[cells[rows]].to_numpy(), kind="stable")]
    open_ = np.flatnonzero(own & (wanted != _NO_STEP) & ~np.isin(cells, cells[rows]))
    return rows, open_[np.sort(np.unique(cells[open_], return_index=True)[1])]


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


# -- the part of an answer that is scored --------------------------------------------------------------------


def final_answer(name: str | None, text: str) -> str:
    """The scored part of an answer to the last step of a design; all of it for one that is not registered."""
    if name is None or name not in designs:
        return text
    design = designs.get(name)
    if design.scores_whole_answer:
        return text
    with designs.blamed(name):
        return design.final_answer(text)


def _final(texts: pa.Array, asked: pd.Series[Any]) -> pa.Array:
    """The answers to last steps, each cut to the part that its design says is scored."""
    for name in asked.unique():
        if name in designs and not designs.get(name).scores_whole_answer:
            those = pa.array((asked == name).to_numpy())
            final = [final_answer(name, text) for text in texts.filter(those).to_pylist()]
            texts = pc.replace_with_mask(texts, those, pa.array(final, type=texts.type))
    return texts


# -- facts ---------------------------------------------------------------------------------------------------


class RunFacts:
    """The facts of a run's answers, with the table as it was shown where a metric takes it into account."""

    def __init__(self, study: Mapping[str, Any], requests: Requests) -> None:
        self._study, self._requests = study, requests
        self._examples: dict[str, ShownExamples] = {}

    def of(self, answers: DatasetAnswers) -> np.ndarray | None:
        """The facts of each answer, as JSON, None where it has none.

        Returns:
            None where the metrics of their step take none into account.

        Raises:
            RunError: a table is wanted, and an example of the run is no longer in its card's data.
            DataError: these data cannot be read.
        """
        its_metrics = card_metrics(answers.card, answers.step)
        wanted = {name for metric in its_metrics for name in (*metric.needs, *metric.optional)}
        if not wanted:
            return None
        names = ("facts", "example", "perturbation")
        codes = np.stack([self._requests.codes(name, answers.rows) for name in names])
        given = np.array([*self._requests.names("facts"), None], dtype=object)  # -1 is none
        found: np.ndarray = given[codes[0]]
        if SHOWN_TABLE in wanted:
            kinds, which = np.unique(codes, axis=1, return_inverse=True)
            made = [self._with_table(answers.card, given[own], *at) for own, *at in kinds.T.tolist()]
            found = np.array(made, dtype=object)[which.reshape(-1)]
        return found

    def _with_table(self, card: Card, given: str | None, example: int, perturbation: int) -> str:
        if card.dataset not in self._examples:
            self._examples[card.dataset] = ShownExamples(self._study, card)
        names = self._requests.names("example")[example], self._requests.names("perturbation")[perturbation]
        shown = self._examples[card.dataset].shown(*names)
        return facts_column({**facts_of_column(given), SHOWN_TABLE: table_fact(shown.table)}) or ""
