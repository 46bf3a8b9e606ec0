"""Configurations, and which two of them show best why a model's score on an example differs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...tables import serializers


@dataclass(frozen=True)
class ExampleConfiguration:
    """A configuration and its parts."""

    name: str
    serializer: str
    perturbation: str
    design: str


def pair_order(configs: Sequence[ExampleConfiguration]) -> NDArray[np.int64]:
    """How much a pair of a worst and a best configuration tells, (worst x best): 0 tells most.

    The fewer parts differ, the better a pair shows why: format alone, perturbation alone. Then come pairs
    with an unperturbed table, then those in formats that can be read back, whose cells are compared, then
    those whose names come first.
    """
    parts = np.array([[each.serializer, each.perturbation, each.design] for each in configs]).reshape(-1, 3)
    differing = (parts[:, None] != parts[None]).sum(axis=-1)
    plain = parts[:, 1] == "none"
    either = plain[:, None] | plain[None]
    readable = np.array([_is_readable(each.serializer) for each in configs], bool)
    both = readable[:, None] & readable[None]
    by_name = np.argsort(np.argsort(np.array([each.name for each in configs]))) if configs else plain
    worst, best = np.meshgrid(by_name, by_name, indexing="ij")
    ranks = np.lexsort([each.ravel() for each in (best, worst, ~both, ~either, differing)])
    order = np.empty(ranks.size, np.int64)
    order[ranks] = np.arange(ranks.size)
    found: NDArray[np.int64] = order.reshape(differing.shape)
    return found


def _is_readable(serializer: str) -> bool:
    return serializer in serializers.registry and serializers.get(serializer).is_readable


class ConfigurationPair(NamedTuple):
    """Numbers of a worst and a best configuration, and how many have the lowest and the highest score."""

    worst: int
    best: int
    lows: int
    highs: int


def most_telling_pair(scores: NDArray[np.float32], order: NDArray[np.int64]) -> ConfigurationPair | None:
    """The worst and the best configuration of one model on one example; None where no score differs.

    Args:
        scores: in each configuration; NaN where there is none.
        order: :func:`pair_order` of the configurations.
    """
    known = np.isfinite(scores)
    if not known.any() or scores[known].min() == scores[known].max():
        return None
    lows, highs = (np.flatnonzero(known & (scores == end(scores[known]))) for end in (np.min, np.max))
    worst, best = divmod(int(order[np.ix_(lows, highs)].argmin()), len(highs))
    return ConfigurationPair(int(lows[worst]), int(highs[best]), len(lows), len(highs))
