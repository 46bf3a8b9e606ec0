"""Formats beside the programs that they are named after: pandas, tabulate, SQLite, lxml, PyYAML."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from contextlib import closing

import lxml.etree
import pytest
import toon_format
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from tabulate import tabulate

from torr_plugin.tables import Cell, Table, serializers
from torr_plugin.testing import flat_tables, tables

from ..cases import cases
from .test_formats import DEEP

MIXED = Table.flat(
    ["City", "Founded", "no", "yes"],
    [["Oslo", 1048, "5", 5], ["Lyon, FR", None, "012", 1.5], ["X\nY", -43, "1e3", 1e-07]],
)
REPEATED = Table.flat(["Year", "", "year", "Year", ""], [["1", "2", "3", "4", "5"]])
NAMED_ALIKE = ["key_value", "markdown_kv", "psql", "sentences", "sql_insert", "xml_attributes"]
WORDS = st.text("abcXYZ ", min_size=1, max_size=8).map(str.strip).filter(bool)
NUMBERS = st.integers(-9999, 9999).map(str)


def written(name: str, table: Table) -> str:
    return serializers.get(name).serialize(table)


def test_texts_that_look_like_numbers_are_quoted_and_numbers_are_not() -> None:
    assert written("toon", MIXED).splitlines()[1] == '  Oslo,1048,"5",5'
    assert written("toon_tab", MIXED).splitlines()[1] == '  Oslo\t1048\t"5"\t5'
    assert toon_format.loads(written("toon_pipe", MIXED))[1]["no"] == "012"
    rows = yaml.safe_load(written("yaml", MIXED))
    assert rows == json.loads(written("json", MIXED))
    assert '"no": "1e3"' in written("yaml", MIXED)  # YAML 1.2 reads 1e3 as a number, PyYAML does not


@pytest.mark.parametrize(
    ("rows", "text"), [pytest.param(*rest, id=name) for name, *rest in cases("toon.txt")]
)
def test_toon_is_its_specifications_and_the_official_librarys(rows: str, text: str) -> None:
    records, expected = json.loads(rows), text.replace("\\t", "\t")
    delimiter = {"\t": "\t", "|": "|"}.get(expected[2], ",")
    name = {"\t": "toon_tab", "|": "toon_pipe", ",": "toon"}[delimiter]
    table = Table.flat(list(records[0]), [list(record.values()) for record in records])
    assert toon_format.dumps(records, delimiter=delimiter) == expected
    assert toon_format.loads(expected) == records
    assert written(name, table) == expected
    assert serializers.get(name).parse(expected) == table


@given(table=flat_tables(notes=False), name=st.sampled_from(["toon", "toon_tab", "toon_pipe"]))
@settings(max_examples=100)
def test_the_official_library_writes_and_reads_the_same_toon(table: Table, name: str) -> None:
    table = table.texts_only
    header, *lines = [[cell.text for cell in row] for row in table.rows]
    if len(set(header)) == len(header):
        records = [dict(zip(header, line, strict=True)) for line in lines]
        text = written(name, table)
        delimiter = {"toon": ",", "toon_tab": "\t", "toon_pipe": "|"}[name]
        assert text == toon_format.dumps(records, delimiter=delimiter)
        assert toon_format.loads(text) == records


@pytest.mark.parametrize(
    "text", ["no", "Yes", "012", "1e3", "12:30", "2001-12-14", "0o7", "~", "null", "1_000"]
)
def test_what_a_yaml_takes_for_something_else_is_quoted(text: str) -> None:
    assert written("yaml", Table.flat(["a"], [[text]])) == f'- a: "{text}"'


def test_json_records_and_columns_are_pandas() -> None:
    import pandas as pd

    table = Table.flat(["a", "b"], [["x", 1], ["y/z", 2]])
    frame = pd.DataFrame({"a": ["x", "y/z"], "b": [1, 2]})
    assert written("json_records", table) == frame.to_json(orient="records").replace("\\/", "/")
    assert json.loads(written("json_columns", table)) == frame.to_dict(orient="list")
    assert [json.loads(line) for line in written("jsonl", table).splitlines()] == frame.to_dict("records")


@given(
    header=st.lists(WORDS, min_size=3, max_size=3, unique_by=str.casefold),
    rows=st.lists(st.tuples(WORDS, NUMBERS, NUMBERS.map(lambda n: f"{n}.25")), min_size=1, max_size=4),
)
@settings(max_examples=50)
def test_padded_markdown_and_psql_are_what_tabulate_draws(
    header: list[str], rows: list[tuple[str, ...]]
) -> None:
    for name, theirs in (("markdown_padded", "pipe"), ("psql", "psql")):
        expected = tabulate(rows, header, tablefmt=theirs, floatfmt=".2f")
        assert written(name, Table.flat(header, rows)) == expected


def test_several_lines_of_a_cell_are_drawn_as_tabulate_draws_them() -> None:
    rows = [["X\nY\nZ", "a"], ["w", "b\nc"]]
    assert written("psql", Table.flat(["one\ntwo", "n"], rows)) == tabulate(rows, ["one\ntwo", "n"], "psql")


@given(table=tables())
@settings(max_examples=50)
def test_sqlite_runs_the_sql(table: Table) -> None:
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(written("sql_insert", table))
        rows = database.execute('SELECT * FROM "table"').fetchall()
    assert len(rows) == len(table.body)
    assert all(len(row) == table.n_columns for row in rows)
    for row, cells in zip(rows, table.body, strict=True):
        for value, cell in zip(row, cells, strict=True):
            assert not isinstance(value, str) or value == cell.text


def test_lxml_reads_the_attributes() -> None:
    table = Table.flat(["First name", "2019", "a<b", "²"], [['"x" & <y>', "1\n2", "", "é"]])
    (row,) = lxml.etree.fromstring(written("xml_attributes", table))
    assert dict(row.attrib) == {"First_name": '"x" & <y>', "_2019": "1\n2", "a_b": "", "_": "é"}


def test_tabs_are_read_by_pythons_csv_module() -> None:
    read = list(csv.reader(io.StringIO(written("tsv", REPEATED)), delimiter="\t"))
    assert read == [[cell.text for cell in row] for row in REPEATED.rows]


@pytest.mark.parametrize("name", serializers.text_names())
def test_repeated_and_empty_headers_lose_no_column(name: str) -> None:
    if name != "torr.json":
        text = written(name, REPEATED)
        assert all(value in text for value in "12345"), text


@pytest.mark.parametrize("name", NAMED_ALIKE)
def test_every_column_has_a_name_of_its_own(name: str) -> None:
    text = written(name, REPEATED).replace("_", " ")
    for label in ("Year", "column 2", "year 2" if name == "xml_attributes" else "year (2)", "column 5"):
        assert label in text
    assert ("Year 3" if name == "xml_attributes" else "Year (3)") in text


@pytest.mark.parametrize("name", NAMED_ALIKE)
def test_headings_are_joined_and_merged_cells_are_said_in_every_place(name: str) -> None:
    merged = Table((*DEEP.rows, (Cell("Rome"), Cell("both", 1, 2))), header_rows=2, header_columns=1)
    text = written(name, merged)
    assert ("_2019_m" if name == "xml_attributes" else "2019 / m") in text
    assert text.count("both") == 2


def test_a_line_break_in_a_cell_is_one_line_of_a_record() -> None:
    table = Table.flat(["a\nb", "c"], [["x\ny", "z"]], title="t\nt")
    assert written("key_value", table) == "t\\nt\na\\nb: x\\ny; c: z"
    assert written("sentences", table) == "t\\nt\nThe a\\nb is x\\ny, the c is z."
    assert written("markdown_kv", table) == "# t\\nt\n\n## Record 1\n\na\\nb: x\\ny\nc: z"


def test_minimal_html_has_no_end_tags_and_a_browser_reads_the_same_table() -> None:
    text = written("html_minimal", DEEP)
    assert "<tr><th rowspan=2>City<th colspan=2>2019\n" in text
    assert "</t" not in text.replace("</table>", "")
    assert serializers.get("html").parse(text) == DEEP


def test_booktabs_has_a_rule_under_each_heading_of_several_columns() -> None:
    assert "{c}{2019} \\\\\n\\cmidrule(lr){2-3}\n & m & f \\\\\n\\midrule\n" in written(
        "latex_booktabs", DEEP
    )
