"""What a perturbation does to the scores: differences and mean absolute impact (ToRR, appendix C.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..configurations import grouped
from ..cube import Cube
from ..figures import Options
from ..frame import OVERALL
from ..labelling import Marked, mean_over_datasets, nested, resampled
from ..performance import example_means, mean_over_examples
from .pairs import Pairs, unperturbed_pairs

if TYPE_CHECKING:
    from ..types import Booleans, Floats


def example_differences(scores: Floats, perturbed: Sequence[int], unperturbed: Sequence[int]) -> Floats:
    """s(perturbed) - s(unperturbed), the mean over pairs of configurations.

    Args:
        scores: (models x configurations x examples); NaN is a hole.
        perturbed: the first of each pair, places along the second axis.
        unperturbed: the second of each pair.

    Returns:
        (models x examples), in [-1, 1]; the mean over the pairs that have both scores, NaN where none has.
    """
    return example_means(scores[:, perturbed] - scores[:, unperturbed])


def example_absolute_impact(scores: Floats, perturbed: Sequence[int], unperturbed: Sequence[int]) -> Floats:
    """The absolute value of s(perturbed) - s(unperturbed), taken before any mean; (models x examples).

    Arguments and holes as in :func:`example_differences`.
    """
    import numpy as np

    return example_means(np.abs(scores[:, perturbed] - scores[:, unperturbed]))


def perturbation_impact(cubes: Sequence[Cube], options: Options) -> dict[str, Any]:
    """Mean differences and mean absolute impact of perturbations, with intervals over examples.

    A perturbed configuration is compared with the unperturbed one of the same serializer and design, example
    by example. "overall", and a model's over all, are unweighted means over the data sets, of the
    perturbations that all of them have pairs of; a data set's over all models is the unweighted mean over the
    models that have scores there.

    Args:
        cubes: of all data sets.
        options: resamples, level and seed are used; configurations are taken as given.

    Returns:
        {"differences": {data set or "overall": {model: {perturbation: F}}}, "absolute_impact": {"datasets":
        {data set: {perturbation: F}}, "models": {model: {perturbation: F}}}}, F = {"value", "low", "high"};
        empty where no data set has a pair.
    """
    pairs = [unperturbed_pairs(cube) for cube in cubes]
    if not any(pairs):
        return {}
    shared = [name for name in pairs[0] if all(name in found for found in pairs)]
    models, level = cubes[0].models, options.level
    differences: dict[str, Any] = {OVERALL: {}}
    of_datasets, all_changes, all_impacts = {}, [], []
    for cube, found in zip(cubes, pairs, strict=True):
        names = list(found)
        changes, impacts = _figures(cube, found, options)
        differences[cube.dataset] = _nested([models, names], changes, level)
        of_datasets[cube.dataset] = _nested([[OVERALL], names], _over_models(impacts), level)[OVERALL]
        index = [names.index(name) for name in shared]
        all_changes.append(_columns(changes, index))
        all_impacts.append(_columns(impacts, index))
    differences[OVERALL] = _nested([models, shared], mean_over_datasets(all_changes), level)
    of_models = _nested([models, shared], mean_over_datasets(all_impacts), level)
    return {
        "differences": differences,
        "absolute_impact": {"datasets": of_datasets, "models": of_models},
    }


def impact_by_serializer(cubes: Sequence[Cube], options: Options) -> dict[str, Any]:
    """What perturbations change in each serializer alone.

    Args:
        cubes: of all data sets.
        options: as for :func:`perturbation_impact`.

    Returns:
        serializer -> ``differences`` as of :func:`perturbation_impact`, of the data sets that have it,
        "overall" only where all have; without serializers that were not asked with a perturbation. Empty
        where there are not two serializers.
    """
    groups = [grouped(cube, "serializer") for cube in cubes]
    names = list(dict.fromkeys(name for group in groups for name in group))
    found: dict[str, Any] = {}
    for name in names if len(names) > 1 else ():
        asked = [group[name] for group in groups if name in group]
        differences = perturbation_impact(asked, options).get("differences") or {}
        if len(asked) < len(cubes):
            differences.pop(OVERALL, None)
        if differences:
            found[name] = differences
    return found


def _figures(cube: Cube, pairs: Mapping[str, Pairs], options: Options) -> tuple[Marked, Marked]:
    """Differences and absolute impact, (models x perturbations)."""
    import numpy as np

    shape = len(cube.models), len(pairs), len(cube.examples)
    changes, impacts = np.empty(shape), np.empty(shape)
    complete = np.ones(shape[:2], dtype=bool)
    for i, (perturbed, unperturbed) in enumerate(pairs.values()):
        changes[:, i] = example_differences(cube.scores, perturbed, unperturbed)
        impacts[:, i] = example_absolute_impact(cube.scores, perturbed, unperturbed)
        used = cube.scores[:, [*perturbed, *unperturbed]]
        complete[:, i] = ~np.isnan(used).any(axis=(1, 2))
    samples = resampled(np.concatenate([changes, impacts]), cube.dataset, options)
    absent: Booleans = np.asarray(np.isnan(cube.scores).all(axis=(1, 2)))
    half = len(changes)
    return (
        Marked(mean_over_examples(changes), samples[:half], complete, absent),
        Marked(mean_over_examples(impacts), samples[half:], complete, absent),
    )


def _over_models(impacts: Marked) -> Marked:
    """The mean over the models that have a figure, (1 x perturbations)."""
    import numpy as np

    known = ~np.isnan(impacts.values)
    samples = np.where(known[..., None], impacts.samples, 0.0).sum(axis=0, keepdims=True)
    values = np.where(known, impacts.values, 0.0).sum(axis=0, keepdims=True)
    count = np.where(known.any(axis=0, keepdims=True), known.sum(axis=0, keepdims=True), np.nan)
    complete: Booleans = np.asarray(impacts.complete.all(axis=0, keepdims=True))
    return Marked(values / count, samples / count[..., None], complete)


def _columns(figures: Marked, index: Sequence[int]) -> Marked:
    chosen = list(index)
    return Marked(
        figures.values[:, chosen], figures.samples[:, chosen], figures.complete[:, chosen], figures.absent
    )


def _nested(names: Sequence[Sequence[str]], figures: Marked, level: float) -> dict[str, Any]:
    return nested(names, figures.values, figures.samples, level, figures.complete)
