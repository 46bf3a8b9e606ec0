"""Mean scores by group, by property and by the table's size (HCT-QA, section 4.2, Table 1, Fig. 36)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...core.names import value_order
from ...core.statistics import Booleans, table_count
from ..charts.heat import HeatLayout, heat_map
from ..charts.labels import ChartContext, NoChart, bounds_row, unique_labels
from ..charts.vega import SEQUENTIAL, ChartRow, Spec
from ..estimates import Estimate, ExampleValues, mean_over_models
from ..examples import (
    CLASSES,
    ExampleScores,
    Value,
    is_yes_or_no,
    size_class,
    slice_means,
)
from ..figure import Figure, FigureChart, FigureTable, Row
from ..options import Options
from ..result import INTERVAL, OVERALL, FigureResult, Interval, interval_cells
from ..study import StudyScores

MOST_VALUES = 40
"""Of a group or property: one with more values names examples rather than kinds of them."""


class SliceDifference(FigureResult):
    """Between two kinds of examples: the mean over models, and of each."""

    overall: Interval
    models: dict[str, Interval] = {}


class Slice(FigureResult):
    """Mean scores over the examples of one kind: the mean over models, and of each."""

    examples: int
    tables: int = 0
    overall: Interval
    models: dict[str, Interval] = {}


class PropertyContrast(FigureResult):
    """Examples with a property, and those without it."""

    present: Slice
    absent: Slice
    difference: SliceDifference


SlicesByValue = dict[str, dict[str, Slice]]
"""Group or property -> value -> slice."""


class Slices(FigureResult):
    """A data set's scores by kind of example, or those of all: there, larger data sets count more.

    ``groups`` by value; ``properties`` of "table" or "question" that are yes or no; ``values`` of those with
    other values; ``cells`` by class of the table's size.
    """

    examples: int = 0
    tables: int = 0
    groups: SlicesByValue = {}
    properties: dict[str, dict[str, PropertyContrast]] = {}
    values: dict[str, SlicesByValue] = {}
    cells: dict[str, Slice] = {}


def slices(found: Sequence[ExampleScores], options: Options) -> dict[str, Slices]:
    """Data set or "overall" -> its slices.

    Args:
        found: the scores of each data set, and of all together.
        options: resamples, level and seed are used; whole tables are resampled.
    """
    return {scores.place: _slices(scores, options) for scores in found}


def slice_notes(found: Sequence[ExampleScores]) -> list[str]:
    """What is left out, a line each."""
    notes = []
    for scores in found:
        many = [name for name, values in scores.groups().items() if _many(values)]
        if many:
            notes.append(
                f"{scores.place}: {', '.join(many)} with more than {MOST_VALUES} values: no scores by "
                f"{'it' if len(many) == 1 else 'them'}"
            )
    return notes


def _slices(scores: ExampleScores, options: Options) -> Slices:
    kinds = {of: scores.properties(of) for of in scores.kinds()}
    return Slices(
        examples=len(scores.known),
        tables=table_count(scores.clusters),
        groups=_by_values(scores, scores.groups(), options),
        properties={
            of: {name: _contrast(scores, v, options) for name, v in known.items() if is_yes_or_no(v)}
            for of, known in kinds.items()
        },
        values={
            of: _by_values(scores, {name: v for name, v in known.items() if not is_yes_or_no(v)}, options)
            for of, known in kinds.items()
        },
        cells=_cells(scores, options),
    )


def _by_values(
    scores: ExampleScores, known: Mapping[str, Sequence[Value | None]], options: Options
) -> SlicesByValue:
    """Name -> value -> its slice; numbers and steps of a scale by size, then others by name."""
    found = {}
    for name, values in known.items():
        if not _many(values):
            texts = [None if value is None else plain(value) for value in values]
            names = sorted({t for t in texts if t is not None}, key=value_order)
            found[name] = _by_value(scores, texts, names, options)
    return found


def plain(value: Value) -> str:
    """A value as a key of JSON."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _many(values: Sequence[Value | None]) -> bool:
    return len({str(value) for value in values if value is not None}) > MOST_VALUES


