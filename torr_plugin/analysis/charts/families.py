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
    names = labels(found)
    rows = [
        {"series": label, "size": model["size"], **figure}
        for family, label in names.items()
        for model in found[family]["models"]
        if model["size"] and (figure := known(model["performance"]))
    ]
    if not rows:
        raise Lacking("no model of a family has a size")
    base = alt.Chart().encode(x=alt.X("size:Q", title="billions of parameters", scale=alt.Scale(type="log")))
    base = base.encode(color=alt.Color("series:N", title="family", scale=_scale(names, SERIES)))
    low = alt.Y("low:Q", title="performance, 0 to 1", scale=alt.Scale(zero=False))
    shape = alt.Shape("series:N", title="family", scale=_scale(names, SHAPES))
    marks = [
        base.mark_line(strokeWidth=1.5, opacity=0.6).encode(y="value:Q"),
        base.mark_rule(strokeWidth=2, opacity=0.75).encode(y=low, y2="high:Q"),
        base.mark_point(filled=True, size=45, opacity=1).encode(y="value:Q", shape=shape),
    ]
    chart = alt.layer(*marks, data=named_rows()).properties(width=_WIDTH, height=_HEIGHT)
    lines = [f"{basis(analysis)}; {len(rows)} models whose family and size are known", intervals(analysis)]
    title = heading("Performance against size, per family of models", lines, _WIDTH + 150)
    return Drawing(chart.properties(title=title), rows)


def _scale(names: dict[str, str], values: tuple[str, ...]) -> Any:
    import altair as alt

    domain = list(names.values())
    return alt.Scale(domain=domain, range=[values[i % len(values)] for i in range(len(domain))])
