"""Answers from a document: a cell of the table asked about, or what is calculated from its cells."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction

from .cells import cell_answer, window_answer
from .documents import ShownDocument
from .json_form import WorkedAnswer
from .ledger import Ledger, Unit, decimal, years_in

_PRIOR = re.compile(r"\b(?:prior|previous|preceding|last) (?:fiscal )?year\b|\byear[- ]over[- ]year\b", re.I)
_PERCENT = re.compile(
    r"\bpercent(?:age)?s?\b(?! points?\b)|%|\bgrowth rate\b|\brate of (?:growth|change)\b", re.I
)
_CHANGE = re.compile(
    r"\b(?:chang|grow|increas|decreas|declin|ris|rose|risen|fall|fell|drop|improv|shr[aiu]nk)\w*\b|\bgrew\b|"
    r"\bdifferen\w+|\bhow (?:much|many) (?:\w+ )?(?:more|less|fewer|higher|lower|greater|larger|smaller)\b|"
    r"\bexceed\w*\b|\bcompared (?:with|to)\b",
    re.I,
)
_FALL = re.compile(
    r"\b(?:decreas|declin|fall|fell|drop|shr[aiu]nk)\w*\b|\b(?:less|fewer|lower|smaller)\b", re.I
)
_SHARE = (
    re.compile(
        r"(?P<part>.+?)\b(?:as )?an? (?:percentage|percent|share|proportion|fraction) of\b(?P<whole>.+)", re.I
    ),
    re.compile(
        r"\b(?:percentage|percent|share|proportion|fraction|part) of (?P<whole>.+?)\b"
        r"(?:is|was|were|are|came|comes?|did|does|do|consist\w*|made|make|account\w*|represent\w*)\b(?P<part>.+)",
        re.I,
    ),
)
_RATIO = re.compile(r"\bratio of (?P<part>.+?)\bto\b(?P<whole>.+)", re.I)
_PAIR = re.compile(r"\b(?:sum of|between|add(?:ing)?|combined?|total of|together|of|did)\b", re.I)
_AND = re.compile(r"\b(?:and|plus|with|to|from|than)\b", re.I)
_SUM = re.compile(r"\b(?:sum|total|combined|together|altogether|cumulative|add(?:ed|ing)? up)\b", re.I)
_MOST_ROWS, _MOST_WORDS = 3, 40
_MEAN = re.compile(r"\b(?:average|mean)\b", re.I)


def document_answer(document: ShownDocument) -> WorkedAnswer:
    """What the table that fits the question best says, and how it was found; without tables, a near word."""
    shown, question = document.asked_about, document.question
    if shown is None:
        return WorkedAnswer(window_answer(document.text, question))
    ledger = Ledger.of(shown)
    if ledger is not None:
        for answered in (*_CALCULATIONS, looked_up):
            found = answered(ledger, question)
            if found is not None:
                return found
    return WorkedAnswer(cell_answer(shown.grid, question) if shown.grid.rows else "")


def document_description(document: ShownDocument) -> WorkedAnswer:
    """The rows of that table that the question names best, as sentences."""
    shown = document.asked_about
    if shown is None:
        return WorkedAnswer(" ".join(document.text.split()[:_MOST_WORDS]))
    ledger = Ledger.of(shown)
    if ledger is None:
        return WorkedAnswer(
            " ".join([shown.grid.title, *(" ".join(row) for row in shown.grid.rows[:3])]).strip()
        )
    best = ledger.rows(document.question)[:_MOST_ROWS]
    return WorkedAnswer(" ".join(_sentence(ledger, row) for row in best))


def _sentence(ledger: Ledger, row: int) -> str:
    """As in: revenue was $7 million in 2023, and $5 million in 2022."""
    known = [c for c, cell in enumerate(ledger.cells[row]) if cell is not None]
    facts = [
        f"{ledger.unit(row, c).written(_value(ledger, row, c))} in {ledger.columns[c] or 'the table'}"
        for c in known
    ]
    return f"{ledger.labels[row] or 'It'} was {', and '.join(facts)}."


def looked_up(ledger: Ledger, question: str) -> WorkedAnswer | None:
    """The cell at the row and column that a question names."""
    row = ledger.row(question)
    if row is None:
        return None
    years = years_in(question)
    column = ledger.column(question, years[0] if years else "", row)
    column = ledger.column(question, "", row) if column is None else column
    if column is None:
        return None
    value = ledger.cells[row][column]
    if value is None:
        return None
    answer = ledger.unit(row, column).written(value.written)
    return WorkedAnswer(answer, f"{_name(ledger, row, column)}: {ledger.texts[row][column]}")


def change(ledger: Ledger, question: str) -> WorkedAnswer | None:
    """How much a row changed between two years, or by what percentage."""
    row = ledger.row(question)
    if row is None or not _CHANGE.search(question) or _MEAN.search(question):
        return None
    columns = _two_years(ledger, question, row)
    if columns is None:
        return None
    earlier, later = columns
    old, new = (_value(ledger, row, column) for column in columns)
    unit = ledger.unit(row, later)
    steps = f"{_shown(ledger, row, earlier)}; {_shown(ledger, row, later)}"
    if _PERCENT.search(question) and unit.after != "%":
        if not old:
            return None
        result = _turned((new - old) / abs(old) * 100, question)
        return WorkedAnswer(
            f"{decimal(result)}%",
            f"{steps}; ({decimal(new)} - {decimal(old)}) / {decimal(abs(old))} = {decimal(result)}%",
        )
    result = _turned(new - old, question)
    return WorkedAnswer(
        unit.written(result), f"{steps}; {decimal(new)} - {decimal(old)} = {decimal(new - old)}"
    )


def _turned(value: Fraction, question: str) -> Fraction:
    """A change as the question has it: how far something fell is a positive number, like a difference."""
    falls = _FALL.search(question) and not re.search(r"\b(?:increas|grow|ris|chang)\w*", question, re.I)
    if falls:
        return -value
    return abs(value) if re.search(r"\bdifferen", question, re.I) else value


def share(ledger: Ledger, question: str) -> WorkedAnswer | None:
    """What percentage one row is of another, or their ratio."""
    ratio = _RATIO.search(question)
    found = ratio or next((found for each in _SHARE if (found := each.search(question))), None)
    rows = _two_rows(ledger, found)
    if rows is None:
        return None
    column = _one_year(ledger, question, rows)
    if column is None:
        return None
    part, whole = (_value(ledger, row, column) for row in rows)
    if not whole:
        return None
    result = part / whole * (1 if ratio else 100)
    steps = "; ".join(_shown(ledger, row, column) for row in rows)
    answer = decimal(result) if ratio else f"{decimal(result)}%"
    return WorkedAnswer(answer, f"{steps}; {decimal(part)} / {decimal(whole)} = {answer}")


def two_rows(ledger: Ledger, question: str) -> WorkedAnswer | None:
    """The sum or the difference of two rows in one column."""
    apart, together = _CHANGE.search(question), _SUM.search(question)
    rows = _joined_rows(ledger, question) if apart or together else None
    if rows is None:
        return None
    column = _one_year(ledger, question, rows)
    if column is None:
        return None
    first, second = (_value(ledger, row, column) for row in rows)
    result = first + second if together else abs(first - second)
    steps = "; ".join(_shown(ledger, row, column) for row in rows)
    sign = "+" if together else "-"
    unit = ledger.unit(rows[0], column)
    return WorkedAnswer(
        unit.written(result), f"{steps}; {decimal(first)} {sign} {decimal(second)} = {decimal(result)}"
    )


def over_years(ledger: Ledger, question: str) -> WorkedAnswer | None:
    """The mean or the sum of a row over the years that a question names, or over all columns."""
    row = ledger.row(question)
    mean, years = _MEAN.search(question), years_in(question)
    if row is None or not (mean or (_SUM.search(question) and len(years) > 1)):
        return None
    columns = _between(ledger, question, row, years)
    if len(columns) < 2:
        return None
    values = [_value(ledger, row, column) for column in columns]
    total = sum(values, Fraction(0))
    result = total / len(values) if mean else total
    steps = "; ".join(_shown(ledger, row, column) for column in columns)
    return WorkedAnswer(ledger.unit(row, columns[0]).written(result), f"{steps}; {decimal(result)}")


_CALCULATIONS: tuple[Callable[[Ledger, str], WorkedAnswer | None], ...] = (
    over_years,
    change,
    share,
    two_rows,
)


def _two_years(ledger: Ledger, question: str, row: int) -> tuple[int, int] | None:
    """The columns of the first and the last year that a question compares."""
    years = years_in(question)
    if len(years) == 1 and _PRIOR.search(question):
        years = [str(int(years[0]) - 1), *years]
    if len(years) < 2:
        return None
    earlier, later = (ledger.column(question, year, row) for year in (min(years), max(years)))
    return None if earlier is None or later is None else (earlier, later)


def _one_year(ledger: Ledger, question: str, rows: Sequence[int]) -> int | None:
    """The column that a question names, with numbers in all these rows."""
    years = years_in(question)
    column = ledger.column(question, years[0] if years else "", rows[0])
    known = column is not None and all(ledger.cells[row][column] is not None for row in rows)
    return column if known else None


def _between(ledger: Ledger, question: str, row: int, years: Sequence[str]) -> list[int]:
    """The columns of the years named, and of those between two; without any, all."""
    if not years:
        return [c for c, cell in enumerate(ledger.cells[row]) if cell is not None]
    wanted = years if len(years) > 2 else [str(year) for year in range(int(min(years)), int(max(years)) + 1)]
    found = (ledger.column(question, year, row) for year in wanted)
    return [column for column in found if column is not None]


def _two_rows(ledger: Ledger, found: re.Match[str] | None) -> tuple[int, int] | None:
    """The rows that the two halves of a comparison name, if they are two."""
    if found is None:
        return None
    part, whole = (ledger.row(found[name]) for name in ("part", "whole"))
    return None if part is None or whole is None or part == whole else (part, whole)


def _joined_rows(ledger: Ledger, question: str) -> tuple[int, int] | None:
    """The two rows that stand before and after an ``and``, whichever of them splits the question best."""
    opening = _PAIR.search(question)
    if opening is None:
        return None
    best, most = None, 0.0
    for mark in _AND.finditer(question, opening.end()):
        first = ledger.fits(question[opening.end() : mark.start()])
        second = ledger.fits(question[mark.end() :])
        one = max(first, key=first.__getitem__, default=None)
        other = max(second.keys() - {one}, key=lambda row: (second[row], -row), default=None)
        if one is not None and other is not None and first[one] + second[other] > most:
            best, most = (one, other), first[one] + second[other]
    return best


def _value(ledger: Ledger, row: int, column: int) -> Fraction:
    cell = ledger.cells[row][column]
    return Fraction(0) if cell is None else cell.written


def _name(ledger: Ledger, row: int, column: int) -> str:
    return f"{ledger.labels[row]}, {ledger.columns[column]}".strip(", ")


def _shown(ledger: Ledger, row: int, column: int) -> str:
    return f"{_name(ledger, row, column)}: {Unit().written(_value(ledger, row, column))}"
