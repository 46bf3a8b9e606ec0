"""What is known of examples, their scores by it, and means over slices of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from ..core.statistics import (
    Booleans,
    Floats,
    Integers,
    mean_over_examples,
    table_count,
)
from .bootstrap import counted_means, shared_draws
from .cube import Cube, numbered
from .options import AnalysisError, Options
from .result import OVERALL
from .statistics import example_means

EXAMPLE_COLUMNS = ("dataset", "example", "groups", "properties", "cells")
TABLE = "table"
NO_KINDS = (TABLE, "pair")
"""Groups that name a table or a pair, and are no kinds of examples."""


@dataclass(frozen=True)
class KnownExample:
    """What is known of one example.

    Attributes:
        groups: name -> value; ``table`` says which examples are of one table.
        properties: "table" or "question" -> property -> yes or no, a number, a text.
        cells: rows times columns of its table; None: not known.
    """

    groups: Mapping[str, str]
    properties: Mapping[str, Mapping[str, bool | int | str]]
    cells: int | None


def known_examples(frame: pd.DataFrame | None) -> dict[str, dict[str, KnownExample]]:
    """Data set -> example -> what is known of it; empty without a frame.

    Args:
        frame: the columns ``EXAMPLE_COLUMNS``; ``groups`` and ``properties`` are JSON objects as text.

    Raises:
        AnalysisError: a column is missing, or a cell is no JSON object of the expected kind; one line.
    """
    if frame is None:
        return {}
    missing = [name for name in EXAMPLE_COLUMNS if name not in frame.columns]
    if missing:
        raise AnalysisError(f"examples: no column {missing[0]!r}; expected {', '.join(EXAMPLE_COLUMNS)}")
    groups, properties = _objects(frame["groups"], "groups"), _objects(frame["properties"], "properties")
    known: dict[str, dict[str, KnownExample]] = {}
    for dataset, example, of_groups, of_properties, cells in zip(
        *(frame[name] for name in EXAMPLE_COLUMNS), strict=True
    ):
        one = KnownExample(groups[str(of_groups)], properties[str(of_properties)], _count(cells))
        known.setdefault(str(dataset), {})[str(example)] = one
    return known


def _objects(column: pd.Series[Any], name: str) -> dict[str, Mapping[str, Any]]:
    """Each text of a column -> the JSON object in it; equal texts are read once."""
    found: dict[str, Mapping[str, Any]] = {}
    for row, text in enumerate(map(str, column), 1):
        if text not in found:
            found[text] = _parsed(text, name, row)
    return found


def _parsed(text: str, column: str, row: int) -> Mapping[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise AnalysisError(f"examples: row {row}: {column} is {text[:60]!r}; expected a JSON object")
    if column == "groups":
        return {name: str(value) for name, value in found.items()}
    for of, known in found.items():
        if not isinstance(known, dict) or not all(isinstance(v, (bool, int, str)) for v in known.values()):
            raise AnalysisError(
                f"examples: row {row}: properties of {of!r}: found {str(known)[:60]!r}; "
                "expected an object of true, false, whole numbers and texts"
            )
    return found


def _count(value: Any) -> int | None:
    return int(value) if value is not None and value == value else None  # noqa: PLR0124  # NaN


_EDGES = (25, 50, 100, 200, 400, 800)

CLASSES = (
    f"up to {_EDGES[0]}",
    *(f"{low + 1} to {high}" for low, high in pairwise(_EDGES)),
    f"over {_EDGES[-1]}",
)
"""The classes' names, smallest first."""


def size_class(cells: int) -> str:
    """The class of a table of so many cells (rows times columns, headers included)."""
    return CLASSES[sum(cells > edge for edge in _EDGES)]


Value = bool | int | str


