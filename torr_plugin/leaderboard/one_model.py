"""What the first page says of a study of one model: how much is right, where, and what changes it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np

from ..analysis import format_percent, format_points
from ..analysis.result import OVERALL
from ..analysis.statistics import example_means
from .board import PercentText, percent_text
from .formats import formats
from .study import Study, example_link

_WRONG_ANSWERS = 3
_WRONG = 0.5
"""A mean score below it is rather wrong than right."""


@dataclass(frozen=True)
class PartOfModel:
    """A row: what it is of, its figure, and what its prompts cost where that is known, in tokens."""

    label: str
    figure: PercentText
    href: str = ""
    tokens: int | None = None


@dataclass(frozen=True)
class OneModel:
    """A model alone.

    Attributes:
        right: its mean score.
        datasets: where it is right; none of one data set.
        formats: in which format, best first; none of one format.
        changes: what each layout change does to the mean score, in points.
        answers: sentences on answers that are not in the asked form, unfinished or refused.
        wrong: questions that it answers wrong in most configurations, the worst of each data set: name, link.
    """

    right: PercentText
    datasets: tuple[PartOfModel, ...]
    formats: tuple[PartOfModel, ...]
    changes: tuple[PartOfModel, ...]
    answers: tuple[str, ...]
    wrong: tuple[tuple[str, str], ...]


def one_model(study: Study) -> OneModel:
    """The figures of the only model of a study."""
    analysis, (model,) = study.analysis, study.models
    own = analysis.performance[model]
    return OneModel(
        right=percent_text(own.overall),
        datasets=tuple(
            PartOfModel(study.short[name], percent_text(own.datasets[name]), study.paths.datasets[name])
            for name in study.datasets
            if len(study.datasets) > 1
        ),
        formats=tuple(_formats(study, model)),
        changes=tuple(_changes(study, model)),
        answers=tuple(_answers(study, model)),
        wrong=_wrong(study),
    )


def _formats(study: Study, model: str) -> Iterator[PartOfModel]:
    found = formats(study.analysis, model, OVERALL)
    for one in found if len(found) > 1 else ():
        tokens = None if one.tokens is None else round(one.tokens)
        yield PartOfModel(study.short.get(one.name, one.name), percent_text(one.score), tokens=tokens)


def _changes(study: Study, model: str) -> Iterator[PartOfModel]:
    """Each layout change against the table as it is, the one that costs most first."""
    found = study.analysis.perturbations
    own = found.differences.get(OVERALL, {}).get(model, {}) if found else {}
    for name, difference in sorted(own.items(), key=lambda each: each[1].value or 0.0):
        value, bounds = format_points(difference.value, difference.low, difference.high)
        yield PartOfModel(name, PercentText(value, bounds, complete=difference.complete))


def _answers(study: Study, model: str) -> Iterator[str]:
    form = study.analysis.format_following.get(model)
    if form is not None and form.overall.differ.value:
        differ, lenient = form.overall.differ.value, form.overall.lenient.value
        yield (
            f"{format_percent(differ)} of the answers score otherwise when they are read leniently "
            f"(then {format_percent(lenient)} are right): they are not in the form that was asked for."
        )
    ended = study.analysis.endings.get(model)
    if ended is not None:
        said = {
            "ran out of tokens before any answer": ended.overall.unfinished.value,
            "are refusals": ended.overall.refused.value,
            "were cut, and are scored as they stand": ended.overall.cut.value,
        }
        yield from (
            f"{format_percent(share)} of the answers {what}." for what, share in said.items() if share
        )


def _wrong(study: Study) -> tuple[tuple[str, str], ...]:
    """The questions of the lowest mean scores, of one data set after the other."""
    found: list[list[tuple[str, str]]] = []
    for cube in study.cubes:
        (means,) = example_means(cube.scores)
        names = [
            cube.examples[place] for place in np.argsort(means)[:_WRONG_ANSWERS] if means[place] < _WRONG
        ]
        found.append(
            [
                (f"{study.short[cube.dataset]}: {name}", example_link(study, cube.dataset, name))
                for name in names
            ]
        )
    in_turn = (each for turn in zip_longest(*found) for each in turn if each is not None)
    return tuple(each for each, _ in zip(in_turn, range(_WRONG_ANSWERS), strict=False))
