"""Two models: what is said of them, their differences on each data set, and what the rest is made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isnan
from typing import Any

from ...analysis.cube import Cube
from ...analysis.result import NOTHING, OVERALL
from ...analysis.statistics import example_means
from ..chosen import places_of_study
from ..configurations import Parts, configuration_differences, difference_map
from ..files import PageFile, SiteFile, packed_script
from ..formats import ALL_DATASETS
from ..results import FigureName, at_limit
from ..study import Study
from ..verdicts import STANDINGS, Standing, standing, verdict, verdict_on
from ..views import View, ViewCell, as_data, axis_of, figure_cell, signed, verdict_cell, whisker

UNIT = 10_000
"""Means of examples are kept as whole numbers of ten-thousandths."""

TITLES: Mapping[FigureName, str] = {
    "performance": "Performance",
    "robustness_5": "Robustness",
    "robustness": "ToRR\N{RIGHT SINGLE QUOTATION MARK}s robustness",
}

_NOT_SHOWN = "not shown"


def files(study: Study) -> Iterator[SiteFile]:
    """The page, and a file of each model with what it needs beside the others; nothing of a model alone."""
    if len(study.models) < 2:
        return
    folder = f"{study.paths.scripts}/compare"
    parts = _parts(study)
    yield packed_script(f"{folder}/examples.js", [list(cube.examples) for cube in study.cubes])
    for number, model in enumerate(study.models):
        yield packed_script(f"{folder}/{number}.js", _side(study, model, parts))
    yield PageFile(
        path=study.paths.compare,
        template="compare.html",
        title="Compare",
        current="compare",
        values=_values(study, parts, folder),
        scripts=("views.js", "compare.js"),
    )


def _values(study: Study, parts: Parts, folder: str) -> dict[str, Any]:
    """Of the template: the two best models, until a reader chooses."""
    pair = study.models[:2]
    figures = study.analysis.compared_figures
    return {
        "verdict": verdict(study, *pair),
        "map": _maps(study, parts, *pair)[0],
        "views": {what: difference_view(study, what, *pair) for what in figures},
        "neighbours": [
            (one, other, verdict_on(study, "performance", one, other))
            for one, other in zip(study.models, study.models[1:], strict=False)
        ],
        "choices": {
            "folder": folder,
            "models": study.models,
            "short": [study.short[model] for model in study.models],
            "datasets": [cube.dataset for cube in study.cubes],
            "figures": list(figures),
            "unit": UNIT,
            "examples": study.paths.examples,
        },
    }


def difference_view(study: Study, figure: FigureName, one: str, other: str) -> View:
    """The first model less the second, over all data sets and on each, with its verdict."""
    places = (OVERALL, *study.datasets) if len(study.datasets) > 1 else study.datasets
    verdicts = {place: study.pairs.of(figure, one, other, place) for place in places}
    known = {place: own for place, own in verdicts.items() if own}
    ends = axis_of(list(known.values()), 0.0)
    names = study.short[one], study.short[other]

    def limited(model: str, place: str) -> bool:
        return at_limit(study.analysis, model, figure, place) is not None

    def own(model: str, place: str) -> ViewCell:
        limit = " at-limit" if limited(model, place) else ""
        return figure_cell(getattr(study.analysis, figure)[model].places()[place], f"num{limit}")

    def row(place: str) -> tuple[ViewCell, ...]:
        verdict_here, difference = verdicts[place], known.get(place, NOTHING)
        stands: Standing = (
            "limited"
            if figure != "performance" and any(map(limited, (one, other), [place] * 2))
            else standing(verdict_here)
        )
        return (
            ViewCell(
                ALL_DATASETS if place == OVERALL else study.short[place],
                href=study.paths.datasets.get(place, ""),
            ),
            ViewCell(
                *signed(difference),
                "num at-limit" if stands == "limited" else "num",
                whisker(difference, ends, 0.0),
            ),
            verdict_cell(
                {"better": names[0], "worse": names[1], "alike": _NOT_SHOWN}.get(stands, STANDINGS[stands]),
                claimed=stands in ("better", "worse"),
                note=p_text(verdict_here.p) if verdict_here and stands != "limited" else "",
            ),
            own(one, place),
            own(other, place),
        )

    word = "Better" if figure == "performance" else "More robust"
    return View(
        ("Data set", "Difference", word, *names),
        tuple(row(place) for place in places),
        caption=f"{TITLES[figure]}: {names[0]} minus {names[1]}",
        title=TITLES[figure],
    )


def p_text(p: float | None) -> str:
    """``p = 0.012``, ``p < 0.001``; "" where there is none."""
    if p is None:
        return ""
    if p < 0.001:
        return "p < 0.001"
    return f"p = {p:.2f}" if p >= 0.1 else f"p = {p:.3f}"


def _side(study: Study, model: str, parts: Parts) -> dict[str, Any]:
    """What the page needs of a model: itself beside each other one, and its scores."""
    return {
        "beside": {
            str(number): [
                verdict(study, model, other),
                *(
                    as_data(difference_view(study, what, model, other))
                    for what in study.analysis.compared_figures
                ),
                [as_data(view) for view in _maps(study, parts, model, other)],
            ]
            for number, other in enumerate(study.models)
            if other != model
        },
        "examples": [example_means_of(cube, model) for cube in study.cubes],
    }


def example_means_of(cube: Cube, model: str) -> list[int | None]:
    """A model's mean score on each example, in ``UNIT``; None where it has no score."""
    means = example_means(cube.scores[[cube.models.index(model)]])[0]
    return [None if isnan(mean) else round(mean * UNIT) for mean in means.tolist()]


def _maps(study: Study, parts: Parts, one: str, other: str) -> list[View]:
    """The two in each configuration: over all data sets first, or on the only one."""
    found = configuration_differences(study.cubes, one, other)
    names = study.short[one], study.short[other]
    several = len(study.datasets) > 1
    return [
        difference_map(found[place.name], parts, names, place.title if several else "", study.short)
        for place in places_of_study(study)
    ]


def _parts(study: Study) -> Parts:
    """Of all configurations, in the study's order."""
    names = dict.fromkeys(name for cube in study.cubes for name in cube.configurations)
    scores = study.source.scores
    parts: dict[str, tuple[str, str]] = {}
    if {"serializer", "perturbation"} <= set(scores.columns):
        described = scores[["config", "serializer", *study.varied_parts]].drop_duplicates("config").dropna()
        parts = {
            str(config): (str(serializer), ", ".join(map(str, kind)))
            for config, serializer, *kind in described.itertuples(index=False)
        }
    return {name: parts.get(name, (name, "")) for name in names}
