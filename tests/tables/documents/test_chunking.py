"""Chunks: nothing is lost, sizes are kept, tables stay with their text, sections whole where they fit."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.tables import Table, TableError
from torr_plugin.tables.documents import Block, Document, TextBlock, chunks, references

from ...timing import quickly

TABLE = Table.flat(["a", "b"], [["1", "2"]])
NUMBERED = TABLE.replace(title="Table 7: Sales")
BLOCKS = st.sampled_from(
    [
        *(TABLE, NUMBERED, TextBlock("A section", "heading", 2), TextBlock("A part", "heading", 1)),
        *(TextBlock("Text."), TextBlock("The following table shows it."), TextBlock("See the table above.")),
        *(TextBlock("(1) Net.", "note"), TextBlock("Table 7 has more."), TextBlock("They were as follows:")),
    ]
)


def _sized(document: Document, sizes: list[int]) -> dict[int, int]:
    return {place: sizes[place % len(sizes)] for place in range(len(document.blocks))}


def _cut(document: Document, most: int, sizes: dict[int, int]) -> list[tuple[int, ...]]:
    given_sizes = iter(range(len(document.blocks)))
    found = chunks(document, most, lambda _: sizes[next(given_sizes)])
    assert all(chunk.document.blocks == tuple(document.blocks[p] for p in chunk.places) for chunk in found)
    assert all(chunk.document.title == document.title for chunk in found)
    return [chunk.places for chunk in found]


@given(
    st.lists(BLOCKS, max_size=12), st.lists(st.integers(0, 9), min_size=1, max_size=12), st.integers(1, 20)
)
def test_each_block_is_in_one_chunk_and_chunks_hold_no_more_than_the_most(
    blocks: list[Block], sizes: list[int], most: int
) -> None:
    document = Document(tuple(blocks), "Title")
    sized = _sized(document, sizes)
    found = _cut(document, most, sized)
    assert [place for places in found for place in places] == list(range(len(blocks)))
    for places in found:
        large = [place for place in places if sized[place] > most]
        rest = sum(sized[place] for place in places if place not in large)
        assert rest <= most
        assert not large or (len(large) == 1 and (len(places) == 1 or isinstance(blocks[large[0]], Table)))


@given(st.lists(st.just(TextBlock("Text.")), min_size=1, max_size=15), st.integers(1, 9))
def test_chunks_are_as_few_as_can_be(blocks: list[Block], most: int) -> None:
    assert len(chunks(Document(tuple(blocks)), most, lambda _: 1)) == -(-len(blocks) // most)


TEXT, HEADING = TextBlock("Text."), TextBlock("Sales", "heading", 2)
BEFORE, AFTER = TextBlock("The following table shows it."), TextBlock("The table above shows it.")


NOTE = TextBlock("(1) Net.", "note")
PART = TextBlock("Results", "heading", 1)


@pytest.mark.parametrize(
    ("blocks", "lengths"),
    [
        ([TEXT] * 6, [4, 2]),
        ([TEXT, TEXT, TEXT, BEFORE, TABLE], [3, 2]),
        ([TEXT, TEXT, TEXT, HEADING, TEXT], [3, 2]),
        ([TEXT, TEXT, TEXT, HEADING, TABLE, TEXT, TEXT], [3, 4]),
        ([TEXT, TEXT, PART, TEXT, HEADING, TEXT], [2, 4]),
        ([TEXT, HEADING, TEXT, TEXT, TEXT], [4, 1]),
        ([TEXT, TEXT, TABLE, AFTER, TEXT], [4, 1]),
        ([TEXT, TEXT, TEXT, TABLE, NOTE], [3, 2]),
        ([TABLE, TABLE, TABLE, TABLE, TABLE], [4, 1]),
        ([TABLE, TEXT, TEXT, TEXT, TEXT, AFTER], [4, 2]),
    ],
)
def test_cuts_part_no_table_from_its_text_and_no_heading_from_its_section(
    blocks: list[Block], lengths: list[int]
) -> None:
    assert [len(chunk.places) for chunk in chunks(Document(tuple(blocks)), 4, lambda _: 1)] == lengths


def test_a_large_table_stays_whole_with_its_heading_its_introduction_and_its_notes() -> None:
    blocks = (TEXT, HEADING, BEFORE, TABLE, TextBlock("(1) Net.", "note"), AFTER, TEXT)
    found = chunks(Document(blocks), 4, lambda block: 9 if isinstance(block, Table) else 1)
    assert [chunk.places for chunk in found] == [(0,), (1, 2, 3, 4, 5), (6,)]


def test_an_introduction_far_above_a_table_is_on_something_else() -> None:
    document = Document((TextBlock("Our aims are as follows:"), TEXT, TEXT, TABLE, TEXT))
    assert references(document) == ()


def test_long_documents_and_numbers_that_refer_far_take_linear_time() -> None:
    blocks = (NUMBERED, *[TextBlock("Table 7."), TextBlock("The table above."), TABLE] * 20_000)
    found = quickly(lambda: chunks(Document(blocks), 1000, lambda block: 2000 if block is NUMBERED else 1))
    assert all(later.places[0] == chunk.places[-1] + 1 for chunk, later in pairwise(found))


def test_no_room_is_refused() -> None:
    with pytest.raises(TableError, match="chunks of at most 0; expected 1 or more"):
        chunks(Document(()), 0, lambda _: 1)
    assert chunks(Document(()), 1, lambda _: 1) == []
