"""Two models beside each other: what is said of them, and their differences everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..analysis.figures.pairs import ModelPair
from ..analysis.result import OVERALL
from .claims import pair_hypothesis
from .claims.verdicts import verdict_on
from .pairwise import UNTESTED, FigureName, PairedDifference, paired_difference
from .study import Study

Pairs = Mapping[tuple[str, str], ModelPair]


def by_models(pairs: Iterable[ModelPair]) -> Pairs:
    """The pairs by their two names."""
    return {(pair.models[0], pair.models[1]): pair for pair in pairs}


@dataclass(frozen=True)
class ModelComparison:
    """Two models, the first one's side: verdicts, and sides by data set, all of them first; by figure."""

    models: tuple[str, str]
    verdicts: Mapping[FigureName, str]
    sides: Mapping[FigureName, tuple[PairedDifference, ...]]

    def plain(self) -> list[object]:
        """For script data: the verdicts, then the sides, figures in their order."""
        return [*self.verdicts.values(), *([each.plain() for each in own] for own in self.sides.values())]


def compare_models(study: Study, pairs: Pairs, one: str, other: str) -> ModelComparison | None:
    """The comparison of two models from the side of ``one``; None where the analysis lacks this pair."""
    swap = (one, other) not in pairs
    pair = pairs.get((other, one) if swap else (one, other))
    if pair is None:
        return None
    sides = {
        figure: tuple(_side(study, pair, figure, place, swap=swap) for place in (OVERALL, *study.datasets))
        for figure in study.analysis.compared_figures
    }
    verdicts = {figure: verdict_on(study, figure, one, other) for figure in sides}
    return ModelComparison((one, other), verdicts, sides)


def _side(study: Study, pair: ModelPair, figure: FigureName, place: str, *, swap: bool) -> PairedDifference:
    found = pair.of(figure)
    own = found.places().get(place) if found else None
    claimed = pair_hypothesis(figure, *pair.models, place) in study.claims.sentences
    return UNTESTED if own is None else paired_difference(own, claimed=claimed, swap=swap)
