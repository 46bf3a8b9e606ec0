"""Two models: paired differences, and the examples and configurations where they differ most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ...analysis.result import OVERALL, Everywhere
from ..charts.comparisons import ChartConfiguration, configuration_difference_chart, difference_chart
from ..comparing import ModelComparison, Pairs, by_models, compare_models
from ..example_scores import UNIT, ExampleMeans, example_means
from ..files import PageFile, SiteFile, packed_script
from ..formats import ALL_DATASETS
from ..pairwise import UNTESTED, WORDS
from ..results import StudyResults
from ..study import Study
from ..views import interval_text


@dataclass(frozen=True)
class Neighbours:
    """A model and the next in the ranking; ``found`` is None where the analysis lacks the pair."""

    better: str
    next: str
    found: ModelComparison | None


def files(study: Study) -> Iterator[SiteFile]:
    """The page, and a file of each model with what it needs beside the others."""
    pairs = by_models(study.analysis.pairs)
    means = example_means(study.source.scores, study.models, study.datasets)
    folder = f"{study.paths.scripts}/compare"
    examples = [list(means.examples[name]) for name in study.datasets]
    configurations = _configurations(study)
    yield packed_script(f"{folder}/examples.js", examples)
    for number, model in enumerate(study.models):
        value = _side(study, model, pairs, means, configurations)
        yield packed_script(f"{folder}/{number}.js", value)
    yield PageFile(
        path=study.paths.compare,
        template="compare.html",
        title="Compare",
        current="compare",
        values=_values(study, pairs, configurations, folder),
        scripts=("compare.js",),
    )


def _values(
    study: Study, pairs: Pairs, configurations: Sequence[ChartConfiguration], folder: str
) -> dict[str, Any]:
    """Of the template: the two best models, until a reader chooses."""
    places = (ALL_DATASETS, *study.datasets)
    figures = study.analysis.compared_figures
    shown = _comparison(study, pairs, *study.models[:2]) if len(study.models) > 1 else None
    sides = {what: shown.sides[what] if shown else (UNTESTED,) * len(places) for what in figures}
    return {
        "shown": shown,
        "places": places,
        "sides": sides,
        "figures": {
            model: {what: _figures(study.analysis, model, what, study) for what in figures}
            for model in study.models[:2]
        },
        "charts": [difference_chart(what, places, sides[what]) for what in figures[:2]],
        "formats": configuration_difference_chart(configurations, _kinds_of(study)),
        "neighbours": [
            Neighbours(one, other, _comparison(study, pairs, one, other))
            for one, other in zip(study.models, study.models[1:], strict=False)
        ],
        "choices": {
            "folder": folder,
            "figures": figures,
            "models": study.models,
            "datasets": study.datasets,
            "places": places,
            "words": {str(state): words for state, words in WORDS.items()},
            "unit": UNIT,
            "examples": study.paths.examples,
            "configurations": [each.plain() for each in configurations],
        },
    }


def _comparison(study: Study, pairs: Pairs, one: str, other: str) -> ModelComparison | None:
    return compare_models(study, pairs, one, other)


def _figures(analysis: StudyResults, model: str, what: str, study: Study) -> list[str]:
    """The model's own figures as texts, all data sets first."""
    found: Everywhere = getattr(analysis, what)[model]
    each = [found.overall, *(found.datasets[name] for name in study.datasets)]
    return [interval_text(figure) for figure in each]


def _side(
    study: Study,
    model: str,
    pairs: Pairs,
    means: ExampleMeans,
    configurations: Sequence[ChartConfiguration],
) -> dict[str, Any]:
    """What the page needs of a model: its figures, itself beside each other one, and its scores."""
    beside = {}
    for number, other in enumerate(study.models):
        found = None if other == model else _comparison(study, pairs, model, other)
        if found is not None:
            beside[str(number)] = found.plain()
    return {
        "figures": [_figures(study.analysis, model, what, study) for what in study.analysis.compared_figures],
        "beside": beside,
        "examples": [means.of[model][name] for name in study.datasets],
        "configurations": [
            _scores(study.analysis, place, model, configurations) for place in (OVERALL, *study.datasets)
        ],
    }


def _scores(
    analysis: StudyResults,
    place: str,
    model: str,
    configurations: Sequence[ChartConfiguration],
) -> list[float | None]:
    found = analysis.configurations.get(place) or {}
    values = [found.get(each.name, {}).get(model) for each in configurations]
    return [None if value is None else round(value, 5) for value in values]


def _kinds_of(study: Study) -> tuple[str, ...]:
    """What the configurations of a serializer differ in: perturbations, designs, or both."""
    scores = study.source.scores
    varied = (name for name in ("perturbation", "design") if name in scores and scores[name].nunique() > 1)
    return tuple(varied) or ("perturbation",)


def _configurations(study: Study) -> list[ChartConfiguration]:
    """All configurations, in the study's order, with their serializer, and what else differs, where known."""
    names = list(dict.fromkeys(name for found in study.analysis.configurations.values() for name in found))
    parts: dict[str, tuple[str, str]] = {}
    scores = study.source.scores
    if {"serializer", "perturbation"} <= set(scores.columns):
        kinds = _kinds_of(study)
        described = scores[["config", "serializer", *kinds]].drop_duplicates("config").dropna()
        parts = {
            str(config): (str(serializer), ", ".join(map(str, kind)))
            for config, serializer, *kind in described.itertuples(index=False)
        }
    return [ChartConfiguration(name, *parts.get(name, ("", ""))) for name in names]
