"""The balanced part of cubes with holes: every model, configuration and example scored in every cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..configurations import common_configurations, selected
from ..cube import Cube

if TYPE_CHECKING:
    from ..types import Booleans


@dataclass(frozen=True)
class Balanced:
    """Cubes without holes, of the same models and configurations where there are several.

    Attributes:
        cubes: what is left of each data set; it may have no model, configuration or example.
        left_out: how many models, configurations and examples (of all data sets) are not in them; empty where
            nothing was left out.
    """

    cubes: tuple[Cube, ...]
    left_out: dict[str, int]


def balanced(cubes: Sequence[Cube]) -> Balanced:
    """What has no holes once some models, then some configurations, then some examples are left out.

    Models that lack a data set wholly; configurations that not all data sets have, or that one of the
    remaining models lacks wholly on one; and on each data set the examples that some cell of these lacks.

    Args:
        cubes: one data set, or several that are looked at together.
    """
    import numpy as np

    if _whole(cubes):
        return Balanced(tuple(cubes), {})
    there: Booleans = np.all([~np.isnan(cube.scores).all(axis=(1, 2)) for cube in cubes], axis=0)
    models = tuple(name for name, known in zip(cubes[0].models, there, strict=True) if known)
    shared = common_configurations(cubes)
    narrowed = [selected(replace(cube, models=models, scores=cube.scores[there]), shared) for cube in cubes]
    asked: Booleans = np.all([~np.isnan(cube.scores).all(axis=2).any(axis=0) for cube in narrowed], axis=0)
    kept = [name for name, known in zip(shared, asked, strict=True) if known]
    whole = tuple(_whole_examples(selected(cube, kept)) for cube in narrowed)
    every = {name for cube in cubes for name in cube.configurations}
    left_out = {
        "models": len(cubes[0].models) - len(models),
        "configurations": len(every) - len(kept),
        "examples": sum(len(cube.examples) for cube in cubes) - sum(len(cube.examples) for cube in whole),
    }
    return Balanced(whole, {name: count for name, count in left_out.items() if count})


def _whole(cubes: Sequence[Cube]) -> bool:
    """Nothing is to be left out, nor to be put in another order; a sum is NaN where a score is."""
    import numpy as np

    same = all(cube.configurations == cubes[0].configurations for cube in cubes)
    return same and all(cube.scores.size and not np.isnan(cube.scores.sum()) for cube in cubes)


def _whole_examples(cube: Cube) -> Cube:
    import numpy as np

    whole: Booleans = np.atleast_1d(~np.isnan(cube.scores).any(axis=(0, 1)))
    if whole.all():
        return cube
    examples = [name for name, known in zip(cube.examples, whole, strict=True) if known]
    return replace(cube, examples=tuple(examples), scores=cube.scores[:, :, whole])
