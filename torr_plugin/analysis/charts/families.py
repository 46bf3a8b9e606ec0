"""Families of models by size (ToRR, section 3.2)."""

from __future__ import annotations

from typing import Any

from .drawing import Drawing, named_rows
from .names import labels
from .study import Analysis, Lacking, basis, intervals, known, needed
from .style import SERIES, SHAPES, heading

_WIDTH, _HEIGHT = 420, 260


def build(analysis: Analysis) -> Drawing:
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
