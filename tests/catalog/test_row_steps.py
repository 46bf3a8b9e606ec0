"""What single cards make of their rows: passages, earlier questions, highlighted cells, columns, pairs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.catalog import load_card, read_examples
from torr_plugin.catalog import row_steps as steps
from torr_plugin.catalog.row_steps import linked_passages
from torr_plugin.core.errors import DataError

from . import downstream, realhitbench
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


def test_a_sequence_has_each_question_once_and_in_order() -> None:
    rows = [downstream.sqa(0, 1, "when?", ["1996"]), downstream.sqa(0, 0, "who?", ["a", "b"])]
    assert [row["history"] for row in steps.sqa(rows, "c")] == ["- who? a | b", "none"]
    with pytest.raises(DataError, match=r"^c, row 1: sequence 'nt-1-0': position 0 is there twice"):
        list(steps.sqa(rows[1:] * 2, "c"))


def test_a_row_of_each_column_has_all_types_to_choose_from() -> None:
    table = {"header": ["a", "b"], "annotations": [["x"], []]}
    made = list(steps.turl_col_type([table], "c"))
    assert [(row["column_name"], row["column_types"]) for row in made] == [("a", ["x"]), ("b", [])]
    assert len(made[0]["types"].split(", ")) == 255
    with pytest.raises(DataError, match=r"^c, row 0: found 2 names and types of 1"):
        list(steps.turl_col_type([{**table, "annotations": [[]]}], "c"))


def test_a_question_on_structure_has_the_answer_of_its_twin() -> None:
    rows = [
        realhitbench.question(1, **realhitbench.PAIR),
        *(realhitbench.question(number, FinalAnswer=str(number)) for number in (5, 6)),
    ]
    made = list(steps.realhitbench_pairs(rows, "c"))
    assert [(row["name"], row["side"], row["answer"]) for row in made] == [
        ("boats", "original", "5"),
        ("boats_swap", "exchanged", "5"),
    ]
    with pytest.raises(DataError, match=r"^c, row 0: no other row has the same FileName and Question$"):
        list(steps.realhitbench_pairs(rows[:1], "c"))


def test_rows_that_are_not_the_publishers_are_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORR_DATA", str(tmp_path))
    tmp_path.joinpath("hybrid_qa").mkdir()
    rows = [{**downstream.hybrid_qa(1), "table": "a"}]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "hybrid_qa" / "validation.parquet")
    with pytest.raises(DataError, match=r"'validation': its rows are not as 'hybrid_qa' takes them \(TypeE"):
        read_examples(load_card("hybrid_qa"), "validation")


def highlighted_cells(rows: object, cells: object) -> str:
    (row,) = steps.totto([{"table": rows, "highlighted_cells": cells}], "c")
    return str(row["highlighted"])


def test_highlighted_cells_by_row_with_the_headers_that_cover_them() -> None:
    assert highlighted_cells(FILMS, []) == "none"
    assert highlighted_cells(FILMS, [[3, 1], [0, 1], [3, 0], [3, 0]]) == (
        "- Film\n- Film / Title: Jude; Film / Part: Sue"
    )
    head = {"value": "Wins", "is_header": True, "row_span": 2, "column_span": 1}
    cell = {"value": "", "is_header": False, "row_span": 1, "column_span": 1}
    assert highlighted_cells([[head, cell], [cell]], [[1, 0]]) == "- (empty) (row: Wins)"
    with pytest.raises(DataError, match=r"^c, row 0: found the highlighted cell \[0\]"):
        highlighted_cells(FILMS, [[0]])
