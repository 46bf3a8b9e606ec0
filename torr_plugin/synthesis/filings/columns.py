"""The columns that tables of filings have, and shorthands for their rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .company import Company
from .measures import Figure, FigureMeasure
from .sheet import Column, SheetLine


def stated(company: Company, but: str = "") -> str:
    """The unit as a corner says it: ``(in millions)``, with what is excepted."""
    return f"(in {company.scale}s{f', except {but}' if but else ''})"


def years(company: Company, count: int = 3, measure: FigureMeasure | None = None) -> tuple[Column, ...]:
    """One column of flows a fiscal year, under a header with the day on which fiscal years end."""
    return tuple(
        Column(
            (f"Year ended {company.close},", str(year)), f"in fiscal {year}", measure or company.money, year
        )
        for year in company.years[:count]
    )


def dates(company: Company, count: int = 2, measure: FigureMeasure | None = None) -> tuple[Column, ...]:
    """One column of balances a fiscal year, at its close."""
    return tuple(
        Column(
            (f"{company.close},", str(year)),
            f"as of {company.close}, {year}",
            measure or company.money,
            year,
        )
        for year in company.years[:count]
    )


def by_group(
    company: Company, groups: Sequence[str | tuple[str, FigureMeasure]], count: int = 3
) -> tuple[Column, ...]:
    """For each group a spanning header over fiscal years; a measure of its own holds for all rows."""
    columns = []
    for group in groups:
        name, measure = (group, company.money) if isinstance(group, str) else group
        columns += [
            Column(
                (name, str(year)),
                f'in the column "{name}" for fiscal {year}',
                measure,
                year,
                name,
                not isinstance(group, str),
            )
            for year in company.years[:count]
        ]
    return tuple(columns)


def by_date(company: Company, names: Sequence[str]) -> tuple[Column, ...]:
    """For each of two dates a spanning header over named columns."""
    return tuple(
        Column(
            (f"{company.close}, {year}", name),
            f'in the column "{name}" as of {company.close}, {year}',
            company.money,
            year,
            name,
        )
        for year in company.years[:2]
        for name in names
    )


def named(names: Iterable[str], measure: FigureMeasure) -> tuple[Column, ...]:
    """Columns with one label each."""
    return tuple(Column((name,), f'in the column "{name}"', measure) for name in names)


def added(parts: Sequence[Sequence[Figure | None]]) -> tuple[Figure, ...]:
    """The sums of columns; an empty cell adds nothing."""
    return tuple(sum(value or 0 for value in column) for column in zip(*parts, strict=True))


def itemized(labels: Sequence[str], rows: Iterable[Sequence[Figure | None]]) -> list[SheetLine]:
    """One line a label."""
    return [SheetLine(label, tuple(row)) for label, row in zip(labels, rows, strict=True)]


def total(label: str, lines: Sequence[SheetLine], level: int = 0) -> SheetLine:
    """The sum of these lines."""
    items = [line for line in lines if line.figures]
    return SheetLine(
        label, added([line.figures for line in items]), level, tuple(line.label for line in items)
    )


def group(heading: str, items: Sequence[SheetLine], sum_label: str) -> tuple[SheetLine, ...]:
    """A heading, items indented below it and their total."""
    inside = [SheetLine(item.label, item.figures, 1, item.adds, item.measure, item.note) for item in items]
    return (SheetLine(heading), *inside, total(sum_label, inside, 1))
