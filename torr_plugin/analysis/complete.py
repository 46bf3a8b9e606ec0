"""The part of cubes that compares like with like: the same models, configurations and examples throughout."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..core.statistics import Booleans, Integers, ratio_or_nan
from .cube import Cube, common_configurations, names_in_all, selected, with_examples
from .number_format import format_names

_ENOUGH = 0.5  # of the examples that a configuration was asked about


@dataclass(frozen=True)
class CompleteScores:
    """A data set's scores without the models, configurations and examples that leave gaps.

    Attributes:
        cube: what is left, configurations sorted, so that the order of rows changes no draw. All models have
            the same cells; within a configuration an example may be missing, where a model's answer is.
        without_models: those that were left out.
        without_configurations: likewise.
        of_examples: how many the data set has.
    """

    cube: Cube
    without_models: tuple[str, ...]
    without_configurations: tuple[str, ...]
    of_examples: int

    @property
    def is_whole(self) -> bool:
        """Whether nothing was left out, but of cells."""
        examples = len(self.cube.examples) == self.of_examples
        return examples and not self.without_models and not self.without_configurations


def complete_scores(cube: Cube) -> CompleteScores:
    """Leave out what would make rankings by single configurations incomparable.

    First models and configurations, one by one (:func:`without_gaps`), until every model has answered half
    of what every configuration was asked about. Then examples that some configuration was not asked about,
    or, where that keeps more scores, the configurations that were asked about fewest. Then cells that some
    model lacks, and configurations without any other.
    """
    ordered = sorted(cube.configurations)
    found = cube if list(cube.configurations) == ordered else selected(cube, ordered)
    if not found.scores.size or not np.isnan(found.scores.sum()):
        return CompleteScores(found, (), (), len(cube.examples))
    left = _on_shared_cells(_evenly_asked(_answered(found)))
    return CompleteScores(
        left,
        tuple(name for name in found.models if name not in left.models),
        tuple(name for name in ordered if name not in left.configurations),
        len(cube.examples),
    )


def _answered(cube: Cube) -> Cube:
    """Models and configurations such that every model answered half of what each was asked about."""
    counts = (~np.isnan(cube.scores)).sum(axis=2).astype(float)
    shares = ratio_or_nan(counts, cube.asked.sum(axis=1).astype(float))
    rows, columns = without_gaps(np.asarray(shares >= _ENOUGH))
    some = replace(cube, models=tuple(cube.models[row] for row in rows), scores=cube.scores[rows])
    return _with_rows(some, columns)


def _evenly_asked(cube: Cube) -> Cube:
    """The examples that all configurations were asked about, of the configurations that keep most scores."""
    found = _with_rows(cube, most_asked(cube.asked))
    return with_examples(found, np.asarray(found.asked.all(axis=0))) if found.configurations else found


def _on_shared_cells(cube: Cube) -> Cube:
    """The cells that all models have, and the configurations that have some."""
    shared: Booleans = np.asarray(~np.isnan(cube.scores).any(axis=0))
    if not cube.models or shared.all():
        return cube
    found = replace(cube, scores=np.where(shared, cube.scores, np.nan))
    return _with_rows(found, np.flatnonzero(shared.any(axis=1)).tolist())


def _with_rows(cube: Cube, rows: Sequence[int]) -> Cube:
    return selected(cube, [cube.configurations[row] for row in rows])


def most_asked(asked: Booleans) -> list[int]:
    """The configurations that, with the examples that all of them were asked about, keep the most scores.

    Candidates are those asked about most, two at least, of equally many scores the more configurations; one
    alone where no two share an example.

    Args:
        asked: (configurations x examples).
    """
    order = np.argsort(-asked.sum(axis=1), kind="stable")
    common = np.logical_and.accumulate(asked[order], axis=0).sum(axis=1)
    scores = common * np.arange(1, len(order) + 1)
    scores[:1] = 0 if scores[1:].any() else common[:1]
    return sorted(order[: len(order) - int(scores[::-1].argmax())].tolist()) if len(order) else []


def without_gaps(present: Booleans) -> tuple[list[int], list[int]]:
    """The rows and columns left after taking away, one by one, that with the greatest share of gaps.

    Args:
        present: (models x configurations), whether there is a score. Of equal shares, and between a row and a
            column, the row and the first goes.
    """
    rows: Integers = np.arange(present.shape[0])
    columns: Integers = np.arange(present.shape[1])
    while not present.all():
        of_rows, of_columns = 1 - present.mean(axis=1), 1 - present.mean(axis=0)
        if of_rows.max() >= of_columns.max():
            rows, present = np.delete(rows, of_rows.argmax()), np.delete(present, of_rows.argmax(), axis=0)
        else:
            gone = of_columns.argmax()
            columns, present = np.delete(columns, gone), np.delete(present, gone, axis=1)
    return rows.tolist(), columns.tolist()


def common_scores(blocks: Sequence[CompleteScores]) -> list[Cube]:
    """The blocks' cubes with the models and configurations that all of them have."""
    cubes = [block.cube for block in blocks]
    models = names_in_all([cube.models for cube in cubes])
    shared = sorted(common_configurations(cubes))
    found = []
    for cube in cubes:
        rows = [cube.models.index(name) for name in models]
        some = len(rows) < len(cube.models)
        part = replace(cube, models=tuple(models), scores=cube.scores[rows]) if some else cube
        found.append(part if len(shared) == len(part.configurations) else selected(part, shared))
    return found


