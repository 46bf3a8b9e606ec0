"""The three statements of a company."""

from __future__ import annotations

from random import Random

from .books import PPE_CLASSES, Books, ppe_name
from .columns import added, dates, group, stated, total, years
from .company import Company
from .measures import PRICE, FigureMeasure, quotient, rounded
from .sheet import Sheet, SheetLine


def income_statement(random: Random, company: Company, books: Books) -> Sheet:
    """Revenue to net income, earnings a share, and the number of shares."""
    flow = {name: books.flow(name, company.years) for name in books.flows[company.year]}
    revenue = group(
        "Revenue", [_of(flow, "Products", "products"), _of(flow, "Services", "services")], "Total revenue"
    )
    cost = group(
        "Cost of revenue",
        [_of(flow, "Cost of products", "cost_products"), _of(flow, "Cost of services", "cost_services")],
        "Total cost of revenue",
    )
    gross = SheetLine("Gross profit", _less(revenue[-1], cost[-1]))
    expenses = group(
        "Operating expenses",
        [
            _of(flow, "Research and development", "research"),
            _of(flow, "Sales and marketing", "selling"),
            _of(flow, "General and administrative", "administration"),
            _of(flow, "Restructuring charges", "restructuring"),
        ],
        "Total operating expenses",
    )
    operating = SheetLine("Operating income (loss)", _less(gross, expenses[-1]))
    interest, other = (
        _of(flow, "Interest expense", "interest"),
        _of(flow, "Other income (expense), net", "other"),
    )
    pretax = total("Income (loss) before income taxes", [operating, interest, other])
    tax = _of(flow, "Income tax benefit (provision)", "tax")
    net = total("Net income (loss)", [pretax, tax])
    return Sheet(
        "consolidated statements of operations",
        years(company),
        (
            *revenue,
            *cost,
            gross,
            *expenses,
            operating,
            interest,
            other,
            pretax,
            tax,
            net,
            *_per_share(company, books),
        ),
        stated(company, "per share data"),
    )


def _of(flow: dict[str, tuple[int, ...]], label: str, name: str) -> SheetLine:
    return SheetLine(label, flow[name])


def _less(line: SheetLine, other: SheetLine) -> tuple[int, ...]:
    return tuple(int((a or 0) - (b or 0)) for a, b in zip(line.figures, other.figures, strict=True))


