"""Calculation: a figure worked out from figures of one table, or of two."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from random import Random
from typing import TypeAlias

from ..measures import PERCENT, TIMES, FigureMeasure, quotient
from ..sheet import Place
from .question import FilingQuestion, Source, difference_of, exact, joined

Calculation: TypeAlias = "Callable[[Random, Source], FilingQuestion | None]"

ONE_PLACE = "Round to one decimal place."
RATIOS = (
    ("Total current assets", "Total current liabilities"),
    ("Total liabilities", "Total stockholders' equity"),
    ("Total current assets", "Total assets"),
    ("Orders received", "Orders billed"),
    ("Current federal", "Current foreign"),
)
MARGINS = (
    ("Gross profit", "Total revenue"),
    ("Operating income (loss)", "Total revenue"),
    ("Net income (loss)", "Total revenue"),
    ("Contribution (loss)", "Total revenue"),
    ("Total costs", "Total revenue"),
    ("Research and development", "Total revenue"),
    ("Total cost of revenue", "Total revenue"),
    ("Total liabilities", "Total assets"),
)
"""Pairs of rows, the first of which is stated as a ratio to, or a percentage of, the second."""


def _made(
    kind: str, source: Source, places: Sequence[Place], question: str, *, answer: str, working: str
) -> FilingQuestion:
    return FilingQuestion(
        "calculation",
        kind,
        f"In {source.sheet.phrase}, {question}",
        answer,
        f"{source.listed(places)} {working} = {answer}.",
        source.evidence(places),
        source.number,
    )


def _two_years(random: Random, source: Source) -> tuple[Place, Place] | None:
    """A figure in two years, the earlier first."""
    found = [places for line in range(len(source.sheet.lines)) for places in source.sheet.series(line)]
    if not found:
        return None
    places = random.choice(found)
    early, late = sorted(random.sample(range(len(places)), 2))
    return places[early], places[late]


def difference(random: Random, source: Source) -> FilingQuestion | None:
    """How much higher a figure is than in an earlier year."""
    pair = _two_years(random, source)
    if pair is None:
        return None
    before, now = pair
    sheet = source.sheet
    value = sheet.figure(now) - sheet.figure(before)
    return _made(
        "difference",
        source,
        [now, before],
        f"by how much does {source.name(now)} exceed the figure {source.column(before)}? "
        "Give a negative number if it is lower.",
        answer=difference_of(sheet.measure(now), value),
        working=f"{sheet.figure(now):,} - {_signed(sheet.figure(before))}",
    )


def growth(random: Random, source: Source) -> FilingQuestion | None:
    """The change in per cent of a positive figure from an earlier year."""
    pair = _two_years(random, source)
    if pair is None:
        return None
    before, now = pair
    old, new = source.sheet.figure(before), source.sheet.figure(now)
    if old <= 0 or source.sheet.measure(now).kind == "percent":
        return None
    value = exact(100 * quotient(new - old, old), 1)
    if value is None:
        return None
    return _made(
        "growth",
        source,
        [now, before],
        f"how does {source.name(now)} compare with the figure {source.column(before)}, as a change in per "
        f"cent of the earlier figure? Give a decrease as a negative number. {ONE_PLACE}",
        answer=PERCENT.answer(value),
        working=f"({new:,} - {old:,}) / {old:,}",
    )


def row_sum(random: Random, source: Source) -> FilingQuestion | None:
    """The sum of some rows, but not all, that a total adds up; a dash counts as nil."""
    sheet = source.sheet
    totals = [number for number, line in enumerate(sheet.lines) if len(line.adds) > 2]
    if not totals:
        return None
    column = random.randrange(len(sheet.columns))
    parts = [Place(line, column) for line in sheet.addends(random.choice(totals))]
    parts = [place for place in parts if sheet.lines[place.line].figures[column] is not None]
    if len(parts) < 3 or sheet.measure(parts[0]).kind not in ("money", "count"):
        return None
    chosen = sorted(random.sample(parts, random.randint(2, min(4, len(parts) - 1))), key=lambda p: p.line)
    figures = [sheet.figure(place) for place in chosen]
    if not any(figures):
        return None
    return _made(
        "sum of rows",
        source,
        chosen,
        f"what do {joined([source.row(place) for place in chosen])} add up to {source.column(chosen[0])}?",
        answer=sheet.measure(chosen[0]).answer(sum(figures)),
        working=" + ".join(map(_signed, figures)),
    )


def _signed(figure: int | Decimal) -> str:
    return f"({figure:,})" if figure < 0 else f"{figure:,}"


def _all_years(random: Random, source: Source) -> list[Place] | None:
    """A figure in three years."""
    found = [
        places
        for line in range(len(source.sheet.lines))
        for places in source.sheet.series(line)
        if len(places) == 3 and source.sheet.measure(places[0]).kind == "money"
    ]
    return random.choice(found) if found else None


def _over_years(source: Source, places: Sequence[Place]) -> str:
    column = source.sheet.columns[places[0].column]
    inside = f' in the columns "{column.series}"' if column.series else ""
    years = joined([str(source.sheet.columns[place.column].year) for place in places])
    return f"{source.row(places[0])} over fiscal {years}{inside}"


def year_sum(random: Random, source: Source) -> FilingQuestion | None:
    """The sum of a flow over three years."""
    places = _all_years(random, source)
    if places is None or "of year" in source.row(places[0]):
        return None
    figures = [source.sheet.figure(place) for place in places]
    return _made(
        "sum of years",
        source,
        places,
        f"what is the sum of {_over_years(source, places)}?",
        answer=source.sheet.measure(places[0]).answer(sum(figures)),
        working=" + ".join(map(_signed, figures)),
    )


def average(random: Random, source: Source) -> FilingQuestion | None:
    """The mean of a figure over three years, to one decimal place."""
    places = _all_years(random, source)
    if places is None:
        return None
    figures = [source.sheet.figure(place) for place in places]
    value, measure = exact(quotient(sum(figures), 3), 1), source.sheet.measure(places[0])
    if value is None:
        return None
    return _made(
        "average",
        source,
        places,
        f"what is the average of {_over_years(source, places)}? {ONE_PLACE}",
        answer=_to_one_place(measure, value),
        working=f"({' + '.join(map(_signed, figures))}) / 3",
    )


def _to_one_place(measure: FigureMeasure, value: Decimal) -> str:
    """An amount or a number with one decimal place and its unit."""
    minus, dollar = "-" if value < 0 else "", "$" if measure.is_dollars else ""
    return f"{minus}{dollar}{abs(value):,.1f} {measure.unit}".rstrip()


def share(random: Random, source: Source) -> FilingQuestion | None:
    """A positive part as a percentage of a positive total."""
    sheet = source.sheet
    column = random.randrange(len(sheet.columns))
    if sheet.columns[column].measure.kind not in ("money", "count"):
        return None
    pairs = [
        (Place(part, column), Place(total, column))
        for total, line in enumerate(sheet.lines)
        for part in sheet.addends(total)
        if (line.figures[column] or 0) > 0 and (sheet.lines[part].figures[column] or 0) > 0
    ]
    return _percentage(random.choice(pairs), source, "share of total") if pairs else None


def margin(random: Random, source: Source) -> FilingQuestion | None:
    """One row as a percentage of another that it is commonly measured by."""
    pair = _paired(random, source, MARGINS)
    return _percentage(pair, source, "margin") if pair else None


def _paired(random: Random, source: Source, pairs: Sequence[tuple[str, str]]) -> tuple[Place, Place] | None:
    """The places of one of these pairs of rows in one column, the second positive, neither nil."""
    sheet = source.sheet
    labels = [line.label for line in sheet.lines]
    known = [pair for pair in pairs if all(labels.count(label) == 1 for label in pair)]
    columns = [at for at, column in enumerate(sheet.columns) if column.measure.kind == "money"]
    if not known or not columns:
        return None
    over, under = random.choice(known)
    column = random.choice(columns)
    found = Place(labels.index(over), column), Place(labels.index(under), column)
    values = [sheet.lines[place.line].figures[column] for place in found]
    return found if all(values) and (values[1] or 0) > 0 else None


def _percentage(pair: tuple[Place, Place], source: Source, kind: str) -> FilingQuestion | None:
    part, whole = (source.sheet.figure(place) for place in pair)
    value = exact(100 * quotient(part, whole), 1)
    if value is None:
        return None
    return _made(
        kind,
        source,
        pair,
        f"what is {source.row(pair[0])} as a percentage of {source.row(pair[1])} "
        f"{source.column(pair[0])}? {ONE_PLACE}",
        answer=PERCENT.answer(value),
        working=f"{_signed(part)} / {whole:,}",
    )


def ratio(random: Random, source: Source) -> FilingQuestion | None:
    """The ratio of two rows, to two decimal places."""
    pair = _paired(random, source, RATIOS)
    if pair is None:
        return None
    over, under = (source.sheet.figure(place) for place in pair)
    value = exact(quotient(over, under), 2)
    if value is None:
        return None
    return _made(
        "ratio",
        source,
        pair,
        f"what is the ratio of {source.row(pair[0])} to {source.row(pair[1])} {source.column(pair[0])}? "
        "Round to two decimal places.",
        answer=TIMES.answer(value),
        working=f"{_signed(over)} / {under:,}",
    )


CALCULATIONS: tuple[Calculation, ...] = (
    difference,
    growth,
    row_sum,
    year_sum,
    average,
    share,
    margin,
    ratio,
)
