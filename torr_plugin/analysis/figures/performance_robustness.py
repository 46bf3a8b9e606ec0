"""The one picture of a study: each model's performance against its robustness, with intervals and tiers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..charts.label_places import Point, label_fields, label_layers
from ..charts.labels import ChartContext, NoChart, bounds_row
from ..charts.vega import (
    DATA,
    GREY,
    INK,
    PAPER,
    ChartRow,
    Spec,
    heading,
    layer,
    nominal,
    quantitative,
    specification,
)
from ..limits import robustness_limit, score_limit
from ..result import Everywhere
from ..statistics import HEADLINE

if TYPE_CHECKING:
    from .model_scores import ModelScores  # which draws this chart

TIER_COLOURS = ("#240057", "#622800", "#07a75c", "#8f3fa8", "#9d9317", "#106bff")
"""Of the tiers, the best first; all later ones have the last. Names bear their tier's number besides.
They were searched for: 3 to 1 on paper, and none near another or grey, for colour-blind readers too."""

LETTERS = 13
_DOT = 80  # square pixels: so small that near models are told apart
_MARK = 5.0
_LEAST_SPAN = 0.1
_MARGIN = 0.06
_COARSE = 0.45  # an axis that is longer has ticks of whole tenths


@dataclass(frozen=True)
class PictureSize:
    """Pixels of the plot, without its axes."""

    width: int = 500
    height: int = 300


def model_picture(result: ModelScores, context: ChartContext, size: PictureSize = PictureSize()) -> Spec:
    """A dot a model, labelled by its name and its tier; what says nothing is grey."""
    robustness = headline(result)
    labels, tiers = context.model_labels(), context.tiers
    rows: list[ChartRow] = []
    for model, label in labels.items():
        x, y = (bounds_row(each[model].overall) for each in (result.performance, robustness))
        if x and y:
            idle = score_limit(x["value"]) or robustness_limit(y["value"], x["value"])
            tier = tiers.get(model, 0)
            rows.append(
                {
                    **{f"x_{name}": number for name, number in x.items()},
                    **{f"y_{name}": number for name, number in y.items()},
                    "label": label,
                    "text": f"{label} ({tier})" if tier else label,
                    "tier": str(tier or ""),
                    "colour": GREY if idle or not tier else TIER_COLOURS[min(tier, len(TIER_COLOURS)) - 1],
                    "ink": GREY if idle else INK,
                    "grey": bool(idle),
                }
            )
    if not rows:
        raise NoChart("no model has both figures")
    ends = {axis: _ends(rows, axis) for axis in "xy"}
    _place_labels(rows, ends, size)
    return specification(
        {
            "data": DATA,
            "layer": _layers(ends, perturbed=context.perturbed),
            "width": size.width,
            "height": size.height,
        },
        rows,
        heading(
            "Performance and robustness",
            list(_lines(rows, context, five=robustness is result.robustness_5)),
            size.width + 80,
        ),
    )


def headline(result: ModelScores) -> Mapping[str, Everywhere]:
    """Robustness over 5 configurations; ToRR's where no model has it."""
    five = result.robustness_5
    return five if any(figure.overall.value is not None for figure in five.values()) else result.robustness


def _lines(rows: Sequence[ChartRow], context: ChartContext, *, five: bool) -> Iterator[str]:
    yield context.basis
    if five:
        yield f"Robustness: 1 less the mean range of an example's score over {HEADLINE} configurations"
    tiers = len({row["tier"] for row in rows} - {""}) > 1
    number = "In brackets: tier, of models that no test separates from its best. " if tiers else ""
    yield f"{number}{context.score_intervals}"
    if any(row["grey"] for row in rows):
        yield "Grey: nearly always right or wrong, or always the same, so that its figures say little"


def _ends(rows: Sequence[ChartRow], axis: str) -> tuple[float, float]:
    """The ends of an axis: a little more than the intervals take."""
    low = min(min(row[f"{axis}_low"], row[f"{axis}_value"]) for row in rows)
    high = max(max(row[f"{axis}_high"], row[f"{axis}_value"]) for row in rows)
    spread = max(high - low, _LEAST_SPAN)
    middle = (low + high) / 2
    half = spread * (0.5 + _MARGIN)
    return round(middle - half, 4), round(middle + half, 4)


def _place_labels(rows: list[ChartRow], ends: Mapping[str, tuple[float, float]], size: PictureSize) -> None:
    """Give each row the place of its label, in pixels."""

    def across(value: float) -> float:
        return (value - ends["x"][0]) / (ends["x"][1] - ends["x"][0]) * size.width

    def down(value: float) -> float:
        return size.height - (value - ends["y"][0]) / (ends["y"][1] - ends["y"][0]) * size.height

    points = [Point(row["text"], across(row["x_value"]), down(row["y_value"])) for row in rows]
    for row, place in zip(rows, label_fields(points, size.width, size.height, LETTERS, _MARK), strict=True):
        row.update(place)


def _layers(ends: Mapping[str, tuple[float, float]], *, perturbed: bool) -> list[Spec]:
    scales = {axis: {"domain": list(found), "nice": False, "zero": False} for axis, found in ends.items()}
    axes = {
        each: {"grid": True, "tickCount": 5, "format": ".1f" if high - low > _COARSE else ".2f"}
        for each, (low, high) in ends.items()
    }
    x_title = "Performance: the mean score \N{RIGHTWARDS ARROW}"
    y_title = (
        ["Robustness: how little scores differ", "between ways to write a table \N{RIGHTWARDS ARROW}"]
        if perturbed
        else ["Robustness: how little", "scores differ by format \N{RIGHTWARDS ARROW}"]
    )
    x = quantitative("x_value", title=x_title, scale=scales["x"], axis=axes["x"])
    y = quantitative("y_value", title=y_title, scale=scales["y"], axis=axes["y"])
    x_low, y_low = (quantitative(f"{each}_low", scale=scales[each]) for each in "xy")
    cross = {"color": nominal("colour", scale=None)}
    ink = nominal("ink", scale=None)
    tooltip: Any = [
        nominal("label", title="Model"),
        quantitative("x_value", title="Performance", format=".3f"),
        quantitative("y_value", title="Robustness", format=".3f"),
        nominal("tier", title="Tier"),
    ]
    marks: Spec = {"x": x, "y": y, "fill": nominal("colour", scale=None), "tooltip": tooltip}
    return [
        layer("rule", {"x": x_low, "x2": {"field": "x_high"}, "y": y, **cross}, strokeWidth=1.5),
        layer("rule", {"x": x, "y": y_low, "y2": {"field": "y_high"}, **cross}, strokeWidth=1.5),
        layer("point", marks, shape="circle", size=_DOT, stroke=PAPER, strokeWidth=1, opacity=1),
        *label_layers("text", LETTERS, ink={"color": ink}, paper=PAPER),
    ]
