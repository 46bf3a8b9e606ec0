"""The score cube of a data set: models x configurations x examples, with its labels and its parts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from ..core.errors import counted
from ..core.statistics import Booleans, Floats, Integers, mean_over_examples, ratio_or_nan, table_count
from .frame import CLUSTER, OPTIONAL, MainScores, first_seen, main_scores, pairs, used_names
from .options import AnalysisError


@dataclass(frozen=True)
class Cube:
    """The scores s(m, d, c, e) of one data set d.

    Attributes:
        dataset: its name.
        metric: the main metric, whose scores these are.
        models: labels of the first axis, the same in all cubes of a study.
        configurations: labels of the second axis, those that the data set was asked in.
        examples: labels of the third axis, sorted, so that the order of the rows changes no figure.
        scores: in [0, 1], (models x configurations x examples); NaN is a hole.
        parts: for ``serializer``, ``perturbation`` and ``design``, where the scores have them: configuration
            -> name; perhaps of more configurations than these.
        clusters: the number of the table that each example is about, from 0 on, (examples,); by default each
            example is about a table of its own.
        asked: (configurations x examples), whether any model was asked; a cell that was not is no failure. By
            default those that some model has a score for.
    """

    dataset: str
    metric: str
    models: tuple[str, ...]
    configurations: tuple[str, ...]
    examples: tuple[str, ...]
    scores: Floats
    parts: Mapping[str, Mapping[str, str]]
    clusters: Integers = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    asked: Booleans = field(default_factory=lambda: np.empty(0, dtype=np.bool_))

    def __post_init__(self) -> None:
        """Fill in the defaults."""
        if self.clusters.shape != self.scores.shape[2:]:
            object.__setattr__(self, "clusters", np.arange(self.scores.shape[2]))
        if self.asked.shape != self.scores.shape[1:]:
            object.__setattr__(self, "asked", np.logical_not(np.isnan(self.scores).all(axis=0)))

    @property
    def tables(self) -> int:
        """How many tables the examples are about."""
        return table_count(self.clusters)


def cubes(main: MainScores) -> list[Cube]:
    """One cube a data set, in the order in which the rows name them.

    Raises:
        AnalysisError: two rows are of one model, data set, configuration and example, or a configuration has
            two serializers or perturbations.
    """
    rows = main.rows
    models = tuple(used_names(rows["model"]))
    datasets = rows["dataset"].cat
    codes = datasets.codes.to_numpy()
    return [
        _cube(str(datasets.categories[code]), _where(rows, codes == code), models, main.source)
        for code in first_seen(rows["dataset"])
    ]


def refuse_scores(frame: pd.DataFrame) -> None:
    """Read scores as an analysis does, for its errors alone.

    Raises:
        AnalysisError: as :func:`.frame.main_scores` and :func:`cubes`.
    """
    cubes(main_scores(frame))


def _where(rows: pd.DataFrame, chosen: Booleans) -> pd.DataFrame:
    """Some rows; a view where they are consecutive, as those of a data set often are."""
    first, last = int(chosen.argmax()), len(chosen) - int(chosen[::-1].argmax())
    found: pd.DataFrame = rows.iloc[first:last] if chosen[first:last].all() else rows[chosen]
    return found


def _cube(dataset: str, rows: pd.DataFrame, models: tuple[str, ...], source: str) -> Cube:
    configurations = used_names(rows["config"])
    examples = sorted(used_names(rows["example"]))
    shape = len(models), len(configurations), len(examples)
    place = positions(rows["model"], models) * shape[1] + positions(rows["config"], configurations)
    place = place * shape[2] + positions(rows["example"], examples)
    _refuse_duplicates(dataset, rows, place, shape, source)
    scores, asked = np.full(shape, np.nan), np.zeros(shape, dtype=bool)
    scores.flat[place] = rows["score"].to_numpy(dtype=float)
    asked.flat[place] = True
    return Cube(
        dataset=dataset,
        metric=used_names(rows["metric"])[0],
        models=models,
        configurations=tuple(configurations),
        examples=tuple(examples),
        scores=scores,
        parts=_parts(dataset, rows, source),
        clusters=_clusters(dataset, rows, examples, source),
        asked=np.asarray(asked.any(axis=0)),
    )


def positions(column: pd.Series[Any], names: Sequence[str]) -> Integers:
    """The position of each row's name in ``names``; -1 of a name that is not there."""
    place = {name: index for index, name in enumerate(names)}
    places = np.array([place.get(name, -1) for name in column.cat.categories], dtype=np.int64)
    found: Integers = places[column.cat.codes.to_numpy()]
    return found


