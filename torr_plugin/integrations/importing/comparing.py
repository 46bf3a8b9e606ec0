"""The harness's own scores beside ours."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .result import Claim

if TYPE_CHECKING:
    import pandas as pd

TOLERANCE = 1e-6
"""Harnesses round and sum in their own ways; what differs by less is the same score."""


@dataclass(frozen=True, slots=True)
class Differences:
    """Where a harness's own score of an answer is not ours.

    Attributes:
        compared: how many scores.
        differing: how many differ by more than :data:`TOLERANCE`.
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
        """What is to be said of it."""
        if not self.compared:
            return ["the harness's own scores were not logged, so they could not be compared with ours"]
        if not self.differing:
            return [f"all {self.compared} scores of the harness itself equal ours"]
        return [
            f"{self.differing} of {self.compared} scores of the harness itself differ from ours, "
            f"by at most {self.largest:.4g}: {self.example}"
        ]


def differences(scores: pd.DataFrame, claims: Sequence[tuple[str, Claim]]) -> Differences:
    """Compare the scores of a run with what the harness said of the same answers.

    Args:
        scores: the run's.
        claims: with their models. A claim over configurations of which one has no score is left out.
    """
    ours = _by_cell(scores, {claim.metric for _, claim in claims})
    compared = differing = 0
    largest, example = 0.0, ""
    for model, claim in claims:
        found = [
            ours.get((model, claim.dataset, claim.example, config, claim.metric), math.nan)
            for config in claim.configs
        ]
        mean = math.fsum(found) / len(found) if found else math.nan
        if math.isnan(mean):
            continue
        compared += 1
        gap = abs(mean - claim.score)
        differing += gap > TOLERANCE
        if gap > max(largest, TOLERANCE):
            largest = gap
            example = f"{model}, {_named(claim)}: {claim.score:.4g}, ours {mean:.4g}"
    return Differences(compared, differing, largest, example)


def _by_cell(scores: pd.DataFrame, metrics: Collection[str | None]) -> dict[tuple[str | None, ...], float]:
    """Main scores, whose metric is None, and those of some metrics by name."""
    main = scores[scores["main"].astype(bool)]
    others = scores[scores["metric"].isin([name for name in metrics if name is not None])]
    found: dict[tuple[str | None, ...], float] = {}
    for part, named in ((main, False), (others, True)):
        columns = [part[name].astype(str) for name in ("model", "dataset", "example", "config")]
        last = part["metric"].astype(str) if named else [None] * len(part)
        found |= dict(zip(zip(*columns, last, strict=True), part["score"], strict=True))
    return found


def _named(claim: Claim) -> str:
    where = claim.configs[0] if len(claim.configs) == 1 else f"{len(claim.configs)} configurations"
    return ", ".join([claim.dataset, where, claim.example, *([claim.metric] if claim.metric else ())])
