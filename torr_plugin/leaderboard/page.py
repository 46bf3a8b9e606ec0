"""All that a study's page shows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from . import schema
from .board import Board, board
from .facts import DatasetFacts, ModelFacts, dataset_facts, model_facts, other_facts, recipe_to_run_again
from .figures import Shown, percent, shown
from .heat import HeatMap, Strip, heat_maps, strips
from .kinds import Kinds, kinds
from .source import Source

OVERALL = "overall"


@dataclass(frozen=True)
class Place:
    """The charts of one data set, or of all."""

    title: str
    strips: tuple[Strip, ...]
    maps: tuple[HeatMap, ...]


@dataclass(frozen=True)
class PartTable:
    """Mean scores per serializer or perturbation: a row a name, a column a model."""

    part: str
    models: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Shown, ...]], ...]


@dataclass(frozen=True)
class PairShares:
    """Shares of model pairs, of a data set or overall."""

    name: str
    apart: str
    paired: str
    pairs: int


@dataclass(frozen=True)
class Page:
    """A study, ready for the templates; ``slug`` names its downloads, ``home`` is the list of studies."""

    title: str
    description: str
    slug: str
    home: str | None
    source: Source
    analysis: schema.Analysis
    board: Board
    label_keeping: Board | None
    places: tuple[Place, ...]
    parts: tuple[PartTable, ...]
    kinds: tuple[Kinds, ...]
    pairs: tuple[PairShares, ...]
    datasets: tuple[DatasetFacts, ...]
    models: tuple[ModelFacts, ...]
    facts: tuple[tuple[str, str], ...]
    recipe: str | None
    configurations: str
    examples: str
    level: str


def page(source: Source, slug: str, home: str | None = None) -> Page:
    """Everything of a study's page, computed from its source."""
    analysis = source.analysis
    main = board(analysis)
    kept = analysis.label_keeping
    recipe = source.study.get("recipe") or {}
    return Page(
        title=source.name,
        description=str(recipe.get("description") or ""),
        slug=slug,
        home=home,
        source=source,
        analysis=analysis,
        board=main,
        label_keeping=board(kept) if kept else None,
        places=_places(analysis, [row.model for row in main.rows]),
        parts=_parts(analysis, tuple(row.model for row in main.rows)),
        kinds=kinds(analysis, tuple(row.model for row in main.rows)),
        pairs=_pairs(analysis.separability),
        datasets=dataset_facts(source),
        models=model_facts(source),
        facts=other_facts(source),
        recipe=recipe_to_run_again(source),
        configurations=_range(analysis.settings.configurations.values()),
        examples=_range(analysis.settings.examples.values()),
        level=f"{100 * analysis.settings.level:g}%",
    )


def _places(analysis: schema.Analysis, models: list[str]) -> tuple[Place, ...]:
    """All data sets first; where there is but one, it alone."""
    found = dict(analysis.configurations)
    if len(analysis.settings.examples) == 1 or not found.get(OVERALL):
        found.pop(OVERALL, None)
    return tuple(
        Place("All data sets" if name == OVERALL else name, strips(scores, models), heat_maps(scores, models))
        for name, scores in found.items()
    )


def _parts(analysis: schema.Analysis, models: tuple[str, ...]) -> tuple[PartTable, ...]:
    tables = []
    for part, found in (("serializer", analysis.serializers), ("perturbation", analysis.perturbations)):
        scores = found.scores.get(OVERALL) if found else None
        if scores and len(scores) > 1:
            rows = tuple(
                (name, tuple(shown(by_model[model]) for model in models)) for name, by_model in scores.items()
            )
            tables.append(PartTable(part, models, rows))
    return tuple(tables)


def _pairs(separability: schema.Separability) -> tuple[PairShares, ...]:
    found = {"All data sets": separability.overall, **separability.datasets}
    if len(separability.datasets) == 1:
        found.pop("All data sets")
    return tuple(
        PairShares(name, percent(pairs.value), percent(pairs.paired), pairs.pairs)
        for name, pairs in found.items()
    )


def _range(numbers: Iterable[int]) -> str:
    found = sorted(set(numbers))
    return f"{found[0]:,}" if len(found) == 1 else f"{found[0]:,} to {found[-1]:,}"