def _per_share(company: Company, books: Books) -> tuple[SheetLine, ...]:
    """Earnings a share and the shares behind them, which are in thousands whatever the scale."""
    net, basic = books.flow("net", company.years), books.flow("shares", company.years)
    diluted = tuple(count + count // 60 for count in basic)
    to_thousands = 1000 if company.scale == "million" else 1
    shares = FigureMeasure("count", "thousand shares")
    earnings = [
        tuple(rounded(quotient(n * to_thousands, count), 2) for n, count in zip(net, counts, strict=True))
        for counts in (basic, diluted)
    ]
    return (
        SheetLine("Net income (loss) per share"),
        SheetLine("Basic", earnings[0], 1, measure=PRICE),
        SheetLine("Diluted", earnings[1], 1, measure=PRICE),
        SheetLine("Weighted-average shares (in thousands)"),
        SheetLine("Basic shares", basic, 1, measure=shares),
        SheetLine("Diluted shares", diluted, 1, measure=shares),
    )


def balance_sheet(random: Random, company: Company, books: Books) -> Sheet:
    """Assets, liabilities and equity at two dates."""
    when = company.years[:2]

    def of(label: str, *names: str) -> SheetLine:
        return SheetLine(label, added([books.balance(name, when) for name in names]))

    current = group(
        "Current assets",
        [
            of("Cash and cash equivalents", "cash"),
            of("Short-term investments", "securities"),
            of("Accounts receivable, net", "receivables"),
            of("Inventories", "inventories"),
            of("Prepaid expenses and other", "prepaid"),
        ],
        "Total current assets",
    )
    long_lived = [
        of("Property and equipment, net", *map(ppe_name, PPE_CLASSES), "depreciated"),
        of("Operating lease right-of-use assets", "right_of_use"),
        of("Goodwill", "goodwill"),
        of("Intangible assets, net", "intangibles_gross", "amortized"),
        of("Other assets", "other_assets"),
    ]
    assets = total("Total assets", [current[-1], *long_lived])
    due = [debt_due_soon(books, year) for year in when]
    long_term = tuple(debt - now for debt, now in zip(books.balance("debt", when), due, strict=True))
    owed = group(
        "Current liabilities",
        [
            of("Accounts payable", "payables"),
            of("Accrued liabilities", "accrued"),
            of("Deferred revenue", "deferred_revenue"),
            SheetLine("Current portion of long-term debt", tuple(due)),
        ],
        "Total current liabilities",
    )
    later = [
        SheetLine("Long-term debt, less current portion", long_term),
        of("Operating lease liabilities", "lease_liabilities"),
        of("Other liabilities", "other_liabilities"),
    ]
    liabilities = total("Total liabilities", [owed[-1], *later])
    equity = group(
        "Stockholders' equity",
        [
            of("Common stock and additional paid-in capital", "capital"),
            of("Retained earnings (accumulated deficit)", "retained"),
            of("Accumulated other comprehensive loss", "comprehensive"),
            of("Treasury stock, at cost", "treasury"),
        ],
        "Total stockholders' equity",
    )
    both = total("Total liabilities and stockholders' equity", [liabilities, equity[-1]])
    return Sheet(
        "consolidated balance sheets",
        dates(company),
        (*current, *long_lived, assets, *owed, *later, liabilities, *equity, both),
        stated(company),
    )


def debt_due_soon(books: Books, year: int) -> int:
    """The part of the debt that is due within a year."""
    return max(1, books.balances[year]["debt"] // 12)


_ADJUSTMENTS = {
    "Depreciation": "depreciation",
    "Amortization of intangible assets": "amortization",
    "Stock-based compensation": "compensation",
    "Change in accounts receivable": "receivables",
    "Change in inventories": "inventories",
    "Change in prepaid expenses and other": "prepaid",
    "Change in accounts payable": "payables",
    "Change in accrued liabilities": "accrued",
    "Change in deferred revenue": "deferred_revenue",
}
_INVESTING = {
    "Capital expenditures": "capital_expenditures",
    "Purchases of short-term investments, net of sales": "securities",
    "Acquisitions, net of cash acquired": "acquisitions",
}
_FINANCING = {
    "Proceeds from long-term debt": "debt_issued",
    "Repayments of long-term debt": "debt_repaid",
    "Dividends paid": "dividends",
    "Repurchases of common stock": "repurchases",
    "Proceeds from exercise of stock options": "option_proceeds",
}


def cash_flow_statement(random: Random, company: Company, books: Books) -> Sheet:
    """From net income to the change in cash, and the cash at the start and the end of each year."""

    def of(label: str, name: str) -> SheetLine:
        return SheetLine(label, books.flow(name, company.years))

    operating = group(
        "Cash flows from operating activities",
        [of("Net income (loss)", "net"), *(of(label, name) for label, name in _ADJUSTMENTS.items())],
        "Net cash provided by (used in) operating activities",
    )
    investing = group(
        "Cash flows from investing activities",
        [of(label, name) for label, name in _INVESTING.items()],
        "Net cash provided by (used in) investing activities",
    )
    financing = group(
        "Cash flows from financing activities",
        [of(label, name) for label, name in _FINANCING.items()],
        "Net cash provided by (used in) financing activities",
    )
    change = total("Net change in cash and cash equivalents", [operating[-1], investing[-1], financing[-1]])
    start = SheetLine(
        "Cash and cash equivalents at beginning of year",
        books.balance("cash", [year - 1 for year in company.years]),
    )
    return Sheet(
        "consolidated statements of cash flows",
        years(company),
        (
            *operating,
            *investing,
            *financing,
            change,
            start,
            total("Cash and cash equivalents at end of year", [change, start]),
        ),
        stated(company),
    )
