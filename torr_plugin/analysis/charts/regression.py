"""What each property of tables does to the mean score, the others held fixed (HCT-QA, Tables 4 and 9)."""

from __future__ import annotations

from collections.abc import Sequence

from .drawing import Drawing
from .names import labels
from .panels import Layout, dots
from .study import Analysis, Lacking, Row, basis, known, needed

_LONGEST = 48


def build(analysis: Analysis) -> Drawing:
    """A row a property: its coefficient in the regression over examples, a panel a data set."""
    found = needed(analysis, "regression", "datasets", why="no properties to regress scores on")
    fits = {
        place: own["table"]["examples"]
        for place, own in found.items()
        if own.get("table", {}).get("examples")
    }
    if not fits:
        raise Lacking("no properties of tables to regress scores on")
    panels = labels(fits, 30)
    names = labels(dict.fromkeys(name for fit in fits.values() for name in fit["coefficients"]), _LONGEST)
    rows: list[Row] = [
        {"row": names[name], "panel": panels[place], "reference": 0.0, **figure}
        for place, fit in fits.items()
        for name, own in fit["coefficients"].items()
        if (figure := known(own))
    ]
    layout = Layout(
        rows=list(names.values()),
        panels=list(panels.values()) if len(panels) > 1 else (),
        x="change of the mean score with the property",
        width=300,
        columns=3,
    )
    examples, tables = (_least_to_most([fit[key] for fit in fits.values()]) for key in ("rows", "tables"))
    lines = [
        f"{basis(analysis)}. Least squares over {examples} examples on {tables} tables",
        f"Lines: {100 * analysis['settings']['level']:g} % intervals, errors clustered by table",
    ]
    return dots(rows, layout, "Effect of each property of tables, the others held fixed", lines)


def _least_to_most(counts: Sequence[int]) -> str:
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
