"""How a harness's own scores compare to ours of the same answers."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ..logs.log import OwnScore

SAME_SCORE = 1e-6
"""Scores that differ by less are the same, as harnesses round and sum in their own ways."""


@dataclass(frozen=True, slots=True)
class ScoreDifferences:
    """How the harness's own scores of answers differ from ours.

    Attributes:
        compared: how many scores.
        differing: how many differ by more than :data:`SAME_SCORE`.
        largest: the largest difference.
        example: a line on the largest one; empty where none differs.
    """

    compared: int
    differing: int
    largest: float
    example: str

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return {"compared": self.compared, "differing": self.differing, "largest": self.largest}

    def notes(self) -> list[str]:
        """Summarize it in notes."""
        if not self.compared:
            return ["the harness's own scores were not logged, so they could not be compared with ours"]
        if not self.differing:
            return [f"all {self.compared} scores of the harness itself equal ours"]
        return [
            f"{self.differing} of {self.compared} scores of the harness itself differ from ours, "
            f"by at most {self.largest:.4g}: {self.example}"
        ]


def score_differences(
    scores: pd.DataFrame, claims: Sequence[tuple[str, str, str, OwnScore]]
) -> ScoreDifferences:
    """Compare the scores of a run with the harness's scores of the same answers.

    Args:
        scores: the run's.
        claims: with model, data set and example. One over configurations of which one has no score is left
            out.
    """
    ours = _by_cell(scores, {claim.metric for *_, claim in claims})
    gaps = list[tuple[float, str]]()
    for model, dataset, example, claim in claims:
        cells = [(model, dataset, example, config, claim.metric) for config in claim.configs]
        mean = math.fsum(ours.get(cell, math.nan) for cell in cells) / len(cells)
        if not math.isnan(mean):
            where = claim.configs[0] if len(cells) == 1 else f"{len(cells)} configurations"
            named = ", ".join([model, dataset, where, example, *([claim.metric] if claim.metric else ())])
            gaps.append((abs(mean - claim.score), f"{named}: {claim.score:.4g}, ours {mean:.4g}"))
    differing = [each for each in gaps if each[0] > SAME_SCORE]
    largest, example = max(differing, key=lambda each: each[0], default=(0.0, ""))
    return ScoreDifferences(len(gaps), len(differing), largest, example)


def _by_cell(scores: pd.DataFrame, metrics: Collection[str | None]) -> dict[tuple[str | None, ...], float]:
    """Index main scores under the metric None, and scores of some metrics under their names."""
    main = scores[scores["main"].astype(bool)].assign(metric=None)
    named = scores[scores["metric"].isin([name for name in metrics if name is not None])]
    return {
        (str(row.model), str(row.dataset), str(row.example), str(row.config), row.metric): row.score
        for part in (main, named)
        for row in part.itertuples()
    }
