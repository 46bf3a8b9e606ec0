"""The scores of imported answers: whose they are, which is the main one, how they differ from ours."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import pandas as pd

from ...catalog import Card, load_card
from ...catalog.folders import has_card
from ...core.errors import InputError
from ...recipes import Configuration
from ...scoring import score_example
from ...scoring.example_scores import card_metrics
from ...scoring.run_scores import COLUMNS
from ..logs.board import USUAL_METRICS
from ..logs.checks import TOLERANCE
from ..logs.log import OwnScore, Result
from ..steps import scored_text

_CELL = ["model", "dataset", "example", "config"]
_OF_HELM = {"turl_col_type": "f1_micro"}  # where HELM's leaderboard of ToRR has not our card's main metric
_MOST_NAMED, _NAMED = 12, 5

ModelCell: TypeAlias = "tuple[str, str, str, str]"
"""Model, data set, example and configuration."""


@dataclass
class HarnessScores:
    """Scores of answers to other tasks than ours: the harness's, or our cards'.

    Attributes:
        again: rate answers by our cards of their data sets, where there are such.
        cards: data set -> the card that rates its answers; None where the harness's scores are kept.
        notes: what is to be known of the scores.
    """

    again: bool = False
    cards: dict[str, Card | None] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    _answered: dict[ModelCell, str | None] = field(default_factory=dict)
    """The main metric, as the harness says."""
    _rows: list[tuple[str, str, str, str, str, float]] = field(default_factory=list)

    def add(self, model: str, result: Result) -> None:
        """Add the scores of an answer."""
        if self.again and result.dataset not in self.cards:
            self.cards[result.dataset] = self._rating_card(result.dataset)
        scores, main = result.scores, result.main
        if card := self.cards.get(result.dataset):
            answer = scored_text(Configuration.of(result.config), result.answer or "", result.where)
            scores, main = score_example(card, answer, result.references), card.main_metric
        cell = (model, *result.cell)
        self._answered[cell] = main
        self._rows += [(*cell, metric, score) for metric, score in scores.items()]

    def _rating_card(self, dataset: str) -> Card | None:
        """The card that can rate a data set's answers; or None, and a note that says why there is none."""
        card, why = known_card(dataset), "it has no card here"
        if card is not None:
            needs = _facts_of(card)
            if not needs:
                return card
            why = f"its metric needs the example's {needs[0]!r}, which the harness does not write"
        self.notes.append(f"{dataset}: keeps the harness's scores, for {why}")
        return None

    def main_metrics(self, wanted: Sequence[str]) -> dict[str, str]:
        """The main metric of each data set that has one.

        Args:
            wanted: what the user chose; of several the first that a data set has. One that has none of them
                keeps its own.

        Raises:
            InputError: no data set has a metric that is wanted; or one has several metrics, and none that is
                known for the main one.
        """
        names, said = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
        for _, dataset, _, _, metric, _ in self._rows:
            names[dataset].add(metric)
        for (_, dataset, *_), declared in self._answered.items():
            said[dataset] |= {declared} if declared is not None else set()
        refuse_unknown(names, wanted)
        return {
            dataset: self._main(dataset, found, said[dataset], wanted)
            for dataset, found in names.items()
            # what is never there is not replaced by another
            if not said[dataset] or not found.isdisjoint({*said[dataset], *wanted})
        }

    def _main(self, dataset: str, names: set[str], said: set[str], wanted: Sequence[str]) -> str:
        card = known_card(dataset)
        ours = [] if card is None else [_OF_HELM.get(dataset, card.main_metric)]
        usual = [
            *wanted,
            *(said if len(said) == 1 else ()),
            *ours,
            *USUAL_METRICS,
            *(names if len(names) == 1 else ()),
        ]
        main: str | None = next((name for name in usual if name in names), None)
        if main is None:
            raise InputError(
                f"data set {dataset!r}: cannot tell which of its metrics is the main one; found "
                f"{_listed(names)}; choose one with --metric, which may be given several times"
            )
        if wanted and main not in wanted:
            self.notes.append(f"{dataset}: has no score called {' or '.join(wanted)}; {main} counts")
        elif not wanted and len(names) > 1 and not self.cards.get(dataset):
            self.notes.append(
                f"{dataset}: {main} is the main one of {_listed(names)}; --metric chooses another"
            )
        return main

    def frame(self, mains: Mapping[str, str], expected: Iterable[ModelCell]) -> pd.DataFrame:
        """The columns of scores.parquet.

        Args:
            mains: data set -> its main metric; others are not given.
            expected: all cells; one without a main score has a row that says so, whatever others it has.

        Raises:
            InputError: a main score outside [0, 1].
        """
        rows = [row for row in self._rows if row[1] in mains]
        there = {row[:4] for row in rows if row[4] == mains[row[1]]}
        missing = [cell for cell in expected if cell[1] in mains and cell not in there]
        if unscored := [cell for cell in missing if cell in self._answered]:
            self.notes.append(
                f"{len(unscored)} results have no score of their data set's main metric and are holes: "
                f"{some_of(unscored)}"
            )
        rows += [(*cell, mains[cell[1]], math.nan) for cell in missing]
        frame = pd.DataFrame(rows, columns=[*_CELL, "metric", "score"], dtype=object)
        frame["score"] = frame["score"].astype(float)
        near = frame["score"].clip(0, 1)
        outside = (frame["score"] - near).abs() > TOLERANCE
        frame["score"] = near.where(~outside, frame["score"])
        frame["main"] = frame["dataset"].map(mains) == frame["metric"]
        for row in frame[outside & frame["main"]].head(1).itertuples():
            raise InputError(
                f"data set {row.dataset!r}: {row.metric!r} of example {row.example!r} is "
                f"{row.score}; expected scores in [0, 1]; --metric chooses another"
            )
        frame = frame[~outside].reset_index(drop=True)
        parts = frame["config"].str.split("/", expand=True)
        frame[["serializer", "perturbation", "design"]] = parts
        found: pd.DataFrame = frame[COLUMNS]
        return found


