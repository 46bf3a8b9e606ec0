"""Markdown read into documents: blocks, tables of pipes and of HTML, captions, footnotes, bad input."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.tables import ParseError, Table, TableError
from torr_plugin.tables.documents import Document, TextBlock, read_filing, read_markdown, to_html
from torr_plugin.tables.serializers import get
from torr_plugin.testing import hierarchical_tables, tables

from ...timing import quickly
from .filed_html import figures

WORDS = st.lists(st.sampled_from(["Sales", "grew", "by", "5%", "in", "2023."]), min_size=1, max_size=4).map(
    " ".join
)
TEXTS = st.one_of(
    st.builds(TextBlock, WORDS.map("The {}".format)),
    st.builds(TextBlock, WORDS.map("Of {}".format), st.just("heading"), st.integers(1, 6)),
)


def _markdown(document: Document) -> str:
    lines = [
        ("#" * block.level + " " if block.kind == "heading" else "") + block.text
        if isinstance(block, TextBlock)
        else get("markdown").serialize(block)
        for block in document.blocks
    ]
    return "\n\n".join(lines)


def _table(text: str) -> Table:
    (table,) = read_markdown(text).tables
    return table


def _lines(table: Table) -> list[list[str]]:
    return [[cell.text for cell in row] for row in table.grid]


@given(st.lists(st.one_of(TEXTS, figures(), hierarchical_tables()), max_size=4))
def test_a_document_written_as_markdown_comes_back(blocks: list[TextBlock | Table]) -> None:
    spaced = [part for block in blocks for part in (block, TextBlock("Text."))]
    found = read_markdown(_markdown(Document(tuple(spaced))))
    assert [b for b in found.blocks if isinstance(b, TextBlock)] == [
        b for b in spaced if b not in found.tables
    ]
    assert [table.replace(title="") for table in found.tables] == [b for b in blocks if isinstance(b, Table)]


@given(tables())
def test_a_table_with_any_texts_comes_back_by_its_comments(table: Table) -> None:
    titled = table.replace(title="Sales", notes=("(1) Net.", "a\nb"))
    assert _table(f"{get('markdown').serialize(titled)}\n\n{'Text. ' * 500}") == titled.texts_only


@given(st.text("|ab\\-\n#>*`<!$[] :", max_size=80))
def test_any_text_is_read_and_canonical_html_says_the_same(text: str) -> None:
    document = read_markdown(text)
    assert read_filing(to_html(document)).tables == document.tables


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("# One *two* `three`\n\nFour\n====", [("One two three", 1), ("Four", 1)]),
        ("Five\n---\n###### Six ##", [("Five", 2), ("Six", 6)]),
        ("one\ntwo  \nthree", [("one two\nthree", 0)]),
        ("- a\n- b\n  1. c\n\n7. d\n8. e", [("• a", 0), ("• b", 0), ("1. c", 0), ("7. d", 0), ("8. e", 0)]),
        ("[a](http://b) ![c](d) <http://e> &amp; H<sub>2</sub>O \\*", [("a c http://e & H2O *", 0)]),
        ("> quoted\n> on\n\n***\n\nend", [("quoted on", 0), ("end", 0)]),
        (
            "    | a |\n    |---|\n\n~~~x\n| b |\n|---|\n  1\n~~~",
            [("| a |\n|---|", 0), ("| b |\n|---|\n  1", 0)],
        ),
        ("$a_1*b_2*$ costs $5 *or* $7, \\(x_{1}\\) $$\\frac{a}\n{b}$$", None),
        ("<!-- no -->\n<script>\nno\n</script>\n\n<div align=center>\n\n**Yes**\n\n</div>", [("Yes", 3)]),
        ("## 2021\n\n## 2022\n\n## 2023", [("2021", 2), ("2022", 2), ("2023", 2)]),
        ("[^1]: Net\n[^2]: Gross\nof tax", [("[^1]: Net", 0), ("[^2]: Gross of tax", 0)]),
    ],
)
def test_blocks_of_text(text: str, blocks: list[tuple[str, int]] | None) -> None:
    if blocks is None:
        blocks = [("$a_1*b_2*$ costs $5 or $7, \\(x_{1}\\) $$\\frac{a} {b}$$", 0)]
    assert [(block.text, block.level) for block in read_markdown(text).texts] == blocks


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a | b\n:- | -:\n1 | 2", [["a", "b"], ["1", "2"]]),
        ("|a|b|\n|:-:|---|\n|1\n|1|2|3|", [["a", "b", ""], ["1", "", ""], ["1", "2", "3"]]),
        ("| **a** | b\\|c |\n|--|--|\n| `x\\|y` | p* < 0.05* |", [["a", "b|c"], ["x|y", "p* < 0.05*"]]),
        ("|a|\n|-|\n|one<br>two &amp; \\*|", [["a"], ["one\ntwo & *"]]),
        ("> |a|\n> |-|\n> |1|\n\nno row", [["a"], ["1"]]),
        ("- x\n\n  |a|\n  |-|\n  |1|\n- y", [["a"], ["1"]]),
        ("|a|b|\n|-|-|", [["a", "b"]]),
        ("|a|\n|-|\n|1|\n|-|\n|2|", [["a"], ["1"], ["-"], ["2"]]),
        ("|a|\n|-|\n|1|\n# Heading", [["a"], ["1"]]),
        ("<table>\n<tr><td>a</td><td>1</td></tr>\n\n<tr><td>b</td><td>2</td></tr>\n</table>\n\nText", None),
    ],
)
def test_tables(text: str, lines: list[list[str]] | None) -> None:
    assert _lines(_table(text)) == (lines or [["a", "1"], ["b", "2"]])


@pytest.mark.parametrize(
    "text", ["a | b\n---", "|a|b|\n|---|", "a\n|-|", "```\n|a|\n|-|\n|1|\n```", "    |a|\n    |-|\n    |1|"]
)
def test_no_tables(text: str) -> None:
    assert read_markdown(text).tables == ()


def test_captions_remarks_and_footnotes_become_titles_and_notes() -> None:
    table = "|a[^1]|b|\n|-|-|\n|1|2 (2)|\n\n"
    above = read_markdown(
        f"Table 1: **Sales**\n\n{table}[^1]: Net.\n\n(2) Gross.\n\nSource: the books.\n\n(3) No."
    )
    assert above.tables[0].title == "Table 1: Sales"
    assert above.tables[0].notes == ("[^1]: Net.", "(2) Gross.", "Source: the books.")
    assert [block.text for block in above.texts] == ["(3) No."]
    below = read_markdown(f"Text.\n\n{table}Table 1: One.\n\n{table}Table 2: Two.\n\nText.\n\n{table}")
    assert [each.title for each in below.tables] == ["Table 1: One.", "Table 2: Two.", ""]
    assert len(below.blocks) == 5


def test_titles() -> None:
    assert read_markdown("---\ntitle: 'A: b'\ndate: 2023\n---\n# C").title == "A: b"
    assert read_markdown("Text\n\n# C").title == "C"
    assert read_markdown("# C", title="D").title == "D"
    assert read_markdown("---\n\ntitle: x\n\n---").title == ""


def test_comments_of_someone_elses_stay_out() -> None:
    assert _lines(_table("<!-- note: x -->\n<!-- merged: all -->\n|a|\n|-|\n|1|")) == [["a"], ["1"]]


def test_html_that_does_not_end_takes_no_table_with_it() -> None:
    found = read_markdown("Text\n\n<table>\n\nMore\n\n# End")
    assert [block.text for block in found.texts] == ["Text", "More", "End"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\0\1\2\3", "markdown: binary data, starting with '\\x00\\x01\\x02\\x03'; expected a text"),
        ("> " * 200 + "a", "markdown: lists and quotes are nested more than 50 deep"),
        ("|a" * 5000 + "|\n" + "|-" * 5000 + "|\n" + "|b|\n" * 5000, "markdown: a table covers more than"),
        ("<div>" * 3000, "markdown: tags are nested more than 2000 deep"),
    ],
    ids=["binary", "nested", "places", "tags"],
)
def test_bad_input_is_refused_in_a_line(text: str, message: str) -> None:
    with pytest.raises(ParseError) as refused:
        read_markdown(text)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.full
@pytest.mark.parametrize(
    "piece",
    [
        *(
            "[",
            "*a_",
            "`",
            "<",
            "\\(",
            "$a",
            "$$",
            "<table>\n",
            "|",
            "|a|\n|-|\n",
            "- ",
            "&",
            "[^1]:",
            "<!--",
        ),
        *("![", "a\n===\n", "<br>", "~~", "> a\n", "1. a\n", "<!-- note: a -->\n", "</table>", "[a]: b\n"),
    ],
)
def test_no_text_takes_more_than_linear_time(piece: str) -> None:
    def read() -> str:
        try:
            read_markdown(piece * (40_000 // len(piece)))
        except TableError as refused:
            return str(refused)
        return ""

    assert len(quickly(read)) < 300  # refusing in a line is one of two good ends
