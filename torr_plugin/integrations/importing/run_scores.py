"""The scores of an imported run: rated again by our cards, or the harness's own."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ...catalog import Card, card_names, load_card
from ...core.errors import InputError
from ...running import Run
from ...running.store.result_files import EXAMPLES, write_frame
from ...scoring import lengths_of_run, score_run
from ...scoring.example_scores import card_metrics
from ...scoring.metrics import facts_of, needs_of
from .harness_scores import has_main, main_metrics, not_as_wanted, refuse_chosen, refuse_unknown
from .study import AGAIN, ITS_OWN, known_examples
from .writer import Cell, Writer

NAMED_HOLES = 5


@dataclass(frozen=True)
class ImportedScores:
    """Scores, and whose they are: one word for all data sets, or one for each."""

    scores: pd.DataFrame
    by: str | dict[str, str]
    notes: tuple[str, ...] = ()


class DatasetSubset(Run):
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
    run, cells = writer.run, writer.cells
    if writer.ours:
        return ImportedScores(score_run(run), AGAIN, tuple(_beside(writer)))
    refuse_unknown(writer.scores.metrics(), metrics)
    if not again:
        own, notes = _own(writer, metrics, cells.requests)
        return ImportedScores(own, ITS_OWN, tuple(notes))
    ratable, notes = _ratable(run, cells.requests)
    if not ratable:
        raise InputError(f"--rate-again: {'; '.join(notes) or 'no data set has a card here'}")
    if len(ratable) == len(cells.requests):
        refuse_chosen(metrics)
    scores = score_run(DatasetSubset(run, ratable))
    if len(ratable) < len(cells.requests):
        kept = [name for name in cells.requests if name not in ratable]
        own, more = _own(writer, metrics, kept, alone=False)
        scores, notes = _joined(scores, own), [*notes, *more]
    return ImportedScores(scores, _by(cells.requests, ratable), tuple(notes))


def _own(
    writer: Writer, wanted: Sequence[str], datasets: Collection[str], *, alone: bool = True
) -> tuple[pd.DataFrame, list[str]]:
    """The harness's scores of some data sets, and notes on them.

    ``alone``: whether there are no others, so that one of these has to have scores.
    """
    met = writer.scores
    found = {
        name: names
        for name, names in met.metrics().items()
        if name in datasets and has_main(names, met.mains.get(name, ()), wanted)
    }
    without = [name for name in datasets if name not in found]
    if alone and not found:
        raise InputError(
            f"{without[0]}: none of its {_results(writer, without[0])} results has a score; expected the "
            "harness's own, or --rate-again where a card of ours rates the data set"
        )
    mains = main_metrics(found, met.mains, wanted)
    cells = [(model, *cell) for model in writer.run.models() for cell in writer.cells.expected()]
    notes = [
        f"{name}: none of its {_results(writer, name)} results has a score, so it is in no figure"
        for name in without
    ]
    scores = met.frame(mains, cells)
    return scores, [*notes, *not_as_wanted(mains, wanted), *_unscored(writer, scores)]


def _results(writer: Writer, dataset: str) -> int:
    return sum(cell[0] == dataset for cells in writer.cells.answered.values() for cell in cells)


def _unscored(writer: Writer, scores: pd.DataFrame) -> Iterator[str]:
    """Note results that have an answer and no main score."""
    empty = scores[scores["main"] & scores["score"].isna()]
    columns = (empty[name] for name in ("model", "dataset", "example", "config"))
    there, failed = writer.cells.answered, writer.unanswered
    cells = [
        cell
        for cell in zip(*columns, strict=True)
        if cell not in failed and cell[1:] in there.get(cell[0], ())
    ]
    if cells:
        yield (
            f"{len(cells)} results have no score of their data set's main metric and are holes: "
            f"{some_of(cells)}"
        )


def _joined(again: pd.DataFrame, kept: pd.DataFrame) -> pd.DataFrame:
    names = [name for name in again.columns if name not in ("score", "main")]
    parts = [part.astype(dict.fromkeys(names, "object")) for part in (again, kept)]
    found: pd.DataFrame = pd.concat(parts, ignore_index=True)
    return found


def _by(datasets: Collection[str], ratable: Collection[str]) -> str | dict[str, str]:
    if len(ratable) == len(datasets):
        return AGAIN
    return {name: AGAIN if name in ratable else ITS_OWN for name in datasets}


def _ratable(run: Run, datasets: Collection[str]) -> tuple[list[str], list[str]]:
    """Find data sets that our cards can rate, and enter their cards in study.yaml; note why others cannot."""
    found, notes = list[str](), list[str]()
    for dataset in datasets:
        name = f"cards.{dataset}"
        if name not in card_names():
            notes.append(f"{dataset}: keeps the harness's scores, for it has no card here")
            continue
        needs = _facts_of(load_card(name))
        if needs:
            notes.append(
                f"{dataset}: keeps the harness's scores, for its metric needs the example's {needs[0]!r}, "
                "which the harness does not write"
            )
            continue
        run.study["datasets"][dataset] |= {"card": name, "main_metric": load_card(name).main_metric}
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


def _beside(writer: Writer) -> Iterator[str]:
    """Write the lengths of answers and the groups and properties of examples, as far as cards know them."""
    run = writer.run
    run.write_lengths(lengths_of_run(run))
    examples, notes = known_examples(run.study, writer.cells)
    if examples is not None:
        write_frame(examples, run.path, EXAMPLES)
    yield from notes


def some_of(cells: Sequence[Cell]) -> str:
    """The first of some cells (model, data set, example, configuration), and how many more there are."""
    some = "; ".join(f"{model}: {name}, {config}, {one}" for model, name, one, config in cells[:NAMED_HOLES])
    return some + (f" and {len(cells) - NAMED_HOLES} more" if len(cells) > NAMED_HOLES else "")
