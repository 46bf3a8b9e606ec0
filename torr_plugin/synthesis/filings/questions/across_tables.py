"""Calculation over two tables of a filing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from ..measures import PERCENT, Figure, quotient
from ..sheet import Place
from .calculation import ONE_PLACE
from .question import FilingQuestion, Source, exact

_STATEMENTS = "consolidated statements of "
PAIRS: tuple[tuple[str, str, str, str], ...] = (
    ("cash flows", "Net cash provided by (used in) operating activities", "operations", "Total revenue"),
    ("cash flows", "Stock-based compensation", "operations", "Total operating expenses"),
    ("cash flows", "Depreciation", "operations", "Total revenue"),
    (
        "cash flows",
        "Net cash provided by (used in) operating activities",
        "operations",
        "Operating income (loss)",
    ),
)
"""Statement and row of a part, statement and row of what it is a percentage of."""


def across_statements(random: Random, sources: Mapping[str, Source]) -> FilingQuestion | None:
    """A row of one statement as a percentage of a row of another, in one year."""
    part_in, part_label, whole_in, whole_label = random.choice(PAIRS)
    over, under = sources.get(_STATEMENTS + part_in), sources.get(_STATEMENTS + whole_in)
    if over is None or under is None:
        return None
    column = random.randrange(len(over.sheet.columns))
    part = Place(over.sheet.find(part_label), column)
    whole = Place(under.sheet.find(whole_label), column)
    figures = [_figure(over, part), _figure(under, whole)]
    if not figures[0] or figures[1] <= 0:
        return None
    value = exact(100 * quotient(*figures), 1)
    if value is None:
        return None
    question = (
        f"What is {over.row(part)} in {over.sheet.phrase} as a percentage of {under.row(whole)} in "
        f"{under.sheet.phrase}, both {over.column(part)}? {ONE_PLACE}"
    )
    return _made(
        "percentage across tables", question, PERCENT.answer(value), "/", ((over, part), (under, whole))
    )


def across_units(random: Random, sources: Mapping[str, Source]) -> FilingQuestion | None:
    """How much more one business unit has of a row than another."""
    units = [source for name, source in sources.items() if name.startswith("results of ")]
    units = [source for source in units if "operations" not in source.sheet.name]
    if len(units) < 2:
        return None
    first, second = random.sample(units, 2)
    label = random.choice(("Total revenue", "Total costs", "Contribution (loss)", "Materials"))
    column = random.randrange(len(first.sheet.columns))
    places = (
        (first, Place(first.sheet.find(label), column)),
        (second, Place(second.sheet.find(label), column)),
    )
    measure = first.sheet.measure(places[0][1])
    question = (
        f"By how much does {first.name(places[0][1])} in {first.sheet.phrase} exceed the same figure in "
        f"{second.sheet.phrase}? Give a negative number if it is lower."
    )
    value = _figure(*places[0]) - _figure(*places[1])
    return _made("difference across tables", question, measure.answer(value), "-", places)


def _figure(source: Source, place: Place) -> Figure:
    return source.sheet.lines[place.line].figures[place.column] or 0


def _made(
    kind: str, question: str, answer: str, sign: str, places: Sequence[tuple[Source, Place]]
) -> FilingQuestion:
    listed = " ".join(source.listed([place]) for source, place in places)
    working = f" {sign} ".join(f"({_figure(source, place):,})" for source, place in places)
    return FilingQuestion(
        "calculation",
        kind,
        question,
        answer,
        f"{listed} {working} = {answer}.",
        "\n".join(source.evidence([place]) for source, place in places),
        places[0][0].number,
    )
