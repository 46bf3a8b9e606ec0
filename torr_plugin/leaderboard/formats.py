"""A model's serializers as candidates, best first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..analysis import format_range
from ..analysis.figures.level_verdicts import Choice, Level
from ..analysis.result import OVERALL
from .candidates import Candidate
from .results import StudyResults

ALL_DATASETS = "All data sets"

ALL_MODELS = ""
"""Stands for the average over models; no model is called so."""


def levels(found: Choice, model: str, place: str) -> Sequence[Level]:
    """The levels of a model, or of the average over models, best first."""
    return found.average.places().get(place, []) if model == ALL_MODELS else found.of(model, place)


def formats(analysis: StudyResults, model: str, place: str) -> tuple[Candidate, ...]:
    """The serializers for a model, or on average, on a data set or ``OVERALL``, the best first."""
    found = analysis.serializers
    if found is None:
        return ()
    tokens = found.tokens.get(place, {}).get(model, {})
    return tuple(
        Candidate(row.name, row, row.behind, row.worse, tokens=tokens.get(row.name))
        for row in levels(found.choice, model, place)
    )


def compared_examples(analysis: StudyResults, models: Iterable[str], place: str) -> str:
    """Over how many examples each model's formats are compared: ``244 examples``, ``8 of 20 examples``.

    From the fewest of a model to the most where models differ: ``8 to 12 of 20 examples``.
    """
    every = analysis.serializers.examples if analysis.serializers else {}
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