def _by_value(
    scores: ExampleScores, texts: Sequence[str | None], names: Sequence[str], options: Options
) -> dict[str, Slice]:
    masks = [_mask([text == name for text in texts]) for name in names]
    if not masks:
        return {}
    return {name: _slice(scores, masks[i], options.level) for i, name in enumerate(names)}


def _contrast(scores: ExampleScores, values: Sequence[Value | None], options: Options) -> PropertyContrast:
    masks = [_mask([value is wanted for value in values]) for wanted in (True, False)]
    means, drawn = slice_means(scores.scores, masks, scores.clusters, options, scores.place)
    less, samples = (each[:, 0] - each[:, 1] for each in (means, drawn))
    if min(map(scores.tables, masks)) < 2:
        samples = np.full(samples.shape, np.nan)
    known: Booleans = np.asarray(~np.isnan(means).all(axis=1))
    rows = np.flatnonzero(known) if known.any() else np.array([0])
    together = Estimate(less[rows].mean(keepdims=True), (), samples[rows].mean(axis=0, keepdims=True))
    return PropertyContrast(
        present=_slice(scores, masks[0], options.level),
        absent=_slice(scores, masks[1], options.level),
        difference=SliceDifference(
            **_intervals(scores, masks[0] | masks[1], together, Estimate(less, (), samples), options.level)
        ),
    )


def _cells(scores: ExampleScores, options: Options) -> dict[str, Slice]:
    texts = [None if known.cells is None else size_class(known.cells) for known in scores.known]
    return _by_value(scores, texts, [name for name in CLASSES if name in texts], options)


def _slice(scores: ExampleScores, mask: Booleans, level: float) -> Slice:
    """Means with score intervals; a single table has none."""
    tables = scores.tables(mask)
    _, clusters = np.unique(scores.clusters[mask], return_inverse=True)
    values = scores.scores[:, mask]
    each, together = (
        _estimate(ExampleValues(part, clusters), tables) for part in (values, mean_over_models(values)[None])
    )
    figures = _intervals(scores, mask, together, each, level)
    return Slice(examples=int(mask.sum()), tables=tables, **figures)


def _estimate(part: ExampleValues, tables: int) -> Estimate:
    return Estimate(part.means.mean, (part,) if tables > 1 else ())


def _intervals(
    scores: ExampleScores, chosen: Booleans, together: Estimate, each: Estimate, level: float
) -> dict[str, Any]:
    """``overall``, of all models together, and ``models``, of each.

    Args:
        scores: of all examples.
        chosen: which of them the means are over, (examples,).
        together: the mean over models, (1,).
        each: of the models.
        level: of the intervals.
    """
    complete: Booleans = np.asarray(~scores.lacks[:, chosen].any(axis=1))
    together = replace(together, complete=np.all(complete, keepdims=True))
    return {
        "overall": together.intervals(level, [OVERALL])[OVERALL],
        "models": replace(each, complete=complete).intervals(level, scores.models),
    }


def _mask(chosen: Sequence[bool]) -> Booleans:
    return np.array(chosen, dtype=bool)


def _rows(result: Mapping[str, Slices]) -> Iterator[Row]:
    """A row a mean score: of all models together ("overall") and of each, in each slice."""
    for place, found in result.items():
        for of, name, value, own in _all_slices(found):
            size = (own.examples, own.tables) if isinstance(own, Slice) else (None, None)
            for model, figure in {OVERALL: own.overall, **own.models}.items():
                yield place, of, name, value, model, *size, *interval_cells(figure)


