"""A filing: an annual report of a given length, as a document and as the sheets behind its tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import cycle
from random import Random
from typing import TypeAlias

from ...core.seeds import seed as seeded
from ...tables import Table
from ...tables.documents import Block, Document, TextBlock
from . import discussion, notes, statements
from .books import Books, draw_books
from .company import MOST_UNITS, Company, draw_company
from .prose import lead, paragraph, pointer, remarks
from .sentences import POLICIES, TOPICS, UNIT_TEXT
from .sheet import Sheet

PAGE = 3_000
"""Characters of a page: text, and tables with one space after each cell, without any markup."""

TABLE_SHARE = 0.5
"""The most of a filing's characters that are in tables; 100 pages have 17 %, in 176 tables."""

_PAGES_PER_UNIT = 3
"""One business unit, with five tables, for so many pages beyond those that the company's own tables fill."""

_OWN_PAGES = 10

ITEM_LEVEL, TITLE_LEVEL, TOPIC_LEVEL = 2, 3, 4
"""Levels of headings: those that ``read_filing`` sees in the looks of filed headings."""

GroupSheet: TypeAlias = "Callable[[Random, Company, Books], Sheet]"

BUSINESS, RISKS, PROPERTIES, EQUITY, DISCUSSION, STATEMENTS = (
    "Item 1. Business",
    "Item 1A. Risk Factors",
    "Item 2. Properties",
    "Item 5. Market for Common Stock and Repurchases",
    "Item 7. Management's Discussion and Analysis",
    "Item 8. Financial Statements and Notes",
)
ITEMS = (BUSINESS, RISKS, PROPERTIES, EQUITY, DISCUSSION, STATEMENTS)

_ITEM_SHEETS: tuple[tuple[str, GroupSheet], ...] = (
    (BUSINESS, discussion.employees),
    (PROPERTIES, discussion.properties),
    (EQUITY, notes.repurchases),
    (DISCUSSION, discussion.results_of_operations),
    (DISCUSSION, notes.commitments),
    (STATEMENTS, statements.income_statement),
    (STATEMENTS, statements.balance_sheet),
    (STATEMENTS, statements.cash_flow_statement),
)
_NOTE_SHEETS: tuple[tuple[str, GroupSheet], ...] = (
    ("Revenue by Region", discussion.revenue_by_region),
    ("Segment Information", discussion.segment_results),
    ("Segment Assets", discussion.segment_assets),
    ("Inventories", notes.inventories),
    ("Property and Equipment", notes.property_and_equipment),
    ("Goodwill", notes.goodwill),
    ("Intangible Assets", notes.intangible_assets),
    ("Accrued Liabilities", notes.accrued_liabilities),
    ("Deferred Revenue", notes.contract_balances),
    ("Long-Term Debt", notes.long_term_debt),
    ("Debt Maturities", notes.debt_maturities),
    ("Leases", notes.lease_maturities),
    ("Fair Values", notes.fair_values),
    ("Credit Losses", notes.allowance),
    ("Income Taxes", notes.income_taxes),
    ("Restricted Stock Units", notes.stock_awards),
    ("Stock-Based Compensation", notes.employee_benefits),
    ("Quarterly Results", notes.quarterly_results),
)


@dataclass(frozen=True)
class Filing:
    """An annual report.

    Attributes:
        company: whose it is.
        books: the accounts that its figures are from.
        sheets: the figures of its tables, in the document's order.
        document: text and tables.
    """

    company: Company
    books: Books
    sheets: tuple[Sheet, ...]
    document: Document


@dataclass(slots=True)
class _Section:
    """Part of a filing while it is made: paragraphs of a topic, then tables with what is said of them."""

    heading: TextBlock
    pool: Sequence[str]
    sheets: list[Sheet] = field(default_factory=list)
    unit: str = ""
    fill: list[TextBlock] = field(default_factory=list)


def make_filing(seed: int, *, pages: int) -> Filing:
    """The filing of a seed, the same on every machine.

    Args:
        seed: the seed of everything in it.
        pages: its length; a page has about :data:`PAGE` characters as printed.
    """
    size = pages * PAGE
    units = max(0, pages - _OWN_PAGES) // _PAGES_PER_UNIT
    company = draw_company(_random(seed, "company"), units=min(units, MOST_UNITS))
    books = draw_books(_random(seed, "books"), company)
    sections = _sections(seed, company, books, size)
    random = _random(seed, "prose")
    noted = [sheet for section in sections for sheet in section.sheets if sheet.subject.startswith("Note")]
    bodies = [list(_with_words(random, company, section, noted)) for section in sections]
    front = _front(company)
    printed = sum(printed_size(block) for body in bodies for block in body) + sum(map(printed_size, front))
    _fill(random, company, sections, size - printed)
    blocks: list[Block | Sheet] = [*front]
    for section, body in zip(sections, bodies, strict=True):
        if section.fill or len(body) > 1 or section.heading.text in (STATEMENTS, RISKS):
            blocks += [section.heading, *section.fill, *body[1:]]
    sheets = tuple(block for block in blocks if isinstance(block, Sheet))
    shown = tuple(block.table if isinstance(block, Sheet) else block for block in blocks)
    return Filing(
        company, books, sheets, Document(shown, f"{company.name}: annual report for fiscal {company.year}")
    )