def gap_notes(blocks: Sequence[CompleteScores]) -> list[str]:
    """What the rankings leave out, a line or two a data set."""
    notes = []
    for block in blocks:
        gone = [
            f"{kind}{'s' if len(names) > 1 else ''} {format_names(names)}"
            for kind, names in (
                ("model", block.without_models),
                ("configuration", block.without_configurations),
            )
            if names
        ]
        rankings = f"agreement of configurations and reliability on {block.cube.dataset} are"
        if gone:
            notes.append(
                f"{rankings} without {' and '.join(gone)}: too few of the same examples have a score there"
            )
        if len(block.cube.examples) < block.of_examples:
            notes.append(
                f"{rankings} over the {len(block.cube.examples):,} of {block.of_examples:,} examples that "
                "all of their configurations were asked about"
            )
    return notes


@dataclass(frozen=True)
class CrossedCubes:
    """Cubes without holes, of the same models and configurations where there are several.

    Attributes:
        cubes: what is left of each data set; it may have no model, configuration or example.
        without: the models and configurations that are not in them.
        examples: how many examples, of all data sets, are not in them.
    """

    cubes: tuple[Cube, ...]
    without: dict[str, tuple[str, ...]] = field(default_factory=dict)
    examples: int = 0

    @property
    def left_out(self) -> dict[str, int]:
        """How many models, configurations and examples are not in them; empty where nothing was left out."""
        counts = {**{kind: len(names) for kind, names in self.without.items()}, "examples": self.examples}
        return {kind: count for kind, count in counts.items() if count}


def crossed(cubes: Sequence[Cube]) -> CrossedCubes:
    """The cubes' largest part without holes, of those that the ordering of configurations offers.

    Models and configurations are left out as by :func:`complete_scores`, and where not all data sets have
    them; then configurations and examples as by :func:`most_asked`, over all data sets.

    Args:
        cubes: one data set, or several that are analysed together.
    """
    same = all(cube.configurations == cubes[0].configurations for cube in cubes)
    if same and all(cube.scores.size and not np.isnan(cube.scores.sum()) for cube in cubes):
        return CrossedCubes(tuple(cubes))
    narrowed = common_scores([complete_scores(cube) for cube in cubes])
    present = [np.asarray(~np.isnan(cube.scores).any(axis=0)) for cube in narrowed]
    rows = most_asked(np.concatenate(present, axis=1))
    found = [
        with_examples(_with_rows(cube, rows), np.asarray(there[rows].all(axis=0)))
        if rows
        else _with_rows(cube, rows)
        for cube, there in zip(narrowed, present, strict=True)
    ]
    every = dict.fromkeys(name for cube in cubes for name in cube.configurations)
    without = {
        "models": tuple(name for name in cubes[0].models if name not in found[0].models),
        "configurations": tuple(name for name in every if name not in found[0].configurations),
    }
    examples = sum(len(cube.examples) for cube in cubes) - sum(len(cube.examples) for cube in found)
    return CrossedCubes(tuple(found), without, examples)
