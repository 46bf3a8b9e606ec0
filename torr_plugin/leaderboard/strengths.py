"""What stands out about a model, as sentences with numbers: its strengths and weaknesses.

Every sentence is claimed by the rule for sentences (:mod:`.claims`) over all that is compared on all models'
pages: places on a data set that differ from the overall one, serializers behind the best, perturbations that
keep the answers correct, designs, and kinds of examples.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import median

from ..analysis import format_ranks
from ..analysis.figures.design_differences import DesignContrast
from ..analysis.result import OVERALL, Contrast, Everywhere, Interval
from .claims import Claims
from .claims.kinds import example_kinds
from .claims.places import LEAST_EXAMPLES, LEAST_PLACES
from .coverage import one_design
from .files import with_choice
from .formats import formats
from .study import Study
from .text import listed
from .views import FigureText, figure_text, interval_text, negated

_CORRECTED = "after this site\N{RIGHT SINGLE QUOTATION MARK}s correction"
MOST = 4
"""Sentences of one sort."""


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
    """All that stands out, one sort after the other.

    Args:
        study: the study.
        model: of which.
    """
    claims = study.claims.sentences
    good: list[ModelFinding] = []
    bad: list[ModelFinding] = []
    for sort in (_places, _serializers, _perturbations, _designs, _kinds):
        found = sorted(sort(study, model, claims), key=lambda each: -abs(each[0]))
        good += [finding for size, finding in found if size > 0][:MOST]
        bad += [finding for size, finding in found if size < 0][:MOST]
    return ModelFindings(tuple(good), tuple(bad))


_Sized = Iterator[tuple[float, ModelFinding]]
"""Findings with their size, which is below 0 for a weakness."""


def _places(study: Study, model: str, claims: Claims) -> _Sized:
    """Data sets where it ranks differently than overall."""
    overall = study.analysis.rank_intervals.get(model)
    for dataset in study.datasets:
        own = study.analysis.rank_intervals_datasets.get(dataset, {}).get(model)
        if overall is None or own is None:
            continue
        here, there = format_ranks(own), format_ranks(overall)
        figure = interval_text(study.analysis.performance[model].datasets[dataset])
        for word, sign in (("better", 1), ("worse", -1)):
            if ("place", dataset, model, word) in claims:
                text = f"On {dataset} it ranks {here}, {word} than its {there} overall: {figure}."
                size = abs(sum(overall) - sum(own)) / 2 or LEAST_PLACES
                yield sign * size, ModelFinding(text, study.paths.datasets[dataset], dataset)


def _serializers(study: Study, model: str, claims: Claims) -> _Sized:
    """The serializers that do not differ from its best, and those that cost it something."""
    rows = formats(study.analysis, model, OVERALL, claims)
    if len(rows) < 2 or rows[0].behind is None:
        return
    link = with_choice(study.paths.formats, model=model), "Formats"
    best, equal = rows[0], [row.name for row in rows[1:] if not row.worse]
    figure = interval_text(best.score)
    design = one_design(study.analysis)
    start, at, alike = "It", "", ""
    if design:
        start = f"With the design {design} it"
        at, alike = f", both with the design {design}", f", all with the design {design}"
    if len(equal) == len(rows) - 1:
        text = f"No serializer is, {_CORRECTED}, significantly worse than its best, {best.name} ({figure})"
        text += f"{alike}."
    elif equal:
        text = f"{start} reads {best.name} best ({figure}); not significantly worse"
        text += f" {_CORRECTED}: {listed(equal)}."
    else:
        text = f"{start} reads {best.name} best ({figure}); all others are significantly worse."
    yield 1, ModelFinding(text, *link)
    for place, row in enumerate(rows):
        if row.worse and row.behind is not None:
            cost = interval_text(row.behind)
            yield -place, ModelFinding(f"{row.name} costs it {cost} compared with {best.name}{at}.", *link)


def _perturbations(study: Study, model: str, claims: Claims) -> _Sized:
    """Perturbations that move its score."""
    link = with_choice(study.paths.formats, model=model), "Formats"
    for name, figure in _perturbed(study, model).items():
        if figure.value is None or ("change", model, name) not in claims:
            continue
        if figure.value < 0:
            cost = interval_text(negated(figure))
            text = f"The perturbation {name} costs it {cost} compared with the same tables unperturbed."
        else:
            text = f"With the perturbation {name} it gains {interval_text(figure)}."
        yield figure.value, ModelFinding(text, *link)


def _designs(study: Study, model: str, claims: Claims) -> _Sized:
    """Designs that move its score, against their bases."""
    link = with_choice(study.paths.designs, of=model), "Designs"
    for name, figure in _redesigned(study, model).items():
        if figure.value is None or ("design", model, OVERALL, name) not in claims:
            continue
        if figure.value < 0:
            cost = interval_text(negated(figure))
            text = f"The design {name} costs it {cost} compared with {figure.base} in the same formats."
        else:
            gain = interval_text(figure)
            text = f"With the design {name} it gains {gain} over {figure.base} in the same formats."
        yield figure.value, ModelFinding(text, *link)


def _redesigned(study: Study, model: str) -> dict[str, DesignContrast]:
    """What designs change for a model over formats."""
    found = study.analysis.designs
    if found is None or sum(study.analysis.settings.examples.values()) < LEAST_EXAMPLES:
        return {}
    return found.differences.get(OVERALL, {}).get(model, {})


def _perturbed(study: Study, model: str) -> dict[str, Contrast]:
    """What perturbations change for a model; only those that keep the answers right everywhere."""
    part, settings = study.analysis.perturbations, study.analysis.settings
    if part is None or sum(settings.examples.values()) < LEAST_EXAMPLES:
        return {}
    return {
        name: figure
        for name, figure in part.differences.get(OVERALL, {}).get(model, {}).items()
        if all(name in settings.keeps_labels.get(dataset, ()) for dataset in study.datasets)
    }


def _kinds(study: Study, model: str, claims: Claims) -> _Sized:
    """Kinds of examples where its score differs from that on the data set's other examples."""
    for kind in example_kinds(study.analysis):
        dataset, own = kind.dataset, kind.found
        figure, mean = own.models.get(model), study.analysis.performance[model].datasets[dataset]
        if figure is None or figure.value is None or mean.value is None or (*kind.name, model) not in claims:
            continue
        gap = figure.value - mean.value
        text = f"On examples of {dataset} {kind.words} ({own.examples:,} of them): {interval_text(figure)}, "
        text += f"{'above' if gap > 0 else 'below'} its {interval_text(mean)} on all examples."
        link = f"{study.paths.datasets[dataset]}#kinds", f"kinds of examples of {dataset}"
        yield gap, ModelFinding(text, *link)


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
        intervals: data set -> model -> the first and the last rank that it may have; perhaps empty.
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
