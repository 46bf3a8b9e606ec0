"""The options of an analysis, its settings in ``analysis.json``, and the error of scores it cannot use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..core.errors import InputError
from .result import FigureResult

ChartFormat = Literal["svg", "png", "pdf"]

SHAPE = 3
"""Of ``analysis.json``: raised whenever a key is added, taken away or decided otherwise, so that nobody reads
an earlier version's figures as those of this one."""


class AnalysisError(InputError):
    """Scores that cannot be analysed; the message is one line: what was found and what is expected."""


@dataclass(frozen=True)
class Options:
    """How intervals are made; see :func:`torr_plugin.analysis.analyse`."""

    resamples: int = 1000
    level: float = 0.95
    seed: int = 0
    rankings: int = 10
    repeats: int = 100

    def __post_init__(self) -> None:
        """Refuse options that give no interval."""
        if not 0 < self.level < 1:
            raise AnalysisError(f"level: found {self.level!r}; expected a number between 0 and 1, e.g. 0.95")
        for name, least in (("resamples", 1), ("rankings", 2), ("repeats", 1), ("seed", None)):
            value = getattr(self, name)
            if type(value) is not int or (least is not None and value < least):
                at_least = "" if least is None else f" from {least} on"
                raise AnalysisError(f"{name}: found {value!r}; expected a whole number{at_least}")


class Settings(FigureResult):
    """What the figures rest on.

    Attributes:
        shape: ``SHAPE`` of the version that wrote it; 0 of one that did not say.
        resamples: of the bootstrap.
        level: of the intervals.
        seed: of the resamples.
        rankings: random ones that a W of ``reliability`` is over.
        repeats: of such a W.
        methods: figure -> how it and its interval is made, in words.
        models: how many.
        examples: data set -> how many.
        configurations: data set -> how many.
        metrics: data set -> the metric that figures are of.
        keeps_labels: data set -> the perturbations under which its references stay true, where they are
            known.
    """

    shape: int = 0
    resamples: int
    level: float
    seed: int
    rankings: int | None = None
    repeats: int | None = None
    methods: dict[str, str] = {}
    models: int = 0
    examples: dict[str, int]
    configurations: dict[str, int]
    metrics: dict[str, str]
    keeps_labels: dict[str, list[str]] = {}
