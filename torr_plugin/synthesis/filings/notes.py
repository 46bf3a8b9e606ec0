"""The tables of the notes to the statements; each agrees with the statements where these have its totals."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from .books import PPE_CLASSES, Accounts, Books, drifting, ppe_name, split, weighted
from .columns import added, by_date, dates, itemized, named, stated, total, years
from .company import Company
from .measures import PERCENT, PRICE, FigureMeasure, quotient, rounded
from .sheet import Column, Sheet, SheetLine
from .statements import debt_due_soon


def property_and_equipment(random: Random, company: Company, books: Books) -> Sheet:
    """Property by class, less accumulated depreciation."""
    when = company.years[:2]
    classes = [SheetLine(label, books.balance(ppe_name(label), when)) for label in PPE_CLASSES]
    gross = total("Property and equipment, gross", classes)
    less = SheetLine("Less: accumulated depreciation", books.balance("depreciated", when), note=1)
    depreciation = [company.money.answer(amount) for amount in books.flow("depreciation", company.years)]
    return Sheet(
        "property and equipment",
        dates(company),
        (*classes, gross, less, total("Property and equipment, net", [gross, less])),
        stated(company),
        (
            f"Depreciation expense was {depreciation[0]}, {depreciation[1]} and {depreciation[2]} in fiscal "
            f"{company.years[0]}, {company.years[1]} and {company.years[2]}, respectively.",
        ),
    )


def inventories(random: Random, company: Company, books: Books) -> Sheet:
    """Inventories by stage."""
    rows = drifting(random, books.balance("inventories", company.years[:2]), 3)
    labels = ("Raw materials", "Work in process", "Finished goods")
    lines = itemized(labels, rows)
    return Sheet(
        "inventories by stage", dates(company), (*lines, total("Total inventories", lines)), stated(company)
    )


def accrued_liabilities(random: Random, company: Company, books: Books) -> Sheet:
    """Accrued liabilities by kind."""
    rows = drifting(random, books.balance("accrued", company.years[:2]), 5)
    labels = (
        "Compensation and benefits",
        "Customer rebates",
        "Product warranties",
        "Taxes other than income",
        "Other accruals",
    )
    lines = itemized(labels, rows)
    return Sheet(
        "accrued liabilities",
        dates(company),
        (*lines, total("Total accrued liabilities", lines)),
        stated(company),
    )


def long_term_debt(random: Random, company: Company, books: Books) -> Sheet:
    """Debt by instrument with its rate, less what is due within a year."""
    when = company.years[:2]
    costs = tuple(-max(1, amount // 150) for amount in books.balance("debt", when))
    gross = [amount - cost for amount, cost in zip(books.balance("debt", when), costs, strict=True)]
    rows = drifting(random, gross, 4)
    rates = [rounded(quotient(random.randint(180, 690), 100), 1) for _ in rows]
    due = [company.year + years_away for years_away in sorted(random.sample(range(2, 14), 3))]
    labels = ("Revolving credit facility", *(f"Senior notes due {year}" for year in due))
    debts = [
        SheetLine(label, (rate, *row), note=1 if at == 0 else 0)
        for at, (label, rate, row) in enumerate(zip(labels, rates, rows, strict=True))
    ]
    principal = SheetLine("Total principal", (None, *added(rows)), 0, labels)
    less = SheetLine("Unamortized discount and issuance costs", (None, *costs))
    whole = SheetLine("Total debt", (None, *books.balance("debt", when)), 0, (principal.label, less.label))
    now = SheetLine("Less: current portion", (None, *(-debt_due_soon(books, year) for year in when)))
    later = SheetLine(
        "Long-term debt, net of current portion", _sums(whole, now), 0, (whole.label, now.label)
    )
    rate = Column(("", "Interest rate"), 'in the column "Interest rate"', PERCENT, owns=True)
    return Sheet(
        "long-term debt",
        (rate, *dates(company)),
        (*debts, principal, less, whole, now, later),
        stated(company, "percentages"),
        ("The facility bears interest at a variable rate; shown is the rate at the end of the fiscal year.",),
    )


def _sums(*lines: SheetLine) -> tuple[int | None, ...]:
    columns = zip(*(line.figures for line in lines), strict=True)
    return tuple(None if None in column else sum(int(v or 0) for v in column) for column in columns)


def _following(company: Company) -> tuple[str, ...]:
    return (*(f"Fiscal {company.year + ahead}" for ahead in range(1, 6)), "Thereafter")


def debt_maturities(random: Random, company: Company, books: Books) -> Sheet:
    """Principal and interest due by year."""
    soon = debt_due_soon(books, company.year)
    debt = books.balances[company.year]["debt"]
    principal = [soon, *split(random, debt + max(1, debt // 150) - soon, 5)]
    interest = split(random, max(12, round(debt * 0.21)), 6, spread=0.3)
    rows = [(p, i, p + i) for p, i in zip(principal, interest, strict=True)]
    lines = [SheetLine(label, row) for label, row in zip(_following(company), rows, strict=True)]
    return Sheet(
        "scheduled debt maturities",
        named(("Principal", "Interest", "Total payments"), company.money),
        (*lines, total("Total", lines)),
        stated(company),
    )


def lease_maturities(random: Random, company: Company, books: Books) -> Sheet:
    """Lease payments by year, less imputed interest; what is left is the balance sheet's liability."""
    operating = books.balances[company.year]["lease_liabilities"]
    finance = max(8, operating // 5)
    imputed = [max(1, operating // 9), max(1, finance // 12)]
    columns = [
        split(random, value + less, 6) for value, less in zip((operating, finance), imputed, strict=True)
    ]
    lines = [
        SheetLine(label, (a, b, a + b)) for label, a, b in zip(_following(company), *columns, strict=True)
    ]
    payments = total("Total lease payments", lines)
    less = SheetLine("Less: imputed interest", (-imputed[0], -imputed[1], -sum(imputed)))
    return Sheet(
        "maturities of lease liabilities",
        named(("Operating leases", "Finance leases", "Total leases"), company.money),
        (*lines, payments, less, total("Present value of lease liabilities", [payments, less])),
        stated(company),
    )


def stock_awards(random: Random, company: Company, books: Books) -> Sheet:
    """Restricted stock units: number and average value at grant."""
    start, granted = random.randint(1_500, 6_000), random.randint(600, 2_000)
    vested, forfeited = random.randint(400, 1_200), random.randint(40, 200)
    before, new = random.randint(2_000, 9_000), random.randint(2_500, 11_000)  # cents
    counts = (start, granted, -vested, -forfeited)
    cents = (before, new, before - random.randint(50, 900), before + random.randint(10, 300))
    left = sum(counts)
    average = rounded(quotient(sum(n * c for n, c in zip(counts, cents, strict=True)), left * 100), 2)
    labels = ("Unvested at beginning of year", "Granted", "Vested", "Forfeited")
    lines = [
        SheetLine(label, (n, rounded(quotient(c, 100), 2)))
        for label, n, c in zip(labels, counts, cents, strict=True)
    ]
    return Sheet(
        "restricted stock unit activity",
        (
            *named(("Number of units (in thousands)",), FigureMeasure("count", "thousand units")),
            *named(("Weighted-average grant-date fair value per unit",), FigureMeasure("price", "per unit")),
        ),
        (*lines, SheetLine("Unvested at end of year", (left, average))),
    )


def income_taxes(random: Random, company: Company, books: Books) -> Sheet:
    """The provision, current and deferred, by jurisdiction."""
    provision = [-amount for amount in books.flow("tax", company.years)]
    deferred = [round(amount * (random.random() - 0.6) * 0.4) for amount in provision]
    current = drifting(random, [p - d for p, d in zip(provision, deferred, strict=True)], 3)
    later = drifting(random, deferred, 3)
    kinds = ("federal", "state", "foreign")
    lines = []
    for heading, rows in (("Current", current), ("Deferred", later)):
        items = [SheetLine(f"{heading} {kind}", tuple(row), 1) for kind, row in zip(kinds, rows, strict=True)]
        lines += [
            SheetLine(f"{heading} provision (benefit)"),
            *items,
            total(f"Total {heading.lower()}", items, 1),
        ]
    whole = total("Provision for (benefit from) income taxes", [lines[4], lines[9]])
    return Sheet("components of the income tax provision", years(company), (*lines, whole), stated(company))


def goodwill(random: Random, company: Company, books: Books) -> Sheet:
    """Goodwill by segment over two years."""
    levels = books.balance("goodwill", [company.year - 2, company.year - 1, company.year])
    start = split(random, levels[0], len(company.segments), spread=0.5)
    lines = [_row(f"Balance at end of fiscal {company.year - 2}", start)]
    for (before, after), year in zip(pairwise(levels), (company.year - 1, company.year), strict=True):
        currency = weighted(-max(3, before // 90), [1 + random.random() for _ in start])
        bought = weighted(after - before - sum(currency), [0.05 + random.random() for _ in start])
        changes = [
            _row(f"Acquisitions and adjustments in fiscal {year}", bought),
            _row(f"Currency translation in fiscal {year}", currency),
        ]
        lines += [*changes, total(f"Balance at end of fiscal {year}", [lines[-1], *changes])]
    return Sheet(
        "changes in goodwill by segment",
        named((*company.segments, "Total"), company.money),
        tuple(lines),
        stated(company),
    )


def _row(label: str, parts: list[int]) -> SheetLine:
    return SheetLine(label, (*parts, sum(parts)))


def intangible_assets(random: Random, company: Company, books: Books) -> Sheet:
    """Intangible assets, gross, amortized and net, at two dates."""
    labels = ("Customer relationships", "Developed technology", "Trade names", "Other intangibles")
    by_year = []
    weights = [0.4 + random.random() for _ in labels]
    for year in company.years[:2]:
        gross = weighted(books.balances[year]["intangibles_gross"], weights)
        amortized = weighted(books.balances[year]["amortized"], weights)
        by_year.append([(g, a, g + a) for g, a in zip(gross, amortized, strict=True)])
    lines = [
        SheetLine(label, (*now, *before), note=1 if label == "Trade names" else 0)
        for label, now, before in zip(labels, *by_year, strict=True)
    ]
    return Sheet(
        "intangible assets",
        by_date(company, ("Gross carrying amount", "Accumulated amortization", "Net carrying amount")),
        (*lines, total("Total intangible assets", lines)),
        stated(company),
        ("Includes trade names that are not amortized and are tested for impairment once a year.",),
    )


def fair_values(random: Random, company: Company, books: Books) -> Sheet:
    """Assets at fair value by level of the inputs."""
    securities = books.balances[company.year]["securities"]
    bills, bonds, funds = split(random, securities, 3)
    rows = {
        "Money market funds": (max(2, books.balances[company.year]["cash"] // 3), 0, 0),
        "Government securities": (bills, 0, 0),
        "Corporate bonds": (0, bonds, 0),
        "Mutual funds": (funds, 0, 0),
        "Contingent consideration receivable": (0, 0, random.randint(3, 60)),
    }
    lines = [SheetLine(label, (*row, sum(row))) for label, row in rows.items()]
    return Sheet(
        "assets measured at fair value",
        named(("Level 1", "Level 2", "Level 3", "Total fair value"), company.money),
        (*lines, total("Total assets at fair value", lines)),
        stated(company),
    )


def quarterly_results(random: Random, company: Company, books: Books) -> Sheet:
    """Revenue, gross profit and net income by quarter of two years."""
    flows = [books.flows[year] for year in company.years[:2]]
    columns = [
        [split(random, amount, 4, spread=0.25) for amount in (f["revenue"], _gross(f), f["net"])]
        for f in flows
    ]
    figures = [[columns[y][line][q] for y in range(2) for q in range(4)] for line in range(3)]
    quarters = tuple(
        Column(
            (f"Fiscal {year}", quarter),
            f"in the {ordinal} quarter of fiscal {year}",
            company.money,
            year,
            quarter,
        )
        for year in company.years[:2]
        for quarter, ordinal in zip(
            ("Q1", "Q2", "Q3", "Q4"), ("first", "second", "third", "fourth"), strict=True
        )
    )
    labels = ("Total revenue", "Gross profit", "Net income (loss)")
    lines = itemized(labels, figures)
    return Sheet("unaudited quarterly results", quarters, tuple(lines), stated(company))


def _gross(flow: Accounts) -> int:
    return flow["revenue"] - flow["cost_products"] - flow["cost_services"]


def repurchases(random: Random, company: Company, books: Books) -> Sheet:
    """Shares bought back by quarter, with average price."""
    spent = split(random, -books.flows[company.year]["repurchases"], 4)
    unit = 1_000_000 if company.scale == "million" else 1_000
    prices = [random.randint(2_000, 12_000) for _ in spent]  # cents
    counts = [max(1, amount * unit // (price * 10)) for amount, price in zip(spent, prices, strict=True)]
    lines = [
        SheetLine(f"{ordinal} quarter", (count, rounded(quotient(price, 100), 2), amount))
        for ordinal, count, price, amount in zip(
            ("First", "Second", "Third", "Fourth"), counts, prices, spent, strict=True
        )
    ]
    whole = SheetLine(
        "Total for the year", (sum(counts), None, sum(spent)), 0, tuple(line.label for line in lines)
    )
    return Sheet(
        "repurchases of common stock",
        (
            *named(("Shares purchased (in thousands)",), FigureMeasure("count", "thousand shares")),
            *named(("Average price paid per share",), PRICE),
            *named((f"Amount paid (in {company.scale}s)",), company.money),
        ),
        (*lines, whole),
    )


def commitments(random: Random, company: Company, books: Books) -> Sheet:
    """Purchase commitments by kind and year."""
    base = max(60, books.flows[company.year]["revenue"] // 12)
    labels = ("Raw materials and components", "Hosting and software", "Capital projects", "Sponsorships")
    rows = [split(random, max(8, round(base * (0.2 + random.random()))), 4) for _ in labels]
    lines = [_row(label, row) for label, row in zip(labels, rows, strict=True)]
    periods = ("Less than 1 year", "1 to 3 years", "3 to 5 years", "More than 5 years", "Total commitments")
    return Sheet(
        "purchase commitments by period",
        named(periods, company.money),
        (*lines, total("Total", lines)),
        stated(company),
    )


def allowance(random: Random, company: Company, books: Books) -> Sheet:
    """The allowance for credit losses from start to end, over three years."""
    level = max(9, books.balances[company.year - 3]["receivables"] // 40)
    columns = []
    for _ in company.years:
        charged, written = max(3, round(level * 0.3)), -max(2, round(level * (0.15 + 0.2 * random.random())))
        columns.append((level, charged, written, level + charged + written))
        level += charged + written
    labels = ("Balance at beginning of year", "Charged to expense", "Write-offs, net of recoveries")
    rows = list(zip(*reversed(columns), strict=True))
    lines = [SheetLine(label, row) for label, row in zip(labels, rows, strict=False)]
    return Sheet(
        "allowance for credit losses",
        years(company),
        (*lines, total("Balance at end of year", lines)),
        stated(company),
    )


def contract_balances(random: Random, company: Company, books: Books) -> Sheet:
    """Deferred revenue, and what remains to be performed, by span of time."""
    rows = drifting(random, books.balance("deferred_revenue", company.years[:2]), 3)
    labels = ("Customer deposits", "Prepaid service contracts", "Unperformed installation")
    lines = itemized(labels, rows)
    return Sheet(
        "deferred revenue by source",
        dates(company),
        (*lines, total("Total deferred revenue", lines)),
        stated(company),
    )


def employee_benefits(random: Random, company: Company, books: Books) -> Sheet:
    """Stock-based compensation by function, over three years."""
    rows = drifting(random, books.flow("compensation", company.years), 4)
    labels = (
        "Included in cost of revenue",
        "Included in research and development",
        "Included in sales and marketing",
        "Included in general and administrative",
    )
    lines = itemized(labels, rows)
    return Sheet(
        "stock-based compensation expense",
        years(company),
        (*lines, total("Total stock-based compensation", lines)),
        stated(company),
    )
