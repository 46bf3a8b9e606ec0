"""A study as its pages see it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from . import schema
from .drawn import CHARTS_FOLDER, DrawnCharts
from .history import Snapshot
from .paths import StudyPaths, study_paths
from .sections import ShownSection
from .source import StudySource
from .text import slug


@dataclass(frozen=True)
class ModelWords:
    """What is known of a model beside its figures; None where nothing is said. ``size`` in billions."""

    family: str | None = None
    size: float | None = None
    open: bool | None = None


@dataclass(frozen=True)
class Study:
    """One study.

    Attributes:
        title: its name.
        description: of its recipe, or "".
        slug: its name in addresses.
        source: what it was made from.
        paths: of its pages.
        models: best overall performance first.
        datasets: in the study's order.
        words: model -> what is known of it; an entry each.
        configurations: how many, as text: ``35`` or ``7 to 35``.
        examples: likewise, a data set.
        level: of the intervals, as text: ``95%``.
        home: the page that lists all studies; None where there is no other.
        sections: what plugins add to its overview; ``section_notes`` says what failed of it.
        history: what was published of it, the oldest first, this publication last.
        history_notes: what could not be read of an earlier site.
        changed_line: what changed since the publication before, in a line; None where there is none before.
        drawn: waits for its charts as SVG and PNG, and says which there are; None where none are drawn.
        room: bytes that its examples may take; None: as many as those of a whole site.
    """

    title: str
    description: str
    slug: str
    source: StudySource
    paths: StudyPaths
    models: tuple[str, ...]
    datasets: tuple[str, ...]
    words: Mapping[str, ModelWords]
    configurations: str
    examples: str
    level: str
    home: str | None = None
    sections: tuple[ShownSection, ...] = ()
    section_notes: tuple[str, ...] = ()
    history: tuple[Snapshot, ...] = ()
    history_notes: tuple[str, ...] = ()
    changed_line: str | None = None
    drawn: Callable[[], DrawnCharts] | None = None
    room: int | None = None

    @property
    def analysis(self) -> schema.Analysis:
        """Its figures."""
        return self.source.analysis

    def drawn_chart(self, name: str) -> str:
        """The way to a chart's SVG and PNG from the site's root, without their endings; "" where it is none.

        Waits for the drawing, so pages that ask come last (:mod:`.pages`).
        """
        there = name and self.drawn is not None and any(file.name == name for file in self.drawn().files)
        return f"{self.paths.data}/{CHARTS_FOLDER}/{name}" if there else ""


def study_of(source: StudySource, taken: set[str], *, alone: bool) -> Study:
    """A study to publish.

    Args:
        source: what it is made from.
        taken: slugs of other studies.
        alone: whether the site has no other study.
    """
    from ..analysis import ranked_models

    name = slug(source.name, {"index", "assets", "data", *taken})
    analysis = source.analysis
    models, datasets = tuple(ranked_models(source.figures)), tuple(analysis.settings.examples)
    recipe: Mapping[str, Any] = source.study.get("recipe") or {}
    return Study(
        title=source.name,
        description=str(recipe.get("description") or ""),
        slug=name,
        source=source,
        paths=study_paths(name, alone=alone, models=models, datasets=datasets),
        models=models,
        datasets=datasets,
        words={model: _words(source.descriptions.get(model) or {}) for model in models},
        configurations=_range(analysis.settings.configurations),
        examples=_range(analysis.settings.examples),
        level=f"{100 * analysis.settings.level:g}%",
        home=None if alone else "index.html",
    )


def _words(said: Mapping[str, Any]) -> ModelWords:
    size, is_open, family = said.get("size"), said.get("open"), said.get("family")
    return ModelWords(
        family=None if family is None else str(family),
        size=None if size is None else float(size),
        open=None if is_open is None else bool(is_open),
    )


def _range(counts: Mapping[str, int]) -> str:
    found = sorted(set(counts.values()))
    return f"{found[0]:,}" if len(found) == 1 else f"{found[0]:,} to {found[-1]:,}"
