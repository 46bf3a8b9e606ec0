"""The tables of the business section and of management's discussion: the company, its segments, its units."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TypeAlias

from .books import Books, drifting, split, weighted
from .columns import by_group, dates, group, itemized, named, stated, total, years
from .company import Company
from .measures import PERCENT, Figure, FigureMeasure, percentage
from .sheet import Column, Sheet, SheetLine

PEOPLE = FigureMeasure("count", "employees")
SPACE = FigureMeasure("count", "thousand square feet")
Rows: TypeAlias = "list[tuple[str, Sequence[int]]]"


def results_of_operations(random: Random, company: Company, books: Books) -> Sheet:
    """Two years with the change in dollars and per cent."""
    names = {
        "Total revenue": "revenue",
        "Cost of products": "cost_products",
        "Cost of services": "cost_services",
        "Research and development": "research",
        "Sales and marketing": "selling",
        "General and administrative": "administration",
        "Operating income (loss)": "operating",
        "Net income (loss)": "net",
    }
    lines = [_changed(label, *books.flow(name, company.years[:2])) for label, name in names.items()]
    return Sheet(
        "results of operations compared with the prior year",
        _change_columns(company),
        tuple(lines),
        stated(company, "percentages"),
    )


def _changed(label: str, now: int, before: int) -> SheetLine:
    percent = percentage(now - before, before) if before > 0 else None
    return SheetLine(label, (now, before, now - before, percent))


def _change_columns(company: Company) -> tuple[Column, ...]:
    this, last = company.years[:2]
    flows = [
        Column((f"Year ended {company.close},", str(year)), f"in fiscal {year}", company.money, year)
        for year in (this, last)
    ]
    change = f"Change, {this} from {last}"
    return (
        *flows,
        Column((change, "Amount"), f'in the column "Amount" of "{change}"', company.money),
        Column((change, "Percent"), f'in the column "Percent" of "{change}"', PERCENT, owns=True),
    )


def shares_of_total(
    company: Company, rows: Rows, sum_label: str
) -> tuple[tuple[Column, ...], tuple[SheetLine, ...]]:
    """Amounts of three years beside their percentages of the total."""
    sums = [sum(values) for values in zip(*(row for _, row in rows), strict=True)]
    columns = by_group(company, ("Amount", ("Percent of total", PERCENT)))
    lines = [
        SheetLine(label, (*row, *(percentage(v, whole) for v, whole in zip(row, sums, strict=True))))
        for label, row in rows
    ]
    hundred: tuple[Figure, ...] = tuple(percentage(1, 1) for _ in sums)
    return columns, (*lines, SheetLine(sum_label, (*sums, *hundred), 0, tuple(label for label, _ in rows)))


def revenue_by_region(random: Random, company: Company, books: Books) -> Sheet:
    """Revenue by region, with percentages."""
    parts = drifting(random, books.flow("revenue", company.years), len(company.regions))
    rows: Rows = list(zip(company.regions, parts, strict=True))
    columns, lines = shares_of_total(company, rows, "Total revenue")
    return Sheet("revenue by geographic region", columns, lines, stated(company, "percentages"))


def segment_results(random: Random, company: Company, books: Books) -> Sheet:
    """Revenue and operating income by segment, less corporate expenses."""
    corporate = [-max(3, amount // 60) for amount in books.flow("revenue", company.years)]
    before = [
        own - minus for own, minus in zip(books.flow("operating", company.years), corporate, strict=True)
    ]
    income = drifting(random, before, len(company.segments))
    items = [
        SheetLine(segment, (*sold, *earned))
        for (segment, sold), earned in zip(books.segments.items(), income, strict=True)
    ]
    all_segments = total("Total segments", items)
    rest = SheetLine("Corporate and unallocated", (0, 0, 0, *corporate), note=1)
    return Sheet(
        "segment results",
        by_group(company, ("Revenue", "Operating income (loss)")),
        (*items, all_segments, rest, total("Consolidated", [all_segments, rest])),
        stated(company),
        ("Corporate expenses are those of the head office, and are not allocated to segments.",),
    )


def segment_assets(random: Random, company: Company, books: Books) -> Sheet:
    """Capital expenditures and depreciation by segment."""
    spent = drifting(
        random, [-v for v in books.flow("capital_expenditures", company.years)], len(company.segments)
    )
    used = drifting(random, books.flow("depreciation", company.years), len(company.segments))
    items = [
        SheetLine(segment, (*a, *b)) for segment, a, b in zip(company.segments, spent, used, strict=True)
    ]
    return Sheet(
        "capital expenditures and depreciation by segment",
        by_group(company, ("Capital expenditures", "Depreciation")),
        (*items, total("Total", items)),
        stated(company),
    )


def employees(random: Random, company: Company, books: Books) -> Sheet:
    """Employees by region and kind of contract."""
    headcount = random.randint(3_000, 40_000)
    parts = split(random, headcount, len(company.regions))
    rows = [weighted(count, (0.9, 0.05 + 0.1 * random.random())) for count in parts]
    lines = [SheetLine(region, (*row, sum(row))) for region, row in zip(company.regions, rows, strict=True)]
    return Sheet(
        "employees by region",
        named(("Full-time", "Part-time", "Total employees"), PEOPLE),
        (*lines, total("Total", lines)),
    )


def properties(random: Random, company: Company, books: Books) -> Sheet:
    """Floor space by city, owned and leased."""
    rows = [(random.randint(40, 900), random.choice((0, random.randint(20, 400)))) for _ in company.cities]
    lines = [
        SheetLine(city, (owned, leased, owned + leased))
        for city, (owned, leased) in zip(company.cities, rows, strict=True)
    ]
    return Sheet(
        "principal properties",
        named(("Owned", "Leased", "Total space"), SPACE),
        (*lines, total("Total", lines)),
        "(thousands of square feet)",
    )


# tables of one business unit


def unit_results(random: Random, company: Company, unit: str, revenue: Sequence[int]) -> Sheet:
    """A unit's revenue, costs and contribution."""
    parts = drifting(random, revenue, 2)
    sold = group(
        "Revenue",
        [SheetLine("External customers", tuple(parts[0])), SheetLine("Other units", tuple(parts[1]))],
        "Total revenue",
    )
    labels = ("Materials", "Wages and salaries", "Energy and freight", "Depreciation of plant")
    cost = [round(amount * (0.7 + 0.34 * random.random())) for amount in revenue]
    costs = group(
        "Costs",
        itemized(labels, drifting(random, cost, 4)),
        "Total costs",
    )
    left = tuple(amount - spent for amount, spent in zip(revenue, cost, strict=True))
    return Sheet(
        f"results of {unit}",
        years(company),
        (*sold, *costs, SheetLine("Contribution (loss)", left)),
        stated(company),
    )


