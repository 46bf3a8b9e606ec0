"""The scores of an imported run: rated again by our cards, or the harness's own."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ...catalog import Card, card_names, load_card
from ...core.errors import InputError
from ...running import Run
from ...running.store.run import EXAMPLES, write_frame
from ...scoring import lengths_of_run, score_run
from ...scoring.example_scores import card_metrics
from ...scoring.metrics import facts_of, needs_of
from .cells import some_of
from .harness_scores import listed, main_metrics
from .study import AGAIN, ITS_OWN, known_examples
from .writer import Writer


class ImportedScores(NamedTuple):
    """Scores, and whose they are: one word for all data sets, or one for each."""

    scores: pd.DataFrame
    by: str | dict[str, str]
    notes: list[str]


class _DatasetSubset(Run):
    """A run reduced to some of its data sets."""

    def __init__(self, run: Run, datasets: Collection[str]) -> None:
        super().__init__(run.path, run.study)
        self._datasets = pa.array(sorted(datasets), pa.string())

    def request_tables(
        self, columns: Sequence[str] | None = None, *, replicates: bool = False
    ) -> Iterator[pa.Table]:
        """The requests of these data sets."""
        for table in super().request_tables(columns, replicates=replicates):
            yield table.filter(pc.is_in(table["dataset"], value_set=self._datasets))


def imported_scores(writer: Writer, *, metrics: Sequence[str], again: bool) -> ImportedScores:
    """The scores of what was written.

    Args:
        writer: has written all results, and study.yaml.
        metrics: the main ones of foreign results, as the user chose them.
        again: rate foreign answers too, where a card of ours does.

    Raises:
        InputError: no data set has a usable score, or one of ``metrics``; or all are rated by cards, which
            say themselves what the main metric is.
    """
    if writer.ours:
        refuse_chosen(metrics)
        return ImportedScores(score_run(writer.run), AGAIN, _beside(writer))
    _refuse_unknown(writer.scores.metrics(), metrics)
    datasets, parts = list(writer.cells.requests), list[pd.DataFrame]()
    ratable, notes = _ratable(writer.run, datasets) if again else ([], [])
    kept = [name for name in datasets if name not in ratable]
    if again and not ratable:
        raise InputError(f"--rate-again: {'; '.join(notes) or 'no data set has a card here'}")
    if ratable:
        parts.append(score_run(_DatasetSubset(writer.run, ratable)))
    if kept:
        own, more = _own(writer, metrics, kept, alone=not ratable)
        parts, notes = [*parts, own], [*notes, *more]
    else:
        refuse_chosen(metrics)
    if len(parts) == 1:
        return ImportedScores(parts[0], AGAIN if ratable else ITS_OWN, notes)
    by = {name: AGAIN if name in ratable else ITS_OWN for name in datasets}
    texts = dict.fromkeys(set(parts[0].columns) - {"score", "main"}, "object")  # categories differ
    return ImportedScores(pd.concat([part.astype(texts) for part in parts], ignore_index=True), by, notes)


def _own(
    writer: Writer, wanted: Sequence[str], datasets: Collection[str], *, alone: bool
) -> tuple[pd.DataFrame, list[str]]:
    """The harness's scores of some data sets, and notes on them.

    ``alone``: whether there are no others, so that one of these has to have scores.
    """
    declared, cells = writer.scores.mains, writer.cells
    # where none has what the user chose or the harness calls the main metric, another does not take its place
    found = {
        name: there
        for name, there in writer.scores.metrics().items()
        if name in datasets and (name not in declared or {*there} & {*declared[name], *wanted})
    }
    without = {name: cells.results(name) for name in datasets if name not in found}
    if alone and not found:
        dataset, results = next(iter(without.items()))
        raise InputError(
            f"{dataset}: none of its {results} results has a score; expected the harness's own, or "
            "--rate-again where a card of ours rates the data set"
        )
    mains = main_metrics(found, declared, wanted)
    expected = (cell for model in writer.run.models() for cell in cells.expected(model))
    scores = writer.scores.frame(mains, expected)
    notes = [
        f"{name}: none of its {n} results has a score, so it is in no figure" for name, n in without.items()
    ]
    notes += [
        f"{dataset}: has no score called {' or '.join(wanted)}; {main} counts"
        for dataset, main in mains.items()
        if wanted and main not in wanted
    ]
    return scores, [*notes, *_unscored(writer, scores)]


def _unscored(writer: Writer, scores: pd.DataFrame) -> Iterator[str]:
    """Note results that have an answer and no main score."""
    empty = scores[scores["main"] & scores["score"].isna()]
    columns = (empty[name] for name in ("model", "dataset", "example", "config"))
    there = writer.cells.answered
    cells = [
        cell
        for cell in zip(*columns, strict=True)
        if cell not in writer.unanswered and cell[1:] in there.get(cell[0], ())
    ]
    if cells:
        yield (
            f"{len(cells)} results have no score of their data set's main metric and are holes: "
            f"{some_of(cells)}"
        )


def refuse_chosen(wanted: Sequence[str]) -> None:
    """Refuse a choice of metrics where all answers are rated by cards, which have their own main metric.

    Raises:
        InputError: something is wanted.
    """
    if wanted:
        raise InputError(
            "--metric: these answers are rated by cards, whose metrics say which is the main one; "
            "'torr analyse --metric' shows another"
        )


def _refuse_unknown(found: Mapping[str, Sequence[str]], wanted: Sequence[str]) -> None:
    """Refuse a metric that the user chose and no data set has."""
    for name in wanted:
        if found and not any(name in names for names in found.values()):
            dataset, names = next(iter(found.items()))
            raise InputError(f"--metric {name!r}: data set {dataset!r} has {listed(names)}; choose one")


def _ratable(run: Run, datasets: Collection[str]) -> tuple[list[str], list[str]]:
    """Find data sets that our cards can rate, and enter their cards in study.yaml; note why others cannot."""
    found, notes = list[str](), list[str]()
    for dataset in datasets:
        name = f"cards.{dataset}"
        if name not in card_names():
            notes.append(f"{dataset}: keeps the harness's scores, for it has no card here")
            continue
        card = load_card(name)
        if needs := _facts_of(card):
            notes.append(
                f"{dataset}: keeps the harness's scores, for its metric needs the example's {needs[0]!r}, "
                "which the harness does not write"
            )
            continue
        run.study["datasets"][dataset] |= {"card": name, "main_metric": card.main_metric}
        found.append(dataset)
    return found, notes


def _facts_of(card: Card) -> list[str]:
    """The facts about an example that a card's metrics need, or take into account."""
    given = card.reading.facts
    return [
        name
        for each in card_metrics(card)
        for name in facts_of(each)
        if name in given or name in needs_of(each)
    ]


def _beside(writer: Writer) -> list[str]:
    """Write the lengths of answers and the groups and properties of examples, as far as cards know them."""
    run = writer.run
    run.write_lengths(lengths_of_run(run))
    examples, notes = known_examples(run.study, writer.cells)
    if examples is not None:
        write_frame(examples, run.path, EXAMPLES)
    return notes
