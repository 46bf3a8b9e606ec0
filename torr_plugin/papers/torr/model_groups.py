"""Groups of models, where they are described: open and closed ones, families by size (ToRR, Fig. 9)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from ...analysis.bootstrap import percentile_bounds
from ...analysis.charts import vega
from ...analysis.charts.labels import ChartContext, NoChart, bounds_row, unique_labels
from ...analysis.charts.panels import DotLayout, dot_chart
from ...analysis.charts.vega import Spec
from ...analysis.descriptions import Description
from ...analysis.estimates import Estimate, resampled, student_bounds
from ...analysis.figure import Figure, FigureChart, FigureTable, Row
from ...analysis.number_format import format_names
from ...analysis.result import INTERVAL, NOTHING, OVERALL, FigureResult, Interval, interval_cells, interval_of
from ...analysis.study import StudyScores
from ...core.statistics import Floats, score_bounds

COMPARED = ("performance", "robustness")
"""The figures that groups of models are compared by."""

Estimates = Mapping[str, Estimate]


class OpenAndClosed(FigureResult):
    """Means over the open and over the closed models, and closed less open."""

    open: Interval
    closed: Interval
    difference: Interval


class Openness(FigureResult):
    """Open against closed models: which they are ("open", "closed"); data set or "overall" -> their means."""

    models: dict[str, list[str]]
    performance: dict[str, OpenAndClosed]
    robustness: dict[str, OpenAndClosed]


class SizedModel(FigureResult):
    """A model of a family; ``size`` in billions of parameters, None where it is not known."""

    model: str
    size: float | None
    performance: Interval
    robustness: Interval


class FamilyDifferences(FigureResult):
    """Over pairs of models within a family (footnote 6 of the paper).

    ``absolute_difference``: the mean of the performances' absolute differences. Noise alone drives it from 0:
    its lower bound allows for all of the noise, so that it is 0 where the models may be equal.
    ``difference``: larger minus smaller, over the pairs whose sizes are known and differ.
    """

    pairs: int
    absolute_difference: Interval
    difference: Interval


class Family(FigureResult):
    """A family: its models, smallest first, unknown sizes last; differences as in :class:`FamilyDifferences`.

    ``per_doubling`` is the slope of the least-squares line of performance on the binary logarithm of the
    size.
    """

    models: list[SizedModel]
    pairs: int
    absolute_difference: Interval
    difference: Interval
    per_doubling: Interval


class Families(FigureResult):
    """Families of models by size: over the pairs of all, and each."""

    overall: FamilyDifferences
    families: dict[str, Family]


class ModelGroups(FigureResult):
    """Groups of models; None where no model's openness, or family, is known."""

    openness: Openness | None = None
    families: Families | None = None


def openness(
    models: Sequence[str], places: Mapping[str, Estimates], described: Mapping[str, Description], level: float
) -> Openness:
    """Mean figures of open and of closed models, and closed minus open (Fig. 9).

    A group's figure is the unweighted mean over its models; models without a figure are left out of it, and
    then it is not ``complete``.
    """
    groups = {
        name: [i for i, model in enumerate(models) if model in described and described[model].open is flag]
        for name, flag in (("open", True), ("closed", False))
    }
    found = {
        name: {place: _open_and_closed(estimates[name], groups, level) for place, estimates in places.items()}
        for name in COMPARED
    }
    names = {name: [models[i] for i in rows] for name, rows in groups.items()}
    return Openness(models=names, performance=found["performance"], robustness=found["robustness"])


def _open_and_closed(estimate: Estimate, groups: Mapping[str, Sequence[int]], level: float) -> OpenAndClosed:
    rows = {
        name: [i for i in members if not np.isnan(estimate.values[i])] for name, members in groups.items()
    }
    whole = {name: len(rows[name]) == len(members) for name, members in groups.items()}
    shares = {name: weights(len(estimate.values), members) for name, members in rows.items()}
    figures = {name: weighted(estimate, share, level, complete=whole[name]) for name, share in shares.items()}
    closed_less_open = shares["closed"] - shares["open"]
    difference = weighted(estimate, closed_less_open, level, complete=all(whole.values()))
    return OpenAndClosed(open=figures["open"], closed=figures["closed"], difference=difference)


