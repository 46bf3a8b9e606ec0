"""Synthetic filings: figures that agree, a length as asked, HTML that reads back as the same document."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.synthesis.filings import PAGE, Filing, edgar_html, make_filing
from torr_plugin.synthesis.filings.books import ASSETS, LIABILITIES, draw_books, weighted
from torr_plugin.synthesis.filings.company import draw_company
from torr_plugin.synthesis.filings.filing import printed_size
from torr_plugin.tables import Table
from torr_plugin.tables.documents import read_filing

from .reading import Solver, number_of

SEEDS = st.integers(0, 2**64)
FEW = settings(max_examples=5, deadline=None)
PARTS = (
    "Total segments", "Total current assets",  "Total operating expenses",
    "Total inventories", "Property and equipment, gross", "Total lease payments", "Total",
)  # fmt: skip


def same_after_reading(seed: int, pages: int) -> None:
    filing = make_filing(seed, pages=pages)
    read = read_filing(edgar_html(filing.document, seed=seed))
    assert read.tables == filing.document.tables
    # the table of contents comes before, which filers add and the document lacks
    assert read.blocks[-len(filing.document.blocks) :] == filing.document.blocks
    assert read.title == filing.document.title


@FEW
@given(SEEDS, st.integers(1, 4))
def test_its_html_reads_back_as_the_document(seed: int, pages: int) -> None:
    same_after_reading(seed, pages)


@pytest.mark.full
@settings(max_examples=30, deadline=None)
@given(SEEDS, st.integers(1, 40))
def test_the_html_of_longer_ones_reads_back(seed: int, pages: int) -> None:
    same_after_reading(seed, pages)


@given(SEEDS)
def test_books_balance_and_cash_is_explained(seed: int) -> None:
    company = draw_company(Random(seed), units=7)
    books = draw_books(Random(seed), company)
    for balance in books.balances.values():
        equity = sum(balance[name] for name in ("capital", "comprehensive", "treasury", "retained"))
        assert sum(balance[name] for name in ASSETS) == sum(balance[name] for name in LIABILITIES) + equity
        assert min(balance["cash"], balance["debt"], balance["intangibles_gross"] + balance["amortized"]) > 0
    for year, flow in books.flows.items():
        assert books.balances[year]["cash"] - books.balances[year - 1]["cash"] == flow["change_in_cash"]
    for segment, revenue in books.segments.items():
        units = [books.units[unit] for unit in company.units_of(segment)]
        assert [sum(column) for column in zip(*units, strict=True)] == revenue
    totals = [sum(column) for column in zip(*books.segments.values(), strict=True)]
    assert totals == [books.flows[year]["revenue"] for year in company.years]


@given(st.integers(-(10**9), 10**9), st.lists(st.floats(0.01, 10), min_size=1, max_size=9))
def test_weighted_parts_add_up(total: int, weights: list[float]) -> None:
    parts = weighted(total, weights)
    assert sum(parts) == total
    assert len(parts) == len(weights)


@pytest.fixture(scope="module")
def long_filing() -> Filing:
    return make_filing(11, pages=30)


def body_numbers(table: Table, row: int) -> list[Decimal]:
    return [number_of(cell.text) if cell.text else Decimal(0) for cell in table.grid[row][1:]]


def test_totals_of_printed_tables_add_up(long_filing: Filing) -> None:
    """A printed total is the sum of the figures right above it, down from a heading or another total."""
    checked = 0
    for table in long_filing.document.tables:
        above: list[list[Decimal]] = []
        for row in range(table.header_rows, table.n_rows):
            label = table.grid[row][0].text.strip()
            if label.split(" (")[0] in PARTS and above and "Percent" not in str(table.column_paths):
                assert [sum(column) for column in zip(*above, strict=True)] == body_numbers(table, row), label
                checked += 1
            has_figures = any(cell.text for cell in table.grid[row][1:])
            above = [*above, body_numbers(table, row)] if has_figures and "Total" not in label else []
    assert checked >= 10


def test_tables_agree_with_each_other(long_filing: Filing) -> None:
    solver, year = Solver(long_filing.document), long_filing.company.year
    notes = {each.table.title.partition(" ")[2]: each for each in solver.tables}

    def figure(name: str, row: str, column: str) -> Decimal:
        found = [each for title, each in notes.items() if title.endswith(name)]
        return found[0].figure(row, column).value

    flow, balance = f"in fiscal {year}", f"as of {long_filing.company.close}, {year}"
    revenue = figure("consolidated statements of operations", '"Total revenue"', flow)
    assert (
        figure("revenue by geographic region", '"Total revenue"', f'in the column "Amount" for fiscal {year}')
        == revenue
    )
    assert (
        figure("segment results", '"Consolidated"', f'in the column "Revenue" for fiscal {year}') == revenue
    )
    assert figure("results of operations compared with the prior year", '"Total revenue"', flow) == revenue
    assert figure(
        "consolidated statements of cash flows", '"Cash and cash equivalents at end of year"', flow
    ) == figure("consolidated balance sheets", '"Cash and cash equivalents"', balance)
    assert figure("property and equipment", '"Property and equipment, net"', balance) == figure(
        "consolidated balance sheets", '"Property and equipment, net"', balance
    )
    assert figure("inventories by stage", '"Total inventories"', balance) == figure(
        "consolidated balance sheets", '"Inventories"', balance
    )


def test_text_says_what_tables_say(long_filing: Filing) -> None:
    """Every amount "to" which a remark says that a figure rose or fell stands in the table before it."""
    last: Table | None = None
    checked = 0
    for block in long_filing.document.blocks:
        if isinstance(block, Table):
            last = block
            continue
        for amount in re.findall(r" to -?\$([\d,]+) (?:million|thousand) (?:in|as of)", block.text):
            assert last is not None
            assert any(amount in cell.text for row in last.rows for cell in row)
            checked += 1
    assert checked > 40


@pytest.mark.parametrize("pages", [1, 5, 60])
def test_length_is_as_asked(pages: int) -> None:
    filing = make_filing(3, pages=pages)
    size = sum(map(printed_size, filing.document.blocks))
    assert pages * PAGE <= size < pages * PAGE * 1.02 + 400
    assert len(filing.sheets) >= min(pages, 20)


def test_names_are_unique_and_layouts_varied(long_filing: Filing) -> None:
    names = [sheet.name for sheet in long_filing.sheets]
    assert len(set(names)) == len(names)
    tables = long_filing.document.tables
    assert {table.header_rows for table in tables} == {1, 2}
    assert any(table.notes for table in tables)
    shown = [cell.text for table in tables for row in table.rows for cell in row]
    for sample in ("\u2014", "(", "%", "$"):
        assert any(sample in text for text in shown)


def test_equal_seeds_give_equal_filings() -> None:
    assert make_filing(5, pages=2) == make_filing(5, pages=2)
    assert make_filing(5, pages=2) != make_filing(6, pages=2)


def kinds_of(htmls: Sequence[str], marks: Sequence[str]) -> set[str]:
    return {mark for mark in marks for html in htmls if mark in html}


def test_html_looks_as_filers_write_it() -> None:
    marks = (
        "ix:nonFraction", "page-break-after",
        "padding-left:14pt", "<p style", "<div style", "Table of Contents",
        'colspan="11"', "&#160;", "<sup", ">$</span>", ">)</span>", ">%</span>",
    )  # fmt: skip
    htmls = [edgar_html(make_filing(seed, pages=6).document, seed=seed) for seed in range(4)]
    assert kinds_of(htmls, marks) == set(marks)
    assert not any(tag in html for html in htmls for tag in ("<th", "<thead", "<h1", "<caption"))
