"""What stands out about a model, as sentences with numbers: its strengths and weaknesses.

Every sentence must hold by its interval. As many things are compared, intervals are first widened for their
number (Bonferroni's correction, by the normal approximation). A rank on a data set counts where it lies two
or more ranks from the overall one, a perturbation that keeps the answers correct where its difference
excludes 0, and a kind of example where its interval is apart from the model's mean on the data set.
Serializers follow the analysis's own simultaneous comparison with the best.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import NormalDist, median

from ..analysis import format_ranks
from ..analysis.figures.slices import Slices
from ..analysis.result import OVERALL, Everywhere, Interval
from .files import with_choice
from .study import Study
from .text import listed
from .views import FigureText, figure_text, interval_text, negated

MOST = 4
"""Sentences of one sort."""
LEAST_PLACES = 2
"""Between the interval of a place on a data set and that of the overall place, to be worth a sentence."""
LEAST_EXAMPLES = 10
"""Resamples of fewer say little: two examples of equal scores have an interval without width."""


@dataclass(frozen=True)
class ModelFinding:
    """A sentence, and the page that shows what it rests on, from the site's root."""

    text: str
    link: str
    link_text: str


@dataclass(frozen=True)
class ModelFindings:
    """Of one model."""

    strengths: tuple[ModelFinding, ...]
    brittle: tuple[ModelFinding, ...]


def model_findings(study: Study, model: str) -> ModelFindings:
    """All that stands out, one sort after the other."""
    good: list[ModelFinding] = []
    bad: list[ModelFinding] = []
    for sort in (_places, _serializers, _perturbations, _kinds):
        found = sorted(sort(study, model), key=lambda each: -abs(each[0]))
        good += [finding for size, finding in found if size > 0][:MOST]
        bad += [finding for size, finding in found if size < 0][:MOST]
    return ModelFindings(tuple(good), tuple(bad))


_Sized = Iterator[tuple[float, ModelFinding]]
"""Findings with their size, which is below 0 for a weakness."""


def _places(study: Study, model: str) -> _Sized:
    """Data sets where it ranks differently than overall."""
    overall = study.analysis.rank_intervals.get(model)
    for dataset in study.datasets:
        own = study.analysis.rank_intervals_datasets.get(dataset, {}).get(model)
        if overall is None or own is None or study.analysis.settings.examples[dataset] < LEAST_EXAMPLES:
            continue
        (first, last), (first_overall, last_overall) = (
            _widened(study, sum(places) / 2, places, len(study.datasets)) for places in (own, overall)
        )
        figure = interval_text(study.analysis.performance[model].datasets[dataset])
        here, there = format_ranks(own), format_ranks(overall)
        word = "better" if last < first_overall else "worse"
        text = f"On {dataset} it ranks {here}, {word} than its {there} overall: {figure}."
        finding = ModelFinding(text, study.paths.datasets[dataset], dataset)
        if first_overall - last >= LEAST_PLACES:
            yield first_overall - last, finding
        elif first - last_overall >= LEAST_PLACES:
            yield last_overall - first, finding


def _serializers(study: Study, model: str) -> _Sized:
    """The serializers that do not differ from its best, and those that cost it something."""
    part = study.analysis.serializers
    choices = part.choice.get(model) if part else None
    rows = choices.overall if choices else []
    if len(rows) < 2:
        return
    link = with_choice(study.paths.configurations, model=model), "Configurations"
    best, equal = rows[0], [row.serializer for row in rows[1:] if not row.worse]
    figure = interval_text(best)
    if len(equal) == len(rows) - 1:
        text = f"No serializer is significantly worse than its best, {best.serializer} ({figure})."
    elif equal:
        text = f"It reads {best.serializer} best ({figure}); not significantly worse: {listed(equal)}."
    else:
        text = f"It reads {best.serializer} best ({figure}); all others are significantly worse."
    yield 1, ModelFinding(text, *link)
    for place, row in enumerate(rows):
        if row.worse:
            cost = interval_text(row.behind)
            yield (
                -place,
                ModelFinding(f"{row.serializer} costs it {cost} compared with {best.serializer}.", *link),
            )


def _perturbations(study: Study, model: str) -> _Sized:
    """Perturbations that move its score; only those that keep the answers right everywhere."""
    part, settings = study.analysis.perturbations, study.analysis.settings
    every = part.differences.get(OVERALL, {}).get(model, {}) if part else {}
    found = {
        name: figure
        for name, figure in every.items()
        if all(name in settings.keeps_labels.get(dataset, ()) for dataset in study.datasets)
    }
    if sum(settings.examples.values()) < LEAST_EXAMPLES:
        return
    link = with_choice(study.paths.configurations, model=model), "Configurations"
    for name, figure in found.items():
        bounds = _bounds(study, figure, len(found))
        if figure.value is None or bounds is None:
            continue
        if bounds[1] < 0:
            cost = interval_text(negated(figure))
            text = f"The perturbation {name} costs it {cost} compared with the same tables unperturbed."
            yield figure.value, ModelFinding(text, *link)
        elif bounds[0] > 0:
            text = f"With the perturbation {name} it gains {interval_text(figure)}."
            yield figure.value, ModelFinding(text, *link)


