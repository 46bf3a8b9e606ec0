"""How often the same prompt got another score, and robustness without that noise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.clusters import ClusteredMeans
from ...core.errors import counted
from ...core.numbers import Booleans, Floats, ratio_or_nan
from ...core.score_intervals import score_bounds
from ..cube import lacking_models
from ..figure import Figure, FigureTable
from ..noise import changed_shares, noise_free_robustness, noise_terms, replicates_of
from ..result import (
    INTERVAL,
    ByDataset,
    Everywhere,
    FigureResult,
    Interval,
    interval_fields,
    interval_of,
    nested_rows,
)
from ..study import StudyScores

INCLUDES_NOISE = (
    "robustness includes answer noise: no prompt was asked twice ('replicates' in a recipe, or --replicates)"
)


class ChangedScores(Interval):
    """The share of replicated cells whose second score differs from the first; ``cells``: their number."""

    cells: int


class Noise(FigureResult):
    """Model -> how often the same prompt got another score; and its robustness without that noise."""

    noise: dict[str, ByDataset[ChangedScores]]
    robustness_noise_free: dict[str, Everywhere]


def noise(study: StudyScores) -> Noise | None:
    """Both figures of every model; None where no prompt was asked again."""
    if study.replicates.empty:
        return None
    level, shares, terms = study.options.level, [], []
    for cube, shared in zip(study.cubes, study.shared_cubes, strict=True):
        again = replicates_of(cube, study.replicates)
        shares.append(changed_shares(cube, again))
        terms.append(noise_terms(shared, again))
    complete = [np.logical_not(lacking_models(cube)) for cube in study.cubes]
    marks = [np.asarray(np.all(complete, axis=0)), *complete]
    return Noise(
        noise=_by_model(study, [_changed(part, level) for part in (shares, *([own] for own in shares))]),
        robustness_noise_free=_by_model(
            study,
            [
                _intervals(noise_free_robustness(part, level), known)
                for part, known in zip((terms, *([own] for own in terms)), marks, strict=True)
            ],
        ),
    )


def _by_model(study: StudyScores, columns: Sequence[Sequence[Any]]) -> dict[str, Any]:
    """Model -> its entry in the first column, of all data sets, and in the others, one of each."""
    datasets = [cube.dataset for cube in study.cubes]
    return {
        model: {"overall": overall, "datasets": dict(zip(datasets, own, strict=True))}
        for model, (overall, *own) in zip(study.models, zip(*columns, strict=True), strict=True)
    }


def _changed(parts: Sequence[ClusteredMeans], level: float) -> list[ChangedScores]:
    """Of every model, the mean over the data sets in which it has replicates."""
    values = np.stack([part.mean for part in parts])
    mean = ratio_or_nan(np.nansum(values, axis=0), (~np.isnan(values)).sum(axis=0))
    cells = np.sum([part.count for part in parts], axis=0)
    rows = zip(mean, *score_bounds(parts, level), cells, strict=True)
    return [ChangedScores(**interval_fields(*three), cells=int(count)) for *three, count in rows]


def _intervals(found: tuple[Floats, Floats, Floats], complete: Booleans) -> list[Interval]:
    rows = zip(*found, complete, strict=True)
    return [interval_of(*three, complete=bool(known)) for *three, known in rows]


def _noise_cells(found: ChangedScores) -> tuple[object, ...]:
    return found.value, found.low, found.high, found.cells


class NoiseFigure(Figure[Noise]):
    """How often the same prompt got another score, and robustness without that noise."""

    key = "noise"
    spread = Noise
    tables = (
        FigureTable(
            "noise",
            ("model", "dataset", "value", "low", "high", "cells"),
            lambda found: nested_rows(found, _noise_cells),
            "how often the same prompt, asked again, got another score",
            lambda result: result.noise,
        ),
        FigureTable(
            "robustness_noise_free",
            ("model", "dataset", *INTERVAL),
            about="robustness without answer noise, from prompts that were asked again",
            part=lambda result: result.robustness_noise_free,
        ),
    )

    def compute(self, study: StudyScores) -> Noise | None:
        """Compute both."""
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
        share = f"{values[0]:.1%}" if len(values) == 1 else f"{values[0]:.1%} to {values[-1]:.1%}"
        cells = max(own.cells for own in found)
        return [f"the same prompt asked again: another score in {share} of {counted(cells, 'cell')}"]


NOISE = NoiseFigure()
