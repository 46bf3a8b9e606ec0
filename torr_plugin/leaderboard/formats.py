"""Which format to use for a model: its serializers, best first, how far each is behind, and the advice."""

from __future__ import annotations

from collections.abc import Container, Hashable, Mapping, Sequence
from dataclasses import dataclass

from ..analysis.figures.serializer_choice import ChoiceRow
from ..analysis.result import Contrast, Interval, MarkedBounds
from .claims import PValues
from .results import StudyResults
from .text import listed
from .views import (
    DASH,
    View,
    ViewCell,
    axis_of,
    figure_cell,
    interval_text,
    signed,
    whisker,
)

ALL_DATASETS = "All data sets"
_CORRECTED = "after this page\N{RIGHT SINGLE QUOTATION MARK}s correction"


@dataclass(frozen=True)
class Format:
    """A serializer for a model: its mean score, and how far it is behind the best.

    ``behind`` is None where the analysis has no comparison; ``worse``: significantly so.
    """

    name: str
    score: MarkedBounds
    behind: Interval | None
    worse: bool


def format_hypotheses(analysis: StudyResults, model: str, place: str) -> PValues:
    """That a serializer is worse than the model's best; corrected for one another."""
    rows = _choice(analysis, model, place)
    return {("worse", model, place, row.serializer): row.behind.p for row in rows}


def _choice(analysis: StudyResults, model: str, place: str) -> Sequence[ChoiceRow]:
    chosen = analysis.serializers.choice.get(model) if analysis.serializers else None
    return [] if chosen is None else chosen.places().get(place, [])


def formats(
    analysis: StudyResults, model: str, place: str, claims: Container[Hashable]
) -> tuple[Format, ...]:
    """The serializers for a model on a data set, or ``OVERALL``, best mean first; empty where unknown.

    Args:
        analysis: of the study.
        model: for which.
        place: the data set.
        claims: those of :func:`format_hypotheses` that may be claimed.
    """
    serializers = analysis.serializers
    if serializers is None:
        return ()
    if model in serializers.choice:
        return tuple(
            Format(
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
    return tuple(Format(name, means[name], None, worse=False) for name in known) if len(known) > 1 else ()


def advice(found: Sequence[Format]) -> tuple[str, ...]:
    """What to use, in plain words; nothing where there are not two formats."""
    if len(found) < 2:
        return ()
    best, others = found[0], found[1:]
    if best.behind is None:
        return (f"{best.name} has the highest mean score; whether it is significantly ahead was not tested.",)
    alike = [one.name for one in others if not one.worse]
    worse = [one for one in others if one.worse]
    if not worse:
        return (
            f"Use any of the {len(found)} formats: {_CORRECTED} none is shown to be worse than {best.name}, "
            "which has the highest mean score.",
        )
    if not alike:
        first = f"Use {best.name}: every other format is worse."
    elif len(alike) == 1:
        first = f"Use {best.name} or {alike[0]}: {_CORRECTED} they do not differ significantly."
    else:
        first = f"Use {best.name}, or any of {listed(alike)}, which are not significantly worse {_CORRECTED}."
    return (first, _costs(worse))


def _costs(worse: Sequence[Format]) -> str:
    """What the worse ones cost, the worst three by name."""
    costs = [
        f"{one.name} costs {interval_text(one.behind)}" for one in reversed(worse) if one.behind is not None
    ]
    left = len(costs) - 3
    more = f"; {left} more {'costs' if left == 1 else 'cost'} less" if left > 0 else ""
    return f"{', '.join(costs[:3])}{more}."


def format_view(found: Sequence[Format]) -> View:
    """The serializers as a table, with the advice."""
    tested = any(one.behind is not None for one in found)
    head = ("Format", "Mean score", *(("Behind the best", "Verdict") if tested else ()))
    ends = axis_of([one.behind for one in found if one.behind is not None], 0.0)
    rows = tuple(
        (
            ViewCell(one.name),
            figure_cell(one.score),
            *((_behind(one, ends), _format_verdict(one, is_best=place == 0)) if tested else ()),
        )
        for place, one in enumerate(found)
    )
    return View(head, rows, advice(found))


def _behind(one: Format, ends: tuple[float, float]) -> ViewCell:
    return figure_cell(one.behind, "num", whisker(one.behind, ends, 0.0)) if one.behind else DASH


def _format_verdict(one: Format, *, is_best: bool) -> ViewCell:
    if is_best:
        return ViewCell("best", style="so")
    return (
        ViewCell("worse", style="so worse")
        if one.worse
        else ViewCell("no significant difference", style="so")
    )


def advice_view(
    analysis: StudyResults, models: Mapping[str, str], place: str, claims: Container[Hashable]
) -> View:
    """All models at a glance: a row per model with what to use.

    Args:
        analysis: of the study.
        models: name -> page, from the site's root.
        place: a data set, or ``OVERALL``.
        claims: those of :func:`format_hypotheses` that may be claimed.
    """
    rows = []
    for model, href in models.items():
        found = formats(analysis, model, place, claims)
        if not found:
            continue
        tested = found[0].behind is not None
        alike = [one.name for one in found[1:] if not one.worse]
        worse = [one.name for one in found[1:] if one.worse]
        rows.append(
            (
                ViewCell(model, href=href),
                ViewCell(found[0].name),
                *((_names(alike), _names(worse)) if tested else (figure_cell(found[0].score),)),
            )
        )
    tested = any(len(row) == 4 for row in rows)
    head = ("Model", "Highest mean", *(("Not significantly worse", "Worse") if tested else ("Mean score",)))
    return View(head, tuple(rows))


def _names(names: Sequence[str]) -> ViewCell:
    return ViewCell("", ", ".join(names) or "\N{EN DASH}", "names")


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
