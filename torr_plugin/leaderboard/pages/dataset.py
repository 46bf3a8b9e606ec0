"""A data set: what it is, questions to look at, kinds of them, other scores, ToRR's figures, what failed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...analysis import format_percent
from ...analysis.cube import Cube
from ...analysis.statistics import example_means
from ..facts import dataset_facts
from ..files import PageFile, SiteFile, with_choice
from ..kinds import KindTable, dataset_kinds
from ..other_scores import other_scores
from ..standings import FIGURES, torr_rows
from ..study import Study, example_link
from ..text import tied
from ..views import View, ViewCell, number_cell

MOST_EXAMPLES = 5
MOST_GAPS = 20


def files(study: Study) -> Iterator[SiteFile]:
    """One page per data set."""
    facts = {each.name: each for each in dataset_facts(study.source)}
    cubes = {cube.dataset: cube for cube in study.cubes}
    several = len(study.datasets) > 1
    for name in study.datasets:
        gaps = [gap for gap in study.analysis.holes.cells if gap.dataset == name]
        overview, examples = study.paths.overview, study.paths.examples
        yield PageFile(
            path=study.paths.datasets[name],
            template="dataset.html",
            title=name,
            current="datasets",
            values={
                "name": name,
                "facts": facts[name],
                "models_here": with_choice(overview, show=f"on {name}") if several else overview,
                "examples_here": with_choice(examples, dataset=name) if several else examples,
                "torr": torr_rows(study.analysis, name),
                "torr_figures": FIGURES,
                "others": other_scores(study, name, study.models),
                "lists": _example_lists(study, name, examples_by_difficulty(cubes[name])),
                "missing": study.analysis.holes.datasets.get(name, 0),
                "gaps": gaps[:MOST_GAPS],
                "more_gaps": max(0, len(gaps) - MOST_GAPS),
                "kinds": _kinds(study, name),
            },
        )


def _kinds(study: Study, name: str) -> tuple[KindTable, ...]:
    slices = study.analysis.slices.get(name)
    return dataset_kinds(slices, study.models) if slices else ()


@dataclass(frozen=True)
class ExampleDifficulty:
    """One example over all models: its mean score, and the standard deviation of the models' means."""

    example: str
    mean: float
    spread: float


def examples_by_difficulty(cube: Cube) -> list[ExampleDifficulty]:
    """The examples that any model answered, hardest first."""
    means = example_means(cube.scores)
    known = ~np.isnan(means).all(axis=0)
    names, means = np.array(cube.examples)[known].tolist(), means[:, known]
    every = map(ExampleDifficulty, names, np.nanmean(means, axis=0), np.nanstd(means, axis=0))
    return sorted(every, key=lambda each: (each.mean, each.example))


def _example_lists(study: Study, name: str, every: Sequence[ExampleDifficulty]) -> list[tuple[str, View]]:
    """The hardest, and where models disagree; fewer where there are few examples."""
    if not every:
        return []
    most = min(MOST_EXAMPLES, max(1, len(every) // 2))

    def listed(title: str, about: str, own: Sequence[ExampleDifficulty], figure: str, alike: str) -> View:
        rows = tuple(
            (
                ViewCell(each.example, href=example_link(study, name, each.example)),
                number_cell(format_percent(getattr(each, figure))),
            )
            for each in own[:most]
        )
        tie = tied([getattr(each, figure) for each in own], most)
        head = ("Question", "Right" if figure == "mean" else "Standard deviation")
        return View(head, rows, caption=f"{about}; {tie} {alike}" if tie else about, title=title)

    lowest = "Least right over models and ways of writing the table"
    lists = [("hardest", listed("Hardest", lowest, every, "mean", "that are equally hard"))]
    if len(study.models) > 1:
        divisive = sorted(every, key=lambda each: (-each.spread, each.example))
        about = "Largest standard deviation of how much models have right"
        alike = "with models equally far apart"
        lists.append(("divisive", listed("Models furthest apart", about, divisive, "spread", alike)))
    return lists
