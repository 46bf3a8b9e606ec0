"""Over which cells a study's differences are, in words and in numbers of examples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...analysis.result import OVERALL, Interval
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
        estimate: Interval,
        p: float | None,
        family: Family = "sentences",
        *,
        examples: int | None = None,
        sides: tuple[str, str] | None = None,
        of_best: bool = False,
    ) -> dict[Hypothesis, Claim]:
        """One difference as a claim, by each name of its place.

        Args:
            kind: of question.
            keys: place -> hypothesis.
            estimate: of the difference.
            p: its p-value.
            family: within which it is corrected.
            examples: over how many it is, where that is not all of the place.
            sides: of two models.
            of_best: of the best one and itself.
        """
        place, hypothesis = next(iter(keys.items()))
        counts = self.analysis.settings.examples
        every = place == OVERALL
        cells = ALL_DATASETS if every and len(counts) > 1 else next(iter(counts)) if every else place
        whole = sum(counts.values()) if every else counts[place]
        n = whole if examples is None else examples
        claim = Claim(kind, hypothesis, cells, n, estimate, p, family, sides, of_best)
        return dict.fromkeys(keys.values(), claim)
