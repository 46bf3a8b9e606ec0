"""The settings of an analysis, as ``analysis.json`` holds them."""

from __future__ import annotations

from .result import FigureResult


class Settings(FigureResult):
    """What the figures rest on.

    Attributes:
        resamples: of the bootstrap.
        level: of the intervals.
        two_way: configurations were resampled too.
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

    resamples: int
    level: float
    two_way: bool
    seed: int
    rankings: int | None = None
    repeats: int | None = None
    methods: dict[str, str] = {}
    models: int = 0
    examples: dict[str, int]
    configurations: dict[str, int]
    metrics: dict[str, str]
    keeps_labels: dict[str, list[str]] = {}