def _kinds(study: Study, model: str) -> _Sized:
    """Kinds of examples where its score differs from its mean on the data set."""
    every = [
        (dataset, *kind)
        for dataset, slices in study.analysis.slices.items()
        if dataset in study.paths.datasets
        for kind in _figures_of_kinds(slices, model)
    ]
    for dataset, kind, figure, examples in every:
        mean = study.analysis.performance[model].datasets[dataset]
        bounds = _bounds(study, figure, len(every))
        if bounds is None or figure.value is None or None in (mean.value, mean.low, mean.high):
            continue
        gap = figure.value - (mean.value or 0.0)
        text = f"On examples of {dataset} {kind} ({examples:,} of them): {interval_text(figure)}, "
        text += f"{'above' if gap > 0 else 'below'} its {interval_text(mean)} on all examples."
        link = f"{study.paths.datasets[dataset]}#kinds", f"kinds of examples of {dataset}"
        if bounds[0] > (mean.high or 0.0) or bounds[1] < (mean.low or 0.0):
            yield gap, ModelFinding(text, *link)


def _figures_of_kinds(slices: Slices, model: str) -> Iterator[tuple[str, Interval, int]]:
    """Kinds of enough examples: words to follow "examples of X", the model's figure, the count."""
    for group, values in {**slices.groups, "number of cells": slices.cells}.items():
        for value, own in values.items():
            if model in own.models and len(values) > 1 and own.examples >= LEAST_EXAMPLES:
                yield f"with {group} {_quoted(value)}", own.models[model], own.examples
    for part, properties in slices.properties.items():
        for name, contrast in properties.items():
            own = contrast.present
            if model in own.models and contrast.absent.examples and own.examples >= LEAST_EXAMPLES:
                yield f"whose {part} has {_quoted(name)}", own.models[model], own.examples


def _bounds(study: Study, figure: Interval, looked_at: int) -> tuple[float, float] | None:
    """A figure's interval, widened; None where it has none, or one without width: of equal scores."""
    if figure.value is None or figure.low is None or figure.high is None or figure.low == figure.high:
        return None
    return _widened(study, figure.value, (figure.low, figure.high), looked_at)


def _widened(study: Study, middle: float, bounds: tuple[float, float], looked_at: int) -> tuple[float, float]:
    """The bounds, widened so that ``looked_at`` intervals hold together at the study's level."""
    outside = (1 - study.analysis.settings.level) / 2
    normal = NormalDist()
    factor = normal.inv_cdf(1 - outside / max(1, looked_at)) / normal.inv_cdf(1 - outside)
    return middle - factor * (middle - bounds[0]), middle + factor * (bounds[1] - middle)


def _quoted(name: str) -> str:
    return f"\N{LEFT DOUBLE QUOTATION MARK}{name}\N{RIGHT DOUBLE QUOTATION MARK}"


@dataclass(frozen=True)
class DatasetStanding:
    """A model's figure on a data set, and all models' least, middle and greatest.

    ``rank`` is its place by the value (equal values share the better place), None without one; ``ranks`` is
    the interval of its places as text, "" where the analysis has none.
    """

    dataset: str
    figure: Interval
    text: FigureText
    least: float | None
    middle: float | None
    greatest: float | None
    rank: int | None
    ranks: str
    models: int


def standings(
    figures: Mapping[str, Everywhere],
    model: str,
    intervals: Mapping[str, Mapping[str, tuple[int, int] | None]],
) -> tuple[DatasetStanding, ...]:
    """One per data set, in the figures' order.

    Args:
        figures: model -> its figures, of performance or of robustness; higher is better.
        model: whose standing it is.
        intervals: data set -> model -> first and last place in resamples; may be empty.
    """
    return tuple(standing(name, figures, model, intervals.get(name)) for name in figures[model].datasets)


def standing(
    dataset: str,
    figures: Mapping[str, Everywhere],
    model: str,
    intervals: Mapping[str, tuple[int, int] | None] | None,
) -> DatasetStanding:
    """A model's on one data set; ``intervals`` are of the places there."""
    own = figures[model].datasets[dataset]
    known = [value for each in figures.values() if (value := each.datasets[dataset].value) is not None]
    return DatasetStanding(
        dataset=dataset,
        figure=own,
        text=figure_text(own),
        least=min(known, default=None),
        middle=median(known) if known else None,
        greatest=max(known, default=None),
        rank=None if own.value is None else 1 + sum(value > own.value for value in known),
        ranks=format_ranks(intervals.get(model)) if intervals else "",
        models=len(known),
    )
