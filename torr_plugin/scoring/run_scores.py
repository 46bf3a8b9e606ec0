"""The scores of a run: its requests, merged with every model's answers, rated by the cards' metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pandas.api.types import union_categoricals

from ..catalog import load_card, with_metrics
from ..core.caches import BoundedCache
from ..core.errors import RunError
from ..core.names import CUT, ENDED, REFUSED, UNFINISHED
from ..prompts import designs
from ..recipes import facts_column, facts_of_column
from ..running.answer import cut, refused, unfinished
from ..tables import perturbations
from .example_scores import (
    LAST,
    card_metrics,
    rated_steps,
    read_answer,
    refuse_single_answers,
    scored_leniently,
    scores_of,
    table_fact,
)
from .metrics import SHOWN_TABLE, facts_of
from .metrics.base import counting
from .shown_examples import ShownExamples

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..catalog import Card
    from ..running import Run

REPLICATE = "replicate"
"""The column of scores that is there if prompts were asked again: 0 for a first answer, 1 for the other."""

CELL = ["model", "dataset", "config", "serializer", "perturbation", "design", "example"]
"""The columns that identify an example, a configuration and a model."""

COLUMNS = [*CELL, "metric", "score", "main"]
"""Those of scores.parquet."""

REQUEST_COLUMNS = CELL[1:]
"""The columns that identify a model's cell."""

ENDINGS = (None, UNFINISHED, REFUSED, CUT)
"""How an answer ends: as it should, or not."""

UNREAD = (ENDINGS.index(UNFINISHED), ENDINGS.index(REFUSED))
"""The positions of those whose answers score 0."""

PAIR = "pair"
"""The group that the two examples of a pair share."""

_NO_STEP = -1
_MOST_CHARACTERS = 20_000_000  # of facts with tables that are kept


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


@dataclass(frozen=True)
class FactsOfRows:
    """Facts of answers.

    Attributes:
        codes: a number an answer, equal for equal facts; -1: none.
        text: the JSON of a number's facts; None without any.
    """

    codes: np.ndarray
    text: Callable[[int], str | None]


class RunFacts:
    """The facts of a run's answers, with the table as it was shown where a metric takes it into account."""

    def __init__(self, study: Mapping[str, Any], requests: Requests) -> None:
        self._study, self._requests = study, requests
        self._examples: dict[str, ShownExamples] = {}
        self._shown: BoundedCache[tuple[str, int, int, int], str] = BoundedCache(_MOST_CHARACTERS, len)

    def of(self, answers: DatasetAnswers) -> FactsOfRows | None:
        """The facts of answers; None where the metrics of their step take none into account.

        Raises:
            RunError: a table is wanted, and an example of the run is no longer in its card's data.
            DataError: these data cannot be read.
        """
        wanted = {name for metric in card_metrics(answers.card, answers.step) for name in facts_of(metric)}
        if not wanted:
            return None
        given, example, perturbation = (
            self._requests.codes(name, answers.rows) for name in ("facts", "example", "perturbation")
        )
        if SHOWN_TABLE not in wanted:
            return FactsOfRows(given, self._given)
        kinds, codes = np.unique(np.stack([given, example, perturbation]), axis=1, return_inverse=True)

        def text(code: int) -> str:
            kind: tuple[int, int, int] = tuple(kinds[:, code].tolist())
            make = partial(self._with_table, answers.card, *kind)
            return self._shown.get((answers.card.dataset, *kind), make)

        return FactsOfRows(codes.reshape(-1), text)

    def _given(self, code: int) -> str | None:
        return str(self._requests.frame["facts"].cat.categories[code]) if code >= 0 else None

    def _with_table(self, card: Card, given: int, example: int, perturbation: int) -> str:
        if card.dataset not in self._examples:
            self._examples[card.dataset] = ShownExamples(self._study, card)
        names = self._requests.names("example")[example], self._requests.names("perturbation")[perturbation]
        shown = self._examples[card.dataset].shown(*names)
        facts = {**facts_of_column(self._given(given)), SHOWN_TABLE: table_fact(shown.table)}
        return facts_column(facts) or ""


# -- scores --------------------------------------------------------------------------------------------------


def makes_pairs(perturbation: str) -> bool:
    """Whether answers under a perturbation are also compared with those on the tables as they were."""
    known = perturbation in perturbations.names()
    return known and bool(getattr(perturbations.get(perturbation), "pairs_with_original", False))


