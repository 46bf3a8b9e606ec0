"""Documents as values: blocks, tables, their JSON, cutting."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.tables import ParseError, Table, TableError
from torr_plugin.tables.documents import Document, TextBlock, sentence_ends
from torr_plugin.testing import tables, texts

SALES = Table.flat(["Year", "Sales"], [["2023", "$5"], ["2022", "$4"]])
BLOCKS = (TextBlock("Item 7.", "heading", 1), TextBlock("Sales grew."), SALES, TextBlock("(1) Net.", "note"))


@st.composite
def documents(draw: st.DrawFn) -> Document:
    kinds = st.sampled_from([("heading", 1), ("heading", 6), ("paragraph", 0), ("note", 0)])
    block = st.one_of(tables(3, 3), st.builds(lambda text, kind: TextBlock(text, *kind), texts(), kinds))
    return Document(tuple(draw(st.lists(block, max_size=4))), draw(texts()))


@given(documents())
def test_json_gives_the_document_back(document: Document) -> None:
    back = Document.of_json(document.to_json())
    texts_alone = [each.with_tables([table.texts_only for table in each.tables]) for each in (back, document)]
    assert texts_alone[0] == texts_alone[1]


@given(documents())
def test_tables_replaced_by_themselves_change_nothing(document: Document) -> None:
    assert document.with_tables(document.tables) == document
    assert [document.blocks[place] for place in document.table_places] == list(document.tables)
    assert document.with_words(str) == document


def test_tables_are_replaced_in_order_and_in_number() -> None:
    document = Document(BLOCKS)
    other = Table.flat(["a"], [["b"]])
    assert document.with_tables([other]).blocks == (*BLOCKS[:2], other, BLOCKS[3])
    with pytest.raises(TableError, match="the document has 1 table, but got 2"):
        document.with_tables([other, other])


def test_written_puts_a_blank_line_between_blocks() -> None:
    text = Document(BLOCKS).written(lambda table: f"<{table.n_rows} rows>")
    assert text == "Item 7.\n\nSales grew.\n\n<3 rows>\n\n(1) Net."


def test_words_are_changed_in_text_alone() -> None:
    document = Document(BLOCKS).with_words(lambda text: text.replace("Sales", "Revenue"))
    assert document.blocks[1] == TextBlock("Revenue grew.")
    assert document.tables == (SALES,)


def test_first_blocks_and_characters() -> None:
    document = Document(BLOCKS, "x")
    assert document.first(3) == Document(BLOCKS[:3], "x")
    assert document.first(9) == document
    assert document.first(1, 6).blocks == (BLOCKS[0], TextBlock("Sales"))
    assert document.first(2, 5) == document.first(2), "a table is not cut"


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("", []),
        ("One", ["One"]),
        ("One. Two.", ["One.", " Two."]),
        ("Sales in the U.S. Region fell to $3.5 million. See No. 5.", None),
        ("He said “no.” Then (really?) Yes", ["He said “no.”", " Then (really?)", " Yes"]),
        ("Acme Inc. Sells. 2023 was good", ["Acme Inc. Sells.", " 2023 was good"]),
        ("a\nb", ["a\n", "b"]),
    ],
)
def test_sentence_ends(text: str, sentences: list[str] | None) -> None:
    ends = sentence_ends(text)
    pieces = [text[a:b] for a, b in zip((0, *ends), ends, strict=False)]
    if sentences is None:
        sentences = ["Sales in the U.S. Region fell to $3.5 million.", " See No. 5."]
    assert pieces == sentences


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "document: no JSON (JSONDecodeError); it starts ''"),
        ("[]", "document: expected an object with 'blocks', found '[]'"),
        ('{"blocks": [], "pages": 3}', "document: unknown key 'pages'; expected title, blocks"),
        ('{"blocks": [], "title": 3}', "document: 'title' is '3'; expected a text"),
        ('{"blocks": [3]}', "document: block 0 is '3'; expected an object with one of heading, paragraph"),
        ('{"blocks": [{"note": "a", "table": []}]}', "document: block 0 is"),
        ('{"blocks": [{"note": "a", "x": 1}]}', "document: block 0 has an unknown key 'x' beside 'note'"),
        ('{"blocks": [{"note": 1}]}', "expected a text and a whole number 'level'"),
        ('{"blocks": [{"heading": "a", "level": 10}]}', "the level of a text block is 10; expected 0 to 9"),
        ('{"blocks": [{"table": 7}]}', "document: block 0: json: expected a list of records"),
        ("[" * 100_000, "document: no JSON (RecursionError)"),
    ],
)
def test_other_json_is_refused_in_a_line(text: str, message: str) -> None:
    with pytest.raises(ParseError) as refused:
        Document.of_json(text)
    assert message in str(refused.value)
    assert len(str(refused.value)) < 300


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(
        TableError, match="the kind of a text block is 'list'; expected heading, paragraph, note"
    ):
        TextBlock("a", "list")  # type: ignore[arg-type]
