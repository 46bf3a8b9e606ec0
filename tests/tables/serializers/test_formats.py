"""What formats look like to other programs, and what a reader says about a text that is none."""

from __future__ import annotations

import pytest

from torr_plugin.tables import Cell, ParseError, SerializationError, Table, serializers
from torr_plugin.tables.serializers import structure

PLAIN = Table.flat(["Name", "Age"], [["Sophia", 26], ["Bo", "31"]])
ODD = Table.flat(["a|b", "c"], [["x\ny", '<b> & "q"'], ["#1, 2", "\\"]])
DEEP = Table(
    (
        (Cell("City", 2), Cell("2019", 1, 2)),
        (Cell("m"), Cell("f")),
        (Cell("Oslo"), Cell("1"), Cell("2")),
    ),
    header_rows=2,
    header_columns=1,
    title="Visitors",
    notes=("preliminary",),
)

EXPECTED = {  # docs/reference/formats.md has plainer tables in every format
    "csv": 'a|b,c\n"x\ny","<b> & ""q"""\n"#1, 2",\\',
    "markdown": '| a\\|b | c |\n| --- | --- |\n| x<br>y | <b> & "q" |\n| #1, 2 | \\\\ |',
    "json": '[\n{"a|b": "x\\ny", "c": "<b> & \\"q\\""},\n{"a|b": "#1, 2", "c": "\\\\"}\n]',
    "html": "<table>\n  <thead>\n    <tr><th>a|b</th><th>c</th></tr>\n  </thead>\n  <tbody>\n"
    '    <tr><td>x<br>y</td><td>&lt;b&gt; &amp; "q"</td></tr>\n'
    "    <tr><td>#1, 2</td><td>\\</td></tr>\n  </tbody>\n</table>",
}


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_looks(name: str) -> None:
    assert serializers.get(name).serialize(ODD) == EXPECTED[name]
    assert serializers.get(name).parse(EXPECTED[name]) == ODD


def test_csv_is_read_by_pythons_csv_module() -> None:
    import csv
    import io

    records = list(csv.reader(io.StringIO(serializers.get("csv").serialize(ODD), newline="")))
    assert records == [[cell.text for cell in row] for row in ODD.rows]


def test_html_is_read_by_lxml() -> None:
    import lxml.html

    tree = lxml.html.fromstring(serializers.get("html").serialize(ODD))
    found = [["\n".join(cell.itertext()) for cell in row] for row in tree.iter("tr")]
    assert found == [[cell.text for cell in row] for row in ODD.rows]