def families_by_size(
    models: Sequence[str], overall: Estimates, described: Mapping[str, Description], level: float
) -> Families:
    """Each family's models by size, and how performance grows with size in it.

    Models without an overall figure are in no pair; without a pair a figure is null.
    """
    members = families(models, described)
    sizes = np.array([(described[m].size if m in described else None) or np.nan for m in models], dtype=float)
    found = {}
    for family, rows in sorted(members.items()):
        ordered = sorted(rows, key=lambda i: (np.isnan(sizes[i]), np.nan_to_num(sizes[i]), models[i]))
        found[family] = _family(models, ordered, sizes, overall, level)
    pairs = [pair for rows in members.values() for pair in combinations(rows, 2)]
    return Families(overall=_differences(pairs, sizes, overall["performance"], level), families=found)


def _family(
    models: Sequence[str], rows: Sequence[int], sizes: Floats, overall: Estimates, level: float
) -> Family:
    differences = _differences(list(combinations(rows, 2)), sizes, overall["performance"], level)

    def of_model(name: str, row: int) -> Interval:
        return weighted(overall[name], weights(len(models), [row]), level)

    return Family(
        models=[
            SizedModel(
                model=models[i],
                size=None if np.isnan(sizes[i]) else float(sizes[i]),
                performance=of_model("performance", i),
                robustness=of_model("robustness", i),
            )
            for i in rows
        ],
        **dict(differences),
        per_doubling=_per_doubling(rows, sizes, overall["performance"], level),
    )


def _differences(
    pairs: Sequence[tuple[int, int]], sizes: Floats, performance: Estimate, level: float
) -> FamilyDifferences:
    known = [pair for pair in pairs if not np.isnan(performance.values[list(pair)]).any()]
    ranked = [sorted(pair, key=lambda i: float(sizes[i])) for pair in known if _differ(sizes[list(pair)])]
    return FamilyDifferences(
        pairs=len(known),
        absolute_difference=_mean_change(performance, known, level, absolute=True),
        difference=_mean_change(performance, ranked, level, absolute=False),
    )


def _differ(sizes: Floats) -> bool:
    return bool(sizes[0] != sizes[1]) and not np.isnan(sizes).any()


def _mean_change(
    estimate: Estimate, pairs: Sequence[Sequence[int]], level: float, *, absolute: bool
) -> Interval:
    """The mean over pairs of the second's figure less the first's."""
    if not pairs:
        return NOTHING
    first, second = (list(side) for side in zip(*pairs, strict=True))
    if absolute:
        changes = estimate.values[second] - estimate.values[first]
        assert estimate.samples is not None  # noqa: S101 (of performance, as compute gives it)
        return _mean_size(changes, estimate.samples[second] - estimate.samples[first], level)
    change = np.zeros(len(estimate.values))
    np.add.at(change, second, 1 / len(pairs))
    np.add.at(change, first, -1 / len(pairs))
    return weighted(estimate, change, level)


def _mean_size(changes: Floats, samples: Floats, level: float) -> Interval:
    """The mean absolute change, of (pairs,) and (pairs x resamples).

    With X = mu + Z, X the changes seen and Z their noise, mean abs(X) - mean abs(Z) <= mean abs(mu): a lower
    bound from how large Z is in resamples. Resamples of abs(X) themselves lie too high, and bound it above.
    """
    value = np.abs(changes).mean()
    _, noise = percentile_bounds(np.abs(samples - changes[:, None]).mean(axis=0), level)
    _, high = percentile_bounds(np.abs(samples).mean(axis=0), level)
    return interval_of(value, max(0.0, value - float(noise)), max(value, float(high)))


def _per_doubling(rows: Sequence[int], sizes: Floats, estimate: Estimate, level: float) -> Interval:
    known = [i for i in rows if not np.isnan(sizes[i]) and not np.isnan(estimate.values[i])]
    if len({float(sizes[i]) for i in known}) < 2:
        return NOTHING
    doublings = np.log2(sizes[known])
    centred = doublings - doublings.mean()
    slope = np.zeros(len(sizes))
    slope[known] = centred / (centred**2).sum()
    return weighted(estimate, slope, level)


