"""What an audit says, in the metric's own units."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ..analysis.compare import ComparedPairs
from ..core.statistics import Booleans, Integers
from .scales import UnitScale

Over = Literal["items", "tasks"]
"""Of which the question is: these tasks with other items like these, or other tasks like these."""

QUESTIONS: dict[Over, str] = {
    "items": "on these tasks, with other items like these",
    "tasks": "on other tasks like these",
}

LEVEL = 0.95
"""At which all intervals of a place hold at once."""

POINTS = (1, 2, 5)
"""True differences, in hundredths of the metric's scale, that more items are to detect."""


@dataclass(frozen=True)
class AuditedModel:
    """A model in a place.

    Attributes:
        model: its name.
        score: over all its items; of several tasks the unweighted mean.
        low: of the score's interval; None where nothing is known of the error.
        high: likewise.
        rank: in the order given, by score unless the board states ranks; equal ones share the first.
        first_rank: the best rank it may have, all models at once; None where it is compared with none.
        last_rank: the worst.
        group: the number of its tied group, 1 for the best.
        items: that it has a score of; None where only its mean is known.
        missing: items of the place that it has no score of.
    """

    model: str
    score: float
    low: float | None
    high: float | None
    rank: int
    first_rank: int | None
    last_rank: int | None
    group: int | None
    items: int | None
    missing: int | None


@dataclass(frozen=True)
class AuditedPair:
    """Two models in a place.

    Attributes:
        first: the one with the better score.
        second: the other one.
        difference: by how much the first is better, on what both have.
        low: of the interval; all pairs of the place hold at once.
        high: likewise.
        p: of the same correction.
        separated: whether the interval excludes 0.
        too_few: too few items differ to say.
        items: that both have; of tasks, the tasks.
        missing: items that only one of them has, or neither.
        holds: whether they would be separated whatever the missing scores were; None where nothing is missing
            or the two are not separated.
        paired: item by item on all tasks.
        more: points -> how many more items detect a true difference of so many; None where no number
            known to be enough. Only of neighbours that are not separated.
    """

    first: str
    second: str
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    separated: bool
    too_few: bool
    items: int | None
    missing: int
    holds: bool | None
    paired: bool
    more: dict[str, int | None] = field(default_factory=dict)


@dataclass(frozen=True)
class DetectableSize:
    """The least true difference that this board finds in 80 % of boards like it, corrected for all pairs.

    Attributes:
        typical: between the median pair.
        hardest: between any.
    """

    typical: float | None
    hardest: float | None


@dataclass(frozen=True)
class PairArrays:
    """All pairs of a place, as arrays on the unit scale; what :class:`AuditedPair` says one by one.

    Attributes:
        names: of all models of the board.
        compared: their verdicts.
        missing: items that one of the two lacks, (pairs,).
        holds: (pairs,).
        paired: (pairs,).
    """

    names: tuple[str, ...]
    compared: ComparedPairs
    missing: Integers
    holds: Booleans
    paired: Booleans


@dataclass(frozen=True)
class AuditedPlace:
    """A task, or all of them.

    Attributes:
        name: of the task, or ``overall``.
        metric: that is compared; "" of several.
        items: that models have been asked; None where only means are known; of tasks, how many.
        models: in the given order; those without a score in the place are not here.
        groups: names of tied models: the best and those that are not separated from it, then the same again.
        pairs: how many could be compared.
        separated: how many of them are.
        could_be_first: the models whose ranks include the first.
        neighbours: each model with the next in the given order, apart from exact ties.
        exact_ties: how many models have the score, or the given rank, of the one before.
        false_ranks: how many of the neighbours are not separated.
        detectable: the smallest difference this board can see.
    """

    name: str
    metric: str
    items: int | None
    models: tuple[AuditedModel, ...]
    groups: tuple[tuple[str, ...], ...]
    pairs: int
    separated: int
    could_be_first: tuple[str, ...]
    neighbours: tuple[AuditedPair, ...]
    exact_ties: int
    false_ranks: int
    detectable: DetectableSize
    scale: UnitScale
    arrays: PairArrays


@dataclass(frozen=True)
class Audit:
    """What the scores of a board show.

    Attributes:
        over: which question is answered.
        level: at which all intervals of a place hold at once.
        order: by what the models are ranked: ``score``, or ``rank`` as the board states.
        overall: the unweighted mean over tasks; of one task, that; None where metrics without bounds differ.
        tasks: each task, where there are several and the question is over items.
        notes: what was chosen, left out or repaired.
    """

    over: Over
    level: float
    order: Literal["score", "rank"]
    overall: AuditedPlace | None
    tasks: tuple[AuditedPlace, ...]
    notes: tuple[str, ...]

    @property
    def places(self) -> tuple[AuditedPlace, ...]:
        """All places, overall first."""
        return (*filter(None, [self.overall]), *self.tasks)

    @property
    def judged(self) -> tuple[AuditedPlace, ...]:
        """Where the given order is judged: overall, else on each task."""
        return (self.overall,) if self.overall else self.tasks

    @property
    def false_ranks(self) -> int:
        """How many neighbours the given order puts apart although they are not separated."""
        return sum(place.false_ranks for place in self.judged)
