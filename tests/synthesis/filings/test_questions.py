"""Questions on filings: an independent reader of the HTML alone comes to the same answers."""

from __future__ import annotations

import re
from collections import Counter
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.synthesis.filings import FilingQuestion, draw_questions, edgar_html, make_filing
from torr_plugin.synthesis.filings.questions.question import exact
from torr_plugin.tables.documents import read_filing

from .reading import Solver, to_places

RULED = ("extraction", "calculation", "calculation")


def solved(seed: int, pages: int, count: int) -> list[str]:
    """The kinds of questions drawn, all answered right from the HTML."""
    filing = make_filing(seed, pages=pages)
    solver = Solver(read_filing(edgar_html(filing.document, seed=seed)))
    made = draw_questions(filing, count, seed=seed, levels=RULED)
    for question in made:
        assert solver.answer(question.question) == question.answer, question
        shown = {cell.text for row in filing.document.tables[question.table].rows for cell in row}
        first = question.evidence.split("\n")[0].split("): ", 1)[1]
        assert {part.rsplit(": ", 1)[1] for part in first.split("; ")} <= shown
        if question.level == "calculation":
            assert question.answer in question.steps
    assert len({question.question for question in made}) == len(made)
    return [question.kind for question in made]


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 2**64), st.integers(1, 4))
def test_answers_hold_by_the_document_alone(seed: int, pages: int) -> None:
    assert solved(seed, pages, 20)


@pytest.mark.full
@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**64), st.integers(1, 40))
def test_answers_of_longer_filings_hold(seed: int, pages: int) -> None:
    assert len(solved(seed, pages, 60)) >= 30


def test_every_kind_of_question_is_drawn() -> None:
    filing = make_filing(2, pages=25)
    kinds = Counter(question.kind for question in draw_questions(filing, 300, seed=1))
    assert set(kinds) == {
        "cell", "difference", "growth", "sum of rows", "sum of years", "average", "share of total", "margin",
        "ratio", "percentage across tables", "difference across tables", "trend", "drivers",
        "profitability", "mix",
    }  # fmt: skip


def analyses() -> list[tuple[Solver, FilingQuestion]]:
    found = []
    for seed in range(3):
        filing = make_filing(seed, pages=8)
        solver = Solver(filing.document)
        found += [(solver, each) for each in draw_questions(filing, 12, seed=seed, levels=("analysis",))]
    return found


def test_facts_of_analyses_hold() -> None:
    """Trends and mixes are worked out again from the document; every fact stands in the reference."""
    checked = Counter[str]()
    for solver, question in analyses():
        assert 2 <= len(question.rubric) <= 4
        assert all(fact in question.answer for fact in question.rubric)
        table = re.search(
            r"(the table of .+? \(\w+ \w+\)|the consolidated [\w ]+ \(Item 8\))", question.question
        )
        row = re.search(
            r'(?:how|of) ("[^"]+"(?: under "[^"]+")?)(?: in the columns "([^"]+)")?', question.question
        )
        assert table is not None
        assert row is not None
        found = solver.find(table[1])
        years = sorted(set(re.findall(r"fiscal (\d{4})", question.question)))
        if question.kind == "trend":
            first, last = (
                next(
                    found.table.grid[found.row(row[1])][c]
                    for c, path in enumerate(found.table.column_paths)
                    if path[-1] == year and (row[2] is None or path[0] == row[2])
                )
                for year in (years[0], years[1])
            )
            a, b = (Decimal(re.sub(r"[^\d]", "", cell.text)) for cell in (first, last))
            assert f"{abs(to_places(100 * (b - a) / a, 1))}%" in question.rubric[-1]
            checked["trend"] += 1
    assert checked["trend"] > 3


def test_a_value_halfway_between_two_roundings_is_not_asked() -> None:
    assert exact(Decimal("1.25"), 1) is None
    assert exact(Decimal("-0.125"), 2) is None
    assert exact(Decimal("1.2499"), 1) == Decimal("1.2")
