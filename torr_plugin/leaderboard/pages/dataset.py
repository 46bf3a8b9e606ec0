"""A data set: models on it, how hard it is, what ways of writing its tables do, kinds of its examples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...analysis import format_ranks
from ...analysis.result import NOTHING
from ..beside import detectable_texts, noise_of_models
from ..board import FIGURES, model_tiers
from ..charts import Chart
from ..charts.chart import IntervalRow, histogram, interval_chart
from ..example_scores import ExampleDifficulty, examples_by_difficulty, kinds
from ..facts import dataset_facts
from ..files import PageFile, SiteFile, with_choice
from ..other_scores import other_scores
from ..standings import standing
from ..study import Study, example_link
from ..views import FigureText, Panel, figure_text, panels, percent

MOST_EXAMPLES = 10
MOST_GAPS = 20


@dataclass(frozen=True)
class ModelRow:
    """A model's figures on the data set, its place by performance there, and its tier."""

    model: str
    link: str
    rank: str
    rank_sort: str
    tier: int | None
    performance: FigureText
    headline_robustness: FigureText
    robustness: FigureText
    robustness_solvable: FigureText
    worst: FigureText
    best: FigureText


@dataclass(frozen=True)
class ExampleRow:
    """An example with its mean over models, and the spread of the models' means."""

    example: str
    link: str
    mean: str
    spread: str


@dataclass(frozen=True)
class ExampleList:
    """Examples of one sort; ``about`` says which."""

    name: str
    title: str
    about: str
    rows: tuple[ExampleRow, ...]


@dataclass(frozen=True)
class Impact:
    """Perturbations here: a row per model, and the mean absolute impact over models."""

    perturbations: tuple[str, ...]
    rows: tuple[tuple[str, str, tuple[FigureText, ...]], ...]
    absolute: tuple[FigureText, ...]


def files(study: Study) -> Iterator[SiteFile]:
    """One page per data set."""
    by_dataset = {each.dataset: each for each in kinds(study.analysis, study.models)}
    facts = {each.name: each for each in dataset_facts(study.source)}
    found = examples_by_difficulty(study.source.scores)
    for name in study.datasets:
        gaps = [gap for gap in study.analysis.holes.cells if gap.dataset == name]
        rows = _rows(study, name)
        yield PageFile(
            path=study.paths.datasets[name],
            template="dataset.html",
            title=name,
            current="datasets",
            values={
                "name": name,
                "facts": facts.get(name),
                "rows": rows,
                "others": other_scores(study, name, [row.model for row in rows]),
                "models_chart": _models_chart(study, name, [row.model for row in rows]),
                "percent": percent,
                "uneven": study.uneven.get(name, ""),
                "detectable": _detectable(study, name),
                "noise": noise_of_models(study.analysis, {row.model: row.link for row in rows}, name),
                "separability": study.analysis.separability.datasets.get(name),
                "difficulty": _difficulty(study, name),
                "distributions": _distributions(study, name),
                "at_design": _at_design(study, name),
                "designs_here": with_choice(study.paths.designs, on=name),
                "win_rates": tuple(_win_rates(study, name)),
                "impact": _impact(study, name),
                "example_lists": _example_lists(study, name, found.get(name, ())),
                "missing": study.analysis.holes.datasets.get(name, 0),
                "gaps": gaps[:MOST_GAPS],
                "more_gaps": max(0, len(gaps) - MOST_GAPS),
                "kinds": [by_dataset[name]] if name in by_dataset else [],
            },
            scripts=("choice.js",),
        )


def _rows(study: Study, name: str) -> tuple[ModelRow, ...]:
    """Best here first; models without a score last."""
    analysis, tiers = study.analysis, model_tiers(study.analysis, name)
    found = []
    for model in study.models:
        place = standing(name, analysis.performance, model, None)
        between = analysis.rank_intervals_datasets.get(name, {}).get(model)
        row = ModelRow(
            model=model,
            link=study.paths.models[model],
            rank=format_ranks(between) if between else str(place.rank or "\N{EN DASH}"),
            rank_sort=f"{between[0]}.{between[1]:06d}" if between else str(place.rank or ""),
            tier=tiers.get(model),
            **{each: figure_text(getattr(analysis, each)[model].datasets[name]) for each in FIGURES},
        )
        found.append((place.rank or len(study.models) + 1, row))
    return tuple(row for _, row in sorted(found, key=lambda each: each[0]))


def _at_design(study: Study, name: str) -> str:
    """The design at which its formats and perturbations are compared; "" where it has one."""
    serializers = study.analysis.serializers
    return serializers.at_design.get(name, "") if serializers else ""


