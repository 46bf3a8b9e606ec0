"""What a page says of designs: which to use, and what each changes against its base."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from ..analysis.figures.designs import Designs
from ..analysis.result import OVERALL, Verdict
from .candidates import Candidate
from .text import listed
from .verdicts import STANDINGS, standing, swapped
from .views import View, ViewCell, axis_of, interval_text, signed, verdict_cell, whisker

_MOST_NAMES = 3


def design_candidates(found: Designs, model: str, place: str) -> tuple[Candidate, ...]:
    """The designs for a model on a data set, or ``OVERALL``, best mean first; empty where unknown."""
    return tuple(Candidate(row.name, row, row.behind, row.worse) for row in found.choice.of(model, place))


def compared_formats(scores: pd.DataFrame, found: Designs) -> dict[str, tuple[str, ...]]:
    """Data set or "overall" -> the serializers over which its designs' means are compared.

    Those asked with all designs, with the same perturbations; "overall" where these are the same everywhere.
    """
    asked = scores[["dataset", "serializer", "perturbation", "design"]].drop_duplicates().astype(str)
    cells = {
        dataset: {design: set(zip(of.serializer, of.perturbation, strict=True)) for design, of in own}
        for dataset, own in ((name, part.groupby("design")) for name, part in asked.groupby("dataset"))
    }
    result = {}
    for place in (OVERALL, *cells):
        designs = {row.name for model in found.choice.models for row in found.choice.of(model, place)}
        parts = [own for dataset, own in cells.items() if place in (OVERALL, dataset)]
        shared = [
            {serializer for serializer, _ in set.intersection(*(own.get(name, set()) for name in designs))}
            for own in parts
            if designs
        ]
        if shared and all(each == shared[0] for each in shared):
            result[str(place)] = tuple(sorted(shared[0]))
    return result


def change_view(found: Designs, changes: Mapping[str, Verdict]) -> View:
    """What each design changes for a model, in a row each: over the formats asked both ways."""
    known = {name: own for name, own in changes.items() if own.value is not None}
    if not known:
        return View(("Design",), lines=("No design was asked beside its base here.",))
    ends = axis_of(list(known.values()), 0.0)
    names = sorted(known, key=lambda name: (found.bases.get(name, ""), known[name].value or 0.0))
    rows = tuple(
        (
            ViewCell(name, f"less {found.bases.get(name, found.base)}"),
            ViewCell(*signed(known[name]), "num", whisker(known[name], ends, 0.0)),
            _verdict_cell(known[name]),
        )
        for name in names
    )
    return View(("Design", "Change", "Verdict"), rows, tuple(_lines(found, known)))


def _verdict_cell(own: Verdict) -> ViewCell:
    stands = standing(own)
    return verdict_cell(
        {"better": "higher", "worse": "lower"}.get(stands, STANDINGS[stands]), claimed=own.differs
    )


def _lines(found: Designs, known: Mapping[str, Verdict]) -> Iterator[str]:
    """What differs of a model's designs, the largest changes by name."""
    differing = [name for name, own in known.items() if own.differs]
    differing.sort(key=lambda name: -abs(known[name].value or 0.0))
    for verb, sign in (("costs", -1), ("gains", 1)):
        own = [name for name in differing if sign * (known[name].value or 0.0) > 0]
        if own:
            sizes = [known[name] if sign > 0 else swapped(known[name]) for name in own]
            texts = [f"{name} {verb} {interval_text(size)}" for name, size in zip(own, sizes, strict=True)]
            bases, left = sorted({found.bases[name] for name in own}), len(texts) - _MOST_NAMES
            more = f"; {left} more {verb if left == 1 else verb[:-1]} less" if left > 0 else ""
            against = bases[0] if len(bases) == 1 else "their bases"
            yield f"Against {against}, {', '.join(texts[:_MOST_NAMES])}{more}."
    if not differing:
        yield "No design is shown to change the score of its base."
    elif left := len(known) - len(differing):
        other = "other design" if left == 1 else f"other {left} designs"
        yield f"No difference is shown for the {other}."


def base_lines(found: Designs, formats: int) -> Iterator[str]:
    """Which design is the base of which, in which formats, and what is compared with none.

    Args:
        found: the results.
        formats: of the study.
    """
    of_base: dict[str, list[str]] = {}
    for design, base in found.bases.items():
        of_base.setdefault(base, []).append(design)
    for base, designs in of_base.items():
        yield f"{base} is the base of {listed(designs)}."
    partly: dict[tuple[str, ...], list[str]] = {}
    for design, own in found.formats.items():
        if len(own) < formats:
            partly.setdefault(tuple(own), []).append(design)
    for where, designs in partly.items():
        yield f"Asked beside the base in {listed(where)} alone: {listed(designs)}."
    if found.alone:
        yield f"Compared with none, as the base was not asked: {listed(found.alone)}."