def known_card(dataset: str) -> Card | None:
    """Our card of a foreign data set, if there is one of its name."""
    name = f"cards.{dataset}"
    return load_card(name) if has_card(name) else None


def _facts_of(card: Card) -> list[str]:
    """The facts about an example that a card's metrics need, or take into account."""
    given = card.reading.facts
    return [
        name
        for each in card_metrics(card)
        for name in (*each.needs, *each.optional)
        if name in given or name in each.needs
    ]


def refuse_unknown(found: Mapping[str, Collection[str]], wanted: Sequence[str]) -> None:
    """Refuse a metric that the user chose and no data set has.

    Raises:
        InputError: there is one.
    """
    for name in wanted:
        if not any(name in names for names in found.values()):
            has = "; ".join(f"data set {dataset!r} has {_listed(names)}" for dataset, names in found.items())
            raise InputError(f"--metric {name!r}: {has or 'these answers are rated by our cards'}")


def _listed(names: Collection[str]) -> str:
    return ", ".join(sorted(names)[:_MOST_NAMED])


def some_of(cells: Sequence[ModelCell]) -> str:
    """The first of some cells, and how many more there are."""
    some = "; ".join(f"{model}: {name}, {config}, {one}" for model, name, one, config in cells[:_NAMED])
    return some + (f" and {len(cells) - _NAMED} more" if len(cells) > _NAMED else "")


# -- the harness's scores of answers that a study's cards rate again ----------------------------------------


class ScoreComparison(NamedTuple):
    """How many of the harness's own scores were compared with ours, how many differ, and by how much at most.

    ``example`` is a line on the largest difference; empty where none differs.
    """

    compared: int
    differing: int
    largest: float
    example: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The numbers as plain JSON."""
        return {"compared": self.compared, "differing": self.differing, "largest": self.largest}

    def note(self) -> str:
        """It in a sentence."""
        if not self.compared:
            return "the harness's own scores were not logged, so they could not be compared with ours"
        if not self.differing:
            return f"all {self.compared} scores of the harness itself equal ours"
        return (
            f"{self.differing} of {self.compared} scores of the harness itself differ from ours, "
            f"by at most {self.largest:.4g}: {self.example}"
        )


def compared_scores(
    scores: pd.DataFrame, claims: Sequence[tuple[str, str, str, OwnScore]]
) -> ScoreComparison:
    """Compare the scores of a run with the harness's scores of the same answers.

    Args:
        scores: the run's.
        claims: with model, data set and example. One over configurations of which one has no score is left
            out.
    """
    main = scores[scores["main"].astype(bool)].assign(metric=None)
    columns = [*_CELL, "metric"]
    ours: dict[tuple[str | None, ...], float] = {}
    for part in (scores, main):
        ours |= zip(zip(*(part[name] for name in columns), strict=True), part["score"], strict=True)
    gaps = list[tuple[float, str]]()
    for model, dataset, example, claim in claims:
        cells = [(model, dataset, example, config, claim.metric) for config in claim.configs]
        mean = math.fsum(ours.get(cell, math.nan) for cell in cells) / len(cells)
        if not math.isnan(mean):
            where = claim.configs[0] if len(cells) == 1 else f"{len(cells)} configurations"
            named = ", ".join(filter(None, (model, dataset, where, example, claim.metric)))
            gaps.append((abs(mean - claim.score), f"{named}: {claim.score:.4g}, ours {mean:.4g}"))
    differing = [gap for gap in gaps if gap[0] > TOLERANCE]
    return ScoreComparison(len(gaps), len(differing), *max(differing, default=(0.0, "")))