def _detectable(study: Study, name: str) -> str:
    if not study.analysis.detectable:
        return ""
    one, every = detectable_texts(study.analysis, name)
    return f"{one} between two models; {every} after correction for all pairs"


def _models_chart(study: Study, name: str, models: Sequence[str]) -> Chart:
    analysis = study.analysis
    figures = {"performance": analysis.performance, "robustness": analysis.headline_robustness}
    rows = [
        IntervalRow(model, figure, figure_text(figure), kind)
        for model in models
        for kind, of_kind in figures.items()
        for figure in [of_kind[model].datasets[name]]
    ]
    return interval_chart(
        "models",
        "Performance and robustness",
        f"Performance and robustness of each model on {name}, from 0 to 1, with {study.level} intervals; the "
        "best model is at the top. The numbers are in the table.",
        rows,
        first="Model",
        axis="Score",
        series=[(kind, f"var(--{kind})") for kind in figures],
    )


def _difficulty(study: Study, name: str) -> Chart | None:
    own = study.analysis.difficulty.get(name)
    if own is None or not sum(own.counts):
        return None
    return histogram(
        "difficulty",
        "Difficulty of its examples",
        f"Examples of {name} by their mean score over models and configurations, from 0 (hardest) to 1.",
        own.edges,
        own.counts,
        axis="Mean score of an example",
        of="examples",
    )


def _distributions(study: Study, name: str) -> tuple[Panel[Chart], ...]:
    """All models first, then each."""
    own = study.analysis.distributions.get(name)
    if own is None or not sum(own.counts):
        return ()
    named = [("all", "All models", own.counts)]
    if len(study.models) > 1:
        # a model may be called "all" too
        named += [
            (f"model {model}", model, own.models[model])
            for model in study.models
            if sum(own.models.get(model, ()))
        ]
    return panels(
        (
            value,
            label,
            histogram(
                f"distribution-{place}",
                f"Scores: {label}",
                f"How often each score occurs on {name}, over examples and configurations: {label}.",
                own.edges,
                counts,
                axis="Score",
                of="scores",
            ),
        )
        for place, (value, label, counts) in enumerate(named)
    )


def _win_rates(study: Study, name: str) -> Iterator[Chart]:
    for part, found in (
        ("serializer", study.analysis.serializers),
        ("perturbation", study.analysis.perturbations),
    ):
        rates = found.win_rates.datasets.get(name) if found and found.win_rates else None
        if not rates or len(rates) < 2:
            continue
        best_first = sorted(rates.items(), key=lambda each: -(each[1].value or 0.0))
        yield interval_chart(
            f"win-rates-{part}",
            f"Win rates of {part}s",
            f"The share of wins of each {part} on {name}, with {study.level} intervals; a line marks what "
            f"all would have if none were better: {1 / len(rates):.3f}.",
            [IntervalRow(each, figure, figure_text(figure)) for each, figure in best_first],
            first=part.capitalize(),
            axis="Share of wins",
            mark_at=1 / len(rates),
            unit=False,
        )


def _impact(study: Study, name: str) -> Impact | None:
    part = study.analysis.perturbations
    found = part.differences.get(name) if part else None
    if not part or not found:
        return None
    names = tuple(dict.fromkeys(each for own in found.values() for each in own))
    absolute = part.absolute_impact.datasets.get(name, {}) if part.absolute_impact else {}
    return Impact(
        perturbations=names,
        rows=tuple(
            (
                model,
                study.paths.models[model],
                tuple(figure_text(found[model].get(each, NOTHING)) for each in names),
            )
            for model in study.models
            if model in found
        ),
        absolute=tuple(figure_text(absolute.get(each, NOTHING)) for each in names),
    )


def _example_lists(study: Study, name: str, every: Sequence[ExampleDifficulty]) -> tuple[ExampleList, ...]:
    """The ends of the difficulty, and where models disagree; fewer where there are few examples."""
    most = min(MOST_EXAMPLES, max(1, len(every) // 2))
    divisive = sorted(every, key=lambda each: (-each.spread, each.example))
    lists = [
        ("hardest", "Hardest", "lowest mean over models and configurations", every[:most]),
        ("easiest", "Easiest", "highest mean", every[::-1][:most]),
    ]
    if len(study.models) > 1:
        about = "largest standard deviation of the models' means"
        lists.append(("divisive", "Most divisive", about, divisive[:most]))
    return tuple(
        ExampleList(key, title, about, tuple(_example(study, name, each) for each in own))
        for key, title, about, own in lists
        if own
    )


def _example(study: Study, dataset: str, each: ExampleDifficulty) -> ExampleRow:
    link = example_link(study, dataset, each.example)
    return ExampleRow(each.example, link, f"{each.mean:.2f}", f"{each.spread:.2f}")