def weights(models: int, rows: Sequence[int]) -> Floats:
    """Weights of a mean over some rows; NaN for a mean over none."""
    if not rows:
        return np.full(models, np.nan)
    of_rows = np.zeros(models)
    of_rows[list(rows)] = 1 / len(rows)
    return of_rows


def weighted(estimate: Estimate, of_models: Floats, level: float, *, complete: bool = True) -> Interval:
    """The sum over models of figure times weight, (models,), with its interval; null where it is NaN.

    It is a score interval where the weights add up to 1, and Student's of a difference; within what scores in
    [0, 1] can give.
    """
    used = of_models != 0
    value = float((of_models[used] * estimate.values[used]).sum()) if used.any() else np.nan
    if np.isnan(value):
        return interval_of(value, np.nan, np.nan, complete=complete)
    means = [part.weighted(of_models).means for part in estimate.parts]
    low, high = (score_bounds if np.isclose(of_models.sum(), 1) else student_bounds)(means, level)
    low, high = np.clip([low, high], of_models[used].clip(max=0).sum(), of_models[used].clip(min=0).sum())
    return interval_of(value, float(low), float(high), complete=complete)


def families(models: Sequence[str], described: Mapping[str, Description]) -> dict[str, list[int]]:
    """Family -> its models, by their places in ``models``; models without a family are in none."""
    found: dict[str, list[int]] = {}
    for place, model in enumerate(models):
        family = described[model].family if model in described else None
        if family is not None:
            found.setdefault(family, []).append(place)
    return found


_NAMED = 8


def description_notes(models: Sequence[str], described: Mapping[str, Description]) -> list[str]:
    """Models that are described and have no score, and those that have scores and no description."""
    unknown = [name for name in described if name not in models]
    lacking = [name for name in models if described.get(name, Description()) == Description()]
    notes = []
    if unknown:
        notes.append(f"described, but without a score: {format_names(unknown, _NAMED)}")
    if lacking and len(lacking) < len(models):
        names = format_names(lacking, _NAMED)
        notes.append(f"not described (family, size, open), so not in the groups of models: {names}")
    return notes


def model_groups(
    models: Sequence[str],
    places: Mapping[str, Estimates],
    described: Mapping[str, Description],
    level: float,
) -> ModelGroups | None:
    """Compare groups; models are taken as given, intervals are over tables. None without groups.

    Args:
        models: labels of the estimates' rows.
        places: "overall" and every data set -> statistic -> its estimate, overall performance with samples.
        described: model -> description.
        level: of the intervals.
    """
    known = {model: described[model] for model in models if model in described}
    found: dict[str, Openness | Families] = {}
    if any(one.open is not None for one in known.values()):
        found["openness"] = openness(models, places, known, level)
    if any(one.family is not None for one in known.values()):
        found["families"] = families_by_size(models, places[OVERALL], known, level)
    return ModelGroups.model_validate(found) if found else None


def _openness_tree(result: Openness) -> dict[str, Any]:
    return {
        name: {dataset: dict(groups) for dataset, groups in getattr(result, name).items()}
        for name in COMPARED
    }


def _family_rows(result: Families) -> Iterator[Row]:
    for family, found in result.families.items():
        for entry in found.models:
            for name in COMPARED:
                yield family, entry.model, entry.size, name, *interval_cells(getattr(entry, name))


_SERIES = ("open", "closed")


def _openness_chart(result: Openness, context: ChartContext) -> Spec:
    """A row a data set and one overall: the mean performance of the open and of the closed models."""
    sizes = [len(result.models[name]) for name in _SERIES]
    if not all(sizes):
        raise NoChart("all described models are open, or all closed")
    datasets = context.place_labels()
    rows = [
        {"row": label, "series": name, **figure}
        for dataset, label in datasets.items()
        for name in _SERIES
        if (figure := bounds_row(getattr(result.performance[dataset], name)))
    ]
    layout = DotLayout(
        rows=list(datasets.values()), series=_SERIES, x="mean performance of the models, 0 to 1", step=11
    )
    lines = [f"{context.basis}; {sizes[0]} open, {sizes[1]} closed", context.score_intervals]
    return dot_chart(rows, layout, "Performance of open and of closed models", lines)