def score_run(run: Run) -> pd.DataFrame:
    """The scores of every answered request of a run.

    A cell without an answer has one row, of the main metric and without a score (NaN), so that the analysis
    sees the hole also where all models failed. Where a design takes several calls, the answer of the last
    one is scored, and that of any other by the metrics that name its step. Equal answers to equal references
    are scored once a model and data set.

    Returns:
        A frame with the columns of scores.parquet (``COLUMNS``; ``replicate`` if prompts were asked again,
        ``ended`` if answers did not end as they should), a row a score, by model, then in the requests'
        order; names are categories.

    Raises:
        RunError: study.yaml does not say which card a data set is.
        CardError: a card whose answers cannot be scored.
    """
    from .pairs import Pairs

    requests = read_requests(run, replicates=True)
    facts, pairs = RunFacts(run.study, requests), cache(lambda: Pairs(run.study, requests))
    on_originals = any(map(makes_pairs, requests.names("perturbation")))
    blocks = []
    for each in answers_by_dataset(run, requests, rated_steps):
        main, scores = each.card.main_metric, dict[str, np.ndarray]()
        if len(each.rows):
            scores = _scores(each, requests, facts)
            blocks.append(score_block(each, requests, each.rows, scores, each.ended))
        if len(each.holes):
            empty = [main] if each.step == LAST else [of.main for of in card_metrics(each.card, each.step)]
            blocks.append(without_scores(each, requests, each.holes, empty))
        if each.step == LAST and (on_originals or PAIR in each.card.reading.groups):
            blocks.extend(pairs().scored(each, scores or {main: np.empty(0)}))
    if not blocks:
        return _no_scores()
    found = together(blocks)
    kept = {REPLICATE: requests.replicates.any(), ENDED: found[ENDED].notna().any()}
    trimmed: pd.DataFrame = found.drop(columns=[name for name, is_kept in kept.items() if not is_kept])
    return trimmed


def _no_scores() -> pd.DataFrame:
    frame: pd.DataFrame = pd.DataFrame(columns=COLUMNS).astype({"score": "float64", "main": "bool"})
    return frame


def score_block(
    each: DatasetAnswers,
    requests: Requests,
    rows: np.ndarray,
    scores: Mapping[str, np.ndarray],
    ended: np.ndarray | None = None,
) -> pd.DataFrame:
    """Scores of requests of one model and data set, those of a request one after the other.

    ``ended`` says how the answer to each request ended, and is None where there are no answers.
    """
    names, count = list(scores), len(scores)
    values = np.stack(list(scores.values()), axis=1)
    endings = np.zeros(len(rows), np.int8) if ended is None else ended
    is_main = [name == each.card.main_metric for name in names]
    block: pd.DataFrame = cell_frame(each.model, requests, np.repeat(rows, count)).assign(
        metric=_coded(np.tile(np.arange(count), len(rows)), names),
        score=values.ravel(),
        main=np.tile(np.array(is_main, dtype=bool), len(rows)),
        **{REPLICATE: np.repeat(requests.replicates[rows], count)},
        **{ENDED: _coded(np.repeat(endings, count) - 1, [name for name in ENDINGS if name])},
    )
    return block


def without_scores(
    each: DatasetAnswers, requests: Requests, rows: np.ndarray, names: Sequence[str]
) -> pd.DataFrame:
    """Rows for requests that have no answer."""
    return score_block(each, requests, rows, {name: np.full(len(rows), np.nan) for name in names})


def cell_frame(model: str, requests: Requests, rows: np.ndarray) -> pd.DataFrame:
    """``CELL`` of some of a model's requests; names are categories."""
    frame: pd.DataFrame = requests.frame[REQUEST_COLUMNS].iloc[rows].reset_index(drop=True)
    cells: pd.DataFrame = frame.assign(model=_coded(np.zeros(len(rows), np.int8), [model]))[CELL]
    return cells


def _coded(codes: np.ndarray, names: Sequence[str]) -> pd.Categorical[Any]:
    return pd.Categorical.from_codes(codes, categories=pd.Index(list(names), dtype=object))


