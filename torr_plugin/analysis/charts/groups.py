"""Scores by group of examples: per source, per question template (HCT-QA, Table 1, Fig. 36)."""

from __future__ import annotations

from .drawing import Drawing
from .heat import Heat, heat
from .names import labels
from .study import Analysis, Lacking, Row, basis, known, model_labels, needed
from .style import SEQUENTIAL

UNTOLD = "nothing is known of the kinds of examples"


def build(analysis: Analysis) -> Drawing:
    """A heat map: a column a model, a row a value of a group on a data set."""
    found = needed(analysis, "slices", why=UNTOLD)
    models = model_labels(analysis)
    places = {
        (place, group, value): own
        for place, slices in found.items()
        for group, values in slices["groups"].items()
        if len(values) > 1  # one group is the whole data set, whose score has a chart of its own
        for value, own in values.items()
    }
    if not places:
        raise Lacking("the examples are in no groups, or all in one")
    several = len({place for place, _, _ in places}) > 1
    names = labels(f"{group} {value}" + (f", {place}" if several else "") for place, group, value in places)
    rows: list[Row] = [
        {"row": label, "column": models[model], **figure}
        for label, own in zip(names.values(), places.values(), strict=True)
        for model in models
        if (figure := known(own["models"][model]))
    ]
    values = [row["value"] for row in rows] or [0.0]
    middle = (min(values) + max(values)) / 2
    layout = Heat(
        rows=list(names.values()),
        columns=list(models.values()),
        legend="mean score",
        scheme=SEQUENTIAL,
        domain=(min(values), max(values)),
        dark=(middle, 2.0),
    )
    level = 100 * analysis["settings"]["level"]
    lines = [basis(analysis), f"Below each figure: its {level:g} % interval, whole tables resampled"]
    return heat(rows, layout, "Mean score of each model by group of examples", lines)
