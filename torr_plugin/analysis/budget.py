"""What a ranking of a wished reliability needs: how many configurations and examples, and how they trade.

Predictions are of fresh configurations and examples like those of the study, for the study's models, from its
variance components (:mod:`.study_components`, :mod:`.decision`); their bounds are quantiles over draws of the
components.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.seeds import generator
from .complete import CrossedCubes, crossed
from .cube import Cube
from .decision import best_shares, least_examples, plausible_means, ratio, relative_error
from .options import AnalysisError, Options
from .result import OVERALL
from .study_components import (
    each_not_negative,
    lacking,
    left_out_notes,
    negative_notes,
    study_components,
    table_notes,
)
from .variance_components import MODEL, Components, one_configuration_components

CONFIGURATIONS = (1, 2, 3, 4, 5, 7, 10, 15, 20, 35, 50, 100)
"""Numbers of configurations that are considered."""
MOST_EXAMPLES = 100_000
"""Of each data set."""


class Prediction:
    """Predicts generalizability coefficients, and how often the right model is best, from components.

    The latter depends on the spacing of the models, which the study shows with errors: it is a mean over
    plausible spacings (:func:`.decision.plausible_means`).

    Args:
        found: the components.
        options: level of the bounds and seed are used.
    """

    def __init__(self, found: Components, options: Options) -> None:
        self.found, self._level = found, options.level
        rng, shape = generator(options.seed, "budget"), (len(found.error_draws), len(found.means))
        noise, self._luck = rng.normal(size=shape), rng.normal(size=shape)
        # sorted, so that the order of the models changes nothing
        self.spacings = plausible_means(np.sort(found.means), found.estimates[MODEL], found.error, noise)

    def value(self, configurations: float, examples: float) -> float:
        """The reliability of a ranking by k configurations and n examples of each data set."""
        parts = self.found.estimates
        return float(ratio(parts[MODEL], relative_error(parts, configurations, examples)))

    def figure(self, configurations: float, examples: float) -> dict[str, float | None]:
        """The same with its bounds."""
        return self.figures([(configurations, examples)])[0]

    def figures(self, sizes: Sequence[tuple[float, float]]) -> list[dict[str, float | None]]:
        """The same of several sizes, each of (k, n)."""
        if not sizes:
            return []
        k, n = np.array(sizes, float).T
        parts, drawn = self.found.estimates, self.found.draws
        draws = ratio(drawn[MODEL], relative_error(drawn, k[:, None], n[:, None]))
        errors = relative_error(parts, k, n)
        found = each_not_negative(ratio(parts[MODEL], errors), draws, self._level)
        best = best_shares(self.spacings, errors, self._luck)
        return [
            {"value": each.value, "low": each.low, "high": each.high, "best": float(share)}
            for each, share in zip(found, best, strict=True)
        ]


def cheapest(options: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """The option with the fewest requests; None where there is none."""
    return min(options, key=lambda option: option["requests"], default=None)


def budget(cubes: Sequence[Cube], target: float, options: Options) -> dict[str, Any]:
    """The cheapest numbers of configurations and examples for a wished reliability.

    Args:
        cubes: one data set, or all of them, whose mean then ranks the models; each data set gets n examples
            in the same k configurations. A study of one configuration is planned for that one.
        target: wished generalizability coefficient, between 0 and 1.
        options: resamples (draws here), level and seed are used.

    Returns:
        ``study``: its numbers, the reliability predicted for a fresh study like it, and ``best``, how often
        such a study has the right model first. ``options``: for numbers of configurations the least number of
        examples, rounded up, that reaches the target, as long as more configurations save
        examples, with ``requests_per_model`` and ``requests`` (of all models); ``cheapest``: the one with the
        fewest requests, null where none is; ``reachable`` and ``ceiling``, the reliability of the largest
        study considered. ``limits``: what one configuration or the study's reach with any number of examples,
        and one example or the study's with any number of configurations. ``notes``.

    Raises:
        AnalysisError: the target lies outside (0, 1), or the scores are too few to estimate
            components.
    """
    if not 0 < target < 1:
        raise AnalysisError(f"target: found {target!r}; expected a number between 0 and 1, e.g. 0.9")
    part = crossed(cubes)
    single = all(len(cube.configurations) == 1 for cube in part.cubes)
    found = one_configuration_components(part.cubes, options) if single else study_components(part, options)
    if found is None:
        raise AnalysisError(_cannot(part))
    prediction = Prediction(found, options)
    asked = len(part.cubes), len(part.cubes[0].models)
    # the coefficient reaches t where the error variance is at most (1 - t) / t of the models'
    error = max(0.0, float(found.estimates[MODEL])) * (1 - target) / target
    sizes = _frontier(prediction, CONFIGURATIONS[: 1 if single else None], error)
    limit = 1 if single else CONFIGURATIONS[-1], MOST_EXAMPLES
    own = (found.configurations, examples_each(found.examples))
    (study,) = _options(prediction, [own], asked)
    possible = _options(prediction, sizes, asked)
    alone = ["of one configuration: nothing says what others would change"] if single else []
    return {
        "dataset": part.cubes[0].dataset if len(cubes) == 1 else OVERALL,
        "datasets": asked[0],
        "models": asked[1],
        "level": options.level,
        "target": target,
        "study": study,
        "options": possible,
        "cheapest": cheapest(possible),
        "reachable": bool(possible),
        "ceiling": {"configurations": limit[0], "examples": limit[1], **prediction.figure(*limit)},
        "limits": _asymptotes(prediction, single=single),
        "notes": [
            *alone,
            *left_out_notes(part),
            *table_notes(part),
            *negative_notes(found),
            *_equal_note(found),
        ],
    }


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


def _frontier(prediction: Prediction, numbers: Sequence[int], error: float) -> list[tuple[int, int]]:
    """(configurations, examples) with at most so large an error, where more configurations save examples."""
    needed = least_examples(prediction.found.estimates, np.array(numbers, float), error).tolist()
    found: list[tuple[int, int]] = []
    for k, n in zip(numbers, needed, strict=True):
        if n <= MOST_EXAMPLES and (not found or rounded_up(n) < found[-1][1]):
            found.append((k, rounded_up(n)))
    return found


def rounded_up(examples: float) -> int:
    """To a multiple of 5 above 20, and to two digits above 100."""
    n = math.ceil(examples)
    step = 1 if n <= 20 else 5 if n <= 100 else int(10 ** (len(str(n)) - 2))
    return math.ceil(n / step) * step


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


def _asymptotes(prediction: Prediction, *, single: bool) -> dict[str, Any]:
    found, examples = prediction.found, examples_each(prediction.found.examples)
    one = {"configurations": 1, "examples": None, **prediction.figure(1, math.inf)}
    if single:
        return {"one_configuration": one}
    return {
        "one_configuration": one,
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
