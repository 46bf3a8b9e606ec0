"""Means over slices of examples, with resamples in which whole tables are drawn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from ..bootstrap import generator, resample_counts
from ..figures import Options
from ..performance import divided

if TYPE_CHECKING:
    from ..types import Booleans, Floats, Integers


_MOST_KEPT = 4_000_000  # draws, of 8 bytes each


@dataclass(frozen=True)
class SliceMeans:
    """Means of rows over slices.

    Attributes:
        values: (rows x slices); NaN where a slice has no value of a row.
        samples: (rows x slices x resamples).
    """

    values: Floats
    samples: Floats

    def mean_over_rows(self) -> SliceMeans:
        """The unweighted mean over the rows that have a value anywhere, (1 x slices)."""
        import numpy as np

        known = ~np.isnan(self.values).all(axis=1)
        if not known.any():
            return SliceMeans(self.values[:1], self.samples[:1])
        return SliceMeans(
            self.values[known].mean(axis=0, keepdims=True), self.samples[known].mean(axis=0, keepdims=True)
        )

    def difference(self, first: int, second: int) -> SliceMeans:
        """One slice less another, (rows x 1)."""
        return SliceMeans(
            (self.values[:, first] - self.values[:, second])[:, None],
            (self.samples[:, first] - self.samples[:, second])[:, None],
        )


def slice_means(
    values: Floats, slices: Sequence[Booleans], clusters: Integers, options: Options, *use: str
) -> SliceMeans:
    """Means over slices, with a cluster bootstrap: whole clusters are drawn with replacement.

    The randomized cluster bootstrap of Field and Welsh ("Bootstrapping clustered data", Journal of the Royal
    Statistical Society B 69, 2007): a resample has as many clusters as there are, with all of their examples.
    All slices share the resamples, so that their differences have intervals too.

    Args:
        values: (rows x examples); NaN where there is none.
        slices: which examples each holds, (examples,).
        clusters: numbers from 0 on, (examples,).
        options: resamples and seed are used.
        use: names what the draws are for.
    """
    import numpy as np

    present = ~np.isnan(values)
    masks = np.stack(list(slices)).astype(float)
    sums = _by_cluster(np.where(present, values, 0.0), masks, clusters)
    counts = _by_cluster(present.astype(float), masks, clusters)
    found = np.empty((*sums.shape[:2], options.resamples))
    flat_sums, flat_counts = (each.reshape(-1, each.shape[-1]).T for each in (sums, counts))
    start = 0
    for drawn in _draws(options, sums.shape[-1], use):
        means = divided(drawn @ flat_sums, drawn @ flat_counts).T
        found[..., start : start + len(drawn)] = means.reshape(*sums.shape[:2], -1)
        start += len(drawn)
    return SliceMeans(divided(sums.sum(axis=-1), counts.sum(axis=-1)), found)


def _draws(options: Options, clusters: int, use: tuple[str, ...]) -> Iterable[Floats]:
    """How often each cluster is drawn, as :func:`resample_counts`; always the same for the same use."""
    if clusters * options.resamples > _MOST_KEPT:
        return resample_counts(generator(options.seed, "clusters", *use), clusters, options.resamples)
    return _kept_draws(options.seed, options.resamples, clusters, use)


@lru_cache(maxsize=1)
def _kept_draws(seed: int, resamples: int, clusters: int, use: tuple[str, ...]) -> tuple[Floats, ...]:
    """The slices of a data set come one after the other, and share them."""
    return tuple(resample_counts(generator(seed, "clusters", *use), clusters, resamples))


def _by_cluster(values: Floats, masks: Floats, clusters: Integers) -> Floats:
    """Sums over each cluster's examples in a slice, (rows x slices x clusters)."""
    import numpy as np

    count = int(clusters.max()) + 1
    found = np.empty((len(values), len(masks), count))
    for row, of_row in enumerate(values):
        for place, mask in enumerate(masks):
            found[row, place] = np.bincount(clusters, weights=of_row * mask, minlength=count)
    return found
