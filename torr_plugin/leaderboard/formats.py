"""A model's serializers, best first and how far behind, and what perturbations change in one of them."""

from __future__ import annotations

from collections.abc import Container, Hashable, Mapping, Sequence

from ..analysis.figures.serializer_choice import ChoiceRow
from ..analysis.result import Contrast, Interval
from .candidates import Candidate
from .results import StudyResults
from .views import View, ViewCell, axis_of, signed, whisker

ALL_DATASETS = "All data sets"


def _choice(analysis: StudyResults, model: str, place: str) -> Sequence[ChoiceRow]:
    chosen = analysis.serializers.choice.get(model) if analysis.serializers else None
    return [] if chosen is None else chosen.places().get(place, [])


def formats(
    analysis: StudyResults, model: str, place: str, claims: Container[Hashable]
) -> tuple[Candidate, ...]:
    """The serializers for a model on a data set, or ``OVERALL``, best mean first; empty where unknown.

    Args:
        analysis: of the study.
        model: for which.
        place: the data set.
        claims: that may be said.
    """
    serializers = analysis.serializers
    if serializers is None:
        return ()
    if model in serializers.choice:
        return tuple(
            Candidate(
                row.serializer,
                row,
                Interval.model_validate(row.behind.model_dump()),
                ("worse", model, place, row.serializer) in claims,
            )
            for row in _choice(analysis, model, place)
        )
    scores = serializers.scores.get(place, {})
    means = {name: by_model[model] for name, by_model in scores.items() if model in by_model}
    known = [name for name, figure in means.items() if figure.value is not None]
    known.sort(key=lambda name: -(means[name].value or 0.0))
    return tuple(Candidate(name, means[name], None, worse=False) for name in known) if len(known) > 1 else ()


def cost_view(differences: Mapping[str, Contrast], changing: Sequence[str], claimed: Container[str]) -> View:
    """What perturbations change, worst first.

    Args:
        differences: perturbation -> score less the unperturbed one.
        changing: perturbations that may change the truth.
        claimed: perturbations whose difference may be claimed.
    """
    known = {name: one for name, one in differences.items() if one.value is not None}
    ends = axis_of(list(known.values()), 0.0)
    rows = []
    for name in sorted(known, key=lambda name: known[name].value or 0.0):
        figure, verdict = known[name], _verdict(known[name], name in claimed)
        text, bounds = signed(figure)
        note = "may change the truth" if name in changing else ""
        rows.append(
            (
                ViewCell(name, note),
                ViewCell(text, bounds, "num", whisker(figure, ends, 0.0)),
                ViewCell(verdict, style="so worse" if verdict == "costs" else "so"),
            )
        )
    return View(("Perturbation", "Change of the mean score", "Verdict"), tuple(rows))


def _verdict(figure: Contrast, claimed: bool) -> str:
    if figure.p is None:
        return "not known"  # of a single example
    if not claimed:
        return "no effect shown"
    return "costs" if (figure.value or 0.0) < 0 else "helps"
