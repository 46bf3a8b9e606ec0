"""Do models that give more values find more of the truth? (HCT-QA, appendix D.2, RQ6, Fig. 35)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..bootstrap import interval
from ..cube import Cube
from ..errors import AnalysisError
from ..figures import Options, number
from ..frame import OVERALL
from ..labelling import figure
from ..performance import example_means
from .clustered import slice_means
from .stack import joined_numbers, table_numbers
from .told import Told

if TYPE_CHECKING:
    import pandas as pd

    from ..types import Booleans, Floats, Integers

_CELL = ("model", "config", "example")
NEEDED = ("dataset", *_CELL, "values", "truth")


def verbosity(
    cubes: Sequence[Cube],
    lengths: pd.DataFrame | None,
    known: Mapping[str, Mapping[str, Told]],
    options: Options,
) -> dict[str, Any]:
    """``verbosity`` of ``analysis.json``.

    Args:
        cubes: of all data sets.
        lengths: a row an answer: ``dataset``, ``model``, ``config``, ``example``, ``values`` (how many it
            holds) and ``truth`` (how many the right one holds); None: nobody counted.
        known: what is known of examples; whole tables are resampled where they are.
        options: resamples, level and seed are used.

    Returns:
        data set or "overall" (the examples of all data sets together, where there are several) -> {"truth":
        mean number of values in right answers, "models": {model: {"values": F, "score": F, "correlation"}},
        "correlation"}: the mean number of values an answer, the mean score of the same answers, and the rank
        correlation (Spearman's) of the two over examples; beside it over models. F = {"value", "low",
        "high"}, with ``"complete": False`` where answers are missing.

    Raises:
        AnalysisError: a column is missing.
    """
    if lengths is None:
        return {}
    missing = [name for name in NEEDED if name not in lengths.columns]
    if missing:
        raise AnalysisError(f"lengths: no column {missing[0]!r}; expected {', '.join(NEEDED)}")
    parts = {str(dataset): rows for dataset, rows in lengths.groupby("dataset", sort=False, observed=True)}
    found = [
        _counted(cube, parts[cube.dataset], known.get(cube.dataset, {}))
        for cube in cubes
        if cube.dataset in parts
    ]
    places = [*found, _together(found)] if len(found) > 1 else found
    return {one.place: _of(one, options) for one in places}


@dataclass(frozen=True)
class _Counted:
    """Answers with their numbers of values, on one data set or on several together.

    Attributes:
        place: the data set's name, or "overall".
        models: labels of the rows.
        values: mean number of values over configurations, (models x examples); NaN where nobody counted.
        scores: mean score of the same answers, (models x examples).
        lacks: whether answers of a model are missing, (models,).
        clusters: the number of the table of each example, (examples,).
        truth: the number of values of each right answer that is known.
    """

    place: str
    models: tuple[str, ...]
    values: Floats
    scores: Floats
    lacks: Booleans
    clusters: Integers
    truth: Floats


def _counted(cube: Cube, rows: pd.DataFrame, known: Mapping[str, Told]) -> _Counted:
    import numpy as np

    counts = _counts(cube, rows)
    return _Counted(
        place=cube.dataset,
        models=cube.models,
        values=example_means(counts),
        scores=example_means(np.where(np.isnan(counts), np.nan, cube.scores)),
        lacks=np.asarray(np.isnan(counts).any(axis=(1, 2))),
        clusters=table_numbers([known.get(example) for example in cube.examples]),
        truth=rows.drop_duplicates("example")["truth"].to_numpy(dtype=float),
    )


def _together(parts: Sequence[_Counted]) -> _Counted:
    import numpy as np

    return _Counted(
        place=OVERALL,
        models=parts[0].models,
        values=np.concatenate([one.values for one in parts], axis=1),
        scores=np.concatenate([one.scores for one in parts], axis=1),
        lacks=np.any([one.lacks for one in parts], axis=0),
        clusters=joined_numbers([one.clusters for one in parts]),
        truth=np.concatenate([one.truth for one in parts]),
    )


def _of(found: _Counted, options: Options) -> dict[str, Any]:
    import numpy as np

    both = np.concatenate([found.values, found.scores])
    whole = np.ones(both.shape[1], dtype=bool)
    means = slice_means(both, [whole], found.clusters, options, found.place)
    low, high = interval(means.samples[:, 0], options.level)
    values, many = means.values[:, 0], len(found.models)

    def bounded(row: int, model: int) -> dict[str, Any]:
        return figure(values[row], low[row], high[row], complete=not found.lacks[model])

    models = {
        model: {
            "values": bounded(m, m),
            "score": bounded(many + m, m),
            "correlation": number(rank_correlation(both[m], both[many + m])),
        }
        for m, model in enumerate(found.models)
    }
    return {
        "truth": number(float(found.truth.mean())),
        "models": models,
        "correlation": number(rank_correlation(values[:many], values[many:])),
    }


def _counts(cube: Cube, rows: pd.DataFrame) -> Floats:
    """The number of values of each answer, of the shape of the cube's scores; NaN where nobody counted."""
    import numpy as np

    found = np.full(cube.scores.shape, np.nan)
    axes = (cube.models, cube.configurations, cube.examples)
    places = [
        rows[name].astype(str).map({label: i for i, label in enumerate(labels)})
        for name, labels in zip(_CELL, axes, strict=True)
    ]
    there = ~np.any([place.isna().to_numpy() for place in places], axis=0)
    index = tuple(place.to_numpy()[there].astype(int) for place in places)
    found[index] = rows["values"].to_numpy(dtype=float)[there]
    return found


def rank_correlation(first: Floats, second: Floats) -> float:
    """Spearman's rank correlation, ties at their mean rank; NaN with fewer than three pairs or no spread."""
    import numpy as np
    from scipy.stats import rankdata

    known = ~np.isnan(first) & ~np.isnan(second)
    ranks = [rankdata(each[known]) for each in (first, second)]
    if known.sum() < 3 or any(len(set(each.tolist())) < 2 for each in ranks):
        return float("nan")
    return float(np.corrcoef(*ranks)[0, 1])