def together(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """The frames' rows, one after the other; names stay categories."""
    if len({tuple(frame.columns) for frame in frames}) != 1:
        plain = [frame.astype(dict.fromkeys(frame.select_dtypes("category"), "object")) for frame in frames]
        mixed: pd.DataFrame = pd.concat(plain, ignore_index=True) if plain else pd.DataFrame()
        return mixed

    def column(parts: Sequence[pd.Series[Any]]) -> Any:
        if all(isinstance(part.dtype, pd.CategoricalDtype) for part in parts):
            return union_categoricals(list(parts))
        return pd.concat(list(parts), ignore_index=True)

    found: pd.DataFrame = pd.DataFrame({name: column([each[name] for each in frames]) for name in frames[0]})
    return found


def _scores(each: DatasetAnswers, requests: Requests, facts: RunFacts) -> dict[str, np.ndarray]:
    """Name -> the score of each answer."""
    known = facts.of(each)
    texts, references, firsts, which = distinct(each, requests, known)
    its_facts = [known.text(code) for code in known.codes[firsts].tolist()] if known else None
    names, scores = score_matrix(each.card, texts, references, its_facts, each.step)
    scores = scores[which]
    scores[np.isin(each.ended, UNREAD)] = 0.0
    return dict(zip(names, scores.T, strict=True))


def distinct(
    each: DatasetAnswers, requests: Requests, facts: FactsOfRows | None = None
) -> tuple[Iterator[str], Iterator[tuple[str, ...]], np.ndarray, np.ndarray]:
    """The different answers and their references, the first row of each, and the number of each row's answer.

    ``facts``: answers that differ in nothing but these are different, too.
    """
    texts, codes = each.coded
    right = requests.frame["references"].to_numpy()[each.rows]
    number = codes.astype(np.int64) * len(requests.references) + right
    number = number * (facts.codes.max(initial=0) + 2) + facts.codes if facts else number
    _, firsts, which = np.unique(number, return_index=True, return_inverse=True)
    return (
        (texts[code].as_py() for code in codes[firsts].tolist()),
        (requests.references[code] for code in right[firsts].tolist()),
        firsts,
        which.reshape(-1),
    )


def score_matrix(
    card: Card,
    predictions: Iterable[str],
    references: Iterable[Sequence[str]],
    facts: Iterable[str | None] | None = None,
    step: str = LAST,
) -> tuple[list[str], np.ndarray[Any, Any]]:
    """The scores' names, and an array (answers x scores); what is equal is scored once."""
    its_metrics = card_metrics(card, step)
    known: dict[tuple[str, tuple[str, ...], str | None], tuple[float, ...]] = {}
    names: list[str] = []
    rows = []
    # facts are part of what is equal only where a metric looks at them
    given = facts if facts is not None and any(map(facts_of, its_metrics)) else repeat(None)
    for prediction, right, its_facts in zip(predictions, references, given, strict=False):
        pair = (prediction, tuple(right), its_facts if isinstance(its_facts, str) else None)
        if pair not in known:
            scores = scores_of(card, its_metrics, prediction, pair[1], facts_of_column(pair[2]), step=step)
            names = names or list(scores)
            known[pair] = tuple(scores[name] for name in names)
        rows.append(known[pair])
    return names, np.array(rows, dtype=float)


def score_frame(card: Card, answered: pd.DataFrame) -> pd.DataFrame:
    """The scores of answers to one card.

    Args:
        card: the card of all rows.
        answered: a row an answer: the columns ``CELL``, ``prediction`` (text), ``references`` (lists of
            text) and ``facts`` (JSON or null), which may be absent.

    Returns:
        A row a score, ``COLUMNS``; the answers' order is kept.
    """
    refuse_single_answers(card)
    if answered.empty:
        return _no_scores()
    facts = answered.get("facts", None)
    names, values = score_matrix(card, answered["prediction"], answered["references"], facts)
    frame = answered[CELL].iloc[np.repeat(np.arange(len(answered)), len(names))].reset_index(drop=True)
    metric = np.tile(np.array(names, dtype=object), len(answered))
    scored: pd.DataFrame = frame.assign(metric=metric, score=values.ravel(), main=metric == card.main_metric)
    return scored


def answered_by_card(
    run: Run, wanted: Callable[[Card], bool] = lambda card: True
) -> Iterator[tuple[Card, pd.DataFrame]]:
    """Every model's answers to every data set, with the card.

    A row an answer: ``CELL``, ``prediction``, ``references`` and ``facts``.

    Args:
        run: whose.
        wanted: of which cards.

    Raises:
        RunError: study.yaml does not say which card a data set is.
    """
    requests = read_requests(run)
    facts = RunFacts(run.study, requests)
    for each in answers_by_dataset(run, requests):
        if wanted(each.card):
            known = facts.of(each)
            right = requests.frame["references"].to_numpy()[each.rows]
            frame = cell_frame(each.model, requests, each.rows).astype(dict.fromkeys(CELL, "object"))
            yield (
                each.card,
                frame.assign(
                    prediction=pd.Series(each.texts.to_pylist(), dtype=object),
                    references=pd.Series([requests.references[code] for code in right], dtype=object),
                    facts=[known.text(code) for code in known.codes.tolist()] if known else None,
                ),
            )


def lengths_of_run(run: Run) -> pd.DataFrame:
    """How many values every answer of a run holds, for the cards whose metric reads answers as values.

    As HCT-QA counts them (appendix D.2, Fig. 35).

    Returns:
        A row an answer: the columns that identify it; ``values`` and ``truth``: how many values it and the
        right answer have; no row for other cards.

    Raises:
        RunError: study.yaml does not say which card a data set is.
    """
    none: pd.DataFrame = pd.DataFrame(columns=[*CELL, "values", "truth"])
    datasets = run.study.get("datasets") or {}
    if all(
        each.get("card") and counting(card_metrics(card_of(run.study, name), None)) is None
        for name, each in datasets.items()
    ):
        return none
    requests = read_requests(run)
    frames = []
    for each in answers_by_dataset(run, requests):
        metric = counting(card_metrics(each.card, None))
        if metric is None or not len(each.rows):
            continue
        texts, references, _, which = distinct(each, requests)
        counts = [
            metric.values_in(*read_answer(each.card, text, right))
            for text, right in zip(texts, references, strict=True)
        ]
        values, truth = np.array(counts, dtype=np.int64)[which].T
        frame = cell_frame(each.model, requests, each.rows).assign(values=values, truth=truth)
        frames.append(frame.astype({"model": "object"}))
    return pd.concat(frames, ignore_index=True) if frames else none
