"""All that a site may show bold or coloured by a test: the maps of formats, perturbations and designs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...analysis.figures.designs import Designs
from ...analysis.result import OVERALL, Contrast
from ..heat_maps import ALL_MODELS
from ..results import StudyResults
from .cells import StudyCells
from .claim import Claim, Claims, Hypothesis

FORMATS_MAP = (
    "under \N{LEFT DOUBLE QUOTATION MARK}Which formats suit which models\N{RIGHT DOUBLE QUOTATION MARK}"
)
"""Where formats' bold figures are, on the page Formats."""

ByModel = Mapping[str, Mapping[str, Contrast]]
"""Model -> what is compared -> difference."""


def bold_differences(analysis: StudyResults) -> dict[Hypothesis, Claim]:
    """All of them; within which of them hold is corrected for all."""
    cells = StudyCells(analysis)
    found: dict[Hypothesis, Claim] = {}
    for place in (names[-1] for names in cells.places):
        for kind, scope, by_model in _maps(analysis, place):
            for model, by_name in by_model.items():
                for name, figure in by_name.items():
                    key = _key(kind, place, model, name, scope)
                    found |= cells.same(kind, {place: key}, figure, figure.p, "bold")
    return found


def _key(kind: str, place: str, model: str, name: str, scope: str) -> Hypothesis:
    if kind == "design":
        return kind, model, place, name, *((scope,) if scope else ())
    return kind, place, model, name


def unsure(
    bold: Claims, kind: str, where: str, short: Mapping[str, str], *, place: str = "", model: str = ""
) -> str:
    """What stands beside words that state no difference of a kind, where figures of it are bold.

    Args:
        bold: all of a site.
        kind: ``serializer`` or ``design``.
        where: the figures are, in words.
        short: names as readers know them.
        place: a data set, or "overall"; any, if empty.
        model: its name; any, if empty.
    """
    claims = bold.of_kind(kind)
    places = (_whose(claim)[0] for claim in claims)
    first = next(places, "")
    several = any(each != first for each in places)
    found = []
    for claim in claims:
        if not claim.holds:
            continue
        its_place, its_model = _whose(claim)
        if place in ("", its_place) and model in ("", its_model):
            name, *within = (short.get(part, part) for part in map(str, claim.hypothesis[3:]))
            of = "all models together" if its_model == ALL_MODELS else short.get(its_model, its_model)
            whose = [name] if model else [name, "for", of]
            where_else = several and its_place not in (place, OVERALL)
            on = ["on", short.get(its_place, its_place)] if where_else else []
            found.append(" ".join([*whose, *(f"in {part}" for part in within), *on]))
    return bold.may_be_real(found, where)


def _whose(claim: Claim) -> tuple[str, str]:
    """Place and model of a figure."""
    kind, first, second = map(str, claim.hypothesis[:3])
    return (second, first) if kind == "design" else (first, second)


def _maps(analysis: StudyResults, place: str) -> Iterator[tuple[str, str, ByModel]]:
    """Kind of question, the format within which it is asked, and the differences."""
    if analysis.serializers and (found := analysis.serializers.advised_deviations.get(place)):
        together = {ALL_MODELS: found.all_models} if len(found.models) > 1 else {}
        yield "serializer", "", {**together, **found.models}
    if analysis.perturbations:
        yield "impact", "", analysis.perturbations.differences.get(place, {})
    if analysis.designs:
        yield from _design_maps(analysis.designs, place)


def _design_maps(found: Designs, place: str) -> Iterator[tuple[str, str, ByModel]]:
    """Over formats, and within each; a design of one format changes within it what it does over formats."""
    yield "design", "", found.differences.get(place, {})
    for serializer, places in found.by_serializer.items():
        yield (
            "design",
            serializer,
            {
                model: {name: own for name, own in by_name.items() if len(found.formats.get(name, ())) != 1}
                for model, by_name in places.get(place, {}).items()
            },
        )
