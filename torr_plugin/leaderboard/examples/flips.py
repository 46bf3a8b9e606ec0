"""Flips: an example scored low in one configuration and high in another; and which two of them tell most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...analysis.cube import Cube
from ...analysis.statistics import example_best, example_means, example_worst
from ..files import with_choice

if TYPE_CHECKING:
    from ..study import Study


@dataclass(frozen=True)
class ExampleConfiguration:
    """A configuration and its parts."""

    name: str
    serializer: str
    perturbation: str
    design: str

    @classmethod
    def of(cls, name: str, parts: Mapping[str, str]) -> ExampleConfiguration:
        """A configuration; parts that are not known are read from a name such as ``csv/none/default``."""
        split = dict(zip(PARTS, [*name.split("/", 2), "", ""], strict=False))
        return cls(name, **{**split, **parts})


PARTS = ("serializer", "perturbation", "design")


def pair_order(configs: Sequence[ExampleConfiguration]) -> NDArray[np.int64]:
    """How much a pair of a worst and a best configuration tells, (worst x best): 0 tells most.

    The fewer parts differ, the better a pair shows why: format alone, perturbation alone. Then come pairs
    with an unperturbed table, then those whose names come first.
    """
    parts = np.array([[each.serializer, each.perturbation, each.design] for each in configs]).reshape(-1, 3)
    differing = (parts[:, None] != parts[None]).sum(axis=-1)
    plain = parts[:, 1] == "none"
    either = plain[:, None] | plain[None]
    by_name = np.argsort(np.argsort(np.array([each.name for each in configs]))) if configs else plain
    worst, best = np.meshgrid(by_name, by_name, indexing="ij")
    ranks = np.lexsort([each.ravel() for each in (best, worst, ~either, differing)])
    order = np.empty(ranks.size, np.int64)
    order[ranks] = np.arange(ranks.size)
    found: NDArray[np.int64] = order.reshape(differing.shape)
    return found


class ConfigurationPair(NamedTuple):
    """Numbers of a worst and a best configuration."""

    worst: int
    best: int


def most_telling_pair(scores: NDArray[Any], order: NDArray[np.int64]) -> ConfigurationPair | None:
    """The worst and the best configuration of one model on one example; None where no score differs.

    Args:
        scores: in each configuration; NaN where there is none.
        order: :func:`pair_order` of the configurations.
    """
    known = np.where(np.isfinite(scores), scores, np.nan)
    low, high = np.fmin.reduce(known), np.fmax.reduce(known)
    if not low < high:
        return None
    lows, highs = (np.flatnonzero(known == end) for end in (low, high))
    worst, best = divmod(int(order[lows[:, None], highs].argmin()), len(highs))
    return ConfigurationPair(int(lows[worst]), int(highs[best]))


@dataclass(frozen=True)
class Flip:
    """One model's scores on one example: the lowest and the highest, and configurations that have them.

    Of several such configurations these are the ones that tell most (:func:`pair_order`).
    """

    dataset: str
    example: str
    low: float
    high: float
    low_config: str
    high_config: str
    mean: float

    @property
    def width(self) -> float:
        """From the worst configuration to the best."""
        return self.high - self.low


def widest_flips(cubes: Sequence[Cube], most: int) -> dict[str, list[Flip]]:
    """Model -> its ``most`` examples whose score moves furthest, widest first; none that does not move.

    Equally wide ones: those first that are neither right nor wrong in most configurations.
    """
    found: dict[str, list[Flip]] = {}
    for cube in cubes:
        names = cube.configurations
        parts = [{part: own[name] for part, own in cube.parts.items() if name in own} for name in names]
        order = pair_order(list(map(ExampleConfiguration.of, names, parts)))
        # as precise as the scores of examples on their page
        every = cube.scores.astype(np.float32).astype(float)
        means, widths = example_means(every), example_best(every) - example_worst(every)
        for model, scores, mean, width in zip(cube.models, every, means, widths, strict=True):
            for place in np.lexsort((np.abs(mean - 0.5).round(_DIGITS), -width))[:most].tolist():
                own = scores[:, place]
                if (pair := most_telling_pair(own, order)) is not None:
                    flip = Flip(
                        dataset=cube.dataset,
                        example=cube.examples[place],
                        low=float(own[pair.worst]),
                        high=float(own[pair.best]),
                        low_config=names[pair.worst],
                        high_config=names[pair.best],
                        mean=float(mean[place]),
                    )
                    found.setdefault(model, []).append(flip)
    return {model: sorted(flips, key=_widest)[:most] for model, flips in found.items()}


_DIGITS = 9
"""Means that differ by less are as near to half; of such flips, names decide."""


def _widest(flip: Flip) -> tuple[float, float, str, str]:
    return -flip.width, round(abs(flip.mean - 0.5), _DIGITS), flip.dataset, flip.example


def flip_link(study: Study, model: str, flip: Flip) -> str:
    """The example with the model's worst and best configuration side by side, from the site's root."""
    return with_choice(
        study.paths.examples,
        dataset=flip.dataset,
        example=flip.example,
        model=model,
        **{"config": flip.low_config, "with": flip.high_config},
    )
