"""Simulated studies of known truth, and the reliability that repeated ones show by its definition.

A score is the sum of effects of a model, a configuration, an example, the table that it is about, and their
interactions: cut at 0 and 1, or right or wrong by its sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd

from torr_plugin.analysis.statistics import example_rarefied_robustness

TRUTHS = ("configurations", "worst", "best", "robustness_5")

Kind = Literal["binary", "continuous", "unbounded"]


@dataclass(frozen=True)
class Spread:
    """Standard deviations of the effects.

    On the scale of the score; for ``binary`` on that of the probit, where a ``residual`` of 1 is usual.
    ``dataset`` is the share of the variance of models, configurations and their interaction that is a data
    set's own.
    """

    model: float = 0.15
    configuration: float = 0.05
    example: float = 0.15
    model_configuration: float = 0.05
    model_example: float = 0.1
    configuration_example: float = 0.05
    residual: float = 0.1
    dataset: float = 0.5

    def scaled(self, factor: float) -> Spread:
        """All deviations times a factor; the share of the data sets stays."""
        names = [name for name in self.__dataclass_fields__ if name != "dataset"]
        return replace(self, **{name: factor * getattr(self, name) for name in names})


CONTINUOUS = Spread()
BINARY = Spread(0.5, 0.2, 0.8, 0.2, 0.5, 0.3, 1.0)


@dataclass(frozen=True)
class Population:
    """The models and configurations of simulated studies.

    Attributes:
        spread: standard deviations.
        kind: ``binary`` (probit), ``continuous`` (clipped to [0, 1]) or ``unbounded`` (components are exact).
        mean: of the scores (of the probit, for binary ones).
        model: effects, (data sets x models).
        configuration: effects, (data sets x configurations).
        model_configuration: effects, (data sets x models x configurations).
    """

    spread: Spread
    kind: Kind
    mean: float
    model: np.ndarray
    configuration: np.ndarray
    model_configuration: np.ndarray

    @property
    def datasets(self) -> int:
        return len(self.model)

    def draw(
        self, rng: np.random.Generator, examples: int, *, per_table: int = 1, icc: float = 0.0
    ) -> list[np.ndarray]:
        """Scores of fresh examples, a data set each (models x configurations x examples).

        ``per_table`` examples in a row are about one table. They share the part ``icc`` of the variance of
        examples' effects, also of those with models and configurations.
        """
        return [self._draw(rng, dataset, examples, per_table, icc) for dataset in range(self.datasets)]

    def with_fresh_configurations(self, rng: np.random.Generator, configurations: int) -> Population:
        """The same models with other configurations."""
        models = self.model.shape[1]
        own = _configurations(self.spread, rng, self.datasets, models, configurations)
        return replace(self, configuration=own[0], model_configuration=own[1])

    def truth(self, rng: np.random.Generator, examples: int = 100_000) -> dict[str, np.ndarray]:
        """Population values over examples, of the given models and configurations.

        Returns:
            ``performance``, ``robustness``, ``robustness_5`` (NaN of fewer configurations), ``worst``,
            ``best``, (data sets x models) each; and ``configurations``, mean scores (data sets x models x
            configurations). Overall values are means over the first axis.
        """
        parts: dict[str, list[np.ndarray]] = {name: [] for name in TRUTHS}
        for dataset in range(self.datasets):
            sums = [np.zeros(1)] * len(TRUTHS)
            for chunk in np.diff(np.linspace(0, examples, max(2, examples // 10_000 + 1)).astype(int)):
                scores = self._draw(rng, dataset, int(chunk))
                rarefied = example_rarefied_robustness(scores).sum(axis=1)
                ends = scores.min(axis=1).sum(axis=1), scores.max(axis=1).sum(axis=1)
                here = scores.sum(axis=2), *ends, rarefied
                sums = [total + own for total, own in zip(sums, here, strict=True)]
            for name, total in zip(parts, sums, strict=True):
                parts[name].append(total / examples)
        found = {name: np.stack(values) for name, values in parts.items()}
        found["performance"] = found["configurations"].mean(axis=2)
        found["robustness"] = 1 - (found["best"] - found["worst"])
        return found

    def _draw(
        self, rng: np.random.Generator, dataset: int, examples: int, per_table: int = 1, icc: float = 0.0
    ) -> np.ndarray:
        spread, (models, configurations) = self.spread, self.model_configuration.shape[1:]
        tables = np.arange(examples) // per_table

        def effects(sd: float, *shape: int) -> np.ndarray:
            own = rng.normal(0, sd * np.sqrt(1 - icc), (*shape, examples))
            if not icc:
                return own
            return own + rng.normal(0, sd * np.sqrt(icc), (*shape, tables[-1] + 1))[..., tables]

        given = self.model[dataset][:, None] + self.configuration[dataset] + self.model_configuration[dataset]
        latent = rng.normal(0, spread.residual, (models, configurations, examples))
        latent += self.mean + given[:, :, None]
        latent += effects(spread.example)
        latent += effects(spread.model_example, models, 1)
        latent += effects(spread.configuration_example, configurations)
        if self.kind == "binary":
            return (latent > 0).astype(float)
        return np.clip(latent, 0.0, 1.0) if self.kind == "continuous" else latent


def population(
    rng: np.random.Generator,
    *,
    models: int = 6,
    configurations: int = 5,
    datasets: int = 1,
    kind: Kind = "continuous",
    spread: Spread | None = None,
    mean: float | None = None,
    equal_models: bool = False,
) -> Population:
    """Drawn model and configuration effects; ``equal_models`` have none of their own."""
    spread = spread or (BINARY if kind == "binary" else CONTINUOUS)
    if equal_models:
        spread = replace(spread, model=0.0, model_configuration=0.0)
    mean = mean if mean is not None else 0.0 if kind == "binary" else 0.5
    ability = _shared(rng, spread.model, spread.dataset, datasets, models)
    own = _configurations(spread, rng, datasets, models, configurations)
    return Population(spread, kind, mean, ability, *own)


def _configurations(
    spread: Spread, rng: np.random.Generator, datasets: int, models: int, configurations: int
) -> tuple[np.ndarray, np.ndarray]:
    return (
        _shared(rng, spread.configuration, spread.dataset, datasets, configurations),
        _shared(rng, spread.model_configuration, spread.dataset, datasets, models, configurations),
    )


def _shared(rng: np.random.Generator, sd: float, own: float, datasets: int, *shape: int) -> np.ndarray:
    """Effects that data sets have partly in common, (data sets x shape), of standard deviation ``sd``."""
    common = rng.normal(0, sd * np.sqrt(1 - own if datasets > 1 else 1), (1, *shape))
    return common + rng.normal(0, sd * np.sqrt(own if datasets > 1 else 0), (datasets, *shape))


def study_frame(scores: Sequence[np.ndarray]) -> pd.DataFrame:
    """Drawn scores as the rows of a scores file: data sets d0, d1 ..., models m00 ..., c00 ..., e0000 ..."""
    frames = []
    for dataset, cube in enumerate(scores):
        m, c, e = np.indices(cube.shape).reshape(3, -1)
        labels = {
            "model": [f"m{i:02d}" for i in m],
            "dataset": f"d{dataset}",
            "config": [f"c{i:02d}" for i in c],
            "example": [f"e{i:04d}" for i in e],
            "metric": "score",
            "score": np.clip(cube, 0, 1).ravel(),
        }
        frames.append(pd.DataFrame(labels))
    return pd.concat(frames, ignore_index=True)


def shown(
    models: Population, rng: np.random.Generator, configurations: int, examples: int, *, studies: int
) -> float:
    """The covariance of two studies' means over their variance: of fresh configurations and examples."""
    means = np.array([_means(models, rng, configurations, examples) for _ in range(studies)])
    centred = means - means.mean(axis=1, keepdims=True)
    variance = (centred**2).sum(axis=1).mean()
    # over all pairs of different studies
    together = (centred.sum(axis=0) ** 2).sum() - (centred**2).sum()
    return float(together / (studies * (studies - 1)) / variance)


def _means(models: Population, rng: np.random.Generator, configurations: int, examples: int) -> np.ndarray:
    scores = models.with_fresh_configurations(rng, configurations).draw(rng, examples)
    return np.mean([cube.mean(axis=(1, 2)) for cube in scores], axis=0)