_WIDTH, _HEIGHT = 420, 260


def _families_chart(result: Families, context: ChartContext) -> Spec:
    """Performance against size, a line a family."""
    found = result.families
    names = unique_labels(family for family in found if any(model.size for model in found[family].models))
    rows = [
        {"series": label, "size": model.size, **figure}
        for family, label in names.items()
        for model in found[family].models
        if model.size and (figure := bounds_row(model.performance))
    ]
    if not rows:
        raise NoChart("no model of a family has a size")
    lines = [f"{context.basis}; {len(rows)} of known family and size", context.score_intervals]
    title = vega.heading("Performance against size, per family of models", lines, _WIDTH + 150)
    return vega.specification(_lines_by_size(list(names.values())), rows, title)


def _lines_by_size(families: Sequence[str]) -> Spec:
    # Vega would draw a line at every digit of every power of ten
    ticks = [digit * 10.0**power for power in range(-3, 5) for digit in (1, 2, 5)]
    scale = {"type": "log", "nice": False, "padding": 20}
    axis = {"values": ticks, "format": "~r"}
    base = {
        "x": vega.quantitative("size", title="billions of parameters", scale=scale, axis=axis),
        "color": vega.nominal("series", title="family", scale=vega.series_colours(families, vega.SERIES)),
    }
    value = {**base, "y": vega.quantitative("value")}
    low = vega.quantitative("low", title="performance, 0 to 1", scale={"zero": False})
    shape = vega.nominal("series", title="family", scale=vega.series_colours(families, vega.SHAPES))
    layers = [
        vega.layer("line", value, strokeWidth=1.5, opacity=0.6),
        vega.layer("rule", {**base, "y": low, "y2": {"field": "high"}}, strokeWidth=2, opacity=0.75),
        vega.layer("point", {**value, "shape": shape}, filled=True, size=45, opacity=1),
    ]
    return {"data": vega.DATA, "layer": layers, "width": _WIDTH, "height": _HEIGHT}


class ModelGroupsFigure(Figure[ModelGroups]):
    """Open against closed models, and families by size."""

    key = "groups"
    tables = (
        FigureTable(
            "openness",
            ("figure", "dataset", "models", *INTERVAL),
            about="means of open and of closed models, and their difference",
            part=lambda result: result.openness and _openness_tree(result.openness),
        ),
        FigureTable(
            "families",
            ("family", "model", "size", "figure", *INTERVAL),
            _family_rows,
            "models of a family by size",
            lambda result: result.families,
        ),
    )
    charts = (
        FigureChart(
            "openness",
            _openness_chart,
            "Fig. 9",
            "models are not described as open or closed",
            lambda result: result.openness,
        ),
        FigureChart(
            "families",
            _families_chart,
            absent="models are not described by family",
            part=lambda result: result.families,
        ),
    )

    def compute(self, study: StudyScores) -> ModelGroups | None:
        """Compare the groups."""
        if not study.descriptions:
            return None
        per_dataset, overall = study.estimates
        drawn = [
            resampled(own["performance"], cube, study.options)
            for own, cube in zip(study.example_statistics, study.shared_cubes, strict=True)
        ]
        performance = replace(overall["performance"], samples=np.sum(drawn, axis=0) / len(drawn))
        overall = {**overall, "performance": performance}
        names = [OVERALL, *(cube.dataset for cube in study.cubes)]
        places = dict(zip(names, [overall, *per_dataset], strict=True))
        return model_groups(study.models, places, study.descriptions, study.options.level)

    def notes(self, study: StudyScores, result: ModelGroups | None) -> list[str]:
        """Descriptions without scores, and scores without descriptions."""
        return description_notes(study.models, study.descriptions)


MODEL_GROUPS = ModelGroupsFigure()
