"""What each format loses against a model's best one, and what its prompts cost: one small chart a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...analysis.charts.label_places import Point, label_fields, label_layers
from ...analysis.charts.vega import Spec, layer, nominal, quantitative
from ..candidates import Candidate
from ..views import drawn_ends, interval_text
from .chart import Chart, chart_of

WIDTH, HEIGHT = 290, 190
"""Pixels within the axes; a chart is as wide as the inlined ones, with its axis."""
_BESIDE, _LETTERS, _MARK = 20, 13.5, 6.0
"""Pixels right of the axes where names may stand, their size, and from a dot to its edge."""
_LEAST = 0.01
"""The axis of what is lost is at least so long."""


@dataclass(frozen=True)
class _Ends:
    """Where the axes end, the same in all charts of a page: most tokens; from above no loss to the most."""

    most: float
    top: float
    lost: float

    def across(self, tokens: float) -> float:
        return tokens / self.most * WIDTH

    def down(self, lost: float) -> float:
        return (lost - self.top) / (self.lost - self.top) * HEIGHT


def format_prices(
    found: Mapping[str, Sequence[Candidate]], names: Mapping[str, str]
) -> Iterator[tuple[str, Chart]]:
    """Models, and their charts; those without, whose tokens or distances are not known of two formats.

    Args:
        found: model -> its formats, best mean first.
        names: model -> as readers call it.
    """
    known = {
        model: [row for one in own if (row := _row(one, best=one is own[0]))] for model, own in found.items()
    }
    known = {model: own for model, own in known.items() if len(own) > 1}
    every = [row for own in known.values() for row in own]
    if not every:
        return
    lost = max(_LEAST, *(max(row["value"], row["high"] or 0.0) for row in every))
    ends = _Ends(1.08 * max(row["tokens"] for row in every), -0.1 * lost, 1.05 * lost)
    for number, (model, rows) in enumerate(known.items(), 1):
        points = [Point(row["name"], ends.across(row["tokens"]), ends.down(row["value"])) for row in rows]
        places = label_fields(points, WIDTH + _BESIDE, HEIGHT, _LETTERS, _MARK)
        placed = [{**row, **place} for row, place in zip(rows, places, strict=True)]
        told = "; ".join(f"{row['name']}: {row['lost']} lost, {row['price']} tokens" for row in rows)
        yield (
            model,
            chart_of(
                f"price-{number}",
                f"Score lost and prompt tokens, {names[model]}",
                f"A dot for each format: higher is a better score, further left are shorter prompts. {told}.",
                _specification(ends),
                # of dots in one place, one that is not worse lies on top
                rows=sorted(placed, key=lambda row: row["kind"] != "worse"),
                height=HEIGHT,
            ),
        )


def _row(one: Candidate, *, best: bool) -> dict[str, Any] | None:
    if not one.tokens or one.behind.value is None:
        return None
    low, high = drawn_ends(one.behind)
    return {
        "name": one.name,
        "tokens": one.tokens,
        "value": one.behind.value,
        "low": low,
        "high": high,
        "lost": interval_text(one.behind),
        "price": f"{one.tokens:,.0f}",
        "kind": "worse" if one.worse else "best" if best else "other",
    }


def _specification(ends: _Ends) -> Spec:
    x: Spec = {"scale": {"domain": [0, ends.most], "nice": False}, "title": "prompt tokens"}
    # in thousands, Vega writes 0 as 0k
    x["axis"] = {
        "tickCount": 4,
        "format": "~s",
        "labelExpr": "datum.value ? datum.label : '0'",
        "grid": False,
    }
    y: Spec = {
        "scale": {"domain": [ends.top, ends.lost], "reverse": True, "nice": False},
        "title": "score lost",
    }
    y["axis"] = {"tickCount": 4}
    colours = {"best": "var(--performance)", "other": "var(--performance)", "worse": "var(--error)"}
    tooltip: Any = [
        nominal("name", title="Format"),
        nominal("lost", title="Score lost"),
        nominal("price", title="Prompt tokens"),
    ]
    colour = nominal("kind", scale={"domain": list(colours), "range": list(colours.values())}, legend=None)
    dot: Spec = {"x": quantitative("tokens", **x), "y": quantitative("value", **y), "color": colour}
    rule: Spec = {**dot, "y": quantitative("low", **y), "y2": {"field": "high"}}
    return {
        "width": WIDTH,
        "height": HEIGHT,
        # room of one size for axes and names, so that all charts of a page have one
        "autosize": {"type": "none"},
        "padding": {"left": 58, "right": _BESIDE + 6, "top": 10, "bottom": 44},
        "layer": [
            layer("rule", rule, strokeWidth=1.5, opacity=0.75),
            layer("point", {**dot, "tooltip": tooltip}, filled=True, size=90, opacity=1),
            *label_layers("name", _LETTERS, ink={}, paper="var(--card)"),
        ],
    }
