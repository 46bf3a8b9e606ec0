"""What a page says of designs: which to use, what each changes against its base, the table of the paper."""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterator, Mapping, Sequence
from math import isclose

import pandas as pd

from ..analysis.figures.design_choice import DesignChoiceRow
from ..analysis.figures.design_differences import DesignContrast
from ..analysis.figures.design_interaction import DesignShares
from ..analysis.figures.design_table import AVERAGE, DesignRow
from ..analysis.figures.designs import Designs
from ..analysis.result import OVERALL, Interval
from ..core.errors import counted
from .candidates import Candidate
from .claims import Claims
from .claims.bold import unsure
from .heat_maps import difference_cell, difference_style, largest
from .text import listed
from .views import (
    DASH,
    View,
    ViewCell,
    axis_of,
    figure_cell,
    interval_text,
    negated,
    percent,
    signed,
    verdict_cell,
    whisker,
)

OVER_FORMATS = "Over formats"
EVERY = ""
"""In place of a serializer: over all in which a design and its base were asked."""
_MOST_NAMES = 3
_CORRECTED = "after this site\N{RIGHT SINGLE QUOTATION MARK}s correction"


def hypothesis(
    found: Designs, model: str, place: str, design: str, serializer: str = EVERY
) -> tuple[str, ...]:
    """That a design changes the score of its base; of a design of one format it is the same over formats."""
    one_format = len(found.formats.get(design, ())) == 1
    scope = () if one_format or serializer == EVERY else (serializer,)
    return "design", model, place, design, *scope


def _hypotheses(found: Designs, model: str, place: str, design: str) -> set[tuple[str, ...]]:
    """All that a design changes the score of its base, over formats.

    Where one of the two is the model's best, that the other is worse is the same difference, if both are over
    the same cells.
    """
    change, rows = found.differences.get(place, {}).get(model, {}).get(design), _choice(found, model, place)
    return {hypothesis(found, model, place, design)} | {
        ("worse design", model, place, row.design)
        for row in rows
        if {rows[0].design, row.design} == {design, found.bases.get(design)}
        and None not in (size := (change and change.value, row.behind.value))
        and isclose(abs(size[0] or 0.0), size[1] or 0.0, abs_tol=1e-9)
    }


def change_claimed(found: Designs, model: str, place: str, design: str, claims: Container[Hashable]) -> bool:
    """Whether it may be said that a design changes the score of its base, over formats."""
    return any(each in claims for each in _hypotheses(found, model, place, design))


def _worse_claimed(
    found: Designs, model: str, place: str, row: DesignChoiceRow, claims: Container[Hashable]
) -> bool:
    """Whether it may be said that a design is worse than the model's best, perhaps as its change, or base."""
    own = "worse design", model, place, row.design
    best = _choice(found, model, place)[0].design
    same = (_hypotheses(found, model, place, design) for design in (best, row.design))
    return own in claims or any(each in claims for every in same if own in every for each in every)


def _choice(found: Designs, model: str, place: str) -> Sequence[DesignChoiceRow]:
    chosen = found.choice.get(model)
    return [] if chosen is None else chosen.places().get(place, [])


def design_candidates(
    found: Designs, model: str, place: str, claims: Container[Hashable]
) -> tuple[Candidate, ...]:
    """The designs for a model on a data set, or ``OVERALL``, best mean first; empty where unknown."""
    return tuple(
        Candidate(
            row.design,
            row,
            Interval.model_validate(row.behind.model_dump()),
            _worse_claimed(found, model, place, row, claims),
            row.chance,
        )
        for row in _choice(found, model, place)
    )


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
        designs = {row.design for chosen in found.choice.values() for row in chosen.places().get(place, [])}
        parts = [own for dataset, own in cells.items() if place in (OVERALL, dataset)]
        shared = [
            {serializer for serializer, _ in set.intersection(*(own.get(name, set()) for name in designs))}
            for own in parts
            if designs
        ]
        if shared and all(each == shared[0] for each in shared):
            result[str(place)] = tuple(sorted(shared[0]))
    return result


def change_view(
    found: Designs,
    model: str,
    place: str,
    claims: Container[Hashable],
    bold: Claims,
    *,
    where: str = "below",
) -> View:
    """What each design changes for a model, in a row each: over formats, and within each.

    ``where`` the bold figures are that a line may point to.
    """
    over = found.differences.get(place, {}).get(model, {})
    within = {
        serializer: own
        for serializer, places in found.by_serializer.items()
        if (own := places.get(place, {}).get(model, {}))
    }
    names = dict.fromkeys((*over, *(name for own in within.values() for name in own)))
    several = len(found.by_serializer) > 1
    shown = within if several else {}
    ends = axis_of([one for one in over.values() if one.value is not None], 0.0)
    most = largest(one for own in shown.values() for one in own.values())
    rows = []
    for name in sorted(names, key=lambda name: (found.bases.get(name, ""), _value(over.get(name)))):
        change = over.get(name)
        rows.append(
            (
                ViewCell(name, f"less {found.bases.get(name, found.base)}"),
                *_over_cells(change, ends, change_claimed(found, model, place, name, claims)),
                *(
                    difference_cell(
                        one.get(name), most, hypothesis(found, model, place, name, serializer) in bold
                    )
                    for serializer, one in shown.items()
                ),
            )
        )
    if not rows:
        return View(("Design",), lines=("No design was asked beside its base here.",))
    first = OVER_FORMATS if several else f"In {next(iter(found.by_serializer), '')}"
    perhaps = unsure(bold, "design", where, {}, place=place, model=model)
    lines = tuple(_lines(found, over, model, place, claims, perhaps=perhaps))
    return View(("Design", first, "Verdict", *shown), tuple(rows), lines)