def on_cells(cube: Cube, rows: pd.DataFrame, values: Any) -> Floats:
    """A value of each row where its model, configuration and example stand in the cube; NaN elsewhere.

    Args:
        cube: of one data set.
        rows: with columns of names as in :class:`.frame.MainScores`, also of other data sets.
        values: a number a row.
    """
    axes = {"model": cube.models, "config": cube.configurations, "example": cube.examples}
    places = [positions(rows[name], labels) for name, labels in axes.items()]
    there = np.all([(rows["dataset"] == cube.dataset).to_numpy(), *(place >= 0 for place in places)], axis=0)
    found: Floats = np.full(cube.scores.shape, np.nan)
    found[tuple(place[there] for place in places)] = np.asarray(values, dtype=float)[there]
    return found


def _refuse_duplicates(
    dataset: str, rows: pd.DataFrame, place: Integers, shape: tuple[int, ...], source: str
) -> None:
    times = np.bincount(place, minlength=int(np.prod(shape)))
    if times.max() > 1:
        row = rows.iloc[int(np.argmax(times[place] > 1))]
        raise AnalysisError(
            f"{source}: more than one row for {counted(int((times > 1).sum()), 'cell')} of data set "
            f"{dataset!r}, "
            f"the first is model {row['model']!r}, config {row['config']!r}, example {row['example']!r}; "
            "expected one each"
        )


def _parts(dataset: str, rows: pd.DataFrame, source: str) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for column in OPTIONAL:
        names_of_configs = pairs(rows["config"], rows[column]) if column in rows else []
        for config, name in names_of_configs:
            known = found.setdefault(column, {}).setdefault(config, name)
            if known != name:
                names = sorted(other for one, other in names_of_configs if one == config)
                raise AnalysisError(
                    f"{source}: data set {dataset!r}: configuration {config!r} has the "
                    f"{column}s {', '.join(map(repr, names))}; expected one"
                )
    return found


def _clusters(dataset: str, rows: pd.DataFrame, examples: Sequence[str], source: str) -> Integers:
    """The number of each example's cluster; an example without a named cluster is a cluster of its own."""
    named: dict[str, str] = {}
    for example, cluster in pairs(rows["example"], rows[CLUSTER]) if CLUSTER in rows else ():
        known = named.setdefault(example, cluster)
        if known != cluster:
            raise AnalysisError(
                f"{source}: data set {dataset!r}: example {example!r} has the clusters {known!r}, "
                f"{cluster!r}; expected one"
            )
    return numbered([named.get(example) or place for place, example in enumerate(examples)])


def numbered(names: Sequence[object]) -> Integers:
    """A number for each name, from 0 on by first appearance."""
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return np.array([numbers[name] for name in names], dtype=np.int64)


def configuration_means(scores: Floats) -> Floats:
    """The mean score per configuration, (models x configurations), over the examples that are there."""
    return mean_over_examples(scores)


def common_configurations(cubes: Sequence[Cube]) -> list[str]:
    """The configurations that every data set was asked in, in the first one's order."""
    return names_in_all([cube.configurations for cube in cubes])


def names_in_all(names: Sequence[Iterable[str]]) -> list[str]:
    """The names that all have, in the first one's order."""
    first, *others = names
    shared = set(first).intersection(*others)
    return [name for name in first if name in shared]


def selected(cube: Cube, configurations: Sequence[str]) -> Cube:
    """The cube with these configurations alone, in this order."""
    index = {config: position for position, config in enumerate(cube.configurations)}
    chosen = _evenly_spaced([index[config] for config in configurations])
    return replace(
        cube,
        configurations=tuple(configurations),
        scores=cube.scores[:, chosen],
        asked=cube.asked[chosen],
    )


def _evenly_spaced(places: list[int]) -> slice | list[int]:
    """The same places as a slice where they are that, so that no score is copied."""
    step = places[1] - places[0] if len(places) > 1 else 1
    even = bool(places) and step > 0 and places == list(range(places[0], places[-1] + 1, step))
    return slice(places[0], places[-1] + 1, step) if even else places


