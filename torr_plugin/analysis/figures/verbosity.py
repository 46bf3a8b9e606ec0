"""Do models that give more values find more of the truth? (HCT-QA, appendix D.2, RQ6, Fig. 35).

MERGED: Score against the number of values that answers give (HCT-QA, Fig. 35).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..bootstrap import interval
from ..charts.labels import Analysis, Row, basis, known, labels, model_labels, needed
from ..charts.panels import panel
from ..charts.vega import BLUE, GREY, Drawing, heading, named_rows
from ..cube import Cube
from ..errors import AnalysisError
from ..estimates import Options, figure, number
from ..examples import Told, joined_numbers, slice_means, table_numbers
from ..frame import OVERALL
from ..statistics import example_means

if TYPE_CHECKING:
    import pandas as pd

    from ..arrays import Booleans, Floats, Integers

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


_WIDTH, _HEIGHT, _COLUMNS = 300, 220, 3


def build(analysis: Analysis) -> Drawing:
    """A panel a data set, a point a model; a dashed line at the truth's number of values."""
    import altair as alt

    found = needed(analysis, "verbosity", why="nobody counted the values in answers")
    panels, models = labels(found, 40), model_labels(analysis)
    rows: list[Row] = [
        {
            "panel": panels[place],
            "model": models[model],
            "truth": own["truth"],
            **figure,
            "across": across["value"],
            "left": across["low"],
            "right": across["high"],
        }
        for place, own in found.items()
        for model, one in own["models"].items()
        if (figure := known(one["score"])) and (across := known(one["values"]))
    ]
    x = alt.X("across:Q", title="values an answer, mean", scale=alt.Scale(zero=False))
    base = alt.Chart().encode(x=x)
    low = alt.Y("low:Q", title="mean score, 0 to 1", scale=alt.Scale(zero=False))
    marks = [
        alt.Chart().mark_rule(strokeDash=[4, 3], color=GREY).encode(x="min(truth):Q"),
        base.mark_rule(strokeWidth=2, opacity=0.6, color=BLUE).encode(y=low, y2="high:Q"),
        alt.Chart()
        .mark_rule(strokeWidth=2, opacity=0.6, color=BLUE)
        .encode(x="left:Q", x2="right:Q", y="value:Q"),
        base.mark_point(filled=True, size=40, opacity=1, color=BLUE).encode(y="value:Q"),
        base.mark_text(align="left", dx=6, dy=-6, fontSize=9).encode(y="value:Q", text="model:N"),
    ]
    chart = alt.layer(*marks, data=named_rows()).properties(width=_WIDTH, height=_HEIGHT)
    chart = chart.facet(facet=panel(list(panels.values()), _WIDTH), columns=_COLUMNS)
    lines = [
        basis(analysis),
        "Dashed: the mean number of values in right answers. Lines: "
        f"{100 * analysis['settings']['level']:g} % intervals, whole tables resampled",
    ]
    title = heading(
        "Score against the number of values that a model gives", lines, max(420, _WIDTH * len(panels))
    )
    return Drawing(chart.properties(title=title), rows)
