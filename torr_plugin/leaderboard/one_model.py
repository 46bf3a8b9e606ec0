"""What pages say of one model: how much is right, where, what changes it, and answers to look at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np

from ..analysis import format_percent
from ..analysis.statistics import example_means
from .factors import FactorTable, model_changes, model_formats
from .percents import PercentText, percent_text
from .study import Study, example_link

_WRONG_ANSWERS = 3
_WRONG = 0.5
"""A mean score below it is rather wrong than right."""


@dataclass(frozen=True)
class OneModel:
    """A model alone.

    Attributes:
        right: its mean score.
        datasets: data set -> where it is right; none of one data set.
        formats: in which format, best first; None of one format.
        layouts: what each layout change does to the mean score.
        designs: likewise of designs.
        answers: sentences on answers that are not in the asked form, unfinished or refused.
        wrong: questions that it answers wrong in most configurations, the worst of each data set: name, link.
    """

    right: PercentText
    datasets: dict[str, PercentText]
    formats: FactorTable | None
    layouts: FactorTable | None
    designs: FactorTable | None
    answers: tuple[str, ...]
    wrong: tuple[tuple[str, str], ...]


def one_model(study: Study, model: str) -> OneModel:
    """The figures of a model."""
    analysis = study.analysis
    own = analysis.performance[model]
    several = len(study.datasets) > 1
    return OneModel(
        right=percent_text(own.overall),
        datasets={name: percent_text(own.datasets[name]) for name in study.datasets if several},
        formats=model_formats(study, model),
        layouts=model_changes(study, analysis.perturbations, model),
        designs=model_changes(study, analysis.designs, model),
        answers=tuple(_answers(study, model)),
        wrong=_wrong(study, model),
    )


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
    noise = study.analysis.noise
    if noise is not None and (again := noise.noise[model].overall.value) is not None:
        yield f"Asked the same again, {format_percent(again)} of its answers score otherwise."


def _wrong(study: Study, model: str) -> tuple[tuple[str, str], ...]:
    """The questions of the lowest mean scores, of one data set after the other."""
    found: list[list[tuple[str, str]]] = []
    for cube in study.cubes:
        (means,) = example_means(cube.scores[[cube.models.index(model)]])
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
