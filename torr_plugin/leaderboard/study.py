"""A study as its pages see it, and what a site of several studies needs: unique titles, shared models."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ..analysis import format_range
from ..analysis.cube import Cube, label_keeping
from ..analysis.examples import KnownExample, known_examples
from ..analysis.frame import main_scores
from ..analysis.result import OVERALL
from ..analysis.study import cubes_with_tables
from .battles.rated import RatedBattles, rate_battles
from .coverage import Bases, figure_bases
from .files import StudyPaths, study_paths, with_choice
from .percents import PercentText, percent_text
from .results import StudyResults
from .sections import ShownSection
from .source import PublishedSource, keeps_labels
from .text import short_names, slug
from .verdicts import Groups, PairVerdicts, error_rule, tied_groups

ROOM = 250_000_000
"""Bytes that the examples of a site may take, of all its studies together."""


@dataclass(frozen=True)
class ModelWords:
    """What is known of a model beside its figures; None where unknown.

    ``size`` is in billions of parameters, ``context`` in tokens, ``price`` in US dollars for a million tokens
    of prompts.
    """

    maker: str | None = None
    family: str | None = None
    size: float | None = None
    open: bool | None = None
    licence: str | None = None
    context: int | None = None
    price: float | None = None
    link: str | None = None
    released: str | None = None

    @property
    def known(self) -> bool:
        """Whether anything is."""
        return self != ModelWords()

    @property
    def line(self) -> str:
        """Who made it, and on what terms, for below its name: ``OpenAI \N{MIDDLE DOT} closed``."""
        weights = None if self.open is None else "open" if self.open else "closed"
        size = None if self.size is None else f"{self.size:g}B"
        parts = (self.maker or self.family, self.licence or weights, size)
        return " \N{MIDDLE DOT} ".join(part for part in parts if part)


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
        words: model -> what is known of it; an entry for each.
        configurations: how many, as text: ``35`` or ``7 to 35``.
        examples: of a data set, as text: ``100`` or ``40 to 100``.
        level: of the intervals, as text: ``95%``.
        home: the page that lists all studies; None where there is no other.
        sections: what plugins add to its overview.
        section_notes: what failed of them.
        share_image: the path of its share image from the site's root; "" where there is none.
        room: bytes that its examples may take.
    """

    title: str
    description: str
    slug: str
    source: PublishedSource
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
    share_image: str = ""
    room: int = ROOM

    def having(self, **values: Any) -> Study:
        """The study with other values of some fields; what was computed once is kept.

        So it is not for ``source``, ``models`` and ``datasets``, on which that rests.
        """
        changed = replace(self, **values)
        known = {field.name for field in fields(self)}
        vars(changed).update({name: value for name, value in vars(self).items() if name not in known})
        return changed

    @property
    def analysis(self) -> StudyResults:
        """Its figures."""
        return self.source.analysis

    @cached_property
    def short(self) -> Mapping[str, str]:
        """Model, data set, format or configuration -> its name without what all models, say, share."""
        scores = self.source.scores
        formats = scores["serializer"].dropna().unique() if "serializer" in scores else ()
        return {
            **short_names(sorted(map(str, scores["config"].dropna().unique()))),
            **short_names(sorted(map(str, formats))),
            **short_names(self.datasets),
            **short_names(self.models),
        }

    @cached_property
    def pairs(self) -> PairVerdicts:
        """The verdicts on pairs of its models."""
        return PairVerdicts(self.analysis)

    @cached_property
    def tied_groups(self) -> Mapping[str, Groups]:
        """Data set or "overall" -> tied groups."""
        return tied_groups(self.analysis)

    @property
    def tiers(self) -> Mapping[str, int]:
        """Model -> its tied group over all data sets, 1 for the best."""
        return self.tied_groups[OVERALL]

    @property
    def error_rule(self) -> str:
        """What a reader must know beside verdicts."""
        return error_rule(self.level)

    @cached_property
    def varied_parts(self) -> tuple[str, ...]:
        """In what its configurations differ beside the format: ``perturbation``, ``design``."""
        scores = self.source.scores
        return tuple(
            part for part in ("perturbation", "design") if part in scores and scores[part].nunique() > 1
        )

    @property
    def several_designs(self) -> bool:
        """Whether its configurations differ in the design of the prompt, and not in the format alone."""
        return "design" in self.varied_parts

    @cached_property
    def changing(self) -> Mapping[str, tuple[str, ...]]:
        """Perturbation -> the data sets where it may make references wrong; none where nothing is stated."""
        keeps, scores = keeps_labels(self.source.study), self.source.scores
        found: dict[str, list[str]] = {}
        if keeps and "perturbation" in scores:
            asked = scores[["dataset", "perturbation"]].drop_duplicates().dropna().astype(str)
            for dataset, name in asked.itertuples(index=False):
                if name not in ("none", *keeps.get(dataset, (name,))):
                    found.setdefault(name, []).append(dataset)
        return {name: tuple(where) for name, where in found.items()}

    @cached_property
    def rated(self) -> RatedBattles | None:
        """What its battles say of its models; None where it has none. It can take seconds."""
        battles = self.source.battles
        return None if battles is None else rate_battles(battles, self.analysis.settings)

    @cached_property
    def bases(self) -> Bases:
        """Over how many examples its figures are, where that is not all."""
        return figure_bases(self.analysis, self.cubes) if self.uneven else {}

    @cached_property
    def kept_bases(self) -> Bases:
        """The same under label-keeping perturbations."""
        kept = label_keeping(self.cubes, self.analysis.settings.keeps_labels) if self.uneven else []
        return figure_bases(self.analysis.label_keeping, kept) if kept and self.analysis.label_keeping else {}

    @property
    def uneven(self) -> bool:
        """Whether some example lacks a score in some configuration."""
        return not self.analysis.holes.complete or bool(self.analysis.holes.not_asked)

    @cached_property
    def cubes(self) -> list[Cube]:
        """Its scores, a data set each, with what is known of the tables of its examples."""
        return cubes_with_tables(main_scores(self.source.scores), self.known_examples)

    @cached_property
    def known_examples(self) -> Mapping[str, Mapping[str, KnownExample]]:
        """What its run knows of examples: data set -> example -> that."""
        return known_examples(self.source.run.examples()) if self.source.run else {}

    @cached_property
    def fingerprint(self) -> str:
        """A digest of its scores, whatever the order of their rows: 32 hexadecimal digits."""
        scores = self.source.scores
        kept = [name for name in ("model", "dataset", "config", "example", "metric") if name in scores]
        frame = scores[[*kept, "score"]].astype({"score": "float64"})
        rows = np.sort(pd.util.hash_pandas_object(frame, index=False).to_numpy())
        return hashlib.sha256(rows.astype("<u8").tobytes()).hexdigest()[:32]


