"""Arrays of figures and their resamples, turned into nested plain dicts with the names of their axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .bootstrap import generator, interval, resampled_means
from .figures import Options, number
from .rounding import ROUNDING

if TYPE_CHECKING:
    from .types import Booleans, Floats

Names = Sequence[str]


def resampled(values: Floats, dataset: str, options: Options) -> Floats:
    """Means over resampled examples, with the resamples that all figures of the data set share.

    Args:
        values: a statistic an example, (... x examples); NaN where an example has none.
        dataset: whose examples these are.
        options: resamples and seed are used.

    Returns:
        (... x resamples).
    """
    rng = generator(options.seed, "examples", dataset)
    means = resampled_means(values.reshape(-1, values.shape[-1]), rng, options.resamples)
    return means.reshape(*values.shape[:-1], options.resamples)


@dataclass(frozen=True)
class Marked:
    """Figures of one data set, or of all, with their resamples and a mark.

    Attributes:
        values: (rows x columns); NaN where there is none.
        samples: (rows x columns x resamples).
        complete: (rows x columns), False where scores are missing.
        absent: (rows,), which have no score at all on the data set; by default none.
    """

    values: Floats
    samples: Floats
    complete: Booleans
    absent: Booleans | None = None


def mean_over_datasets(figures: Sequence[Marked]) -> Marked:
    """The unweighted mean over the data sets that have a figure, marked where one has none.

    Rows that are absent from a data set (a model without a score there) have no mean.

    Args:
        figures: of each data set, with equal rows and columns.
    """
    import numpy as np

    known = [~np.isnan(one.values) for one in figures]
    count = np.sum(known, axis=0)
    values, samples = np.zeros(figures[0].values.shape), np.zeros(figures[0].samples.shape)
    for one, there in zip(figures, known, strict=True):
        values += np.where(there, one.values, 0.0)
        samples += np.where(there[..., None], one.samples, 0.0)
    absent = np.any([_absent(one) for one in figures], axis=0)[:, None] | (count == 0)
    complete = np.all([one.complete for one in figures], axis=0) & (count == len(figures))
    shares = np.where(absent, np.nan, np.maximum(count, 1))
    return Marked(values / shares, samples / shares[..., None], complete)


def _absent(figures: Marked) -> Booleans:
    import numpy as np

    return np.zeros(len(figures.values), dtype=bool) if figures.absent is None else figures.absent


def nested(
    names: Sequence[Names], values: Floats, samples: Floats, level: float, complete: Booleans | None = None
) -> dict[str, Any]:
    """Figures with percentile intervals, a dict an axis.

    Args:
        names: the labels of each axis of ``values``.
        values: the figures, (axis 0 x axis 1 x ...).
        samples: their resamples, (axis 0 x axis 1 x ... x resamples).
        level: of the intervals.
        complete: where no score is missing, of the shape of ``values``; by default everywhere.

    Returns:
        label of axis 0 -> label of axis 1 -> ... -> {"value", "low", "high"}, null where there is no figure,
        with ``"complete": False`` where scores are missing.
    """
    low, high = interval(samples, level)
    return bounded(names, values, low, high, complete)


def bounded(
    names: Sequence[Names], values: Floats, low: Floats, high: Floats, complete: Booleans | None = None
) -> dict[str, Any]:
    """As :func:`nested`, of bounds that are known, (axis 0 x axis 1 x ...) each."""
    import numpy as np

    unknown = np.isnan(values)
    three = np.stack([values, np.where(unknown, np.nan, low), np.where(unknown, np.nan, high)], axis=-1)
    whole = np.ones(values.shape, dtype=bool) if complete is None else complete
    return _nested(names, np.round(three, ROUNDING), whole)


def _nested(names: Sequence[Names], three: Floats, complete: Booleans) -> dict[str, Any]:
    first, *others = names
    if others:
        return {name: _nested(others, three[i], complete[i]) for i, name in enumerate(first)}
    return {name: figure(*three[i], complete=bool(complete[i])) for i, name in enumerate(first)}


def figure(value: float, low: float, high: float, *, complete: bool = True) -> dict[str, Any]:
    """One figure as plain numbers, null where there is none."""
    plain = {"value": number(value), "low": number(low), "high": number(high)}
    return plain if complete else {**plain, "complete": False}
