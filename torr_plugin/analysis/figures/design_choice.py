"""Which design to use for a model, and the chance that it is the best (:mod:`.level_choice`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ...core.statistics import ROUNDING, Booleans, Floats, ratio_or_nan
from ..cube import Cube
from ..estimates import resampled
from ..figure import Row
from ..options import Options
from ..result import OVERALL, ByDataset, FigureResult, interval_cells, number
from .factor_cubes import FactorCubes, Groups, level_means
from .level_choice import Behind, ranked_levels, without_gaps

METHOD = (
    "a model's designs, each a mean over the formats and perturbations that all of them have, compared "
    "as its formats are (choice). chance: the share of resampled sets of tables in which the design has "
    "the highest mean of the model's designs, equal ones sharing it; that is about the chance that it is the "
    "best in truth, if before the study every difference was as likely as any other (Efron and Tibshirani, "
    "The problem of regions, 1998)"
)


class DesignChoiceRow(FigureResult):
    """A design of a model: its mean score, the chance that it is the best, and whether it is worse.

    ``worse`` holds for the designs of all models of the place at once.
    """

    design: str
    value: float | None
    low: float | None
    high: float | None
    chance: float | None
    behind: Behind
    worse: bool
    complete: bool = True


DesignChoice = ByDataset[list[DesignChoiceRow]]
"""A model's designs, best mean first, over all data sets and on each."""


def design_choice(compared: FactorCubes, options: Options) -> dict[str, DesignChoice]:
    """Per model its designs, best mean first, see ``METHOD``.

    Args:
        compared: designs on equal terms.
        options: resamples, level and seed are used; configurations are taken as given.

    Returns:
        model -> its designs, over all data sets and on each; no row where there are not two.
    """
    ranked = ranked_levels(
        compared, options, lambda name, fields: DesignChoiceRow(design=name, chance=None, **fields)
    )
    chances = _chances(compared, options) if ranked else {}

    def with_chances(place: str, m: int, rows: Sequence[DesignChoiceRow]) -> list[DesignChoiceRow]:
        own = chances.get(place, {})
        return [row.model_copy(update={"chance": number(own[row.design][m])}) for row in rows]

    return {
        model: DesignChoice(
            overall=with_chances(OVERALL, m, ranked[model].overall),
            datasets={place: with_chances(place, m, rows) for place, rows in ranked[model].datasets.items()},
        )
        for m, model in enumerate(compared.models)
        if model in ranked
    }


def _chances(compared: FactorCubes, options: Options) -> dict[str, dict[str, Floats]]:
    """Data set or "overall" -> design -> how often it is the best of each model's, (models,)."""
    found, together = {}, []
    for cube, own, shared in zip(compared.cubes, compared.datasets, compared.together, strict=True):
        samples = _samples(cube, own, options)
        found[cube.dataset] = dict(zip(sorted(own), best_shares(samples).T, strict=True))
        together.append(samples if shared is own else _samples(cube, shared, options))
    overall = best_shares(np.mean(together, axis=0))
    return {**found, OVERALL: dict(zip(sorted(compared.shared), overall.T, strict=True))}


def _samples(cube: Cube, groups: Groups, options: Options) -> Floats:
    """Resampled means, (models x designs x resamples); NaN of a design that a model has no score of."""
    means, _ = level_means(cube, groups)
    there: Booleans = np.asarray(~np.isnan(means).all(axis=2))
    return resampled(without_gaps(means, there), cube, options)


def best_shares(samples: Floats) -> Floats:
    """In what share of resamples each is the highest, equal ones sharing it, (... x things).

    Args:
        samples: (... x things x resamples); NaN takes no part.
    """
    rounded = np.round(np.where(np.isnan(samples), -np.inf, samples), ROUNDING)
    highest = (rounded == rounded.max(axis=-2, keepdims=True, initial=-np.inf)) & np.isfinite(rounded)
    shares = ratio_or_nan(highest.astype(float), highest.sum(axis=-2, keepdims=True))
    known = ~np.isnan(shares)
    return ratio_or_nan(np.where(known, shares, 0.0).sum(axis=-1), known.sum(axis=-1).astype(float))


def design_choice_rows(result: Mapping[str, DesignChoice]) -> Iterator[Row]:
    """A row a design of a model and data set."""
    for model, found in result.items():
        for dataset, rows in found.places().items():
            for own in rows:
                behind = own.behind
                cells = (behind.value, behind.low, behind.high, behind.p)
                yield model, dataset, own.design, *interval_cells(own), own.chance, *cells, own.worse
