"""Do models that give more values find more of the truth? (HCT-QA, appendix D.2, RQ6, Fig. 35)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..bootstrap import interval
from ..cube import Cube
from ..errors import AnalysisError
from ..figures import Options, number
from ..labelling import figure
from ..performance import example_means
from .clustered import slice_means
from .stack import table_numbers
from .told import Told

if TYPE_CHECKING:
    import pandas as pd

    from ..types import Floats

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
        data set -> {"truth": mean number of values in right answers, "models": {model: {"values": F, "score":
        F, "correlation"}}, "correlation"}: the mean number of values an answer, the mean score of the same
        answers, and Spearman's rank correlation of the two over examples; beside it over models.

    Raises:
        AnalysisError: a column is missing.
    """
    if lengths is None:
        return {}
    missing = [name for name in NEEDED if name not in lengths.columns]
    if missing:
        raise AnalysisError(f"lengths: no column {missing[0]!r}; expected {', '.join(NEEDED)}")
    parts = {str(dataset): rows for dataset, rows in lengths.groupby("dataset", sort=False)}
    return {
        cube.dataset: _of(cube, parts[cube.dataset], known.get(cube.dataset, {}), options)
        for cube in cubes
        if cube.dataset in parts
    }


def _of(cube: Cube, rows: pd.DataFrame, known: Mapping[str, Told], options: Options) -> dict[str, Any]:
    import numpy as np

    counts = _counts(cube, rows)
    scores = np.where(np.isnan(counts), np.nan, cube.scores)
    both = np.concatenate([example_means(counts), example_means(scores)])
    whole = np.ones(both.shape[1], dtype=bool)
    clusters = table_numbers([known.get(example) for example in cube.examples])
    means = slice_means(both, [whole], clusters, options, cube.dataset)
    low, high = interval(means.samples[:, 0], options.level)
    values, many = means.values[:, 0], len(cube.models)
    models = {}
    for m, model in enumerate(cube.models):
        models[model] = {
            "values": figure(values[m], low[m], high[m]),
            "score": figure(values[many + m], low[many + m], high[many + m]),
            "correlation": number(rank_correlation(both[m], both[many + m])),
        }
    truth = rows.drop_duplicates("example")["truth"]
    return {
        "truth": number(float(truth.mean())),
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
