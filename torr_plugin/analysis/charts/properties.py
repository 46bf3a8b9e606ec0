"""Scores with and without each property of tables and of questions (HCT-QA, section 4.2, appendix D.2)."""

from __future__ import annotations

from .drawing import Drawing
from .names import labels
from .panels import Layout, dots
from .study import Analysis, Lacking, Row, basis, known, needed

_SERIES = {"present": "with it", "absent": "without it"}
_LONGEST = 48


def of_tables(analysis: Analysis) -> Drawing:
    """A row a property of tables: the mean score over models with and without it, a panel a data set."""
    return _build(analysis, "table")


def of_questions(analysis: Analysis) -> Drawing:
    """As :func:`of_tables`, of questions."""
    return _build(analysis, "question")


def _build(analysis: Analysis, of: str) -> Drawing:
    found = needed(analysis, "slices", why="nothing is known of the kinds of examples")
    places = {place: own["properties"][of] for place, own in found.items() if own["properties"].get(of)}
    panels, names = (
        labels(places, 30),
        labels(dict.fromkeys(p for own in places.values() for p in own), _LONGEST),
    )
    rows: list[Row] = [
        {"row": names[name], "series": series, "panel": panels[place], **figure}
        for place, properties in places.items()
        for name, own in properties.items()
        for key, series in _SERIES.items()
        if (figure := known(own[key]["overall"]))
    ]
    if not rows:
        raise Lacking(f"no properties of {of}s are known")
    layout = Layout(
        rows=list(names.values()),
        series=list(_SERIES.values()),
        panels=list(panels.values()) if len(panels) > 1 else (),
        x="mean score over models, 0 to 1",
        width=300,
        columns=3,
        step=9,
    )
    level = 100 * analysis["settings"]["level"]
    lines = [basis(analysis), f"Lines: {level:g} % intervals, whole tables resampled"]
    return dots(rows, layout, f"Mean score by property of the {of}", lines)
