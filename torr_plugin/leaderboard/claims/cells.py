"""Over which cells a study's differences are, in words and in numbers of examples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...analysis.figures.level_choice import Behind
from ...analysis.figures.pairs import PairDifference
from ...analysis.result import OVERALL, Contrast, Interval
from ..results import StudyResults
from .claim import Claim, Family, Hypothesis

ALL_DATASETS = "all data sets"


def pair_hypothesis(
    figure: str, one: str, other: str, place: str = OVERALL, *, kept: bool = False
) -> Hypothesis:
    """That two models differ in a figure; ``kept``: under label-keeping perturbations alone."""
    where = () if place == OVERALL else (place,)
    return f"kept {figure}" if kept else figure, frozenset((one, other)), *where


@dataclass(frozen=True)
class TestedDifference:
    """A difference with its p-value; over how many examples, where that is not all of the place; whose."""

    estimate: Interval
    p: float | None
    examples: int | None = None
    sides: tuple[str, str] | None = None


def of_contrast(figure: Contrast, examples: int | None = None) -> TestedDifference:
    """Of a difference of means."""
    return TestedDifference(figure, figure.p, examples)


def of_pair(own: PairDifference, models: tuple[str, str]) -> TestedDifference:
    """Of two models."""
    estimate = Interval(value=own.difference, low=own.low, high=own.high, complete=own.complete)
    return TestedDifference(estimate, own.p, own.examples, models)


def of_choice(behind: Behind, examples: int | None = None) -> TestedDifference:
    """Of a format, or design, and the model's best: above 0 where it is behind."""
    estimate = Interval(value=behind.value, low=behind.low, high=behind.high)
    return TestedDifference(estimate, behind.p, examples)


@dataclass(frozen=True)
class StudyCells:
    """The places of a study: all data sets, and each."""

    analysis: StudyResults

    @property
    def datasets(self) -> tuple[str, ...]:
        """In the study's order."""
        return tuple(self.analysis.settings.examples)

    @property
    def places(self) -> tuple[tuple[str, ...], ...]:
        """All data sets, then each; the two names of a study's only one are one place."""
        if len(self.datasets) == 1:
            return ((OVERALL, *self.datasets),)
        return tuple((name,) for name in (OVERALL, *self.datasets))

    def shared(self, model: str, place: str) -> int | None:
        """Over how many examples a model's formats are compared."""
        found = self.analysis.serializers
        every = found.advised_examples if found else {}
        own = [
            by_model[model].shared
            for name, by_model in every.items()
            if place in (OVERALL, name) and model in by_model
        ]
        return sum(own) if own else None

    def same(
        self,
        kind: str,
        keys: Mapping[str, Hypothesis],
        tested: TestedDifference,
        family: Family = "sentences",
    ) -> dict[Hypothesis, Claim]:
        """One difference as a claim, by each name of its place: place -> hypothesis."""
        place, hypothesis = next(iter(keys.items()))
        examples = self.analysis.settings.examples
        every = place == OVERALL
        cells = ALL_DATASETS if every and len(examples) > 1 else next(iter(examples)) if every else place
        count = sum(examples.values()) if every else examples[place]
        n = count if tested.examples is None else tested.examples
        claim = Claim(kind, hypothesis, cells, n, tested.estimate, tested.p, family, tested.sides)
        return dict.fromkeys(keys.values(), claim)
