"""What it takes to see a difference between two models: how many examples, and in how many configurations.

A pair's differences vary over examples by a + b / k where each is a mean over k configurations. As in the
paired test, configurations are taken as given; more of them make the differences of examples less noisy. The
mean variance in single configurations and that in all of them give a and b (for independent noise, the
variance components of the example and of the rest). Both are between tables, so that examples to come are
taken to share tables as those of the study do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import stdtr, stdtrit

from ..core.statistics import Booleans, ClusteredMeans, Floats, clustered_means, ratio_or_nan
from .budget import CONFIGURATIONS, MOST_EXAMPLES, cheapest, examples_each, rounded_up
from .cube import Cube, selected
from .options import AnalysisError, Options
from .power import POWER, least_detectable
from .result import OVERALL
from .statistics import example_means, pair_differences


@dataclass(frozen=True)
class PairVariances:
    """How the differences of two models vary over examples, (data sets x pairs) each.

    Attributes:
        common: the part of the variance that more configurations do not reduce.
        single: the other part, in one configuration; a mean over k configurations has a k-th of it.
        tables: tables per example: 1 where every example is about a table of its own.
    """

    common: Floats
    single: Floats
    tables: Floats

    def _errors(self, size: tuple[int, int]) -> tuple[Floats, Floats]:
        """Of each pair's difference with (configurations, examples): standard error, degrees of freedom."""
        configurations, examples = size
        variances = (self.common + self.single / configurations) / examples
        total = variances.sum(axis=0)
        freedom = total**2 / (variances**2 / np.maximum(self.tables * examples - 1, 1e-9)).sum(axis=0)
        return np.sqrt(total) / len(variances), freedom

    def least_detectable(self, size: tuple[int, int], alpha: float) -> float:
        """Of (configurations, examples of each data set); infinite for fewer than two tables."""
        if (self.tables * size[1] <= 1).all():
            return np.inf
        error, freedom = self._errors(size)
        return float(least_detectable(np.asarray(np.median(error)), np.asarray(np.median(freedom)), alpha))

    def hardest_power(self, size: tuple[int, int], difference: float, alpha: float) -> float:
        """With which probability the difference is found between the two models whose scores differ most."""
        error, freedom = self._errors(size)
        found = stdtr(freedom, difference / error - stdtrit(freedom, 1 - alpha / 2))
        return float(found.min())

    def least_examples(self, configurations: int, difference: float, alpha: float, most: int) -> int | None:
        """The fewest examples of each data set that detect the difference; None above ``most``."""
        low, high = 1, most
        if self.least_detectable((configurations, high), alpha) > difference:
            return None
        while high - low > 1:
            middle = (low + high) // 2
            detected = self.least_detectable((configurations, middle), alpha) <= difference
            low, high = (low, middle) if detected else (middle, high)
        return high