@dataclass(frozen=True)
class ExampleScores:
    """The scores of examples, with what is known of each.

    Attributes:
        place: the data set's name, or "overall" for several together.
        models: labels of the rows of ``scores``.
        scores: mean over configurations, (models x examples); NaN where there is none.
        lacks: whether some configuration has no score, (models x examples).
        known: what is known, an example each.
        clusters: the number of each example's table, (examples,); an example without such a group has a table
            of its own.
    """

    place: str
    models: tuple[str, ...]
    scores: Floats
    lacks: Booleans
    known: tuple[KnownExample, ...]
    clusters: Integers

    def groups(self) -> dict[str, list[str | None]]:
        """Group -> its value, an example each; without the groups that say the table and the pair."""
        names = {name: None for one in self.known for name in one.groups if name not in NO_KINDS}
        return {name: [one.groups.get(name) for one in self.known] for name in names}

    def properties(self, of: str) -> dict[str, list[Value | None]]:
        """Property of the table or question -> its value, an example each; None where it is not known."""
        names = {name: None for one in self.known for name in one.properties.get(of, {})}
        return {name: [one.properties.get(of, {}).get(name) for one in self.known] for name in names}

    def tables(self, chosen: Booleans) -> int:
        """How many tables some examples are of."""
        return len(set(self.clusters[chosen].tolist()))

    def kinds(self) -> list[str]:
        """What has properties: "table", "question"."""
        return list(dict.fromkeys(of for one in self.known for of, known in one.properties.items() if known))


def example_scores(
    cubes: Sequence[Cube], known: Mapping[str, Mapping[str, KnownExample]]
) -> list[ExampleScores]:
    """The scores of each data set whose examples are known, and of all together if there are several.

    A data set is left out where its examples have neither properties nor groups but those of table and pair.
    """
    found = [
        _dataset_scores(cube, known[cube.dataset]) for cube in cubes if _is_known(known.get(cube.dataset, {}))
    ]
    return [*found, _together(found)] if len(found) > 1 else found


def is_yes_or_no(values: Sequence[Value | None]) -> bool:
    """Whether all that is known are yes and no."""
    return all(isinstance(value, bool) for value in values if value is not None)


def _is_known(known: Mapping[str, KnownExample]) -> bool:
    return any(one.properties or set(one.groups) - {*NO_KINDS} for one in known.values())


def _dataset_scores(cube: Cube, known: Mapping[str, KnownExample]) -> ExampleScores:
    examples = tuple(known.get(example) or KnownExample({}, {}, None) for example in cube.examples)
    return ExampleScores(
        place=cube.dataset,
        models=cube.models,
        scores=example_means(cube.scores),
        lacks=np.asarray((np.isnan(cube.scores) & cube.asked).any(axis=1)),
        known=examples,
        clusters=table_numbers(examples),
    )


def table_numbers(examples: Sequence[KnownExample | None]) -> Integers:
    """The number of each example's table; an example without such a group has a table of its own."""
    return numbered([(one.groups.get(TABLE) if one else None) or i for i, one in enumerate(examples)])


def joined_numbers(parts: Sequence[Integers]) -> Integers:
    """The tables of several data sets numbered together: no two data sets share one."""
    return numbered([(place, int(code)) for place, part in enumerate(parts) for code in part])


def _together(parts: Sequence[ExampleScores]) -> ExampleScores:
    return ExampleScores(
        place=OVERALL,
        models=parts[0].models,
        scores=np.concatenate([part.scores for part in parts], axis=1),
        lacks=np.concatenate([part.lacks for part in parts], axis=1),
        known=tuple(one for part in parts for one in part.known),
        clusters=joined_numbers([part.clusters for part in parts]),
    )


def slice_means(
    values: Floats, slices: Sequence[Booleans], clusters: Integers, options: Options, *use: str
) -> tuple[Floats, Floats]:
    """Means over slices, and a cluster bootstrap of them: whole clusters are drawn with replacement.

    The randomized cluster bootstrap of Field and Welsh ("Bootstrapping clustered data", Journal of the Royal
    Statistical Society B 69, 2007): a resample has as many clusters as there are, with all of their examples.
    All slices share the resamples, so that their differences have intervals too.

    Args:
        values: (rows x examples); NaN where there is none.
        slices: which examples each holds, (examples,).
        clusters: numbers from 0 on, (examples,).
        options: resamples and seed are used.
        use: names what the draws are for.

    Returns:
        The means, (rows x slices), and their resamples, (... x resamples); NaN where a slice has no value of
        a row.
    """
    chosen = np.where(np.stack(list(slices)), values[:, None], np.nan)
    rows = chosen.reshape(-1, chosen.shape[-1])
    draws = shared_draws(options.seed, ("clusters", *use), table_count(clusters), options.resamples)
    samples = counted_means(rows, clusters, draws, options.resamples)
    return mean_over_examples(chosen), samples.reshape(*chosen.shape[:2], -1)