def printed_size(block: Block | Sheet) -> int:
    """The characters of a block as printed, without markup: a table's cells each with a space after."""
    if isinstance(block, TextBlock):
        return len(block.text) + 1
    table = block if isinstance(block, Table) else block.table
    cells = sum(len(cell.text) + 1 for row in table.rows for cell in row)
    return cells + sum(len(note) + 1 for note in table.notes)


def _random(seed: int, *names: str) -> Random:
    return Random(seeded(seed, "filing", *names))  # noqa: S311


def _front(company: Company) -> list[TextBlock]:
    return [
        TextBlock(f"Annual Report of {company.name}", "heading", TITLE_LEVEL),
        TextBlock(
            f"For the fiscal year ended {company.close}, {company.year}. {company.name} (the Company, we, "
            f"our) works in {company.sector.trade}. Amounts are in {company.scale}s of dollars unless a "
            f"table says otherwise; a dash stands for nil, and parentheses for a negative amount."
        ),
    ]


def _sections(seed: int, company: Company, books: Books, size: int) -> list[_Section]:
    """The sections in order, with the tables that fit."""
    chosen = _chosen(seed, company, books, TABLE_SHARE * size)
    made: list[_Section] = []
    topics = list(TOPICS.items())
    for item in ITEMS:
        pool = [sentence for _, sentences in topics for sentence in sentences[:2]]
        sheets = [sheet for place, sheet in chosen if place == item]
        subject = item.split(".")[0]
        made.append(_section(item, ITEM_LEVEL, pool, [replace(sheet, subject=subject) for sheet in sheets]))
        if item == RISKS:
            made += [
                _section(topic, TOPIC_LEVEL, sentences)
                for topic, sentences in topics[: max(1, size // PAGE // 2)]
            ]
    return made + _note_sections(company, chosen, size)


def _section(
    heading: str, level: int, pool: Sequence[str], sheets: list[Sheet] | None = None, unit: str = ""
) -> _Section:
    return _Section(TextBlock(heading, "heading", level), pool, sheets or [], unit)


def _note_sections(company: Company, chosen: Sequence[tuple[str, Sheet]], size: int) -> list[_Section]:
    """Policies, the notes with a table, and a note for each business unit with tables."""
    policies = list(POLICIES.items())[: max(1, size // PAGE // 2)]
    number, made = 1, [_section("Note 1. Significant Accounting Policies", TOPIC_LEVEL, policies[0][1])]
    made += [_section(topic, TOPIC_LEVEL, sentences) for topic, sentences in policies]
    everything = [sentence for _, sentences in policies for sentence in sentences]
    by_place: dict[str, list[Sheet]] = {}
    for place, sheet in chosen:
        by_place.setdefault(place, []).append(sheet)
    units = {unit for unit, _ in company.units}
    for place, sheets in by_place.items():
        if place in ITEMS:
            continue
        number += 1
        subject = f"Note {number}"
        unit = place if place in units else ""
        made.append(
            _section(
                f"{subject}. {place}",
                TOPIC_LEVEL,
                UNIT_TEXT if unit else everything,
                [replace(sheet, subject=subject) for sheet in sheets],
                unit,
            )
        )
    return made


def _chosen(seed: int, company: Company, books: Books, most: float) -> list[tuple[str, Sheet]]:
    """Tables with their places until they have so many characters, at least one; notes and units in order."""
    found: list[tuple[str, Sheet]] = []
    size = 0
    for place, sheet in _candidates(seed, company, books, most):
        size += printed_size(sheet)
        if found and size > most:
            break
        found.append((place, sheet))
    places = [place for place, _ in (*_ITEM_SHEETS, *_NOTE_SHEETS)] + [unit for unit, _ in company.units]
    order = {place: number for number, place in reversed(list(enumerate(places)))}
    return sorted(found, key=lambda pair: order[pair[0]])


def _candidates(seed: int, company: Company, books: Books, most: float) -> Iterator[tuple[str, Sheet]]:
    """The company's own tables in random order, a long filing's statements first, then its units' tables."""
    own = [*_ITEM_SHEETS, *_NOTE_SHEETS]
    _random(seed, "choice").shuffle(own)
    if most > 4 * PAGE:
        own.sort(key=lambda pair: pair[1].__module__ != statements.__name__)
    for place, make in own:
        yield place, make(_random(seed, "sheet", make.__name__), company, books)
    for unit, _ in company.units:
        for unit_sheet in discussion.UNIT_SHEETS:
            random = _random(seed, "sheet", unit, unit_sheet.__name__)
            yield unit, unit_sheet(random, company, unit, books.units[unit])


def _with_words(
    random: Random, company: Company, section: _Section, noted: Sequence[Sheet]
) -> Iterator[Block | Sheet]:
    """A section's heading and tables, each introduced and followed by remarks; items refer to notes."""
    yield section.heading
    for sheet in section.sheets:
        introduction = lead(random, sheet)
        yield introduction
        yield replace(sheet, title=introduction.text.rstrip(":"))
        yield from remarks(random, company, sheet)
        if noted and sheet.subject.startswith("Item"):
            yield pointer(random.choice(noted))


def _fill(random: Random, company: Company, sections: Sequence[_Section], size: int) -> None:
    """Add paragraphs to one section after another until so many characters are added."""
    for section in cycle(sections):
        if size <= 0:
            return
        made = paragraph(random, company, section.pool, section.unit)
        section.fill.append(made)
        size -= printed_size(made)
