"""What a harness wrote, reduced to what ``harnesses.py`` compares."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple


class Cell(NamedTuple):
    """An example of a data set under a configuration; of a design of several calls one of its steps."""

    dataset: str
    example: str
    config: str
    stage: int = 0


class Asked(NamedTuple):
    """A prompt as it was sent, the answer as it was stored."""

    prompt: str
    answer: str


@dataclass(frozen=True)
class Results:
    """What a harness wrote.

    Attributes:
        asked: prompt and answer of every cell, in every stage.
        scores: the harness's own main score of every cell (``stage`` is 0), or, where it keeps no more
            (``config`` is empty), its mean over the configurations of an example.
        seconds: that the command took, start to end.
    """

    asked: Mapping[Cell, Asked]
    scores: Mapping[Cell, float]
    seconds: float

    @cached_property
    def by_example(self) -> dict[Cell, float]:
        """The mean over configurations of each example."""
        found: dict[Cell, list[float]] = defaultdict(list)
        for cell, score in self.scores.items():
            found[cell._replace(config="")].append(score)
        return {cell: math.fsum(scores) / len(scores) for cell, scores in found.items()}

    @property
    def performance(self) -> float:
        """The mean over examples, then over data sets."""
        found: dict[str, list[float]] = defaultdict(list)
        for cell, score in self.by_example.items():
            found[cell.dataset].append(score)
        means = [math.fsum(scores) / len(scores) for scores in found.values()]
        return math.fsum(means) / len(means)

    def beside(self, other: Results, tolerance: float) -> dict[str, object]:
        """How much of it is the same as in ``other``."""
        theirs = other.scores if self.scores.keys() <= other.scores.keys() else other.by_example
        same = sum(
            cell in theirs and abs(score - theirs[cell]) <= tolerance for cell, score in self.scores.items()
        )
        return {
            "prompts": len(self.asked),
            "same_prompts": self._same(other, "prompt"),
            "same_answers": self._same(other, "answer"),
            "same_scores": f"{same:,} of {len(self.scores):,}",
            "scores": len(self.scores),
            "performance": self.performance,
        }

    def _same(self, other: Results, what: str) -> int:
        return sum(
            cell in other.asked and getattr(asked, what) == getattr(other.asked[cell], what)
            for cell, asked in self.asked.items()
        )
