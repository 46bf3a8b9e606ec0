"""Excerpts have every table of a document once, as models see it, with the evidence for answers from it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.document_card import report
from torr_plugin.question_writing.document_questions.excerpts import drawn, excerpts
from torr_plugin.tables import Table
from torr_plugin.tables.documents import Document, TextBlock


@given(tables=st.integers(0, 6), tokens=st.integers(1, 2000))
def test_every_table_is_in_one_excerpt(tables: int, tokens: int) -> None:
    document = report(1, tables)
    found = excerpts("port", document, tokens)
    assert [number for each in found for number in each.tables] == list(range(tables))
    for each in found:
        assert all(text in each.text and text.startswith(f"[T{n}]\n") for n, text in each.tables.items())
        whole = each.evidence_of(None)
        assert all(sentence in each.text and sentence in whole for sentence in each.sentences)
        assert all(block in document.blocks for _, block in each.blocks)
        assert all(each.evidence_of(number) in whole or len(each.tables) > 1 for number in each.tables)


def test_the_evidence_is_a_table_with_the_text_about_it() -> None:
    [found] = excerpts("port", report(0, 2), 10_000)
    assert found.evidence_of(1).startswith(
        "Traffic in 2020. The following table gives the ships of 2020 by quarter.\n\n"
    )
    assert "\nQ1 | 110 | 8\n" in found.evidence_of(1)
    assert "2019" not in found.evidence_of(1)
    assert "2019" in found.evidence_of(None)


def test_a_document_without_tables_has_no_excerpts() -> None:
    assert excerpts("letter", Document((TextBlock("Dear all."),)), 10) == []
    assert excerpts("empty", Document(()), 10) == []


@given(most=st.integers(1, 8), seed=st.integers(0, 9))
def test_a_draw_keeps_the_order_and_depends_on_the_seed_alone(most: int, seed: int) -> None:
    found = excerpts("port", report(2, 6), 1)
    chosen = drawn(found, most, seed)
    assert len(chosen) == min(most, len(found))
    assert [each for each in found if each in chosen] == chosen
    assert drawn(found[::-1], most, seed)[:: 1 if most < len(found) else -1] == chosen
    assert drawn(found, None, seed) == found


def test_tables_with_merged_cells_are_written_once_a_cell() -> None:
    [found] = excerpts("port", Document((report(0, 1).tables[0],)), 10)
    assert isinstance(report(0, 1).tables[0], Table)
    assert found.evidence_of(None).splitlines()[-6:-4] == ["Quarter | Ships", "In | Out"]
