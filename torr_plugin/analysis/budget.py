"""What a ranking of a wished reliability needs: how many configurations and examples, and how they trade.

Predictions are of fresh configurations and examples like those of the study, for the study's models, from its
variance components (:mod:`.study_components`, :mod:`.decision`); their bounds are quantiles over draws of the
components.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from ..core.seeds import generator
from ..core.statistics import Floats
from .complete import CrossedCubes, crossed
from .cube import Cube
from .decision import (
    Tabulated,
    expected_w,
    largest_errors,
    least_examples,
    pair_errors,
    plausible_means,
    ratio,
    relative_error,
)
from .options import AnalysisError, Options
from .result import OVERALL
from .study_components import (
    each_not_negative,
    holes_notes,
    lacking,
    left_out_notes,
    negative_notes,
    study_components,
    table_notes,
)
from .variance_components import MODEL, Components

Measure = Literal["generalizability", "w"]
MEASURES: tuple[str, ...] = get_args(Measure)
EXCHANGED = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 100)
"""Numbers of configurations in the exchange table."""


_SPACINGS = 200  # of models, for the expected W
_SPACED = 400_000  # models compared for it: very many of them are spaced much alike in every draw
_MANY = 14
_SIZES_AT_ONCE = 200  # each takes some 150 kB while its draws are read from the table
_COMPARISONS = 3_000_000  # of models in an interval of W: of very many models it is of fewer draws


@dataclass(frozen=True)
class Limits:
    """The most that a study may take: configurations, and examples of each data set."""

    configurations: int = 100
    examples: int = 100_000


class Prediction:
    """Predicts reliabilities from components: the generalizability coefficient, or the expected Kendall's W.

    W depends on the spacing of the models, which the study shows with errors: it is a mean over plausible
    spacings (:func:`.decision.plausible_means`). It also depends on how exactly each pair is compared.

    Args:
        found: the components.
        pairs: of :func:`.decision.pair_errors`.
        measure: which reliability.
        options: level of the bounds and seed are used.
    """

    def __init__(self, found: Components, pairs: Floats, measure: Measure, options: Options) -> None:
        self.found, self.measure, self._level = found, measure, options.level
        if measure == "w":
            rng = generator(options.seed, "budget")
            models = len(found.means)
            self._draws = min(len(found.error_draws), max(_SPACINGS, _COMPARISONS // models**2))
            noise = rng.normal(size=(self._draws, models))
            model, drawn = found.estimates[MODEL], found.draws[MODEL][: self._draws]
            spacings = min(_SPACINGS, max(_SPACINGS // 4, _SPACED // models**2))
            # sorted, so that the order of the models changes nothing
            order = np.lexsort((pairs.sum(axis=0), found.means))
            means, self.pairs = found.means[order], pairs[np.ix_(order, order)]
            self.spacings = plausible_means(means, model, found.error, noise[:spacings])
            self.drawn = plausible_means(means, drawn, found.error_draws[: self._draws], noise)
            # the more models, the smoother: within a millionth with either step
            step = 0.2 if models < _MANY else 0.3
            self._w = Tabulated(lambda error, _: self._mean_w(error), step)
            self._w_drawn = Tabulated(
                lambda error, rows: expected_w(self.drawn[rows], error, self.pairs), step
            )

    def value(self, configurations: float, examples: float) -> float:
        """The reliability of a ranking by k configurations and n examples of each data set."""
        return float(self._with_error(relative_error(self.found.estimates, configurations, examples)))

    def figure(self, configurations: float, examples: float) -> dict[str, float | None]:
        """The same with its bounds."""
        return self.figures([(configurations, examples)])[0]

    def figures(self, sizes: Sequence[tuple[float, float]]) -> list[dict[str, float | None]]:
        """The same of several sizes, each of (k, n)."""
        parts = [sizes[first : first + _SIZES_AT_ONCE] for first in range(0, len(sizes), _SIZES_AT_ONCE)]
        return [figure for part in parts for figure in self._figures(part)]

    def _figures(self, sizes: Sequence[tuple[float, float]]) -> list[dict[str, float | None]]:
        k, n = np.array(sizes, float).reshape(-1, 2).T
        error = relative_error(self.found.draws, k[:, None], n[:, None])
        if self.measure == "w":
            draws = self._w_drawn(error[:, : self._draws])
        else:
            draws = ratio(self.found.draws[MODEL], error)
        values = self._with_error(relative_error(self.found.estimates, k, n))
        found = each_not_negative(values, draws, self._level)
        return [{"value": each.value, "low": each.low, "high": each.high} for each in found]

    def largest_errors(self, targets: Sequence[float]) -> Floats:
        """The largest error variances of a mean that still let targets be reached."""
        return largest_errors(self._with_error, np.array(targets, float))

    def _with_error(self, error: Floats) -> Floats:
        if self.measure == "w":
            return self._w(np.asarray(error)[..., None])[..., 0]
        return ratio(self.found.estimates[MODEL], error)

    def _mean_w(self, error: Floats) -> Floats:
        """The expected W over all spacings, of each error variance."""
        return np.array([expected_w(self.spacings, each, self.pairs).mean() for each in error])


class Planner:
    """Budgets of the same scores for several targets; the components are estimated once.

    Args:
        cubes: see :func:`budget`, like the rest.
        measure: see there.
        options: see there.
        limits: see there.

    Raises:
        AnalysisError: the scores are too few to estimate components.
    """

    def __init__(
        self, cubes: Sequence[Cube], measure: Measure, options: Options, limits: Limits | None = None
    ) -> None:
        part = crossed(cubes)
        found = study_components(part, options)
        if found is None:
            raise AnalysisError(_cannot(part))
        self._limits = limits or Limits()
        self._asked = len(part.cubes), len(part.cubes[0].models)
        self._prediction = prediction = Prediction(found, pair_errors(part.cubes), measure, options)
        self._wish = {
            "dataset": part.cubes[0].dataset if len(cubes) == 1 else OVERALL,
            "datasets": self._asked[0],
            "models": self._asked[1],
            "measure": measure,
            "level": options.level,
        }
        limit = self._limits.configurations, self._limits.examples
        self.ceiling: dict[str, Any] = {
            "configurations": limit[0],
            "examples": limit[1],
            **prediction.figure(*limit),
        }
        self.notes = [
            *left_out_notes(part),
            *holes_notes(part),
            *table_notes(part),
            *negative_notes(found),
            *_equal_note(found),
        ]

    def options(self, targets: Sequence[float]) -> list[list[dict[str, Any]]]:
        """``options`` of :func:`budget` for each target."""
        errors = self._prediction.largest_errors(targets)
        sizes = [_frontier(self._prediction, error, self._limits) for error in errors.tolist()]
        different = list(dict.fromkeys(size for own in sizes for size in own))
        predicted = dict(zip(different, self.predicted(different), strict=True))
        return [[predicted[size] for size in own] for own in sizes]

    def predicted(self, sizes: Sequence[tuple[int, int]]) -> list[dict[str, Any]]:
        """The reliability of k configurations and n examples a data set, with bounds and requests."""
        return _options(self._prediction, sizes, self._asked)

    def budget(self, target: float) -> dict[str, Any]:
        """As :func:`budget`."""
        if not 0 < target < 1:
            raise AnalysisError(f"target: found {target!r}; expected a number between 0 and 1, e.g. 0.9")
        (found,) = self.options([target])
        return {
            **self._wish,
            "target": target,
            "study": _study(self._prediction, self._asked),
            "options": found,
            "cheapest": cheapest(found),
            "reachable": bool(found),
            "ceiling": self.ceiling,
            "exchange": _exchange(self._prediction, self._limits),
            "limits": _asymptotes(self._prediction),
            "notes": self.notes,
        }


@dataclass(frozen=True)
class Budgets:
    """Budgets for several targets, and what other sizes would reach.

    Attributes:
        options: for each target, as in :func:`budget`.
        sizes: for each size, the same.
        ceiling: as in :func:`budget`, like ``notes``.
    """

    options: Sequence[Sequence[Mapping[str, Any]]]
    sizes: Sequence[Mapping[str, Any]]
    ceiling: Mapping[str, Any]
    notes: Sequence[str]


def budgets(
    cubes: Sequence[Cube], options: Options, targets: Sequence[float], sizes: Sequence[tuple[int, int]]
) -> dict[str, Budgets]:
    """Measure -> its budgets for ``targets``, and what (configurations, examples) of ``sizes`` would reach.

    Raises:
        AnalysisError: the scores are too few to estimate components.
    """
    planners = {measure: Planner(cubes, measure, options) for measure in get_args(Measure)}
    return {
        measure: Budgets(planner.options(targets), planner.predicted(sizes), planner.ceiling, planner.notes)
        for measure, planner in planners.items()
    }


def cheapest(options: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """The option with the fewest requests; None where there is none."""
    return min(options, key=lambda option: option["requests"], default=None)


def budget(
    cubes: Sequence[Cube], target: float, measure: Measure, options: Options, limits: Limits | None = None
) -> dict[str, Any]:
    """The cheapest numbers of configurations and examples for a wished reliability.

    Args:
        cubes: one data set, or all of them, whose mean then ranks the models; each data set gets n examples
            in the same k configurations.
        target: wished reliability, between 0 and 1.
        measure: ``generalizability`` (the coefficient) or ``w`` (expected Kendall's W of ten rankings).
        options: resamples (draws here), level and seed are used.
        limits: the largest study to consider.

    Returns:
        ``study``: its numbers and the reliability predicted for a fresh study like it. ``options``: for each
        number of configurations the least number of examples that reaches the target, as long as one
        configuration more saves examples, with ``requests_per_model`` and ``requests`` (of all models) and
        the reliability; ``cheapest``: the one with the fewest requests, null where none is; ``reachable``
        and ``ceiling``, the reliability at the limits. ``exchange``: what is as reliable as one configuration
        with the study's examples, as long as more configurations save examples. ``limits``: what one
        configuration or the study's reach with any number of examples, and one example or the study's with
        any number of configurations. ``notes``.

    Raises:
        AnalysisError: the target lies outside (0, 1), or the scores are too few to estimate
            components.
    """
    return Planner(cubes, measure, options, limits).budget(target)


def _equal_note(found: Components) -> list[str]:
    if found.estimates[MODEL] > 0:
        return []
    return ["models differ no more than noise lets them: no number of examples is seen to rank them reliably"]


def _cannot(part: CrossedCubes) -> str:
    names = " nor two ".join(f"{name}s" for name in lacking(part))
    where = part.cubes[0].dataset if len(part.cubes) == 1 else "all data sets together"
    left = f" ({'; '.join(left_out_notes(part))})" if part.left_out else ""
    found = f"there are not two {names}" if names else "those that are there cannot tell components apart"
    return f"scores of {where}: {found}{left}; expected two or more of models, configurations and examples"


def _frontier(prediction: Prediction, error: float, limits: Limits) -> list[tuple[int, int]]:
    """(configurations, examples), examples falling; those that save no example are left out."""
    return [
        (k, n)
        for k, n in _saving(prediction, range(1, limits.configurations + 1), error)
        if n <= limits.examples
    ]


def _saving(prediction: Prediction, numbers: Sequence[int], error: float) -> list[tuple[int, int]]:
    """(configurations, least examples) with at most so large an error, where more configurations save any."""
    needed = least_examples(prediction.found.estimates, np.array(numbers, float), error)
    before = np.minimum.accumulate([np.inf, *needed[:-1]])
    return [(k, int(n)) for k, n, least in zip(numbers, needed.tolist(), before, strict=True) if n < least]


def _options(
    prediction: Prediction, sizes: Sequence[tuple[int, int]], asked: tuple[int, int]
) -> list[dict[str, Any]]:
    """Studies of (configurations, examples of each data set) that ask (data sets, models)."""
    datasets, models = asked
    return [
        {
            "configurations": configurations,
            "examples": examples,
            "requests_per_model": (each := configurations * examples * datasets),
            "requests": each * models,
            **figure,
        }
        for (configurations, examples), figure in zip(sizes, prediction.figures(sizes), strict=True)
    ]


def examples_each(numbers: Sequence[int]) -> int:
    """Examples of a data set, from those of each: where they differ, the harmonic mean, as errors add."""
    return max(1, round(len(numbers) / math.fsum(1 / n for n in numbers)))


def _study(prediction: Prediction, asked: tuple[int, int]) -> dict[str, Any]:
    found = prediction.found
    return _options(prediction, [(found.configurations, examples_each(found.examples))], asked)[0]


def _exchange(prediction: Prediction, limits: Limits) -> dict[str, Any]:
    """What one configuration with the study's examples can be exchanged for."""
    found, examples = prediction.found, examples_each(prediction.found.examples)
    error = float(relative_error(found.estimates, 1, examples))
    numbers = sorted({k for k in (*EXCHANGED, found.configurations) if k <= limits.configurations})
    rows = [{"configurations": k, "examples": n} for k, n in _saving(prediction, numbers, error)]
    return {"configurations": 1, "examples": examples, **prediction.figure(1, examples), "equal": rows}


def _asymptotes(prediction: Prediction) -> dict[str, Any]:
    found, examples = prediction.found, examples_each(prediction.found.examples)
    return {
        "one_configuration": {"configurations": 1, "examples": None, **prediction.figure(1, math.inf)},
        "study_configurations": {
            "configurations": found.configurations,
            "examples": None,
            **prediction.figure(found.configurations, math.inf),
        },
        "one_example": {"configurations": None, "examples": 1, **prediction.figure(math.inf, 1)},
        "study_examples": {
            "configurations": None,
            "examples": examples,
            **prediction.figure(math.inf, examples),
        },
    }
