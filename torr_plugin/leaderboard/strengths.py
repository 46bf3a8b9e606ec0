"""What stands out about a model, as sentences with numbers: its strengths and weaknesses.

Every sentence must hold by its interval. As many things are compared, intervals are first widened for their
number (Bonferroni's correction, by the normal approximation). A rank on a data set counts where it lies two
or more ranks from the overall one, a perturbation that keeps the answers correct where its difference
excludes 0, and a kind of example where its interval is apart from the model's mean on the data set.
Serializers follow the analysis's own simultaneous comparison with the best.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
    for found in (_places, _serializers, _perturbations, _kinds):
        strengths, brittle = found(study, model)
        good += strengths[:MOST]
        bad += brittle[:MOST]
    return ModelFindings(tuple(good), tuple(bad))


_Sorted = tuple[Sequence[ModelFinding], Sequence[ModelFinding]]


def _places(study: Study, model: str) -> _Sorted:
    """Data sets where it ranks differently than overall, furthest first."""
    overall = study.analysis.rank_intervals.get(model)
    good: list[tuple[float, ModelFinding]] = []
    bad: list[tuple[float, ModelFinding]] = []
    looked_at = len(study.datasets)
    for dataset in study.datasets:
        own = study.analysis.rank_intervals_datasets.get(dataset, {}).get(model)
        if overall is None or own is None or study.analysis.settings.examples[dataset] < LEAST_EXAMPLES:
            continue
        (first, last), (first_overall, last_overall) = (
            _widened(study, sum(places) / 2, places, looked_at) for places in (own, overall)
        )
        figure = interval_text(study.analysis.performance[model].datasets[dataset])
        here, there = format_ranks(own), format_ranks(overall)
        word = "better" if last < first_overall else "worse"
        text = f"On {dataset} it ranks {here}, {word} than its {there} overall: {figure}."
        link = study.paths.datasets[dataset], dataset
        if first_overall - last >= LEAST_PLACES:
            good.append((first_overall - last, ModelFinding(text, *link)))
        elif first - last_overall >= LEAST_PLACES:
            bad.append((first - last_overall, ModelFinding(text, *link)))
    return _furthest(good), _furthest(bad)


def _serializers(study: Study, model: str) -> _Sorted:
    """The serializers that do not differ from its best, and those that cost it something."""
    part = study.analysis.serializers
    choices = part.choice.get(model) if part else None
    rows = choices.overall if choices else []
    if len(rows) < 2:
        return (), ()
    link = with_choice(study.paths.configurations, model=model), "Configurations"
    best, equal = rows[0], [row.serializer for row in rows[1:] if not row.worse]
    if len(equal) == len(rows) - 1:
        text = (
            f"No serializer is significantly worse than its best, {best.serializer} ({interval_text(best)})."
        )
    elif equal:
        text = f"It reads {best.serializer} best ({interval_text(best)}); "
        text += f"not significantly worse: {listed(equal)}."
    else:
        text = f"It reads {best.serializer} best ({interval_text(best)}); all others are significantly worse."
    worse = [
        ModelFinding(
            f"{row.serializer} costs it {interval_text(row.behind)} compared with {best.serializer}.", *link
        )
        for row in reversed(rows)
        if row.worse
    ]
    return [ModelFinding(text, *link)], worse


def _perturbations(study: Study, model: str) -> _Sorted:
    """Perturbations that move its score, by how far: those alone that keep the answers right everywhere."""
    part, settings = study.analysis.perturbations, study.analysis.settings
    every = part.differences.get(OVERALL, {}).get(model, {}) if part else {}
    found = {
        name: figure
        for name, figure in every.items()
        if all(name in settings.keeps_labels.get(dataset, ()) for dataset in study.datasets)
    }
    if sum(settings.examples.values()) < LEAST_EXAMPLES:
        return (), ()
    link = with_choice(study.paths.configurations, model=model), "Configurations"
    good: list[tuple[float, ModelFinding]] = []
    bad: list[tuple[float, ModelFinding]] = []
    for name, figure in found.items():
        bounds = _bounds(study, figure, len(found))
        if figure.value is None or bounds is None:
            continue
        if bounds[1] < 0:
            cost = interval_text(negated(figure))
            text = f"The perturbation {name} costs it {cost} compared with the same tables unperturbed."
            bad.append((-figure.value, ModelFinding(text, *link)))
        elif bounds[0] > 0:
            text = f"With the perturbation {name} it gains {interval_text(figure)}."
            good.append((figure.value, ModelFinding(text, *link)))
    return _furthest(good), _furthest(bad)


def _kinds(study: Study, model: str) -> _Sorted:
    """Kinds of examples where its score differs from its mean on the data set."""
    every = [
        (dataset, *kind)
        for dataset, slices in study.analysis.slices.items()
        if dataset in study.paths.datasets
        for kind in _figures_of_kinds(slices, model)
    ]
    good: list[tuple[float, ModelFinding]] = []
    bad: list[tuple[float, ModelFinding]] = []
    for dataset, kind, figure, examples in every:
        mean = study.analysis.performance[model].datasets[dataset]
        bounds = _bounds(study, figure, len(every))
        if bounds is None or figure.value is None or None in (mean.value, mean.low, mean.high):
            continue
        gap = figure.value - (mean.value or 0.0)
        text = f"On examples of {dataset} {kind} ({examples:,} of them): {interval_text(figure)}, "
        text += f"{'above' if gap > 0 else 'below'} its {interval_text(mean)} on all examples."
        link = f"{study.paths.datasets[dataset]}#kinds", f"kinds of examples of {dataset}"
        if bounds[0] > (mean.high or 0.0):
            good.append((gap, ModelFinding(text, *link)))
        elif bounds[1] < (mean.low or 0.0):
            bad.append((-gap, ModelFinding(text, *link)))
    return _furthest(good), _furthest(bad)


def _figures_of_kinds(slices: Slices, model: str) -> Iterator[tuple[str, Interval, int]]:
    """Kind, as words that go after "examples of X", the model's figure, how many examples; none of few."""
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
    """Bounds that all of ``looked_at`` intervals keep together at the study's level, if each has it them."""
    outside = (1 - study.analysis.settings.level) / 2
    normal = NormalDist()
    factor = normal.inv_cdf(1 - outside / max(1, looked_at)) / normal.inv_cdf(1 - outside)
    return middle - factor * (middle - bounds[0]), middle + factor * (bounds[1] - middle)


def _quoted(name: str) -> str:
    return f"\N{LEFT DOUBLE QUOTATION MARK}{name}\N{RIGHT DOUBLE QUOTATION MARK}"


def _furthest(found: list[tuple[float, ModelFinding]]) -> list[ModelFinding]:
    return [finding for _, finding in sorted(found, key=lambda each: -each[0])]


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
