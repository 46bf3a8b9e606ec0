"""Mean scores by group, by property and by the table's size (HCT-QA, section 4.2, Table 4, Fig. 36).

MERGED: Scores by group of examples: per source, per question template (HCT-QA, Table 1, Fig. 36).
MERGED: Scores with and without each property of tables and of questions (HCT-QA, section 4.2, appendix D.2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..bootstrap import interval
from ..charts.heat import Heat, heat
from ..charts.labels import Analysis, Lacking, Row, basis, known, labels, model_labels, needed
from ..charts.panels import Layout, dots
from ..charts.vega import SEQUENTIAL, Drawing
from ..estimates import Options, figure
from ..examples import CLASSES, SliceMeans, Stack, Value, is_yes_or_no, size_class, slice_means
from ..frame import OVERALL

if TYPE_CHECKING:
    from ..arrays import Booleans

MOST_VALUES = 40
"""Of a group or property; with more it names examples rather than kinds of them."""


def slices(found: Sequence[Stack], options: Options) -> dict[str, Any]:
    """``slices`` of ``analysis.json``.

    Args:
        found: a stack a data set, and one of all together.
        options: resamples, level and seed are used; whole tables are resampled.

    Returns:
        data set or "overall" -> {"examples", "tables", "groups": {group: {value: S}}, "properties": {"table"
        or "question": {property: {"present": S, "absent": S, "difference": {"overall": F, "models": {model:
        F}}}}}, "values": {"table" or "question": {property with other values than yes and no: {value: S}}},
        "cells": {class: S}}; S = {"examples", "tables", "overall": F, the mean over models, "models": {model:
        F}}, F = {"value", "low", "high"}, with ``"complete": False`` where scores are missing. "overall" as a
        data set is all examples together, so that larger data sets count more.
    """
    return {stack.place: _of(stack, options) for stack in found}


def slice_notes(found: Sequence[Stack]) -> list[str]:
    """What is left out, a line each."""
    notes = []
    for stack in found:
        many = [name for name, values in stack.groups().items() if _many(values)]
        if many:
            notes.append(
                f"{stack.place}: {', '.join(many)} with more than {MOST_VALUES} values: no scores by "
                f"{'it' if len(many) == 1 else 'them'}"
            )
    return notes


def _of(stack: Stack, options: Options) -> dict[str, Any]:
    kinds = {of: stack.properties(of) for of in stack.kinds()}
    return {
        "examples": len(stack.told),
        "tables": int(stack.clusters.max()) + 1,
        "groups": _values(stack, stack.groups(), options),
        "properties": {
            of: {name: _contrast(stack, v, options) for name, v in known.items() if is_yes_or_no(v)}
            for of, known in kinds.items()
        },
        "values": {
            of: _values(stack, {name: v for name, v in known.items() if not is_yes_or_no(v)}, options)
            for of, known in kinds.items()
        },
        "cells": _cells(stack, options),
    }


def _values(
    stack: Stack, known: Mapping[str, Sequence[Value | None]], options: Options
) -> dict[str, dict[str, Any]]:
    """Name -> value -> its figures; true, false and numbers first."""
    found = {}
    for name, values in known.items():
        if not _many(values):
            texts = [None if value is None else plain(value) for value in values]
            found[name] = _by_value(
                stack, texts, sorted({t for t in texts if t is not None}, key=_order), options
            )
    return found


def plain(value: Value) -> str:
    """A value as a key of JSON."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _order(text: str) -> tuple[bool, float, str]:
    number = text.isascii() and text.isdigit() and len(text) < 16
    return not number, float(text) if number else 0.0, text


def _many(values: Sequence[Value | None]) -> bool:
    return len({str(value) for value in values if value is not None}) > MOST_VALUES


def _by_value(
    stack: Stack, texts: Sequence[str | None], names: Sequence[str], options: Options
) -> dict[str, Any]:
    masks = [_mask([text == name for text in texts]) for name in names]
    if not masks:
        return {}
    means = slice_means(stack.scores, masks, stack.clusters, options, stack.place)
    return {name: _slice(stack, masks[i], means, i, options.level) for i, name in enumerate(names)}


def _contrast(stack: Stack, values: Sequence[Value | None], options: Options) -> dict[str, Any]:
    masks = [_mask([value is wanted for value in values]) for wanted in (True, False)]
    means = slice_means(stack.scores, masks, stack.clusters, options, stack.place)
    either = _Shown(stack, masks[0] | masks[1], min(map(stack.tables, masks)), options.level)
    return {
        **{
            name: _slice(stack, masks[i], means, i, options.level)
            for i, name in enumerate(("present", "absent"))
        },
        "difference": either.figures(means.difference(0, 1), 0),
    }


def _cells(stack: Stack, options: Options) -> dict[str, Any]:
    texts = [None if told.cells is None else size_class(told.cells) for told in stack.told]
    return _by_value(stack, texts, [name for name in CLASSES if name in texts], options)


def _slice(stack: Stack, mask: Booleans, means: SliceMeans, place: int, level: float) -> dict[str, Any]:
    shown = _Shown(stack, mask, stack.tables(mask), level)
    return {"examples": int(mask.sum()), "tables": shown.tables, **shown.figures(means, place)}


@dataclass(frozen=True)
class _Shown:
    """Some examples of a stack, whose means become plain figures.

    Attributes:
        stack: of what.
        chosen: which examples the means are over, (examples,).
        tables: how many can be drawn; one alone would be drawn again and again, and has no bounds.
        level: of the intervals.
    """

    stack: Stack
    chosen: Booleans
    tables: int
    level: float

    def figures(self, means: SliceMeans, place: int) -> dict[str, Any]:
        """The figure of all models together and of each, in the slice at a place."""
        import numpy as np

        complete = np.asarray(~self.stack.lacks[:, self.chosen].any(axis=1))
        return {
            OVERALL: self._figure(means.mean_over_rows(), 0, place, bool(complete.all())),
            "models": {
                model: self._figure(means, row, place, bool(complete[row]))
                for row, model in enumerate(self.stack.models)
            },
        }

    def _figure(self, means: SliceMeans, row: int, place: int, complete: bool) -> dict[str, Any]:
        import numpy as np

        value = float(means.values[row, place])
        if np.isnan(value) or self.tables < 2:
            return figure(value, np.nan, np.nan, complete=complete)
        low, high = interval(means.samples[row, place], self.level)
        return figure(value, float(low), float(high), complete=complete)


def _mask(chosen: Sequence[bool]) -> Booleans:
    import numpy as np

    return np.array(chosen, dtype=bool)


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
