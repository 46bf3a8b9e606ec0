"""Open against closed models (ToRR, appendix B.2; Fig. 9).

MERGED: Families of models by size (ToRR, section 3.2 with footnote 6).
MERGED: Groups of models: open against closed, and families by size (ToRR, Fig. 8 and 9, section 3.2).
MERGED: Open against closed models (ToRR, Fig. 9).
MERGED: Families of models by size (ToRR, section 3.2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from ..bootstrap import interval
from ..charts.labels import Analysis, Lacking, basis, dataset_labels, intervals, known, labels, needed
from ..charts.panels import Layout, dots
from ..charts.vega import SERIES, SHAPES, Drawing, heading, named_rows
from ..descriptions import Description
from ..estimates import Estimate, figure, weighted, weights
from ..frame import OVERALL

if TYPE_CHECKING:
    from ..arrays import Floats

COMPARED = ("performance", "robustness")
"""The figures that groups of models are compared by."""

Estimates = Mapping[str, Estimate]


def openness(
    models: Sequence[str], places: Mapping[str, Estimates], described: Mapping[str, Description], level: float
) -> dict[str, Any]:
    """Mean figures of open and of closed models, and closed minus open (Fig. 9).

    A group's figure is the unweighted mean over its models; models without a figure are left out of it.

    Returns:
        {"models": {"open": [...], "closed": [...]}, "performance": {data set or "overall": {"open": F,
        "closed": F, "difference": F}}, "robustness": same}, F = {"value", "low", "high"}, null for a group
        without a figure, ``"complete": False`` where a model of it has none.
    """
    groups = {
        name: [i for i, model in enumerate(models) if model in described and described[model].open is flag]
        for name, flag in (("open", True), ("closed", False))
    }
    found: dict[str, Any] = {"models": {name: [models[i] for i in rows] for name, rows in groups.items()}}
    for name in COMPARED:
        found[name] = {
            place: _compared(estimates[name], groups, level) for place, estimates in places.items()
        }
    return found


def _compared(estimate: Estimate, groups: Mapping[str, Sequence[int]], level: float) -> dict[str, Any]:
    import numpy as np

    rows = {
        name: [i for i in members if not np.isnan(estimate.values[i])] for name, members in groups.items()
    }
    whole = {name: len(rows[name]) == len(members) for name, members in groups.items()}
    shares = {name: weights(len(estimate.values), members) for name, members in rows.items()}
    figures = {name: weighted(estimate, share, level, complete=whole[name]) for name, share in shares.items()}
    closed_less_open = shares["closed"] - shares["open"]
    figures["difference"] = weighted(estimate, closed_less_open, level, complete=all(whole.values()))
    return figures


def families(
    models: Sequence[str], overall: Estimates, described: Mapping[str, Description], level: float
) -> dict[str, Any]:
    """Each family's models by size, and how performance grows with size in it.

    Over all pairs of models within a family (footnote 6 of the paper): ``absolute_difference``, the mean of
    the performances' absolute differences, and ``difference``, larger minus smaller, over the pairs whose
    sizes are known and differ. Noise alone drives the first from 0: its lower bound allows for all of the
    noise, so that it is 0 where the models may be equal. ``per_doubling`` is the slope of the least-squares
    line of performance on the binary logarithm of the size. Each needs a pair, else it is null; models
    without an overall figure are in none.

    Returns:
        {"overall": {"pairs", "absolute_difference": F, "difference": F}, over the pairs of all families,
        "families": {family: {"models": [{"model", "size", "performance": F, "robustness": F}], smallest
        first, unknown sizes last, "pairs", "absolute_difference", "difference", "per_doubling": F}}}.
    """
    import numpy as np

    members: dict[str, list[int]] = {}
    for i, model in enumerate(models):
        family = described[model].family if model in described else None
        if family is not None:
            members.setdefault(family, []).append(i)
    sizes = np.array([(described[m].size if m in described else None) or np.nan for m in models], dtype=float)
    found = {}
    for family, rows in sorted(members.items()):
        ordered = sorted(rows, key=lambda i: (np.isnan(sizes[i]), np.nan_to_num(sizes[i]), models[i]))
        found[family] = _family(models, ordered, sizes, overall, level)
    pairs = [pair for rows in members.values() for pair in combinations(rows, 2)]
    return {"overall": _differences(pairs, sizes, overall["performance"], level), "families": found}


def _family(
    models: Sequence[str], rows: Sequence[int], sizes: Floats, overall: Estimates, level: float
) -> dict[str, Any]:
    import numpy as np

    return {
        "models": [
            {
                "model": models[i],
                "size": None if np.isnan(sizes[i]) else float(sizes[i]),
                **{name: weighted(overall[name], weights(len(models), [i]), level) for name in COMPARED},
            }
            for i in rows
        ],
        **_differences(list(combinations(rows, 2)), sizes, overall["performance"], level),
        "per_doubling": _per_doubling(rows, sizes, overall["performance"], level),
    }


def _differences(
    pairs: Sequence[tuple[int, int]], sizes: Floats, performance: Estimate, level: float
) -> dict[str, Any]:
    import numpy as np

    known = [pair for pair in pairs if not np.isnan(performance.values[list(pair)]).any()]
    ranked = [sorted(pair, key=lambda i: float(sizes[i])) for pair in known if _differ(sizes[list(pair)])]
    return {
        "pairs": len(known),
        "absolute_difference": _mean_change(performance, known, level, absolute=True),
        "difference": _mean_change(performance, ranked, level, absolute=False),
    }


def _differ(sizes: Floats) -> bool:
    import numpy as np

    return bool(sizes[0] != sizes[1]) and not np.isnan(sizes).any()


def _mean_change(
    estimate: Estimate, pairs: Sequence[Sequence[int]], level: float, *, absolute: bool
) -> dict[str, Any]:
    """The mean over pairs of the second's figure less the first's."""
    import numpy as np

    if not pairs:
        return figure(np.nan, np.nan, np.nan)
    first, second = (list(side) for side in zip(*pairs, strict=True))
    change = estimate.values[second] - estimate.values[first]
    samples = estimate.samples[second] - estimate.samples[first]
    if absolute:
        return _mean_size(change, samples, level)
    low, high = interval(samples.mean(axis=0), level)
    return figure(change.mean(), float(low), float(high))


def _mean_size(changes: Floats, samples: Floats, level: float) -> dict[str, Any]:
    """The mean absolute change, of (pairs,) and (pairs x resamples).

    With X = mu + Z, X the changes seen and Z their noise, mean abs(X) - mean abs(Z) <= mean abs(mu): a lower
    bound from how large Z is in resamples. Resamples of abs(X) themselves lie too high, and bound it above.
    """
    import numpy as np

    value = np.abs(changes).mean()
    _, noise = interval(np.abs(samples - changes[:, None]).mean(axis=0), level)
    _, high = interval(np.abs(samples).mean(axis=0), level)
    return figure(value, max(0.0, value - float(noise)), max(value, float(high)))


def _per_doubling(rows: Sequence[int], sizes: Floats, estimate: Estimate, level: float) -> dict[str, Any]:
    import numpy as np

    known = [i for i in rows if not np.isnan(sizes[i]) and not np.isnan(estimate.values[i])]
    if len({float(sizes[i]) for i in known}) < 2:
        return figure(np.nan, np.nan, np.nan)
    doublings = np.log2(sizes[known])
    centred = doublings - doublings.mean()
    slope = np.zeros(len(sizes))
    slope[known] = centred / (centred**2).sum()
    return weighted(estimate, slope, level)


def model_groups(
    models: Sequence[str],
    places: Mapping[str, Estimates],
    described: Mapping[str, Description],
    level: float,
) -> dict[str, Any]:
    """What the figures of groups of models are; models are taken as given, intervals are over examples.

    Args:
        models: labels of the estimates' rows.
        places: "overall" and every data set -> figure's name -> its estimate, (models,) with resamples.
        described: model -> description.
        level: of the intervals.

    Returns:
        "openness" where a model is said to be open or closed, "families" where one has a family; empty where
        neither is.
    """
    known = {model: described[model] for model in models if model in described}
    found: dict[str, Any] = {}
    if any(one.open is not None for one in known.values()):
        found["openness"] = openness(models, places, known, level)
    if any(one.family is not None for one in known.values()):
        found["families"] = families(models, places[OVERALL], known, level)
    return found


UNDESCRIBED = "models are not described as open or closed"
_SERIES = ("open", "closed")


def build(analysis: Analysis) -> Drawing:
    """A row a data set and one overall: the mean performance of the open and of the closed models."""
    found = needed(analysis, "groups", "openness", why=UNDESCRIBED)
    sizes = [len(found["models"][name]) for name in _SERIES]
    if not all(sizes):
        raise Lacking("all described models are open, or all closed")
    datasets = {"overall": "overall", **dataset_labels(analysis)}
    rows = [
        {"row": label, "series": name, **figure}
        for dataset, label in datasets.items()
        for name in _SERIES
        if (figure := known(found["performance"][dataset][name]))
    ]
    layout = Layout(
        rows=list(datasets.values()), series=_SERIES, x="mean performance of the models, 0 to 1", step=11
    )
    lines = [f"{basis(analysis)}; {sizes[0]} open, {sizes[1]} closed", intervals(analysis)]
    return dots(rows, layout, "Performance of open and of closed models", lines)


_WIDTH, _HEIGHT = 420, 260


def build_families(analysis: Analysis) -> Drawing:
    """Performance against size, a line a family."""
    import altair as alt

    found = needed(analysis, "groups", "families", "families", why="models are not described by family")
    sized = [family for family in found if any(model["size"] for model in found[family]["models"])]
    names = labels(sized)
    rows = [
        {"series": label, "size": model["size"], **figure}
        for family, label in names.items()
        for model in found[family]["models"]
        if model["size"] and (figure := known(model["performance"]))
    ]
    if not rows:
        raise Lacking("no model of a family has a size")
    base = alt.Chart().encode(
        x=alt.X("size:Q", title="billions of parameters", scale=_sizes(), axis=_ticks())
    )
    base = base.encode(color=alt.Color("series:N", title="family", scale=_scale(names, SERIES)))
    low = alt.Y("low:Q", title="performance, 0 to 1", scale=alt.Scale(zero=False))
    shape = alt.Shape("series:N", title="family", scale=_scale(names, SHAPES))
    marks = [
        base.mark_line(strokeWidth=1.5, opacity=0.6).encode(y="value:Q"),
        base.mark_rule(strokeWidth=2, opacity=0.75).encode(y=low, y2="high:Q"),
        base.mark_point(filled=True, size=45, opacity=1).encode(y="value:Q", shape=shape),
    ]
    chart = alt.layer(*marks, data=named_rows()).properties(width=_WIDTH, height=_HEIGHT)
    lines = [f"{basis(analysis)}; {len(rows)} of known family and size", intervals(analysis)]
    title = heading("Performance against size, per family of models", lines, _WIDTH + 150)
    return Drawing(chart.properties(title=title), rows)


def _sizes() -> Any:
    import altair as alt

    return alt.Scale(type="log", nice=False, padding=20)


def _ticks() -> Any:
    import altair as alt

    # Vega would draw a line at every digit of every power of ten
    return alt.Axis(
        values=[digit * 10.0**power for power in range(-3, 5) for digit in (1, 2, 5)], format="~r"
    )


def _scale(names: dict[str, str], values: tuple[str, ...]) -> Any:
    import altair as alt

    domain = list(names.values())
    return alt.Scale(domain=domain, range=[values[i % len(values)] for i in range(len(domain))])