class Detection:
    """Plans studies that detect a difference, from the same scores for any difference.

    Args:
        cubes: see :func:`detection_budget`.
        options: see there.

    Raises:
        AnalysisError: no two models can be compared.
    """

    def __init__(self, cubes: Sequence[Cube], options: Options) -> None:
        self._cubes, self._alpha = cubes, 1 - options.level
        there: Booleans = np.all([~np.isnan(cube.scores).all(axis=(1, 2)) for cube in cubes], axis=0)
        self._known = [
            replace(cube, models=tuple(np.array(cube.models)[there]), scores=cube.scores[there])
            for cube in cubes
        ]
        self.configurations = max(len(cube.configurations) for cube in cubes)
        self.examples = examples_each([len(cube.examples) for cube in cubes])
        if not self.variances.common.size:
            raise AnalysisError(
                f"scores of {self.place}: no two models differ on examples of two tables; "
                "expected two models or more, asked the same examples, and enough of them to differ"
            )

    @property
    def place(self) -> str:
        """The data set, or "overall"."""
        return self._cubes[0].dataset if len(self._cubes) == 1 else OVERALL

    @property
    def models(self) -> int:
        """How many have scores of every data set."""
        return len(self._known[0].models)

    @property
    def pairs(self) -> int:
        """Of these models; a test is corrected for all of them."""
        return self.models * (self.models - 1) // 2

    @cached_property
    def _differences(self) -> list[ClusteredMeans]:
        """Of the pairs, on each data set."""
        return [_differences(cube) for cube in self._known]

    @cached_property
    def variances(self) -> PairVariances:
        """Of the pairs that differ by more than a constant."""
        whole = np.stack([_variances(found) for found in self._differences])
        sizes = np.array([len(cube.configurations) for cube in self._known])[:, None]
        alone = np.stack([_single_variances(cube) for cube in self._known])
        tables = np.stack([ratio_or_nan(found.freedom + 1, found.count) for found in self._differences])
        # neither is below 0, and both together give the variance that was found
        single = np.clip((alone - whole) * sizes / np.maximum(sizes - 1, 1), 0.0, whole * sizes)
        common = np.maximum(whole - single / sizes, 0.0)
        used = np.isfinite(whole).all(axis=0) & (whole.sum(axis=0) > 0)
        return PairVariances(common[:, used], single[:, used], tables[:, used])

    @cached_property
    def design_effect(self) -> float | None:
        """The variances over those of as many independent examples; None where no two share a table."""
        if all(cube.tables == len(cube.examples) for cube in self._known):
            return None
        apart = [_differences(replace(cube, clusters=np.arange(len(cube.examples)))) for cube in self._known]
        clustered, independent = (
            np.nansum([_variances(found) for found in each]) for each in (self._differences, apart)
        )
        return float(clustered / independent)

    def option(self, size: tuple[int, int], wished: float, alpha: float) -> dict[str, Any]:
        """A study of (configurations, examples of each data set), and what it detects."""
        configurations, examples = size
        each = configurations * examples * len(self._cubes)
        difference = self.variances.least_detectable(size, alpha)
        return {
            "configurations": configurations,
            "examples": examples,
            "requests_per_model": each,
            "requests": each * self.models,
            "difference": difference if np.isfinite(difference) else None,
            "hardest_power": self.variances.hardest_power(size, wished, alpha),
        }

    def options(self, wished: float, alpha: float) -> list[dict[str, Any]]:
        """For numbers of configurations the fewest examples, as long as more of them save examples."""
        found: list[dict[str, Any]] = []
        for k in CONFIGURATIONS[: None if self.configurations > 1 else 1]:
            n = self.variances.least_examples(k, wished, alpha, MOST_EXAMPLES)
            if n is not None and (not found or rounded_up(n) < found[-1]["examples"]):
                found.append(self.option((k, rounded_up(n)), wished, alpha))
        return found

    def budget(self, difference: float) -> dict[str, Any]:
        """As :func:`detection_budget`."""
        if not 0 < difference < 1:
            raise AnalysisError(f"detect: found {difference!r}; expected a number between 0 and 1, e.g. 0.02")
        corrected = self._alpha / self.pairs
        alone, all_pairs = (self.options(difference, alpha) for alpha in (self._alpha, corrected))
        ceiling = CONFIGURATIONS[-1], MOST_EXAMPLES
        return {
            "dataset": self.place,
            "datasets": len(self._cubes),
            "models": self.models,
            "pairs": self.pairs,
            "level": 1 - self._alpha,
            "detect": difference,
            "power": POWER,
            "study": self.option((self.configurations, self.examples), difference, self._alpha),
            "options": alone,
            "cheapest": cheapest(alone),
            "corrected": {"options": all_pairs, "cheapest": cheapest(all_pairs)},
            "reachable": bool(alone),
            "ceiling": self.option(ceiling, difference, self._alpha),
            "design_effect": self.design_effect,
            "notes": self._notes(),
        }

    def _notes(self) -> list[str]:
        notes = []
        left_out = len(self._cubes[0].models) - self.models
        if left_out:
            notes.append(
                f"{left_out} of {len(self._cubes[0].models)} models lack a data set and are left out"
            )
        if self.configurations == 1:
            notes.append("of one configuration, nothing says what more of them would save")
        return notes


def detection_budget(cubes: Sequence[Cube], difference: float, options: Options) -> dict[str, Any]:
    """The fewest examples with which the paired test of two models finds a difference of their performance.

    Args:
        cubes: one data set, or all of them, whose mean is then compared; each gets n examples in k
            configurations.
        difference: to detect, between 0 and 1, with a power of ``POWER``.
        options: the level is used.

    Returns:
        ``study``: its numbers, the ``difference`` that it detects between the middle pair of models, and
        ``hardest_power``, the probability to find the wished one between the hardest pair. ``options``: for
        numbers of configurations the fewest examples of each data set, rounded up, as long as
        more configurations save examples, with ``requests_per_model`` and ``requests`` (of all models);
        ``cheapest``: the one with the fewest requests, null where none is. ``corrected``: the same for a
        difference that is detected after correction for all ``pairs``. ``reachable``, and ``ceiling``, the
        largest study considered. ``design_effect`` of the tables, null where no examples share one; the
        options include it. ``notes``.

    Raises:
        AnalysisError: the difference lies outside its range, or no two models can be compared.
    """
    return Detection(cubes, options).budget(difference)


def _differences(cube: Cube) -> ClusteredMeans:
    """Of performance, (pairs,)."""
    pairs = np.triu_indices(len(cube.models), k=1)
    return clustered_means(pair_differences(cube.scores, *pairs, example_means), cube.clusters)


def _variances(found: ClusteredMeans) -> Floats:
    """Over examples, between tables, (pairs,); NaN where two models share no two tables."""
    return np.where(found.freedom > 0, found.variance * found.count, np.nan)


def _single_variances(cube: Cube) -> Floats:
    """The mean over configurations of those in each alone, (pairs,)."""
    alone = [_differences(selected(cube, [config])) for config in cube.configurations]
    each = np.stack([_variances(found) for found in alone])
    present = ~np.isnan(each)
    return ratio_or_nan(np.where(present, each, 0.0).sum(axis=0), present.sum(axis=0))
