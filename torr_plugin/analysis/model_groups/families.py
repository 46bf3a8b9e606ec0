"""Families of models by size (ToRR, section 3.2 with footnote 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from ..bootstrap import interval
from ..figures import Estimate
from ..labelling import figure
from ..parts.weighted import weighted, weights
from .described import Description
from .openness import COMPARED, Estimates

if TYPE_CHECKING:
    from ..types import Floats


def families(
    models: Sequence[str], overall: Estimates, described: Mapping[str, Description], level: float
) -> dict[str, Any]:
    """Each family's models by size, and how performance grows with size in it.

    Over all pairs of models within a family (footnote 6 of the paper): ``absolute_difference``, the mean of
    the performances' absolute differences, and ``difference``, larger minus smaller, over the pairs whose
    sizes are known and differ. Noise alone drives the first from 0: its lower bound allows for all of the
    noise, so that it is 0 where the models may be equal. ``per_doubling`` is the slope of the least-squares
    line of performance on the binary logarithm of the size. Each needs a pair, else it is null; models
    without an overall figure are in none.

    Returns:
        {"overall": {"pairs", "absolute_difference": F, "difference": F}, over the pairs of all families,
        "families": {family: {"models": [{"model", "size", "performance": F, "robustness": F}], smallest
        first, unknown sizes last, "pairs", "absolute_difference", "difference", "per_doubling": F}}}.
    """
    import numpy as np

    members: dict[str, list[int]] = {}
    for i, model in enumerate(models):
        family = described[model].family if model in described else None
        if family is not None:
            members.setdefault(family, []).append(i)
    sizes = np.array([(described[m].size if m in described else None) or np.nan for m in models], dtype=float)
    found = {}
    for family, rows in sorted(members.items()):
        ordered = sorted(rows, key=lambda i: (np.isnan(sizes[i]), np.nan_to_num(sizes[i]), models[i]))
        found[family] = _family(models, ordered, sizes, overall, level)
    pairs = [pair for rows in members.values() for pair in combinations(rows, 2)]
    return {"overall": _differences(pairs, sizes, overall["performance"], level), "families": found}


def _family(
    models: Sequence[str], rows: Sequence[int], sizes: Floats, overall: Estimates, level: float
) -> dict[str, Any]:
    import numpy as np

    return {
        "models": [
            {
                "model": models[i],
                "size": None if np.isnan(sizes[i]) else float(sizes[i]),
                **{name: weighted(overall[name], weights(len(models), [i]), level) for name in COMPARED},
            }
            for i in rows
        ],
        **_differences(list(combinations(rows, 2)), sizes, overall["performance"], level),
        "per_doubling": _per_doubling(rows, sizes, overall["performance"], level),
    }


def _differences(
    pairs: Sequence[tuple[int, int]], sizes: Floats, performance: Estimate, level: float
) -> dict[str, Any]:
    import numpy as np

    known = [pair for pair in pairs if not np.isnan(performance.values[list(pair)]).any()]
    ranked = [sorted(pair, key=lambda i: float(sizes[i])) for pair in known if _differ(sizes[list(pair)])]
    return {
        "pairs": len(known),
        "absolute_difference": _mean_change(performance, known, level, absolute=True),
        "difference": _mean_change(performance, ranked, level, absolute=False),
    }


def _differ(sizes: Floats) -> bool:
    import numpy as np

    return bool(sizes[0] != sizes[1]) and not np.isnan(sizes).any()


def _mean_change(
    estimate: Estimate, pairs: Sequence[Sequence[int]], level: float, *, absolute: bool
) -> dict[str, Any]:
    """The mean over pairs of the second's figure less the first's."""
    import numpy as np

    if not pairs:
        return figure(np.nan, np.nan, np.nan)
    first, second = (list(side) for side in zip(*pairs, strict=True))
    change = estimate.values[second] - estimate.values[first]
    samples = estimate.samples[second] - estimate.samples[first]
    if absolute:
        return _mean_size(change, samples, level)
    low, high = interval(samples.mean(axis=0), level)
    return figure(change.mean(), float(low), float(high))


def _mean_size(changes: Floats, samples: Floats, level: float) -> dict[str, Any]:
    """The mean absolute change, of (pairs,) and (pairs x resamples).

    With X = mu + Z, X the changes seen and Z their noise, mean abs(X) - mean abs(Z) <= mean abs(mu): a lower
    bound from how large Z is in resamples. Resamples of abs(X) themselves lie too high, and bound it above.
    """
    import numpy as np

    value = np.abs(changes).mean()
    _, noise = interval(np.abs(samples - changes[:, None]).mean(axis=0), level)
    _, high = interval(np.abs(samples).mean(axis=0), level)
    return figure(value, max(0.0, value - float(noise)), max(value, float(high)))


def _per_doubling(rows: Sequence[int], sizes: Floats, estimate: Estimate, level: float) -> dict[str, Any]:
    import numpy as np

    known = [i for i in rows if not np.isnan(sizes[i]) and not np.isnan(estimate.values[i])]
    if len({float(sizes[i]) for i in known}) < 2:
        return figure(np.nan, np.nan, np.nan)
    doublings = np.log2(sizes[known])
    centred = doublings - doublings.mean()
    slope = np.zeros(len(sizes))
    slope[known] = centred / (centred**2).sum()
    return weighted(estimate, slope, level)
