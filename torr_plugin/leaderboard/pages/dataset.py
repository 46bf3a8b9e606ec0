"""A data set: models on it, how hard its examples are, kinds of them, what failed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...analysis.cube import Cube
from ...analysis.statistics import example_means
from ..beside import noise_of_models
from ..charts import Chart
from ..charts.chart import difficulty_chart
from ..facts import dataset_facts
from ..files import PageFile, SiteFile, with_choice
from ..formats import formats
from ..kinds import KindTable, dataset_kinds
from ..other_scores import other_scores
from ..standings import standings
from ..study import Study, example_link
from ..text import tied
from ..verdicts import detectable, pairs_apart
from ..views import View, ViewCell, number_cell, two_digits

MOST_EXAMPLES = 5
MOST_GAPS = 20


def files(study: Study) -> Iterator[SiteFile]:
    """One page per data set."""
    facts = {each.name: each for each in dataset_facts(study.source)}
    cubes = {cube.dataset: cube for cube in study.cubes}
    for name in study.datasets:
        gaps = [gap for gap in study.analysis.holes.cells if gap.dataset == name]
        rows = standings(study.analysis, study.tied_groups, name)
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
                "detectable": detectable(study, name),
                "noise": noise_of_models(
                    study.analysis, {row.model: study.paths.models[row.model] for row in rows}, name
                ),
                "apart": pairs_apart(study.analysis, name),
                "formats_here": _formats_here(study, name),
                "examples_here": _chosen(study, study.paths.examples, name),
                "tables_here": study.analysis.table_kinds and _chosen(study, study.paths.tables, name),
                "difficulty": _difficulty(study, name),
                "example_lists": _example_lists(study, name, examples_by_difficulty(cubes[name])),
                "missing": study.analysis.holes.datasets.get(name, 0),
                "gaps": gaps[:MOST_GAPS],
                "more_gaps": max(0, len(gaps) - MOST_GAPS),
                "kinds": _kinds(study, name),
            },
        )


def _chosen(study: Study, path: str, name: str) -> str:
    """A page with the data set chosen, which a page of a single data set need not be."""
    if len(study.datasets) == 1:
        return path
    return with_choice(path, dataset=name)


def _formats_here(study: Study, name: str) -> str:
    """The page of formats, "" where none are compared here."""
    known = any(formats(study.analysis, model, name) for model in study.models)
    return _chosen(study, study.paths.formats, name) if known else ""


def _kinds(study: Study, name: str) -> tuple[KindTable, ...]:
    slices = study.analysis.slices.get(name)
    return dataset_kinds(slices, study.models) if slices else ()


def _difficulty(study: Study, name: str) -> Chart | None:
    """How many examples are how hard; None where all are as hard."""
    own = study.analysis.difficulty.get(name)
    if own is None or sum(map(bool, own.counts)) < 2:
        return None
    return difficulty_chart(name, own.edges, own.counts)


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
    """The ends of the difficulty, and where models disagree; fewer where there are few examples."""
    if not every:
        return []
    most = min(MOST_EXAMPLES, max(1, len(every) // 2))
    several = len(study.models) > 1
    head = ("Example", "Mean", *(("Std. dev.",) if several else ()))

    def listed(title: str, about: str, own: Sequence[ExampleDifficulty], figure: str, alike: str) -> View:
        rows = tuple(
            (
                ViewCell(each.example, href=example_link(study, name, each.example)),
                number_cell(two_digits(each.mean)),
                *((number_cell(two_digits(each.spread)),) if several else ()),
            )
            for each in own[:most]
        )
        tie = tied([getattr(each, figure) for each in own], most)
        return View(head, rows, caption=f"{about}; {tie} {alike}" if tie else about, title=title)

    lowest = "Lowest mean score over models and configurations"
    easy = sorted(every, key=lambda each: (-each.mean, each.example))
    divisive = sorted(every, key=lambda each: (-each.spread, each.example))
    about = "Largest standard deviation of the models\N{RIGHT SINGLE QUOTATION MARK} mean scores"
    lists = [
        ("hardest", listed("Hardest", lowest, every, "mean", "that are equally hard")),
        ("easiest", listed("Easiest", "Highest mean score", easy, "mean", "that are equally easy")),
        (
            "divisive",
            listed("Models furthest apart", about, divisive, "spread", "with models equally far apart"),
        ),
    ]
    return lists[: 3 if several else 2]
