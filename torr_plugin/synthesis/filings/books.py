"""The books of a company: three years of accounts that balance, and splits of them that add up.

Every flow is entered twice, so that the balance sheets balance, the cash flow statement explains the change
of cash and the roll-forwards of the notes end where the balance sheet begins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from .company import Company

Accounts: TypeAlias = "Mapping[str, int]"

PPE_CLASSES = (
    "Land",
    "Buildings and improvements",
    "Machinery and equipment",
    "Computer hardware and software",
    "Construction in progress",
)
_PPE_WEIGHTS = (6, 28, 46, 13, 7)


@dataclass(frozen=True)
class Books:
    """Accounts by fiscal year: ``flows`` of three years, ``balances`` also of the year before.

    ``segments`` and ``units`` are the revenue of each in the years of the statements, the latest first; units
    add up to their segment, segments to the company. All amounts are whole numbers in the company's scale;
    shares are in thousands.
    """

    flows: Mapping[int, Accounts]
    balances: Mapping[int, Accounts]
    segments: Mapping[str, Sequence[int]]
    units: Mapping[str, Sequence[int]]

    def flow(self, name: str, years: Sequence[int]) -> tuple[int, ...]:
        """A flow of these years."""
        return tuple(self.flows[year][name] for year in years)

    def balance(self, name: str, years: Sequence[int]) -> tuple[int, ...]:
        """A balance at the close of these years."""
        return tuple(self.balances[year][name] for year in years)


def split(random: Random, total: int, parts: int, *, spread: float = 0.6) -> list[int]:
    """Positive parts that add up to a total, at random; ``spread`` 0 is even, 1 as uneven as can be."""
    return weighted(total, [1 - spread * random.random() for _ in range(parts)])


def weighted(total: int, weights: Sequence[float]) -> list[int]:
    """Whole parts in proportion to weights that add up to a total, which may be negative."""
    whole, parts, given = sum(weights), list[int](), 0
    for at in range(1, len(weights)):
        upto = round(total * sum(weights[:at]) / whole)
        parts.append(upto - given)
        given = upto
    return [*parts, total - given]


def drifting(random: Random, totals: Sequence[int], parts: int) -> list[list[int]]:
    """For each part its shares of several totals: weights that drift from one total to the next."""
    weights = [0.3 + random.random() for _ in range(parts)]
    columns = []
    for total in totals:
        columns.append(weighted(total, weights))
        weights = [weight * (0.82 + 0.36 * random.random()) for weight in weights]
    return [list(row) for row in zip(*columns, strict=True)]


def draw_books(random: Random, company: Company) -> Books:
    """Three years of accounts for a company."""
    least = 2_000 + 400 * len(company.units)  # so that every unit has figures of some digits
    revenue = random.randint(least, least + 28_000) * (1 if company.scale == "million" else 40)
    first = min(company.years) - 1
    balances: dict[int, Accounts] = {first: _opening(random, revenue)}
    flows: dict[int, Accounts] = {}
    for year in sorted(company.years):
        revenue = round(revenue * (0.93 + 0.22 * random.random()))
        before = balances[year - 1]
        flow = _flows(random, revenue, before)
        flows[year] = flow
        balances[year] = _closing(before, flow)
    segments = _shared(random, [flows[year]["revenue"] for year in company.years], company.segments)
    units = {
        unit: sold
        for segment in company.segments
        if company.units_of(segment)
        for unit, sold in _shared(random, segments[segment], company.units_of(segment)).items()
    }
    return Books(flows, balances, segments, units)


def _shared(random: Random, totals: Sequence[int], names: Sequence[str]) -> dict[str, list[int]]:
    return dict(zip(names, drifting(random, totals, len(names)), strict=True))


def _near(random: Random, amount: float, spread: float = 0.15) -> int:
    return max(2, round(amount * (1 - spread + 2 * spread * random.random())))


def _opening(random: Random, revenue: int) -> dict[str, int]:
    """The first balance sheet; retained earnings are what is left."""
    cost = _near(random, revenue * 0.62)
    gross = _near(random, revenue * 0.45)
    opening = {
        "cash": _near(random, revenue * 0.16),
        "securities": _near(random, revenue * 0.07),
        "receivables": _near(random, revenue * 0.14),
        "inventories": _near(random, cost * 0.16),
        "prepaid": _near(random, revenue * 0.025),
        **dict(zip(map(ppe_name, PPE_CLASSES), weighted(gross, _PPE_WEIGHTS), strict=True)),
        "depreciated": -_near(random, gross * 0.42),
        "right_of_use": _near(random, revenue * 0.05),
        "goodwill": _near(random, revenue * 0.2),
        "intangibles_gross": _near(random, revenue * 0.12),
        "amortized": -_near(random, revenue * 0.045),
        "other_assets": _near(random, revenue * 0.03),
        "payables": _near(random, cost * 0.13),
        "accrued": _near(random, revenue * 0.08),
        "deferred_revenue": _near(random, revenue * 0.05),
        "debt": _near(random, revenue * 0.24),
        "other_liabilities": _near(random, revenue * 0.03),
        "capital": _near(random, revenue * 0.18),
        "comprehensive": -_near(random, revenue * 0.02),
        "treasury": -_near(random, revenue * 0.06),
        "shares": _near(random, 180_000, 0.6),
    }
    opening["lease_liabilities"] = opening["right_of_use"] + _near(random, revenue * 0.004)
    opening["retained"] = _assets(opening) - _liabilities(opening) - sum(opening[n] for n in _EQUITY[:-1])
    return opening


ASSETS = (
    "cash",
    "securities",
    "receivables",
    "inventories",
    "prepaid",
    *(f"ppe {name}" for name in PPE_CLASSES),
    "depreciated",
    "right_of_use",
    "goodwill",
    "intangibles_gross",
    "amortized",
    "other_assets",
)
LIABILITIES = ("payables", "accrued", "deferred_revenue", "debt", "lease_liabilities", "other_liabilities")
_EQUITY = ("capital", "comprehensive", "treasury", "retained")


def ppe_name(label: str) -> str:
    """The account of a class of property."""
    return f"ppe {label}"


def _assets(balance: Accounts) -> int:
    return sum(balance[name] for name in ASSETS)


def _liabilities(balance: Accounts) -> int:
    return sum(balance[name] for name in LIABILITIES)


def _flows(random: Random, revenue: int, before: Accounts) -> dict[str, int]:
    """The flows of a year, signed as they move profit (income statement) or cash (cash flow statement)."""
    income = _income(random, revenue, before)
    flow = income | _operating_changes(random, revenue, income, before)
    flow |= _investing(random, revenue, income)
    flow["operating_cash"] = sum(flow[name] for name in OPERATING)
    flow["investing_cash"] = sum(flow[name] for name in INVESTING)
    return flow | _financing(random, flow, before)


def _income(random: Random, revenue: int, before: Accounts) -> dict[str, int]:
    gross_property = sum(before[ppe_name(name)] for name in PPE_CLASSES)
    products = round(revenue * (0.62 + 0.2 * random.random()))
    cost_products = _near(random, products * 0.68, 0.1)
    cost_services = _near(random, (revenue - products) * 0.6, 0.1)
    expenses = {
        "research": _near(random, revenue * 0.055),
        "selling": _near(random, revenue * 0.085),
        "administration": _near(random, revenue * 0.05),
        "restructuring": random.choice((0, 0, _near(random, revenue * 0.012, 0.5))),
    }
    operating = revenue - cost_products - cost_services - sum(expenses.values())
    interest = -_near(random, before["debt"] * 0.045)
    other = _near(random, revenue * 0.004, 0.6) * random.choice((1, 1, -1))
    pretax = operating + interest + other
    tax = -round(pretax * (0.17 + 0.08 * random.random()))
    return {
        "revenue": revenue,
        "products": products,
        "services": revenue - products,
        "cost_products": cost_products,
        "cost_services": cost_services,
        **expenses,
        "operating": operating,
        "interest": interest,
        "other": other,
        "pretax": pretax,
        "tax": tax,
        "net": pretax + tax,
        "depreciation": _near(random, gross_property * 0.065),
        "amortization": min(
            _near(random, before["intangibles_gross"] * 0.06),
            max(1, before["intangibles_gross"] + before["amortized"] - 2),
        ),
        "shares": _near(random, before["shares"], 0.02),
    }


OPERATING = (
    "net",
    "depreciation",
    "amortization",
    "compensation",
    "receivables",
    "inventories",
    "prepaid",
    "payables",
    "accrued",
    "deferred_revenue",
)
INVESTING = ("capital_expenditures", "securities", "acquisitions")
FINANCING = ("debt_issued", "debt_repaid", "dividends", "repurchases", "option_proceeds")


def _operating_changes(random: Random, revenue: int, income: Accounts, before: Accounts) -> dict[str, int]:
    """Noncash items and the cash effects of working capital."""
    cost = income["cost_products"] + income["cost_services"]
    targets = {
        "receivables": -_near(random, revenue * 0.14),
        "inventories": -_near(random, cost * 0.16),
        "prepaid": -_near(random, revenue * 0.025),
        "payables": _near(random, cost * 0.13),
        "accrued": _near(random, revenue * 0.08),
        "deferred_revenue": _near(random, revenue * 0.05),
    }
    changes = {
        name: target + (before[name] if target < 0 else -before[name]) for name, target in targets.items()
    }
    return {"compensation": _near(random, revenue * 0.014), **changes}


def _investing(random: Random, revenue: int, income: Accounts) -> dict[str, int]:
    leased = _near(random, revenue * 0.012)
    return {
        "capital_expenditures": -_near(random, income["depreciation"] * 1.15, 0.25),
        "securities": -_near(random, revenue * 0.01, 0.9) * random.choice((1, 1, -1)),
        "acquisitions": random.choice((0, -_near(random, revenue * 0.025, 0.6))),
        "acquired_intangibles_share": random.randint(25, 40),
        "leased": leased,
        "lease_payments": _near(random, leased * 0.9, 0.1),
        "translation": _near(random, revenue * 0.002, 0.8) * random.choice((1, -1, -1)),
    }


def _financing(random: Random, flow: Accounts, before: Accounts) -> dict[str, int]:
    """Dividends, repurchases and debt; new debt keeps cash above a tenth of revenue."""
    repaid = -_near(random, before["debt"] * 0.1, 0.4)
    dividends = -_near(random, max(abs(flow["net"]), 20) * 0.3)
    repurchases = -_near(random, max(flow["operating_cash"], 20) * 0.2, 0.6)
    options = _near(random, flow["compensation"] * 0.3, 0.4)
    cash = before["cash"] + flow["operating_cash"] + flow["investing_cash"] + repaid + dividends
    need = round(flow["revenue"] * 0.1) - (cash + repurchases + options)
    issued = max(need, random.choice((0, _near(random, before["debt"] * 0.12))), 0)
    financing = issued + repaid + dividends + repurchases + options
    return {
        "debt_issued": issued,
        "debt_repaid": repaid,
        "dividends": dividends,
        "repurchases": repurchases,
        "option_proceeds": options,
        "financing_cash": financing,
        "change_in_cash": flow["operating_cash"] + flow["investing_cash"] + financing,
    }


def _closing(before: Accounts, flow: Accounts) -> dict[str, int]:
    """The balance sheet after a year of flows."""
    after = dict(before)
    after["cash"] += flow["change_in_cash"]
    for name in ("securities", "receivables", "inventories", "prepaid"):
        after[name] -= flow[name]
    for name in ("payables", "accrued", "deferred_revenue"):
        after[name] += flow[name]
    added = weighted(-flow["capital_expenditures"], _PPE_WEIGHTS)
    for label, amount in zip(PPE_CLASSES, added, strict=True):
        after[ppe_name(label)] += amount
    after["depreciated"] -= flow["depreciation"]
    bought = round(-flow["acquisitions"] * flow["acquired_intangibles_share"] / 100)
    after["intangibles_gross"] += bought
    after["amortized"] -= flow["amortization"]
    after["goodwill"] += -flow["acquisitions"] - bought
    for name in ("right_of_use", "lease_liabilities"):
        after[name] += flow["leased"] - flow["lease_payments"]
    after["debt"] += flow["debt_issued"] + flow["debt_repaid"]
    after["capital"] += flow["compensation"] + flow["option_proceeds"]
    after["treasury"] += flow["repurchases"]
    after["retained"] += flow["net"] + flow["dividends"]
    after["other_assets"] = max(2, before["other_assets"] + flow["translation"])
    after["comprehensive"] += after["other_assets"] - before["other_assets"]
    after["shares"] = flow["shares"]
    return after