def unit_products(random: Random, company: Company, unit: str, revenue: Sequence[int]) -> Sheet:
    """A unit's revenue by line of products, with percentages."""
    products = random.sample(company.sector.products, random.randint(3, 5))
    labels = [product.capitalize() for product in products]
    rows: Rows = list(zip(labels, drifting(random, revenue, len(products)), strict=True))
    columns, lines = shares_of_total(company, rows, f"Total revenue of {unit}")
    return Sheet(f"revenue of {unit} by product line", columns, lines, stated(company, "percentages"))


def unit_regions(random: Random, company: Company, unit: str, revenue: Sequence[int]) -> Sheet:
    """A unit's revenue by region."""
    regions = random.sample(company.regions, random.randint(3, len(company.regions)))
    rows = drifting(random, revenue, len(regions))
    lines = itemized(regions, rows)
    return Sheet(
        f"revenue of {unit} by region",
        years(company),
        (*lines, total(f"Total revenue of {unit}", lines)),
        stated(company),
    )


def unit_backlog(random: Random, company: Company, unit: str, revenue: Sequence[int]) -> Sheet:
    """A unit's orders on hand from the start to the end of each year."""
    level, columns = max(9, revenue[-1] // 3), []
    for sold in reversed(revenue):
        received = round(sold * (0.9 + 0.25 * random.random()))
        cancelled = random.choice((0, -max(1, sold // 70)))
        billed = -min(sold, level + received + cancelled - 5)
        columns.append((level, received, billed, cancelled))
        level += received + billed + cancelled
    labels = ("Backlog at beginning of year", "Orders received", "Orders billed", "Orders cancelled")
    rows = zip(*reversed(columns), strict=True)
    lines = [SheetLine(label, row) for label, row in zip(labels, rows, strict=True)]
    return Sheet(
        f"backlog of {unit}",
        years(company),
        (*lines, total("Backlog at end of year", lines)),
        stated(company),
    )


def unit_assets(random: Random, company: Company, unit: str, revenue: Sequence[int]) -> Sheet:
    """What a unit has invested, at two dates."""
    whole = [max(9, round(amount * (0.5 + 0.2 * random.random()))) for amount in revenue[:2]]
    labels = ("Trade receivables", "Stock on hand", "Plant and machinery", "Other operating assets")
    lines = itemized(labels, drifting(random, whole, 4))
    return Sheet(
        f"operating assets of {unit}",
        dates(company),
        (*lines, total("Total operating assets", lines)),
        stated(company),
    )


UnitSheet: TypeAlias = "Callable[[Random, Company, str, Sequence[int]], Sheet]"
UNIT_SHEETS: tuple[UnitSheet, ...] = (unit_results, unit_products, unit_regions, unit_backlog, unit_assets)