def _all_slices(found: Slices) -> Iterator[tuple[str, str, str, Slice | SliceDifference]]:
    for name, values in found.groups.items():
        yield from (("group", name, value, own) for value, own in values.items())
    for of, contrasts in found.properties.items():
        for name, contrast in contrasts.items():
            yield of, name, "present", contrast.present
            yield of, name, "absent", contrast.absent
            yield of, name, "difference", contrast.difference
    for of, properties in found.values.items():
        for name, values in properties.items():
            yield from ((of, name, value, own) for value, own in values.items())
    yield from (("table", "cells", value, own) for value, own in found.cells.items())


_UNKNOWN = "nothing is known of the kinds of examples"
_LONGEST = 48


def _values_chart(
    key: str, of: str, values_of: Callable[[Slices], SlicesByValue], without: str
) -> FigureChart:
    """A heat map: a column a model, a row a value (of a group or a property) on a data set."""

    def build(result: Mapping[str, Slices], context: ChartContext) -> Spec:
        models = context.model_labels()
        places = {
            (place, name, value): own
            for place, found in result.items()
            for name, values in values_of(found).items()
            if len(values) > 1  # one value is the whole data set, whose score has a chart of its own
            for value, own in values.items()
        }
        if not places:
            raise NoChart(without)
        several = len({place for place, _, _ in places}) > 1
        names = unique_labels(
            (f"{name} {value}" + (f", {place}" if several else "") for place, name, value in places), _LONGEST
        )
        rows: list[ChartRow] = [
            {"row": label, "column": models[model], **figure}
            for label, own in zip(names.values(), places.values(), strict=True)
            for model in models
            if (figure := bounds_row(own.models[model]))
        ]
        values = [row["value"] for row in rows] or [0.0]
        middle = (min(values) + max(values)) / 2
        layout = HeatLayout(
            rows=list(names.values()),
            columns=list(models.values()),
            legend="mean score",
            scheme=SEQUENTIAL,
            domain=(min(values), max(values)),
            dark=(middle, 2.0),
        )
        lines = [context.basis, f"Below each figure: its {context.level} score interval, by table"]
        return heat_map(rows, layout, f"Mean score of each model by {of}", lines)

    return FigureChart(key, build, absent=_UNKNOWN)


def _values_of_properties(found: Slices) -> SlicesByValue:
    return {name: values for known in found.values.values() for name, values in known.items()}


def _unknown_notes(study: StudyScores) -> list[str]:
    """Of scores whose examples are not among those that something is known of."""
    datasets, known = [cube.dataset for cube in study.cubes], study.known_examples
    if known and not known.keys() & set(datasets):
        return [
            f"no figures by kind of example: what is known is of {', '.join(sorted(known))}, "
            f"the scores are of {', '.join(datasets)}"
        ]
    missing = {
        cube.dataset: len(set(cube.examples) - known[cube.dataset].keys())
        for cube in study.cubes
        if cube.dataset in known
    }
    return [
        f"{dataset}: nothing is known of {count:,} examples, which are in no figure by kind of example"
        for dataset, count in missing.items()
        if count
    ]


class SlicesFigure(Figure[dict[str, Slices]]):
    """Mean scores by kind of example."""

    key = "slices"
    tables = (
        FigureTable(
            "slices",
            ("dataset", "of", "name", "value_of_it", "model", "examples", "tables", *INTERVAL),
            _rows,
            "scores by kind of example: groups, properties of tables and questions, sizes",
        ),
    )
    charts = (
        _values_chart(
            "groups",
            "group of examples",
            lambda found: found.groups,
            "the examples are in no groups, or all in one",
        ),
        _values_chart(
            "property_values",
            "value of a property",
            _values_of_properties,
            "no properties with several values other than yes and no are known",
        ),
    )

    def compute(self, study: StudyScores) -> dict[str, Slices] | None:
        """Compute the means, where something is known of examples."""
        return slices(study.example_scores, study.options) or None

    def notes(self, study: StudyScores, result: dict[str, Slices] | None) -> list[str]:
        """Examples of which nothing is known, and groups that are too many."""
        return [*_unknown_notes(study), *slice_notes(study.example_scores)]


SLICES = SlicesFigure()
