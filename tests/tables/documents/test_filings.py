"""Filings of EDGAR read into documents: tables as filers write them come back as they were."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from torr_plugin.tables import ParseError, Table, TableError
from torr_plugin.tables.documents import Document, TextBlock, filing, read_filing, to_html
from torr_plugin.testing import flat_tables, hierarchical_tables

from ...timing import quickly
from .filed_html import Writer, donnelley, figures, toppan, workiva


@given(figures(), st.sampled_from([workiva, donnelley, toppan]))
def test_a_table_as_filers_write_it_comes_back(table: Table, writer: Writer) -> None:
    assert read_filing(f"<html><body><p>Text.</p>{writer(table)}</body></html>").tables == (table,)


@given(st.lists(st.one_of(flat_tables(notes=False), hierarchical_tables()), max_size=2), st.booleans())
def test_canonical_html_comes_back(tables: list[Table], captioned: bool) -> None:
    if captioned:
        tables = [table.replace(title="Sales & costs", notes=("(1) Net.", "a\nb")) for table in tables]
    tables = [table.texts_only for table in tables]
    blocks = [block for table in tables for block in (TextBlock("Text\nand <text>."), table)]
    document = Document((TextBlock("A heading", "heading", 2), *blocks), "Title")
    html = to_html(document)
    # more of these, and it is refused as binary
    assume(100 * len(re.findall("[\0-\x08\x0e-\x1f]", html)) <= len(html))
    assert read_filing(html) == document


ROWS = [["", "2023"], ["Sales (1)", "5"], ["Costs", "4"]]
DATA = "<table>" + "".join(f"<tr><td>{label}</td><td>{value}</td></tr>" for label, value in ROWS)
TABLE = Table.of_texts(ROWS, header_columns=1)


@pytest.mark.parametrize(
    ("html", "texts"),
    [
        ("<div style='display:none'><ix:header>No</ix:header></div><p hidden>No</p>Yes", ["Yes"]),
        ("<script>No</script><style>No</style><!-- No --><p>Yes", ["Yes"]),
        (
            "<span>Sales </span><b>gr</b><i>ew</i>.&#160;&#160;<ix:nonFraction>5</ix:nonFraction>",
            ["Sales grew.  5"],
        ),
        (
            "<div style='position:absolute;left:5px'>One</div><div style='position:absolute'>Two</div>",
            ["One", "Two"],
        ),
        ("<span>(1)</span><span style='padding-left:10pt'>Net.</span>", ["(1) Net."]),
        ("<ol start=4><li>a<li>b</ol><ul><li>c</ul>", ["4. a", "5. b", "\u2022 c"]),
        ("<pre>Typed  text\n  in\tlines\n\nand parts</pre>", ["Typed  text\n  in    lines", "and parts"]),
        ("<pre><table>\n<caption>\n        2000\n<s><c>\nSales   100\n</table>", ["2000\nSales   100"]),
        ("<table><tr><td>&#8226;</td><td>One</td></tr><tr><td>&#8226;</td><td>Two</td></tr></table>", None),
        ("<p>a</p></div></table></b><p>b<td>c", ["a", "b", "c"]),
        ("1<p>2<p>3<p>x", ["x"]),
        ("<h2>2021</h2><h2>2022</h2>", ["2021", "2022"]),
        ("<h2>Part 1</h2><hr><h2>Part 2</h2><hr><h2>Part 3</h2>", ["Part 1", "Part 2", "Part 3"]),
    ],
)
def test_texts(html: str, texts: list[str] | None) -> None:
    found = read_filing(html)
    assert [text.text for text in found.texts] == (texts or ["\u2022 One", "\u2022 Two"])
    assert found.tables == ()


@pytest.mark.parametrize(
    "html",
    [
        f"{DATA}</table><p>After.</p>",
        f"{DATA}<p>After.</p>",
        f"{DATA}</tr></tbody><div><i>Af</i>ter.</div></table>",
        f"<div><font>{DATA}</div><p>After.</p>",
    ],
)
def test_a_table_that_does_not_end_takes_no_text(html: str) -> None:
    assert read_filing(html).blocks == (TABLE, TextBlock("After.")), html


@pytest.mark.parametrize(
    "footnote",
    [
        "<p>(1) Net of tax.</p>",
        "<div><span style='font-size:7pt'>(1)</span><span style='padding-left:9pt'>Net of tax.</span></div>",
        "<table><tr><td>(1)</td><td>Net of tax.</td></tr></table>",
    ],
)
def test_footnotes_with_marks_in_the_table_are_its_notes(footnote: str) -> None:
    html = f"{DATA}</table>{footnote}<p>(2) Unmarked.</p>"
    blocks = (TABLE.replace(notes=("(1) Net of tax.",)), TextBlock("(2) Unmarked."))
    assert read_filing(html).blocks == blocks


@pytest.mark.parametrize("below", ["<p>Table 3: Sales</p>", "<p>Table 3: Sales</p><p>Source: us.</p>"])
def test_a_caption_below_the_footnotes_of_a_table_is_its_title(below: str) -> None:
    notes = ("(1) Net of tax.", *(["Source: us."] if "Source" in below else []))
    both = TABLE.replace(title="Table 3: Sales", notes=notes)
    html = f"{DATA}</table><p>(1) Net of tax.</p>{below}"
    assert read_filing(f"{html}<p>Text.</p>").blocks == (both, TextBlock("Text."))
    assert read_filing(html * 2).blocks == (both, both)


@pytest.mark.parametrize(
    ("html", "message"),
    [
        ("\0\1\2\3", "filing: binary data, starting with '\\x00\\x01\\x02\\x03'; expected a text"),
        ("<div>" * 3000, "filing: tags are nested more than 2000 deep; expected a table that is not"),
        (f"<a{' b' * 1001}>", "filing: a tag has more than 1000 attributes; expected fewer"),
        (
            f"{DATA}<tr><td rowspan=9000 colspan=1000>{'<tr>' * 9000}</table>",
            "filing: merged cells cover more than",
        ),
    ],
    ids=["binary", "deep", "attributes", "places"],
)
def test_bad_input_is_refused_in_a_line(html: str, message: str) -> None:
    with pytest.raises(ParseError) as refused:
        read_filing(html)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.full
@pytest.mark.parametrize(
    "piece",
    [
        *("<div>", "<table>", "<table><tr><td>", "<td rowspan=3>1<td>2<tr>", "<table><div>a", "<!--", "<"),
        *("<script>", "&#", "<a b='", "<pre>a\n\n", "<hr>a 1<hr>", "<p>(1) a", "<p>Table 1: a", "<ol><li>a"),
        *("<table><tr><td>a<td>1<tr><td>b<td>2</table><p>(1) a</p>", "<table><tr><td colspan=1000>1</table>"),
    ],
)
def test_no_text_takes_more_than_linear_time(piece: str) -> None:
    def read() -> str:
        try:
            read_filing(piece * (300_000 // len(piece)))
        except TableError as refused:
            return str(refused)
        return ""

    assert len(quickly(read)) < 300  # refusing in a line is one of two good ends


def test_merged_cells_of_all_tables_count_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filing, "most_places", lambda cells: 2500 + cells)
    table = "<table><tr><td colspan=1000>1<td>2</table>"
    read_filing(table * 2)
    with pytest.raises(ParseError, match=r"^filing: merged cells cover more than 2500 places in all$"):
        read_filing(table * 3)
