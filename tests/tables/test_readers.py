"""Raw values of the data sets as tables."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from html import escape as html_escape
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.tables import Cell, Table, TableError, UnknownNameError, readers


def texts(table: Table) -> list[list[str]]:
    return [[cell.text for cell in line] for line in table.grid]


def test_an_unknown_reader_gives_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="unknown reader 'htm'; did you mean 'html'"):
        readers.get("htm")


def test_columns_takes_lists_and_arrays() -> None:
    table = readers.get("columns")(
        header=np.array(["a", "b"]), rows=np.array([[1, 2]]), title="t", notes=["n"]
    )
    assert table == Table.flat(["a", "b"], [[1, 2]], title="t", notes=["n"])
    assert type(table.rows[1][0].raw) is int


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"header": "ab", "rows": [["1"]]}, "the header is 'ab'; expected a list"),
        ({"header": ["a"], "rows": ["1"]}, "row 0 is '1'; expected a list"),
        (
            {"header": ["a"], "rows": [[["1"]]]},
            r"row 0 of the table has \"\['1'\]\" in column 0; expected a text",
        ),
        ({"header": ["a"], "rows": None}, "the table's rows is 'None'; expected a list"),
    ],
)
def test_columns_says_what_is_wrong(values: dict[str, object], message: str) -> None:
    with pytest.raises(TableError, match=message):
        readers.get("columns")(**values)


def test_literal() -> None:
    assert readers.get("literal")("['a', 'b']", "[['1', 2]]") == Table.flat(["a", "b"], [["1", 2]])


@pytest.mark.parametrize(
    ("header", "rows", "message"),
    [
        ("['a'", "[['1']]", r"the table's header starts with \"\['a'\"; expected a list literal"),
        ("['a']", "print(1)", r"the table's rows starts with 'print\(1\)'; expected a list literal"),
        ("['a']", "7", "the table's rows is '7'; expected a list literal"),
        ("['a']", "[]", "the table has no rows"),
        ("['a']", "[" * 100_000, "the table's rows starts with"),
        (["a"], "[]", "the table's header is list; expected a Python literal"),
    ],
)
def test_literal_says_what_is_wrong(header: str, rows: str, message: str) -> None:
    with pytest.raises(TableError, match=message):
        readers.get("literal")(header, rows)


def test_delimited() -> None:
    assert readers.get("delimited")("a#b\n1#\n#2\n") == Table.flat(["a", "b"], [["1", ""], ["", "2"]])
    assert readers.get("delimited")("a;b|1;2", separator=";", newline="|") == Table.flat(
        ["a", "b"], [["1", "2"]]
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the table's text is ''; expected lines of cells separated by '#'"),
        ("a#b\n", "the table has no rows"),
        ("a#b\n1#2#3\n", "row 0 of the table has 3 cells, expected 2"),
    ],
)
def test_delimited_says_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(TableError, match=message):
        readers.get("delimited")(text)


def test_html_with_spans_and_title() -> None:
    head = "<caption>c</caption><thead><tr><th rowspan=2>k<th colspan=2>y<tr><th>m<th>f</thead>"
    text = f"<table>{head}<tr><td>1<td>2<td>3</table>"
    table = readers.get("html")(text, title="given", notes=["n"])
    assert (table.title, table.notes, table.header_rows) == ("given", ("n",), 2)
    assert table.column_paths == (("k",), ("y", "m"), ("y", "f"))
    assert readers.get("html")(text).title == "c"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "html: the text has no <table>; it starts with ''"),
        ("no table", "html: the text has no <table>; it starts with 'no table'"),
        ("<table></table>", "html: the table has no cells; expected rows <tr> with <th> or <td>"),
        ("<table><tr></tr></table>", "html: the table has no cells"),
        (7, "the table is int; expected an HTML text"),
    ],
)
def test_html_says_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(TableError, match=f"^{message}"):
        readers.get("html")(text)


def test_hctqa_headers_and_labels() -> None:
    text = ',0,1,2,3\n0,Kind,Total,__,__\n1,__,2021,2020,__\n2,a,"1,0",2,3\n3,__,4,__,6\n4,band,__,__,__\n'
    table = readers.get("hctqa_csv")(text)
    assert table.header_rows == 2
    assert table.rows[:2] == ((Cell("Kind", 2), Cell("Total", 1, 3)), (Cell("2021"), Cell("2020", 1, 2)))
    assert table.rows[2] == (Cell("a", 2), Cell("1,0"), Cell("2"), Cell("3"))
    assert table.rows[3] == (Cell("4"), Cell(""), Cell("6"))
    assert table.rows[4] == (Cell("band", 1, 4),)
    assert table.header_columns == 1
    assert readers.get("hctqa_csv")(text, header_columns=2).header_columns == 2


def test_hctqa_vertical_continuation_and_broken_shapes() -> None:
    table = readers.get("hctqa_csv")(",0,1,2\n0,A,B,C\n1,__,x,__\n2,1,2,3\n")
    assert table.rows[:2] == ((Cell("A", 2), Cell("B"), Cell("C", 2)), (Cell("x"),))
    broken = readers.get("hctqa_csv")(",0,1,2\n0,A,__,C\n1,__,x,y\n2,1,2,3\n")  # A would be an L
    assert not broken.has_spans
    assert texts(broken)[:2] == [["A", "", "C"], ["", "x", "y"]]
    assert readers.get("hctqa_csv")(",0,1\n0,A,__\n").header_rows == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"the table is ''; expected a line ',0,1,...' and numbered rows below it"),
        ("a,b\n0,1\n", r"the table's first line is 'a,b'; expected ',0,1,...'"),
        (",0,1\n0,a\n", "row 0 of the table has 1 cell, expected 2"),
    ],
)
def test_hctqa_says_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(TableError, match=message):
        readers.get("hctqa_csv")(text)


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.release)])
def test_every_real_hctqa_table_is_read_and_loses_nothing(step: int, shared_data: Path) -> None:
    import pyarrow.parquet as pq

    rows = pq.read_table(
        shared_data / "hctqa" / "real.parquet", columns=["table_id", "table_csv"]
    ).to_pylist()
    tables = {row["table_id"]: row["table_csv"] for row in rows}
    assert len(tables) == 1880
    for name, text in list(tables.items())[::step]:
        table = readers.get("hctqa_csv")(text)
        published = [field for record in list(csv.reader(io.StringIO(text)))[1:] for field in record[1:]]
        assert Counter(cell.text for row in table.rows for cell in row if cell.text) == Counter(
            field for field in published if field not in ("", "__")
        ), name


def test_real_numericnlg_tables_have_the_texts_that_lxml_finds(shared_data: Path) -> None:
    import lxml.html
    import pyarrow.parquet as pq

    for row in pq.read_table(shared_data / "numeric_nlg" / "test.parquet").to_pylist():
        table = readers.get("html")(row["table_html_clean"], title=row["caption"])
        tree = lxml.html.fromstring(row["table_html_clean"])
        found = [[cell.text_content() for cell in line.xpath("./td|./th")] for line in tree.xpath(".//tr")]
        assert table.is_flat
        assert texts(table) == found


def test_json_split_keeps_numbers_and_empty_cells() -> None:
    text = '{"columns": ["a", "b"], "data": [[1, "x"], [2.5, null], ["tab\there", true]], "index": [0]}'
    table = readers.get("json_split")(text=text, title="t", notes=["n"])
    assert table == Table.flat(
        ["a", "b"], [[1, "x"], [2.5, None], ["tab\there", True]], title="t", notes=["n"]
    )
    assert table.to_unitxt()["rows"] == [[1, "x"], [2.5, None], ["tab\there", True]]


def test_json_split_takes_the_object_too() -> None:
    value = {"columns": ["a", "b"], "data": [["1", "x"]]}
    assert readers.get("json_split")(text=value) == readers.get("json_split")(text=json.dumps(value))
    with pytest.raises(TableError, match=r"the table is \{'columns': \['a'\]\}; expected .* and 'data'"):
        readers.get("json_split")(text={"columns": ["a"]})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "the table starts with '{'; expected JSON"),
        ("[" * 100_000, "expected JSON"),
        ('{"columns": ["a"]}', "expected a JSON object with 'columns' and 'data'"),
        ("[1]", "expected a JSON object"),
        ('{"columns": ["a"], "data": [[1, 2]]}', "row 0 of the table has 2 cells|cells"),
        ('{"columns": ["a"], "data": [[[1]]]}', "row 0 of the table has .* in column 0"),
        (None, "the table is NoneType; expected JSON text"),
    ],
)
def test_json_split_refuses(text: object, message: str) -> None:
    with pytest.raises(TableError, match=message):
        readers.get("json_split")(text=text)


def test_linked_cells_by_hand() -> None:
    cells = '[[[[0, 0], [1, "Tern"]], [[2, 0], [2, "Gull"]]], [[[2, 1], [3, "Cy"]], [[2, 1], [4, "Di"]]], []]'
    table = readers.get("linked_cells")(header=["a", "b", ""], cells=cells, title="t")
    assert table == Table.flat(["a", "b", ""], [["Tern", "", ""], ["Gull", "Cy", ""]], title="t")


LINKS = st.lists(
    st.tuples(st.tuples(st.integers(0, 6), st.just(0)), st.tuples(st.just(1), st.text("ab", min_size=1))),
    min_size=1,
).map(lambda column: sorted(column, key=lambda cell: cell[0][0]))


@settings(deadline=None)  # the first one imports unitxt
@given(st.lists(LINKS, min_size=1, max_size=4))
def test_linked_cells_are_unitxts_table_and_its_lost_last_row(columns: list[object]) -> None:
    from unitxt.loaders import TURLColumnTypeAnnotationLoader

    listed = json.loads(json.dumps(columns))
    header = [str(number) for number in range(len(listed))]
    theirs = TURLColumnTypeAnnotationLoader._load_table([None] * 5 + [header, listed])
    ours = readers.get("linked_cells")(header=header, cells=json.dumps(listed)).to_unitxt()
    assert ours["rows"][:-1] == theirs["rows"]
    assert ours["header"] == theirs["header"]
    last = max(cell[0][0] for column in listed for cell in column)
    at_last = [next((text for (row, _), (_, text) in column if row == last), "") for column in listed]
    assert ours["rows"][-1] == at_last


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ("[", "the list of the table's cells starts with '\\['; expected JSON"),
        ("3", "the table's cells are '3'; expected a list of columns"),
        ("[]", "the table has cells for 0 columns, expected 1 as in the header"),
        ("[[]]", "no rows|body row"),
        ("[[[0, 0]]]", "column 0 of the table is .*; expected \\[\\[row, column\\]"),
        ("[3]", "column 0 of the table is '3'"),
        ('[[[[-1, 0], [1, "x"]]]]', "column 0 of the table has a cell in row -1; expected 0 to 99999"),
        ('[[[[1000000000, 0], [1, "x"]]]]', "a cell in row 1000000000"),
        (None, "the list of the table's cells is NoneType"),
    ],
)
def test_linked_cells_refuses(cells: object, message: str) -> None:
    with pytest.raises(TableError, match=message):
        readers.get("linked_cells")(header=["a"], cells=cells)


def spanned_cell(value: str, is_header: bool, row_span: int, column_span: int) -> dict[str, object]:
    return {"value": value, "is_header": is_header, "row_span": row_span, "column_span": column_span}


WIKIPEDIA_ROWS = st.lists(
    st.lists(
        st.builds(
            spanned_cell,
            st.sampled_from(["", "1996", "Emma", "a & b"]),
            st.booleans(),
            st.integers(1, 4),
            st.integers(1, 3),
        ),
        max_size=4,
    ),
    min_size=2,
    max_size=5,
)


@given(WIKIPEDIA_ROWS)
@settings(max_examples=100, deadline=None)
def test_spanned_cells_take_their_places_as_in_html(rows: list[list[dict[str, object]]]) -> None:
    """Irregular ones too: spans that reach too far or meet, and short rows."""
    lines = []
    for row in rows:
        tags = [("th" if each["is_header"] else "td", each) for each in row]
        cells = [
            f'<{tag} rowspan="{each["row_span"]}" colspan="{each["column_span"]}">'
            f"{html_escape(str(each['value']))}</{tag}>"
            for tag, each in tags
        ]
        lines.append(f"<tr>{''.join(cells)}</tr>")
    text = f"<table>{''.join(lines)}</table>"
    try:
        expected = readers.get("html")(text)
    except TableError:
        with pytest.raises(TableError):
            readers.get("spanned")(rows)
        return
    table = readers.get("spanned")(rows, title="t")
    assert texts(table) == texts(expected)
    if expected.header_rows or expected.header_columns:
        assert (table.header_rows, table.header_columns) == (expected.header_rows, expected.header_columns)
    else:
        assert table.header_rows == int(table.n_rows > 1)
    assert table.title == "t"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("x", "the table is 'x'; expected a list"),
        ([3], "row 0 of the table is '3'; expected a list"),
        ([[{"value": "a"}]], "row 0 of the table, cell 0 is"),
        ([[spanned_cell("a", True, -1, 1)]], "row_span is '-1'; expected a whole number"),
        ([[], []], "the table has no cells"),
    ],
)
def test_what_are_no_spanned_cells(rows: object, message: str) -> None:
    with pytest.raises(TableError, match=re.escape(message)):
        readers.get("spanned")(rows)


def test_a_table_of_one_row_has_a_header_where_it_can() -> None:
    read = readers.get("spanned")
    row = [spanned_cell("a", False, 1, 1), spanned_cell("b", False, 1, 1)]
    assert read([row]).header_columns == 1
    assert (read([row[:1]]).header_rows, read([row[:1]]).header_columns) == (0, 0)


def test_cells_in_one_list() -> None:
    table = readers.get("listed_cells")(["a", "b"], [{"value": each} for each in "1234"], title="t")
    assert table == Table.flat(["a", "b"], [["1", "2"], ["3", "4"]], title="t")
    for cells, message in [
        ([{"value": "1"}], "the table has 1 cells below a header of 2; expected full rows"),
        ([3], "cell 0 of the table is '3'; expected an object with 'value'"),
    ]:
        with pytest.raises(TableError, match=message):
            readers.get("listed_cells")(["a", "b"], cells)


def test_columns_by_pandas() -> None:
    table = readers.get("columns")(
        ["A", "A.1", "Unnamed: 2", "v1.0", "A.b"], [["nan", "1", "nan", "NaN", "x"]], by_pandas=True
    )
    assert texts(table) == [["A", "A", "", "v1.0", "A.b"], ["", "1", "", "NaN", "x"]]