def with_examples(cube: Cube, chosen: Booleans) -> Cube:
    """The cube with some of its examples, (examples,), alone."""
    if chosen.all():
        return cube
    return replace(
        cube,
        examples=tuple(name for name, known in zip(cube.examples, chosen, strict=True) if known),
        scores=cube.scores[:, :, chosen],
        clusters=numbered(cube.clusters[chosen].tolist()),
        asked=cube.asked[:, chosen],
    )


def by_factor(cube: Cube, part: str) -> dict[str, Cube]:
    """The cube cut by ``serializer`` or ``perturbation``: name -> the cube of its configurations.

    Empty where the scores do not say the part of every configuration.
    """
    names = cube.parts.get(part, {})
    if not set(cube.configurations) <= set(names):
        return {}
    return {
        name: selected(cube, [config for config in cube.configurations if names[config] == name])
        for name in dict.fromkeys(names[config] for config in cube.configurations)
    }


def label_keeping(cubes: Sequence[Cube], keeps_labels: Mapping[str, Collection[str]]) -> list[Cube]:
    """The cubes with those configurations alone whose perturbation keeps the labels; ``none`` always does.

    Args:
        cubes: of all data sets.
        keeps_labels: data set -> perturbations. Every configuration of a data set that is not in it is taken.

    Returns:
        Empty where nothing is taken away, where the scores do not say the perturbations, and where a data set
        would have no configuration left.
    """
    kept = [_label_keeping(cube, keeps_labels.get(cube.dataset)) for cube in cubes]
    smaller = any(
        len(new.configurations) < len(old.configurations) for new, old in zip(kept, cubes, strict=True)
    )
    return kept if smaller and all(cube.configurations for cube in kept) else []


def label_keeping_notes(cubes: Sequence[Cube], keeps_labels: Mapping[str, Collection[str]]) -> list[str]:
    """Why there are no figures over label-keeping perturbations alone, where one would expect them."""
    unsaid = [
        cube.dataset
        for cube in cubes
        if cube.dataset in keeps_labels
        and not set(cube.configurations) <= set(cube.parts.get("perturbation", {}))
    ]
    kept = [_label_keeping(cube, keeps_labels.get(cube.dataset)) for cube in cubes]
    none = [cube.dataset for cube in kept if not cube.configurations]
    notes = []
    if unsaid:
        notes.append(
            f"not all configurations of {', '.join(unsaid)} say their perturbation, so all of them count as "
            "label-keeping there"
        )
    if none:
        notes.append(
            f"no configuration of {', '.join(none)} keeps the labels, so there are no figures over "
            "label-keeping perturbations alone"
        )
    return notes


def _label_keeping(cube: Cube, keeps: Collection[str] | None) -> Cube:
    names = cube.parts.get("perturbation", {})
    if keeps is None or not set(cube.configurations) <= set(names):
        return cube
    return selected(cube, [config for config in cube.configurations if names[config] in {"none", *keeps}])


def missing_counts(cube: Cube) -> Integers:
    """How many examples have no score although they were asked, (models x configurations)."""
    counts: Integers = (np.isnan(cube.scores) & cube.asked).sum(axis=2).astype(np.int64)
    return counts


def lacking_models(cube: Cube) -> Booleans:
    """Which models lack a score of a cell that was asked, (models,)."""
    lacks: Booleans = np.asarray((np.isnan(cube.scores) & cube.asked).any(axis=(1, 2)))
    return lacks


def shared_cells(cube: Cube) -> Cube:
    """The cube with the scores of those cells alone that all of its models have, and NaN elsewhere.

    A model without any score on the data set takes no part. Where no cell is shared, the cube as it is.
    """
    present = ~np.isnan(cube.scores)
    shared = present[present.any(axis=(1, 2))].all(axis=0)
    if not shared.any() or (present == shared).all():
        return cube
    return replace(cube, scores=np.where(shared, cube.scores, np.nan))


def dropped_shares(cube: Cube, shared: Cube) -> Floats:
    """The share of each model's own scores that are not on shared cells, (models,); NaN without a score."""
    own, kept = ((~np.isnan(each.scores)).sum(axis=(1, 2)).astype(float) for each in (cube, shared))
    return ratio_or_nan(own - kept, own)