def test_data_that_looks_like_a_preamble_is_data() -> None:
    table = Table.flat(["# title: x", "b"], [["# note: y", "2"]])
    for name in EXPECTED:
        assert serializers.get(name).parse(serializers.get(name).serialize(table)) == table
    assert serializers.get("csv").serialize(table).startswith('"# title: x",b')


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("csv", 'a,"b', "csv: line 1 has a field with an unmatched quotation mark"),
        ("csv", "a,b\n1", "csv: row 1 of the table has 1 cell, expected 2 as in row 0"),
        ("csv", "a,b", "csv: the table has no rows below its 1 header row"),
        ("csv", "# colour: red\na\n1", "csv: the preamble has 'colour: red'; expected title, header rows"),
        ("csv", "# header rows: two\na\n1", "csv: the preamble has 'header rows: two'; expected a number"),
        ("csv", "# merged: A1\na\n1", "csv: 'A1' is no range of cells; expected one such as A1:B2"),
        ("csv", "# merged: A1:B2\na\n1", "csv: the merged range A1 of 2 x 2 cells ends outside the table"),
        ("csv", "# merged: A1:A2, A1:A2\na\n1", "csv: the merged range at A1 overlaps another"),
        ("markdown", "| a |\n| 1 |", r"markdown: the text has '\| 1 \|'; expected a delimiter row"),
        ("json", "[1", "json: the text is no JSON"),
        ("json", "[1]", "json: record 0 is no object with the columns of the first"),
        ("json", '{"rows": [], "colour": 1}', "json: unknown key 'colour'; expected title, header"),
        ("json", '[{"a": []}]', r"json: a cell is '\[\]'; expected a text, a number"),
        ("yaml", "a: [", "yaml: the text is no YAML: while parsing a flow"),
        ("yaml", "- 2001-99-99", "yaml: the text is no YAML: month must be in"),
        ("yaml", "no", "yaml: expected a list of records or an object with 'rows', found 'no'"),
        ("toon", "[2]{a}:\n  1", "toon: the text is no TOON"),
        ("jsonl", '{"a": 1}\n{"b": 1}', "jsonl: record 1 is no object with the columns of the first"),
        (
            "json_columns",
            '{"a": [1], "b": []}',
            r"json_columns: the text is no JSON: the columns have \[0, 1\]",
        ),
        ("tsv", "a\tb\n1", "tsv: row 1 of the table has 1 cell, expected 2 as in row 0"),
        (
            "tsv",
            "a\n\\",
            r"tsv: found '\\\\'; expected cells with '\\t' between them, a backslash before",
        ),
    ],
)
def test_what_is_wrong_is_said(name: str, text: str, message: str) -> None:
    with pytest.raises(ParseError, match=f"^{message.replace(' | ', ' [|] ')}"):
        serializers.get(name).parse(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>",
            Table.flat("ab", ["12"]),
        ),
        (
            "<TABLE border=1><TR><TD>a<TD>b<TR><TD>1<TD>2</TABLE>",
            Table.flat("ab", ["12"]).replace(header_rows=0),
        ),
        (
            "<p>x</p><table>\n <thead><tr><th>\n  a\n  b </th><th>H<sub>2</sub>O</th></tr></thead>\n"
            "<tbody><tr><td>caf&eacute; &amp; co</td><td>x<br/> y</td></tr></tbody></table>"
            "<table><tr><td>z</table>",
            Table.flat(["a b", "H2O"], [["café & co", "x\ny"]]),
        ),
        (
            "<table><tr><th>a<th>b<tr><td><p>one</p><p>two</p><ul><li>three</ul><td><script>no</script><i>yes</i></table>",
            Table.flat(["a", "b"], [["one\ntwo\nthree", "yes"]]),
        ),
        (
            "<table><tr><th>a<th>b<tr><td>1<tr><td rowspan=9>2<td colspan=0>3</table>",
            Table.flat(["a", "b"], [["1", ""], ["2", "3"]]),
        ),
        (
            "<table><thead><tr><th>k<th>v</thead><tbody><tr><td rowspan=0>x<td>1<tr><td>2</tbody></table>",
            Table(((Cell("k"), Cell("v")), (Cell("x", 2), Cell("1")), (Cell("2"),))),
        ),
        (
            "<table><tr><th>a<th>b<tr><td>1<td><table><tr><td>in<td>side</table>out</table>",
            Table.flat(["a", "b"], [["1", "in side\nout"]]),
        ),
        (
            "<table><tr><th>a<td>1<tr><th>b<td>2</table>",
            Table.flat(["a", "1"], ["b2"]).replace(header_rows=0, header_columns=1),
        ),
    ],
    ids=[
        "no thead",
        "no end tags",
        "white space",
        "blocks",
        "too far",
        "to the end",
        "nested",
        "row headers",
    ],
)
def test_real_world_html(text: str, expected: Table) -> None:
    assert serializers.get("html").parse(text) == expected


@pytest.mark.parametrize("name", ["html", "latex"])
def test_few_cells_over_very_many_places_are_refused(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(structure, "_MOST_PLACES", 10)
    serializer = serializers.get(name)
    large = Table.flat(list("abc"), [list("123")] * 20)
    merged = Table(((Cell("a", 1, 3),), *large.rows[1:]))
    for table in (large, merged):
        assert name == "latex" or serializer.parse(serializer.serialize(table)) == table
    with pytest.raises(SerializationError, match=rf"^{name}: the table covers more than 13 places; use"):
        serializer.serialize(Table(((Cell("a", 4, 2), Cell("b", 4, 2)), (), (), (), (Cell("c", 1, 4),))))
    if name == "html":
        with pytest.raises(ParseError, match=r"^html: the table covers more than 11 places"):
            serializer.parse("<table><tr><td colspan=1000>a</td></tr></table>")