def _over_cells(
    own: DesignContrast | None, ends: tuple[float, float], claimed: bool
) -> tuple[ViewCell, ViewCell]:
    if own is None or own.value is None:
        return DASH, verdict_cell("not known", claimed=False)
    unclaimed = "not known" if own.p is None else "no difference shown"
    verdict = ("lower" if own.value < 0 else "higher") if claimed else unclaimed
    return ViewCell(*signed(own), "num", whisker(own, ends, 0.0)), verdict_cell(verdict, claimed=claimed)


def _value(own: Interval | None) -> float:
    return own.value or 0.0 if own else 0.0


def _lines(
    found: Designs,
    over: Mapping[str, DesignContrast],
    model: str,
    place: str,
    claims: Container[Hashable],
    *,
    perhaps: str,
) -> Iterator[str]:
    """What may be claimed of a model's designs over formats, the largest changes by name."""
    known = {name: own for name, own in over.items() if own.p is not None and own.value is not None}
    if not known:
        return
    claimed = [name for name in known if change_claimed(found, model, place, name, claims)]
    claimed.sort(key=lambda name: -abs(_value(known[name])))
    for verb, sign in (("costs", -1), ("gains", 1)):
        own = [name for name in claimed if sign * _value(known[name]) > 0]
        if own:
            sizes = [known[name] if sign > 0 else negated(known[name]) for name in own]
            texts = [f"{name} {verb} {interval_text(size)}" for name, size in zip(own, sizes, strict=True)]
            bases, left = sorted({known[name].base for name in own}), len(texts) - _MOST_NAMES
            more = f"; {left} more {verb if left == 1 else verb[:-1]} less" if left > 0 else ""
            against = bases[0] if len(bases) == 1 else "their bases"
            yield f"Against {against}, {', '.join(texts[:_MOST_NAMES])}{more}."
    if not claimed:
        yield f"No design is shown to change the score of its base {_CORRECTED}.{perhaps}"
    elif left := len(known) - len(claimed):
        other = "other design" if left == 1 else f"other {left} designs"
        yield f"No difference is shown for the {other} {_CORRECTED}."


def table_view(
    found: Designs, rows: Sequence[DesignRow], places: Mapping[str, str], bold: Container[Hashable]
) -> View:
    """Designs within formats beside data sets, as the paper's Tables 3 and 9.

    Args:
        found: the results.
        rows: of one model.
        places: data sets, and at the end all of them; with the name that pages show.
        bold: of the differences, those that may be coloured.
    """
    most = largest(own for row in rows for own in row.differences.values())
    names = (AVERAGE.capitalize() if place == OVERALL else name for place, name in places.items())
    return View(
        ("Format, design", *names),
        tuple(
            (
                ViewCell(
                    f"{row.serializer}, {row.design}",
                    f"less {row.base}" if row.base else "",
                ),
                *(_table_cell(found, row, place, most, bold) for place in places),
            )
            for row in rows
        ),
    )


def _table_cell(
    found: Designs, row: DesignRow, place: str, most: float, bold: Container[Hashable]
) -> ViewCell:
    score, change = row.scores.get(place), row.differences.get(place)
    if score is None or score.value is None:
        return DASH
    text = figure_cell(score).text
    if change is None or change.value is None:
        return ViewCell(text, style="num")
    claimed = hypothesis(found, row.model, place, row.design, row.serializer) in bold
    return ViewCell(text, signed(change)[0], f"num {difference_style(change.value, most, claimed)}")


def interaction_view(found: Designs, place: str, links: Mapping[str, ViewCell]) -> View:
    """How much of what a model's mean scores differ by is design, format, and their interaction."""
    own = {model: shares for model in links if (shares := found.interaction.get(model, {}).get(place))}
    if not own:
        return View(("Model",), lines=("No two designs were asked in the same two formats here.",))
    rows = tuple(
        (links[model], *map(figure_cell, (shares.design, shares.serializer, shares.interaction)))
        for model, shares in own.items()
    )
    known = [shares for shares in own.values() if shares.interaction.value is not None]
    lines = (_interaction(known),) if known else ()
    return View(("Model", "Design", "Format", "Interaction"), rows, lines)


def _interaction(known: Sequence[DesignShares]) -> str:
    first, values = known[0], [shares.interaction.value or 0.0 for shares in known]
    over = f"Over {counted(first.designs, 'design')} in {counted(first.serializers, 'format')}"
    if len(known) > 1:
        ends = " to ".join(dict.fromkeys(map(percent, (min(values), max(values)))))
        of_models = "of the variance of a model\N{RIGHT SINGLE QUOTATION MARK}s mean scores"
        return f"{over}, their interaction is {ends} {of_models}."
    design, serializer, both = map(_percent, (first.design, first.serializer, first.interaction))
    return (
        f"{over}, {design} of the variance of the mean scores is due to the design, {serializer} to the "
        f"format, and {both} to their interaction."
    )


def _percent(figure: Interval) -> str:
    if figure.value is None:
        return "an unknown share"
    bounds = f" [{percent(figure.low)}, {percent(figure.high)}]"
    return f"{percent(figure.value)}{bounds if None not in (figure.low, figure.high) else ''}"


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
