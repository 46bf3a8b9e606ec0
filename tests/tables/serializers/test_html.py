"""The world's HTML by lxml: what is put up with, what is said, and that hostile texts are bounded."""

# ruff: noqa: E501 - HTML as it is met

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.tables import ParseError, Table, serializers

from ...timing import quickly
from .test_round_trip import refusal

html = serializers.get("html")


def cells(text: str) -> list[list[str]]:
    return [[cell.text for cell in row] for row in html.parse(text).rows]


@pytest.mark.parametrize(
    ("inside", "text"),
    [
        ("&nbsp;&eacute;&lt;b&gt;&amp;amp;", "\u00a0é<b>&amp;"),
        ("&copy &lt;&ampx &check; &foo; &#x41;&#66", "© <&x ✓ &foo; AB"),
        ("&#32;a&#x20;&#10;&#9;b&#13;", " a \n\tb\r"),
        ("&#0;&#xD800;&#128;", "\ufffd\ufffd€"),
        ("a < b > c", "a < b > c"),
        ("\ue000&#xe001;\x01\x0b\ufffe\x85\ud800", "\ue000\ue001\x01\x0b\ufffe\x85\ud800"),
        ("<!-- x -->a<!-- <td>y --> b<?pi?>", "a b"),
        ("<b>a<i>b</b>c</i>", "abc"),
        ("007", "007"),
        ("<span>a</span>\n  <span>b</span>", "a b"),
        ("a<style>td {}</style><script>'<td>'</script>b", "ab"),
        ("<a href='?a=1&b=2'>x</a> &b=2>'y", "x &b=2>'y"),
        ("<form><input name=x>y</form>", "y"),
    ],
)
def test_what_a_cell_says(inside: str, text: str) -> None:
    assert cells(f"<table><tr><td>{inside}</td><td>z</td></tr></table>") == [[text, "z"]]


def test_a_whole_page_and_its_declared_encoding() -> None:
    page = "<?xml version='1.0' encoding='latin-1'?><!DOCTYPE html><html><head><meta charset=latin-1><title>T</title>"
    assert cells(page + "</head><body><p>x<table><tr><td>é日</table></body></html>") == [["é日"]]


def test_end_tags_that_match_nothing_are_passed_over() -> None:
    assert cells("<table><tr><td>a</caption>b</div></tbody>c<td>d</table>") == [["abc", "d"]]


def test_notes_behind_the_table() -> None:
    table = html.parse("<div><table><tr><td>a</table></div><p class=note>b<br>c</p><p>d<p class='note'>e")
    assert table.notes == ("b\nc", "e")
    hidden = "<table><tr><td>a</table><p class=note hidden>b</p><div style='display:none'><p class=note>c</p></div>"
    assert html.parse(hidden).notes == ()


def test_what_is_too_deep_is_refused_and_not_cut() -> None:
    assert cells("<table><tr><td>" + "<b>" * 1500 + "a" + "</b>" * 1500 + "<td>b</table>") == [["a", "b"]]
    with pytest.raises(ParseError, match=r"^html: tags are nested more than 2000 deep"):
        html.parse("<table><tr><td>" + "<b>" * 3000 + "a</table>")


@pytest.mark.parametrize(
    ("before", "between"),
    [
        *((each, " ") for each in ("", "b=1 ", "b='>' ", 'b=">" ', 'b"c ', "b=c'd ", "b = '", "='>'", "/")),
        *(("", each) for each in ("/", "=1 ", "=''", '="a" ', "\n")),
    ],
)
def test_a_tag_of_countless_attributes_is_refused(before: str, between: str) -> None:
    many = between.join(f"a{i}" for i in range(30_000))

    def refused() -> None:
        with pytest.raises(ParseError, match=r"^html: a tag has more than 1000 attributes; expected fewer$"):
            html.parse(f"<table><tr><td {before}{many}>x</table>")

    quickly(refused)


def test_a_long_tag_of_few_attributes_is_read() -> None:
    tag = f"<img src='data:{'A' * 100_000}' title=\"{'word a=b ' * 5_000}\">"
    attributes = " ".join(f"a{i}=1" for i in range(990))
    assert cells(f"<table><tr><td {attributes}>{tag}x<td>y</table>") == [["x", "y"]]


@pytest.mark.parametrize(
    "piece",
    ["<b>", "<td>", "<tr>", "<p>", "</b>", "<!--", "<a ", "&", "&#", "<br>", "<script>", "<td rowspan=9999>",
     "<td colspan=1000>", "<caption>", "</table><p class=note>", "\x01", "&x", "<", "<a =", "<a ='", "<a b=\"", "<table>", "<table><tr><td>"],
)  # fmt: skip
def test_hostile_texts_take_no_longer_than_their_length(piece: str) -> None:
    text = "<table><tr><td>a" + piece * (20_000 // len(piece))
    assert "\n" not in quickly(lambda: refusal("html", text), within=30)


PIECES = [
    "<table>", "</table>", "<tr>", "</tr>", "<td>", "</td>", "<th>", "a", " ", "\n", "<br>", "<p>", "</p>", "<b>",
    "</b>", "<thead>", "</thead>", "<tbody>", "&nbsp;", "&#32;", "&amp;", "&lt", "<!-- c -->", "<td rowspan=2>",
    "<td colspan='2'>", "<caption>", "</caption>", "<p class=note>", "\x01", "\ue000", "&#xe000;", "<div>", "<?p?>",
    "<td rowspan=0>", "<ul><li>", "<select>", "<col>", "<![CDATA[x]]>", "<html>", "<body>", "<template>",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=25))
@settings(max_examples=60)
def test_any_heap_of_tags_is_read_or_refused(pieces: list[str]) -> None:
    text = "<table>" + "".join(pieces)
    reason = refusal("html", text)
    if reason:
        assert reason.startswith("html: ")
        assert "\n" not in reason
    else:
        table = html.parse(text)
        assert isinstance(table, Table)
        assert html.parse(html.serialize(table)) == table
