"""A model's serializers as candidates, best first; and those asked on fewer examples than the rest."""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable, Mapping

from ..analysis import format_range
from ..analysis.figures.level_pairs import LevelPair
from ..analysis.result import OVERALL, Interval
from .candidates import Candidate, best_means
from .results import StudyResults
from .views import DASH, View, ViewCell, number_cell, signed, verdict_cell

ALL_DATASETS = "All data sets"
MOST_PAIRS = 200
"""Rows of the table of pairs; the downloads have all."""


def formats(
    analysis: StudyResults, model: str, place: str, claims: Container[Hashable]
) -> tuple[Candidate, ...]:
    """The serializers for a model on a data set, or ``OVERALL``, the best first, without those apart.

    Worse is what the site claims to be: ``("worse", model, place, serializer)``.
    """
    found = analysis.serializers
    chosen = found.advised.get(model) if found else None
    tokens = found.tokens.get(place, {}).get(model, {}) if found else {}
    return tuple(
        Candidate(
            row.serializer,
            row,
            Interval.model_validate(row.behind.model_dump()),
            ("worse", model, place, row.serializer) in claims,
            tokens=tokens.get(row.serializer),
        )
        for row in (chosen.places().get(place, []) if chosen else [])
    )


def compared_examples(analysis: StudyResults, models: Iterable[str], place: str) -> str:
    """Over how many examples each model's formats are compared: ``244 examples``, ``8 of 20 examples``.

    From the fewest of a model to the most where models differ: ``8 to 12 of 20 examples``.
    """
    every = analysis.serializers.advised_examples if analysis.serializers else {}
    own = [
        [found[model] for name, found in every.items() if place in (OVERALL, name) and model in found]
        for model in models
    ]
    shared = [sum(each.shared for each in found) for found in own if found]
    of = [sum(each.of for each in found) for found in own if found]
    if not shared:
        return ""
    whole = f"{format_range(of)} {'example' if max(of) == 1 else 'examples'}"
    return whole if shared == of else f"{format_range(shared)} of {whole}"


def apart_view(
    analysis: StudyResults,
    models: Mapping[str, ViewCell],
    short: Mapping[str, str],
    claims: Container[Hashable],
    *,
    with_best: bool = False,
) -> View | None:
    """Formats that stand apart, each with every other over the examples that both have; None without any.

    ``with_best``: with the model's best format on the data set alone.
    """
    found = analysis.serializers.compared_apart if analysis.serializers else {}
    several = len(analysis.settings.examples) > 1
    pairs = [
        (model, dataset, pair)
        for dataset, by_model in found.items()
        for model in models
        for pair in by_model.get(model, ())
        if not with_best or pair.second in _best(analysis, model, dataset)
    ][:MOST_PAIRS]
    priced = any(_tokens(pair) != DASH for _, _, pair in pairs)
    rows = [
        (
            models[model],
            *(
                ViewCell(short.get(name, name), whole=name)
                for name in (*((dataset,) if several else ()), pair.first, pair.second)
            ),
            ViewCell(*signed(pair), style="num"),
            *((_tokens(pair),) if priced else ()),
            number_cell(pair.examples),
            _verdict(pair, claimed=("apart", model, dataset, pair.first, pair.second) in claims),
        )
        for model, dataset, pair in pairs
    ]
    head = ("Model", *(("Data set",) if several else ()), "Format", "Compared with", "Difference")
    more = (*(("Tokens, relative",) if priced else ()), "Examples", "Verdict")
    return View((*head, *more), tuple(rows)) if rows else None


def _best(analysis: StudyResults, model: str, dataset: str) -> set[str]:
    found = formats(analysis, model, dataset, ())
    return {one.name for one in best_means(found)} if found else set()


def _tokens(pair: LevelPair) -> ViewCell:
    first, second = getattr(pair, "first_tokens", None), getattr(pair, "second_tokens", None)
    return number_cell(f"{first / second:.2f}\N{MULTIPLICATION SIGN}") if first and second else DASH


def _verdict(pair: LevelPair, *, claimed: bool) -> ViewCell:
    word = "better" if (pair.value or 0) > 0 else "worse"
    return verdict_cell(word if claimed else "no difference shown", claimed=claimed)
