"""Texts that a card makes of several columns: passages, earlier questions, highlighted cells."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.catalog.texts import earlier_questions, highlighted_cells, linked_passages
from torr_plugin.core.errors import DataError, TableError

from .downstream import FILMS, linked

PASSAGES = st.lists(st.text(st.sampled_from("ab .Z\n"), max_size=90), max_size=8)


def cells_with(passages: list[str]) -> list[dict[str, Any]]:
    return [linked(f"cell {n}", (f"/wiki/{n}", text)) for n, text in enumerate(passages)]


@given(PASSAGES, st.integers(0, 400))
@settings(max_examples=100, deadline=None)
def test_passages_have_their_beginnings_within_the_limit(passages: list[str], most: int) -> None:
    whole = [" ".join(text.split()) for text in passages if text.split()]
    text = linked_passages(cells_with(passages), most)
    lines = [line.split(": ", 1)[1] for line in text.split("\n")] if whole else []
    shown = [line.removesuffix(" ...") for line in lines]
    assert len(shown) == len(whole)
    assert all(own.startswith(start) for own, start in zip(whole, shown, strict=True))
    assert sum(map(len, shown)) <= most
    if sum(map(len, whole)) <= most:
        assert lines == whole
    if not whole:
        assert text == "none"


def test_long_passages_are_cut_to_one_length_after_a_sentence_or_a_word() -> None:
    long = "The Tern sails. It was built in Ostmouth in the year 1921."
    text = linked_passages(cells_with([long, "A port.", "a ferry that was built in the year 1921"]), 70)
    assert text.splitlines() == [
        "- cell 0: The Tern sails.",
        "- cell 1: A port.",
        "- cell 2: a ferry that was built in the ...",
    ]


@pytest.mark.parametrize("cells", [[{"value": "a"}], [{"value": "a", "urls": [{"url": "x"}]}], [3]])
def test_cells_without_links_to_read_are_named(cells: list[Any]) -> None:
    with pytest.raises(DataError, match=r"cell 0 is .*expected 'value', and 'urls' with 'url' and 'summary'"):
        linked_passages(cells, 100)


def test_earlier_questions_have_as_many_answers() -> None:
    assert earlier_questions([], []) == "none"
    assert earlier_questions(["who?", "when?"], [["a", "b"], ["1996"]]) == "- who? a | b\n- when? 1996"
    with pytest.raises(DataError, match="found 1 question and answers to 0"):
        earlier_questions(["who?"], [])


def test_highlighted_cells_by_row_with_the_headers_that_cover_them() -> None:
    assert highlighted_cells(FILMS, []) == "none"
    assert highlighted_cells(FILMS, [[3, 1], [0, 1], [3, 0], [3, 0]]) == (
        "- Film\n- Film / Title: Jude; Film / Part: Sue"
    )
    head = {"value": "Wins", "is_header": True, "row_span": 2, "column_span": 1}
    cell = {"value": "", "is_header": False, "row_span": 1, "column_span": 1}
    assert highlighted_cells([[head, cell], [cell]], [[1, 0]]) == "- (empty) (row: Wins)"
    with pytest.raises(TableError, match=r"found the highlighted cell \[0\]; expected a row and a cell"):
        highlighted_cells(FILMS, [[0]])
