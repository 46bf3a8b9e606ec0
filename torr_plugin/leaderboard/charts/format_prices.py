"""What each format loses against a model's best one, and what its prompts cost: one small chart a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...analysis.charts.vega import Spec, layer, nominal, quantitative
from ..candidates import Candidate
from ..views import drawn_ends, interval_text
from .chart import Chart, chart_of

WIDTH, HEIGHT = 300, 190
"""Pixels within the axes; a chart is as wide as the inlined ones, with its axis."""
_LETTER, _LINE, _AWAY = 6.6, 14.0, 8.0
_LEAST = 0.01
"""The axis of what is lost is at least so long."""


@dataclass(frozen=True)
class _Box:
    """The room of a label, or of a dot, in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: _Box) -> bool:
        """Whether they share a place."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )


@dataclass(frozen=True)
class _Ends:
    """Where the axes end, the same in all charts of a page: most tokens; from above no loss to the most."""

    most: float
    top: float
    lost: float

    def pixels(self, tokens: float, value: float) -> tuple[float, float]:
        return tokens / self.most * WIDTH, (value - self.top) / (self.lost - self.top) * HEIGHT

    def units(self, x: float, y: float) -> tuple[float, float]:
        return x / WIDTH * self.most, self.top + y / HEIGHT * (self.lost - self.top)


def format_prices(
    found: Mapping[str, Sequence[Candidate]], names: Mapping[str, str]
) -> Iterator[tuple[str, Chart]]:
    """Models, and their charts; those without, whose tokens or distances are not known of two formats.

    Args:
        found: model -> its formats, best mean first.
        names: model -> as readers call it.
    """
    known = {
        model: [one for one in own if one.tokens and one.behind and one.behind.value is not None]
        for model, own in found.items()
    }
    known = {model: own for model, own in known.items() if len(own) > 1}
    every = [one for own in known.values() for one in own]
    if not every:
        return
    lost = max(_LEAST, *(max(_value(one), drawn_ends(_behind(one))[1] or 0.0) for one in every))
    ends = _Ends(1.08 * max(one.tokens or 0.0 for one in every), -0.1 * lost, 1.05 * lost)
    for number, (model, own) in enumerate(known.items(), 1):
        yield model, _chart(number, names[model], own, ends)


def _chart(number: int, model: str, found: Sequence[Candidate], ends: _Ends) -> Chart:
    rows = [_row(one, best=one is found[0]) for one in found]
    for row, (x, y, align) in zip(rows, _labels(rows, ends), strict=True):
        at, level = ends.units(x, y)
        row.update({"at": at, "level": level, align: row["name"]})
    told = "; ".join(f"{row['name']}: {row['lost']} lost, {row['price']} tokens" for row in rows)
    return chart_of(
        f"price-{number}",
        f"Score lost and prompt tokens, {model}",
        f"A dot a format: up is a better score, left are shorter prompts. {told}.",
        _specification(ends),
        rows=rows,
        height=HEIGHT,
    )


def _behind(one: Candidate) -> Any:
    return one.behind


def _value(one: Candidate) -> float:
    return (one.behind and one.behind.value) or 0.0


def _row(one: Candidate, *, best: bool) -> dict[str, Any]:
    low, high = drawn_ends(_behind(one))
    return {
        "name": one.name,
        "tokens": one.tokens,
        "value": _value(one),
        "low": low,
        "high": high,
        "lost": interval_text(_behind(one)),
        "price": f"{one.tokens:,.0f}",
        "kind": "worse" if one.worse else "best" if best else "other",
    }


def _labels(rows: Sequence[dict[str, Any]], ends: _Ends) -> list[tuple[float, float, str]]:
    """Where each name stands, in pixels, and whether it begins or ends there; free of others."""
    dots = [ends.pixels(row["tokens"], row["value"]) for row in rows]
    taken = [_Box(x - 5, y - 5, x + 5, y + 5) for x, y in dots]
    found = []
    for row, (x, y) in zip(rows, dots, strict=True):
        width = len(row["name"]) * _LETTER
        places = [
            (edge, level, side)
            for step in range(12)
            for level in (y + step * _LINE / 2, y - step * _LINE / 2)
            if 0 <= level <= HEIGHT
            for edge, side in ((x + _AWAY, "begins"), (x - _AWAY, "ends"))
            if (edge + width <= WIDTH + 45 if side == "begins" else edge - width >= 0)
        ]
        boxes = [_box(place, width) for place in places]
        free = [n for n, box in enumerate(boxes) if not any(box.meets(other) for other in taken)]
        chosen = free[0] if free else 0
        place = places[chosen] if places else (x + _AWAY, y, "begins")
        taken.append(_box(place, width))
        found.append(place)
    return found


def _box(place: tuple[float, float, str], width: float) -> _Box:
    x, y, side = place
    left = x if side == "begins" else x - width
    return _Box(left, y - _LINE / 2, left + width, y + _LINE / 2)


def _specification(ends: _Ends) -> Spec:
    x: Spec = {"scale": {"domain": [0, ends.most], "nice": False}, "title": "prompt tokens"}
    x["axis"] = {"tickCount": 4, "format": "~s", "grid": False}
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
    named = {"x": quantitative("at", **x), "y": quantitative("level", **y)}
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "layer": [
            layer("rule", rule, strokeWidth=1.5, opacity=0.35),
            layer("point", {**dot, "tooltip": tooltip}, filled=True, size=90, opacity=1),
            *(
                layer(
                    "text",
                    {**named, "text": nominal(field)},
                    where=f"datum.{field}",
                    align=align,
                    fontSize=12.5,
                    baseline="middle",
                )
                for field, align in (("begins", "left"), ("ends", "right"))
            ),
        ],
    }
