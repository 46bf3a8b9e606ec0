"""Which perturbed configuration belongs to which unperturbed one.

MERGED: What a perturbation does to the scores: differences and mean absolute impact (ToRR, appendix C.2).
MERGED: What perturbations do to scores (ToRR, Fig. 12, 13 and 14).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from ..charts.labels import (
    Analysis,
    Row,
    basis,
    dataset_labels,
    intervals,
    known,
    labels,
    model_labels,
    needed,
    unnamed,
)
from ..charts.panels import Layout, dots, panel_labels
from ..charts.vega import Drawing
from ..cube import Cube, grouped
from ..estimates import Marked, Options, mean_over_datasets, nested, resampled
from ..frame import OVERALL
from ..statistics import example_means, mean_over_examples

if TYPE_CHECKING:
    from ..arrays import Booleans, Floats

UNPERTURBED = "none"
"""The name of no perturbation."""

Pairs: TypeAlias = "tuple[list[int], list[int]]"
"""Places of perturbed configurations, and of the unperturbed one of each."""

_Key = tuple[str, str]


def unperturbed_pairs(cube: Cube) -> dict[str, Pairs]:
    """For each perturbation the configurations under it, each with its unperturbed one.

    A pair has the same serializer and design (where the scores say no design: all have the same).

    Returns:
        perturbation -> (places of the perturbed, places of the unperturbed), by name; perturbations without a
        pair are left out. Empty where the scores do not say serializer and perturbation of every
        configuration, or where :func:`ambiguous` finds two configurations with the same three parts.
    """
    if not _said(cube) or ambiguous(cube):
        return {}
    perturbations = cube.parts["perturbation"]
    unperturbed = {
        _key(cube, config): place
        for place, config in enumerate(cube.configurations)
        if perturbations[config] == UNPERTURBED
    }
    pairs: dict[str, Pairs] = {}
    # by name, so that sums do not depend on the order of rows
    for config in sorted(cube.configurations):
        base = unperturbed.get(_key(cube, config))
        if perturbations[config] != UNPERTURBED and base is not None:
            perturbed, bases = pairs.setdefault(perturbations[config], ([], []))
            perturbed.append(cube.configurations.index(config))
            bases.append(base)
    return dict(sorted(pairs.items()))


def ambiguous(cube: Cube) -> tuple[str, str] | None:
    """Two configurations with the same serializer, perturbation and design, if there are such."""
    if not _said(cube):
        return None
    seen: dict[tuple[str, _Key], str] = {}
    for config in sorted(cube.configurations):
        other = seen.setdefault((cube.parts["perturbation"][config], _key(cube, config)), config)
        if other != config:
            return other, config
    return None


def pair_notes(cubes: Sequence[Cube]) -> list[str]:
    """What a reader must be told about perturbed configurations that cannot be compared, a line each."""
    notes = []
    for cube in cubes:
        twins = ambiguous(cube)
        if twins:
            notes.append(
                f"{cube.dataset}: configurations {twins[0]!r} and {twins[1]!r} have the same serializer, "
                "perturbation and design, so perturbed ones are not compared with unperturbed ones"
            )
        elif _said(cube):
            notes += _alone_notes(cube)
    return notes


def _alone_notes(cube: Cube) -> list[str]:
    paired = {place for perturbed, _ in unperturbed_pairs(cube).values() for place in perturbed}
    alone = [
        config
        for place, config in enumerate(cube.configurations)
        if place not in paired and cube.parts["perturbation"][config] != UNPERTURBED
    ]
    if not alone:
        return []
    return [
        f"{cube.dataset}: {len(alone)} perturbed configurations (the first is {min(alone)!r}) have no "
        "unperturbed one of the same serializer and design, so perturbation impact leaves them out"
    ]


def _said(cube: Cube) -> bool:
    return all(
        set(cube.configurations) <= set(cube.parts.get(part, {})) for part in ("serializer", "perturbation")
    )


def _key(cube: Cube, config: str) -> _Key:
    designs: Mapping[str, str] = cube.parts.get("design", {})
    return cube.parts["serializer"][config], designs.get(config, "")


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


_WIDTH = 110
_NONE = "no perturbed configuration has an unperturbed one beside it"


def differences(analysis: Analysis) -> Drawing:
    """Mean change of the score per model and perturbation, over all data sets (Fig. 12)."""
    found = _compared(analysis, "differences", "overall")
    meaning = "Score with the perturbation less that without, same serializer and example; dashed: no change"
    return _chart(
        analysis,
        found,
        model_labels(analysis),
        ("change of the score", "Mean change of the score under each perturbation", meaning),
        0.0,
    )


def impact_by_dataset(analysis: Analysis) -> Drawing:
    """Mean absolute change per data set and perturbation (Fig. 13)."""
    found = _compared(analysis, "absolute_impact", "datasets")
    return _chart(analysis, found, dataset_labels(analysis), _impact("data set"))


def impact_by_model(analysis: Analysis) -> Drawing:
    """Mean absolute change per model and perturbation (Fig. 14)."""
    found = _compared(analysis, "absolute_impact", "models")
    return _chart(analysis, found, model_labels(analysis), _impact("model"))


def _compared(analysis: Analysis, *path: str) -> Any:
    needed(analysis, "perturbations", why=unnamed("perturbations"))
    return needed(analysis, "perturbations", *path, why=_NONE)


def _impact(row: str) -> tuple[str, str, str]:
    return (
        "mean absolute change",
        f"Mean absolute change of the score under each perturbation, per {row}",
        "Absolute difference of the scores with and without the perturbation, same serializer and example",
    )


def _chart(
    analysis: Analysis,
    found: Mapping[str, Mapping[str, Any]],
    rows_of: Mapping[str, str],
    texts: tuple[str, str, str],
    reference: float | None = None,
) -> Drawing:
    """A row a model or data set, a panel a perturbation."""
    x, title, meaning = texts
    names = labels(dict.fromkeys(name for entry in found.values() for name in entry), panel_labels(_WIDTH))
    mark: Row = {} if reference is None else {"reference": reference}
    rows = [
        {"row": label, "panel": names[name], **mark, **figure}
        for row, label in rows_of.items()
        for name, entry in found.get(row, {}).items()
        if (figure := known(entry))
    ]
    layout = Layout(
        rows=list(rows_of.values()),
        panels=list(names.values()),
        x=x,
        width=_WIDTH,
        columns=4 if len(names) == 4 else 5,
    )
    return dots(rows, layout, title, [f"{basis(analysis)}. {meaning}", intervals(analysis)])
