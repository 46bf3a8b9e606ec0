"""What stands beside the main figures: robustness with and without answer noise, and a model's own cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..analysis.result import NOTHING, OVERALL, Interval
from .formats import ALL_DATASETS
from .results import StudyResults
from .views import View, ViewCell, figure_cell, number_cell, percent


def noise_view(analysis: StudyResults, rows: Iterable[tuple[ViewCell, str, str]], first: str) -> View | None:
    """Robustness with and without answer noise, the noise, and how often all answers to a prompt are right.

    None where no prompt was asked again.

    ``rows``: a cell for the head of the row, its model, and its data set or ``OVERALL``.
    """
    found = analysis.noise
    if found is None:
        return None
    kinds = (analysis.headline_robustness, analysis.robustness, found.robustness_noise_free, found.noise)
    times = max((max(own.overall) for own in found.pass_k.values() if own.overall), default=0)
    right = {
        model: {place: by_k.get(times, NOTHING) for place, by_k in own.places().items()}
        for model, own in found.pass_k.items()
    }
    head = (
        first,
        "Robustness",
        "ToRR\N{RIGHT SINGLE QUOTATION MARK}s robustness",
        "Without noise",
        "Answer noise",
        *([f"Right all {times} times"] if times else []),
    )
    return View(
        head,
        tuple(
            (
                own,
                *(figure_cell(kind[model].places().get(place, NOTHING)) for kind in kinds),
                *([figure_cell(right[model].get(place, NOTHING))] if times else []),
            )
            for own, model, place in rows
        ),
    )


def noise_of_models(analysis: StudyResults, links: Mapping[str, str], place: str) -> View | None:
    """A row a model."""
    rows = [(ViewCell(model, href=href), model, place) for model, href in links.items()]
    return noise_view(analysis, rows, "Model")


def place_heads(links: Mapping[str, str]) -> dict[str, ViewCell]:
    """Of rows of all data sets and each, or of the only one; ``links``: data set -> its page."""
    every = {OVERALL: ViewCell(ALL_DATASETS)} if len(links) > 1 else {}
    return {**every, **{name: ViewCell(name, href=href) for name, href in links.items()}}


def noise_on_datasets(analysis: StudyResults, model: str, links: Mapping[str, str]) -> View | None:
    """A row a data set."""
    rows = [(head, model, place) for place, head in place_heads(links).items()]
    return noise_view(analysis, rows, "Data set")


_OWN = ("performance", "robustness")


def own_cells_on_datasets(analysis: StudyResults, model: str, links: Mapping[str, str]) -> View | None:
    """A model's, over all data sets and on each, where shared cells leave any out; None where none do."""
    found = analysis.own_cells.get(model)
    known = found.places() if found else {}
    heads = [
        (place, head)
        for place, head in place_heads(links).items()
        if place in known and percent(known[place].dropped or 0.0) != percent(0.0)
    ]
    return _own_view("Data set", [(head, *_own_cells(analysis, model, place)) for place, head in heads])


def _own_view(first: str, rows: Sequence[tuple[ViewCell, ...]]) -> View | None:
    head = (
        first,
        "Left out",
        *(f"{name.capitalize()}, {cells} cells" for name in _OWN for cells in ("shared", "own")),
    )
    return View(head, tuple(rows)) if rows else None


def _own_cells(analysis: StudyResults, model: str, place: str) -> tuple[ViewCell, ...]:
    own = analysis.own_cells[model].places()[place]
    figures: list[Interval] = []
    for name in _OWN:
        figures += [getattr(analysis, name)[model].places()[place], getattr(own, name)]
    return number_cell(percent(own.dropped)), *map(figure_cell, figures)
