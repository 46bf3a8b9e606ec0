"""Generalizability theory: where the variance of scores comes from, and how far a ranking can be trusted.

Cronbach, Gleser, Nanda and Rajaratnam, "The dependability of behavioral measurements", 1972; Brennan,
"Generalizability Theory", 2001. Models are the objects of measurement and those of the study, all there are;
configurations and examples are samples of what could have been asked; data sets are a fixed facet.

Intervals are a parametric bootstrap of the mean squares, not resamples of the scores: resampling a facet of n
levels with replacement makes its component too small by (n - 1) / n and mixes it with others (Brennan 2001,
chapter 6), and for the three or five configurations that many studies have no correction gives an interval
that covers. Instead every mean square is drawn from its scaled chi-square distribution with degrees of
freedom that the data may lower (:class:`variance_components.MeanSquare`), and the model variance from the
means with their errors: generalized confidence intervals (Weerahandi 1993; Burdick, Borror and Montgomery
2005). Simulations with known truth are in the tests.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..bootstrap import generator, interval
from ..cube import Cube
from ..figures import Options, number
from ..frame import OVERALL
from .balanced import Balanced, balanced
from .composite import Components, composite_components, dataset_components
from .decision import ratio
from .variance_components import COMPONENTS, MODEL, Anova, anova

if TYPE_CHECKING:
    from ..types import Floats

_FACETS = ("model", "configuration", "example")


def generalizability(cubes: Sequence[Cube], options: Options) -> dict[str, Any]:
    """Variance components and the generalizability coefficient, per data set and overall.

    Negative estimates of a component stay as they are where other components are computed from mean squares
    (Brennan's rule), and are reported as 0, with a note; they count as 0 in the error variance, the
    coefficient and the shares. With holes, only what is scored in every cell is used
    (:func:`balanced.balanced`).

    Args:
        cubes: of all data sets.
        options: resamples (draws here), level and seed are used.

    Returns:
        data set or "overall" -> ``components``: for each of ``COMPONENTS`` ``value``, ``low``, ``high`` and
        ``share`` of the sum of all; ``coefficient`` and ``relative_error`` with the study's own numbers, with
        bounds; ``models``, ``configurations``, ``examples`` (a data set's mean, overall) that were used;
        ``left_out``, what was not; ``notes``. All figures are null where there are not two models,
        configurations and examples: components cannot then be told apart. "overall" is of the models' mean
        over data sets, with one example a data set (:func:`composite.composite_components`).
    """
    parts = {OVERALL: balanced(cubes), **{cube.dataset: balanced([cube]) for cube in cubes}}
    known = _Remembered()
    return {
        place: _labelled(study_components(part, options, known), part, options)
        for place, part in parts.items()
    }


class _Remembered:
    """Analyses of variance, of which a data set's may serve alone and in the mean over data sets."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Cube, Anova]] = {}

    def __call__(self, cube: Cube) -> Anova:
        """The cube's; computed again where this data set's last cube was another."""
        last = self._known.get(cube.dataset)
        if last is None or last[0].scores is not cube.scores:
            last = self._known[cube.dataset] = cube, anova(cube.scores)
        return last[1]


def study_components(
    part: Balanced, options: Options, anovas: Callable[[Cube], Anova] | None = None
) -> Components | None:
    """Components of one data set, or of the mean over several; None where they cannot be told apart."""
    import numpy as np

    if lacking(part):
        return None
    anovas = anovas or _Remembered()
    found = [
        dataset_components(
            anovas(cube),
            generator(options.seed, "generalizability", cube.dataset),
            options.resamples,
        )
        for cube in part.cubes
    ]
    if len(found) == 1:
        return found[0]
    table: Floats = np.mean([cube.scores.mean(axis=2) for cube in part.cubes], axis=0)
    rng = generator(options.seed, "generalizability", OVERALL)
    return composite_components(table, found, rng, options.resamples)


def lacking(part: Balanced) -> list[str]:
    """Of which of model, configuration and example there are not two on some data set."""
    sizes = [min(cube.scores.shape[axis] for cube in part.cubes) for axis in range(3)]
    return [name for name, size in zip(_FACETS, sizes, strict=True) if size < 2]


def bounded(value: Floats | float, draws: Floats, level: float) -> dict[str, float | None]:
    """``value``, ``low`` and ``high`` of a figure that is not negative."""
    import numpy as np

    low, high = interval(np.maximum(draws, 0.0), level)
    return {"value": number(max(float(value), 0.0)), "low": number(float(low)), "high": number(float(high))}


def _labelled(found: Components | None, part: Balanced, options: Options) -> dict[str, Any]:
    sizes = {
        "models": len(part.cubes[0].models),
        "configurations": len(part.cubes[0].configurations),
        "examples": sum(len(cube.examples) for cube in part.cubes) / len(part.cubes),
        "left_out": part.left_out,
    }
    if found is None:
        nothing = {"value": None, "low": None, "high": None}
        return {
            "components": {name: {**nothing, "share": None} for name in COMPONENTS},
            "coefficient": nothing,
            "relative_error": nothing,
            **sizes,
            "notes": [*left_out_notes(part), _unidentified(part)],
        }
    return {
        "components": _components(found, options.level),
        "coefficient": bounded(
            ratio(found.estimates[MODEL], found.error),
            ratio(found.draws[MODEL], found.error_draws),
            options.level,
        ),
        "relative_error": bounded(found.error, found.error_draws, options.level),
        **sizes,
        "notes": [*left_out_notes(part), *negative_notes(found)],
    }


def _components(found: Components, level: float) -> dict[str, Any]:
    total = sum(max(float(found.estimates[name]), 0.0) for name in COMPONENTS)
    return {
        name: {
            **bounded(found.estimates[name], found.draws[name], level),
            "share": number(max(float(found.estimates[name]), 0.0) / total) if total > 0 else None,
        }
        for name in COMPONENTS
    }


def left_out_notes(part: Balanced) -> list[str]:
    """What the holes cost, a line; nothing where there are none."""
    if not part.left_out:
        return []
    said = ", ".join(f"{count:,} {name}" for name, count in part.left_out.items())
    return [f"left out, since not all scores of them are there: {said}"]


def _unidentified(part: Balanced) -> str:
    names = " and ".join(f"one {name}" if _some(part) else f"no {name}" for name in lacking(part))
    return f"{names} only: components cannot be told apart"


def _some(part: Balanced) -> bool:
    return all(cube.scores.size for cube in part.cubes)


def negative_notes(found: Components) -> list[str]:
    """Which components were estimated below 0, a line; nothing where none was."""
    negative = [name for name in COMPONENTS if float(found.estimates[name]) < 0]
    if not negative:
        return []
    return [f"estimated below 0, so shown as 0: {', '.join(negative)}"]
