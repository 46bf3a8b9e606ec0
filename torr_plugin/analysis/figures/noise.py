"""How often the same prompt got another score, robustness without that noise, and being right every time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.errors import counted
from ...core.statistics import Booleans, ClusteredMeans, Floats, ratio_or_nan, score_bounds
from ..cube import lacking_models
from ..figure import Figure, FigureTable
from ..noise import (
    changed_shares,
    noise_free_robustness,
    noise_terms,
    replicates_of,
    right_each_time,
)
from ..result import (
    INTERVAL,
    ByDataset,
    Everywhere,
    FigureResult,
    Interval,
    by_model,
    interval_fields,
    interval_of,
    rows_of,
)
from ..study import StudyScores

INCLUDES_NOISE = (
    "robustness may include answer noise: no prompt was asked twice ('replicates' in a recipe, "
    "or --replicates)"
)


class ShareOfCells(Interval):
    """A share with its interval; ``cells``: how many prompts that were asked again it is over."""

    cells: int


class Noise(FigureResult):
    """Model -> how often the same prompt got another score; robustness without that noise; pass^k by k.

    ``noise``: the share of pairs of answers to one prompt with different scores; ``pass_k``: how often k
    answers to one prompt are all right.
    """

    noise: dict[str, ByDataset[ShareOfCells]]
    robustness_noise_free: dict[str, Everywhere]
    pass_k: dict[str, ByDataset[dict[int, ShareOfCells]]] = {}


def noise(study: StudyScores) -> Noise | None:
    """The figures of every model; None where no prompt was asked again."""
    if study.replicates.empty:
        return None
    level, shares, terms, right = study.options.level, [], [], []
    for cube, shared in zip(study.cubes, study.shared_cubes, strict=True):
        again = replicates_of(cube, study.replicates)
        shares.append(changed_shares(cube, again))
        right.append(right_each_time(cube, again))
        terms.append(noise_terms(shared, again))
    complete = [np.logical_not(lacking_models(cube)) for cube in study.cubes]
    marks = [np.asarray(np.all(complete, axis=0)), *complete]
    return Noise(
        noise=_by_model(study, [_shares(part, level) for part in (shares, *([own] for own in shares))]),
        robustness_noise_free=_by_model(
            study,
            [
                _intervals(noise_free_robustness(part, level), known)
                for part, known in zip((terms, *([own] for own in terms)), marks, strict=True)
            ],
        ),
        pass_k=_by_model(study, [_right(part, level) for part in (right, *([own] for own in right))]),
    )


def _by_model(study: StudyScores, columns: Sequence[Sequence[Any]]) -> dict[str, Any]:
    """Model -> its entry in the first column, of all data sets, and in the others, one of each."""
    overall, *each = columns
    return by_model(study.models, overall, dict(zip((c.dataset for c in study.cubes), each, strict=True)))


def _right(parts: Sequence[Sequence[ClusteredMeans]], level: float) -> list[dict[int, ShareOfCells]]:
    """Of every model, pass^k by k: the mean over the data sets that have as many answers."""
    most = max(map(len, parts))
    columns = [_shares([part[k] for part in parts if k < len(part)], level) for k in range(most)]
    return [dict(enumerate(row, start=1)) for row in zip(*columns, strict=True)]


def _shares(parts: Sequence[ClusteredMeans], level: float) -> list[ShareOfCells]:
    """Of every model, the mean over the data sets in which it has replicates."""
    values = np.stack([part.mean for part in parts])
    mean = ratio_or_nan(np.nansum(values, axis=0), (~np.isnan(values)).sum(axis=0))
    cells = np.sum([part.count for part in parts], axis=0)
    rows = zip(mean, *score_bounds(parts, level), cells, strict=True)
    return [ShareOfCells(**interval_fields(*three), cells=int(count)) for *three, count in rows]


def _intervals(found: tuple[Floats, Floats, Floats], complete: Booleans) -> list[Interval]:
    rows = zip(*found, complete, strict=True)
    return [interval_of(*three, complete=bool(known)) for *three, known in rows]


class NoiseFigure(Figure[Noise]):
    """How often the same prompt got another score, robustness without that noise, and pass^k."""

    key = "noise"
    spread = Noise
    tables = (
        FigureTable(
            "noise",
            ("model", "dataset", "value", "low", "high", "cells"),
            rows_of("value", "low", "high", "cells"),
            "how often the same prompt, asked again, got another score",
            lambda result: result.noise,
        ),
        FigureTable(
            "robustness_noise_free",
            ("model", "dataset", *INTERVAL),
            about="robustness without answer noise, from prompts that were asked again",
            part=lambda result: result.robustness_noise_free,
        ),
        FigureTable(
            "pass_k",
            ("model", "dataset", "k", "value", "low", "high", "cells"),
            rows_of("value", "low", "high", "cells"),
            "how often k answers to the same prompt are all right",
            lambda result: result.pass_k,
        ),
    )

    def compute(self, study: StudyScores) -> Noise | None:
        """Compute all."""
        return noise(study)

    def notes(self, study: StudyScores, result: Noise | None) -> list[str]:
        """Say what robustness holds where nothing is known of the noise."""
        if result is not None or all(len(cube.configurations) < 2 for cube in study.cubes):
            return []
        return [INCLUDES_NOISE]

    def lines(self, result: Noise) -> list[str]:
        """How often scores change, from the steadiest model to the least steady."""
        found = [own.overall for own in result.noise.values() if own.overall.value is not None]
        values = sorted(own.value for own in found if own.value is not None)
        if not values:
            return []
        share = _span(values)
        cells = max(own.cells for own in found)
        again = f"the same prompt asked again: another score in {share} of {counted(cells, 'cell')}"
        return [again, *_right_lines(result)]


def _right_lines(result: Noise) -> list[str]:
    """How often answers are right, and right every time, from the least to the most."""
    found = [own.overall for own in result.pass_k.values() if own.overall]
    most = max(map(max, found), default=1)
    once, each = (
        sorted(value for own in found if k in own and (value := own[k].value) is not None) for k in (1, most)
    )
    if not each or most < 2:
        return []
    return [f"right once: {_span(once)}; right all {most} times: {_span(each)}"]


def _span(values: Sequence[float]) -> str:
    return f"{values[0]:.1%}" if len(values) == 1 else f"{values[0]:.1%} to {values[-1]:.1%}"


NOISE = NoiseFigure()
