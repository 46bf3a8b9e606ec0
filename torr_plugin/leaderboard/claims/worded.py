"""All that a site may say in words: kinds of question, and the groups of hypotheses of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...analysis.figures.designs import Designs
from ...analysis.figures.level_choice import Behind
from ...analysis.result import OVERALL, Interval
from ..results import FigureName, StudyResults
from .cells import StudyCells, pair_hypothesis
from .claim import Claim, Group, Hypothesis
from .kinds import example_kinds
from .places import places_apart

PERFORMANCE, PERFORMANCE_ON_DATASET = "performance", "performance on a data set"
"""Kinds of question."""

Names = Sequence[str]
"""Of one place."""


def questions(analysis: StudyResults) -> Iterator[tuple[str, Sequence[Group]]]:
    """Kind of question -> its groups; over all data sets, where most is at stake, apart from each."""
    cells = StudyCells(analysis)
    overall, *datasets = cells.places
    main, *robust = analysis.compared_figures
    models = list(analysis.performance)
    yield PERFORMANCE, [_pairs(cells, main, overall)]
    yield "robustness", [_pairs(cells, each, overall) for each in robust[:1]]
    yield PERFORMANCE_ON_DATASET, [_pairs(cells, main, names) for names in datasets]
    yield (
        "robustness on a data set",
        [_pairs(cells, each, names) for each in robust[:1] for names in datasets],
    )
    yield (
        "robustness over all configurations",
        [_pairs(cells, each, names) for each in robust[1:] for names in cells.places],
    )
    if analysis.label_keeping is not None:
        kept = StudyCells(analysis.label_keeping)
        yield (
            "performance under label-keeping perturbations",
            [_pairs(kept, main, names, kept=True) for names in kept.places],
        )
    yield "place on a data set", [_places_apart(cells, name) for names in datasets for name in names]
    yield "format", [_formats(cells, model, overall) for model in models]
    each = [_formats(cells, model, names) for model in models for names in datasets]
    yield "format on a data set", [*each, *_format_pairs(cells)]
    yield "perturbation", list(_changes(cells))
    if analysis.designs is not None:
        yield "design", list(_designs(cells, analysis.designs, [overall]))
        yield "design on a data set", list(_designs(cells, analysis.designs, datasets))
    yield "kind of examples", list(_kinds(cells))


def _pairs(cells: StudyCells, figure: FigureName, names: Names, *, kept: bool = False) -> Group:
    """All pairs of models in a place; corrected for one another by Holm's procedure."""
    found: dict[Hypothesis, Claim] = {}
    kind = "performance" if figure == "performance" else "robustness"
    for pair in cells.analysis.pairs:
        places = pair.of(figure)
        own = places.places().get(names[-1]) if places else None
        if own:
            keys = {name: pair_hypothesis(figure, *pair.models, name, kept=kept) for name in names}
            estimate = Interval(value=own.difference, low=own.low, high=own.high, complete=own.complete)
            found |= cells.same(kind, keys, estimate, own.p, examples=own.examples, sides=pair.models)
    return found


def _places_apart(cells: StudyCells, dataset: str) -> Group:
    found: dict[Hypothesis, Claim] = {}
    for model, word, p in places_apart(cells.analysis, dataset):
        figure = cells.analysis.performance[model].datasets[dataset]
        found |= cells.same("place", {dataset: ("place", dataset, model, word)}, figure, p)
    return found


def _formats(cells: StudyCells, model: str, names: Names) -> Group:
    """A model's formats and its best one; corrected for one another, and for which is the best."""
    found = cells.analysis.serializers
    chosen = found.advised.get(model) if found else None
    claims: dict[Hypothesis, Claim] = {}
    examples = cells.shared(model, names[-1])
    for place, row in enumerate(chosen.places().get(names[-1], []) if chosen else []):
        keys: dict[str, Hypothesis] = {name: ("worse", model, name, row.serializer) for name in names}
        claims |= cells.same("format", keys, *_behind(row.behind), examples=examples, of_best=not place)
    return claims


def _behind(found: Behind) -> tuple[Interval, float | None]:
    """Of a format, or design, and the model's best: above 0 where it is behind."""
    return Interval(value=found.value, low=found.low, high=found.high), found.p


def _format_pairs(cells: StudyCells) -> Iterator[Group]:
    """Formats that stand apart, or share few examples; the pairs of a model are corrected."""
    found = cells.analysis.serializers
    for dataset, models in (found.compared_apart if found else {}).items():
        for model, pairs in models.items():
            group: dict[Hypothesis, Claim] = {}
            for pair in pairs:
                key = "apart", model, dataset, pair.first, pair.second
                group |= cells.same("format", {dataset: key}, pair, pair.p, examples=pair.examples)
            yield group


def _changes(cells: StudyCells) -> Iterator[Group]:
    found = cells.analysis.perturbations
    for model, by_name in (found.differences.get(OVERALL, {}) if found else {}).items():
        for name, figure in by_name.items():
            yield cells.same("perturbation", {OVERALL: ("change", model, name)}, figure, figure.p)


def best_format(analysis: StudyResults, model: str, place: str) -> str:
    """The format in which a model's mean score is highest, "" where formats are not compared."""
    found = analysis.serializers
    chosen = found.advised.get(model) if found else None
    rows = chosen.places().get(place, []) if chosen else []
    return rows[0].serializer if rows else ""


def _designs(cells: StudyCells, found: Designs, places: Sequence[Names]) -> Iterator[Group]:
    """A model's designs and its best one, corrected as formats are; then each against its base."""
    for model in cells.analysis.performance:
        for names in places:
            chosen, group = found.choice.get(model), dict[Hypothesis, Claim]()
            for place, row in enumerate(chosen.places().get(names[-1], []) if chosen else []):
                keys: dict[str, Hypothesis] = {
                    name: ("worse design", model, name, row.design) for name in names
                }
                group |= cells.same("design", keys, *_behind(row.behind), of_best=not place)
            yield group
            for design, figure in found.differences.get(names[-1], {}).get(model, {}).items():
                changes: dict[str, Hypothesis] = {name: ("design", model, name, design) for name in names}
                yield cells.same("design", changes, figure, figure.p)


def _kinds(cells: StudyCells) -> Iterator[Group]:
    for kind in example_kinds(cells.analysis):
        for model, p in kind.found.p.items():
            own, mean = kind.found.models[model].value, cells.analysis.performance[model]
            there = mean.datasets[kind.dataset].value
            less = None if own is None or there is None else own - there
            estimate, keys = Interval(value=less, low=None, high=None), {kind.dataset: (*kind.name, model)}
            yield cells.same("kind of examples", keys, estimate, p, examples=kind.found.examples)
