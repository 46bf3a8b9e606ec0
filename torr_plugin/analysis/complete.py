"""The part of cubes without holes: every model scored in every configuration, or in every single cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .cube import Cube, common_configurations, selected, with_examples
from .statistics import Booleans, Floats, Integers


@dataclass(frozen=True)
class CompleteScores:
    """A data set's scores without the models and configurations that leave gaps.

    Attributes:
        dataset: its name.
        models: those that are left, in the study's order.
        configurations: those that are left, sorted, so that the order of rows changes no draw.
        scores: (models x configurations x examples); an example may still be missing.
        without_models: those that were left out.
        without_configurations: likewise.
    """

    dataset: str
    models: tuple[str, ...]
    configurations: tuple[str, ...]
    scores: Floats
    without_models: tuple[str, ...] = ()
    without_configurations: tuple[str, ...] = ()


def complete_scores(cube: Cube) -> CompleteScores:
    """Leave out models and configurations until every model has a score in every configuration."""
    order = sorted(range(len(cube.configurations)), key=cube.configurations.__getitem__)
    scores = cube.scores if order == list(range(len(order))) else cube.scores[:, order]
    names = [cube.configurations[index] for index in order]
    present: Booleans = np.logical_not(np.isnan(scores).all(axis=2))
    kept_models, kept = without_gaps(present)
    if len(kept_models) < len(cube.models) or len(kept) < len(names):
        scores = scores[np.ix_(kept_models, kept)]
    return CompleteScores(
        dataset=cube.dataset,
        models=tuple(cube.models[m] for m in kept_models),
        configurations=tuple(names[c] for c in kept),
        scores=scores,
        without_models=tuple(name for m, name in enumerate(cube.models) if m not in set(kept_models)),
        without_configurations=tuple(name for c, name in enumerate(names) if c not in set(kept)),
    )


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


def common_scores(blocks: Sequence[CompleteScores]) -> list[CompleteScores]:
    """The blocks with the models and configurations that all of them have."""
    models = [name for name in blocks[0].models if all(name in block.models for block in blocks)]
    shared = set(blocks[0].configurations).intersection(*(block.configurations for block in blocks))
    found = []
    for block in blocks:
        rows = [block.models.index(name) for name in models]
        columns = [c for c, name in enumerate(block.configurations) if name in shared]
        same = len(rows) == len(block.models) and len(columns) == len(block.configurations)
        scores = block.scores if same else block.scores[np.ix_(rows, columns)]
        names = tuple(block.configurations[c] for c in columns)
        found.append(CompleteScores(block.dataset, tuple(models), names, scores))
    return found


def gap_notes(blocks: Sequence[CompleteScores]) -> list[str]:
    """What the rankings leave out, a line a data set."""
    notes = []
    for block in blocks:
        gone = [
            f"{kind}{'s' if len(names) > 1 else ''} {_listed(names)}"
            for kind, names in (
                ("model", block.without_models),
                ("configuration", block.without_configurations),
            )
            if names
        ]
        if gone:
            notes.append(
                f"agreement of configurations and reliability on {block.dataset} are without "
                f"{' and '.join(gone)}: not every model has a score in every configuration"
            )
    return notes


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


@dataclass(frozen=True)
class CrossedCubes:
    """Cubes in which every model has a score in every configuration, the same ones where there are several.

    Attributes:
        cubes: what is left of each data set; it may have no model, configuration or example.
        left_out: how many models, configurations and examples (of all data sets) are not in them; empty where
            nothing was left out.
        holes: how many cells have no score.
    """

    cubes: tuple[Cube, ...]
    left_out: dict[str, int]
    holes: int = 0


def crossed(cubes: Sequence[Cube]) -> CrossedCubes:
    """The cubes without what cannot be crossed; holes stay.

    Left out are configurations that not all data sets were asked in; of models and configurations, one by
    one, that with the most cells without any score, until none is left (:func:`without_gaps`); and examples
    without any score.

    Args:
        cubes: one data set, or several that are looked at together.
    """
    if _whole(cubes):
        return CrossedCubes(tuple(cubes), {})
    shared = common_configurations(cubes)
    narrowed = [selected(cube, shared) for cube in cubes]
    scored: Booleans = np.all([~np.isnan(cube.scores).all(axis=2) for cube in narrowed], axis=0)
    rows, columns = without_gaps(scored)
    models = tuple(cubes[0].models[row] for row in rows)
    found = []
    for cube in narrowed:
        chosen = selected(cube, [shared[column] for column in columns])
        chosen = replace(chosen, models=models, scores=chosen.scores[rows])
        found.append(_with_scores(chosen))
    every = {name for cube in cubes for name in cube.configurations}
    left_out = {
        "models": len(cubes[0].models) - len(models),
        "configurations": len(every) - len(columns),
        "examples": sum(len(cube.examples) for cube in cubes) - sum(len(cube.examples) for cube in found),
    }
    holes = sum(int(np.isnan(cube.scores).sum()) for cube in found)
    return CrossedCubes(tuple(found), {name: count for name, count in left_out.items() if count}, holes)


def _with_scores(cube: Cube) -> Cube:
    """The cube without examples that have no score at all, if it has models and configurations."""
    if not cube.scores.size:
        return cube
    return with_examples(cube, np.asarray(~np.isnan(cube.scores).all(axis=(0, 1))))


def _whole(cubes: Sequence[Cube]) -> bool:
    """Nothing is to be left out, nor to be put in another order; a sum is NaN where a score is."""
    same = all(cube.configurations == cubes[0].configurations for cube in cubes)
    return same and all(cube.scores.size and not np.isnan(cube.scores.sum()) for cube in cubes)