def study_of(source: PublishedSource, taken: set[str], *, alone: bool) -> Study:
    """A study to publish, with a slug that is not taken; ``alone``: whether the site has no other."""
    name = slug(source.name, {"index", "assets", "data", *taken})
    analysis = source.analysis
    models, datasets = tuple(analysis.ranked), tuple(analysis.settings.examples)
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
        configurations=format_range(analysis.settings.configurations.values()),
        examples=format_range(analysis.settings.examples.values()),
        level=f"{100 * analysis.settings.level:g}%",
        home=None if alone else "index.html",
    )


def _words(description: Mapping[str, Any]) -> ModelWords:
    """Of a description that was checked where it was read, or is a run's."""
    price = description.get("price")
    found = {name: description[name] for name in _OF_WORDS if description.get(name) is not None}
    return ModelWords(**found, price=price.get("prompt") if isinstance(price, Mapping) else None)


_OF_WORDS = tuple(name for name in ModelWords.__dataclass_fields__ if name != "price")


def with_unique_titles(studies: Sequence[Study]) -> tuple[Study, ...]:
    """The studies with titles that differ: by date, by harness, by what was given, at last by number."""
    found = list(studies)
    for more in (
        lambda study: str(study.source.study.get("created") or "")[:10],
        lambda study: harness(study.source.study),
        lambda study: study.source.path.name,
    ):
        found = _with(found, more)
    seen: Counter[str] = Counter()
    titles = Counter(study.title for study in found)
    for place, study in enumerate(found):
        if titles[study.title] > 1:
            seen[study.title] += 1
            found[place] = study.having(title=f"{study.title} ({seen[study.title]})")
    return tuple(found)


def _with(studies: Sequence[Study], more: Callable[[Study], str]) -> list[Study]:
    """The studies; those of one title get an addition, unless it is the same for all of them."""
    shared: dict[str, list[Study]] = {}
    for study in studies:
        shared.setdefault(study.title, []).append(study)
    changed = []
    for study in studies:
        group = shared[study.title]
        addition = more(study) if len({more(each) for each in group}) > 1 else ""
        changed.append(study.having(title=f"{study.title} ({addition})") if addition else study)
    return changed


def harness(study: Mapping[str, Any]) -> str:
    """Where an imported study's answers are from: ``HELM 0.5.16``; "" for one that was run here."""
    imported = study.get("imported")
    if not isinstance(imported, Mapping):
        return ""
    return f"{imported.get('harness') or ''} {imported.get('version') or ''}".strip()


def same_scores(studies: Sequence[Study]) -> Mapping[str, tuple[str, ...]]:
    """Slug -> titles of the other studies that rest on the same scores, by their fingerprints."""
    return {
        study.slug: tuple(
            other.title for other in studies if other is not study and other.fingerprint == study.fingerprint
        )
        for study in studies
    }


@dataclass(frozen=True)
class SharedModel:
    """A model of several studies: how much it has right in each, None where it is not in one."""

    model: str
    rights: tuple[PercentText | None, ...]


def shared_models(studies: Sequence[Study]) -> tuple[SharedModel, ...]:
    """The models that two studies or more have, by name alone, those in the most studies first."""
    counts = Counter(model for study in studies for model in study.models)
    names = [model for model, count in counts.most_common() if count > 1]
    known = [study.analysis.performance for study in studies]
    return tuple(
        SharedModel(name, tuple(percent_text(own[name].overall) if name in own else None for own in known))
        for name in names
    )


def example_link(study: Study, dataset: str, example: str) -> str:
    """An example under all its configurations; from the site's root."""
    return with_choice(study.paths.examples, dataset=dataset, example=example)
