"""What every lossless serializer promises: ``parse(serialize(t)) == t`` for every table.

Numbers come back as numbers where the format tells them from texts, and as their texts elsewhere.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.tables import Cell, ParseError, SerializationError, Table, serializers
from torr_plugin.tables.table import CellStyle
from torr_plugin.testing import flat_tables, tables

LOSSLESS = [name for name in serializers.text_names() if serializers.get(name).lossless]
READABLE = [*LOSSLESS, "canonical_csv"]
OURS = [name for name in serializers.text_names() if not name.startswith("torr.")]
NO_NUL = ["html", "html_minimal", "markdown", "markdown_padded", "sql_insert", "xml"]
TYPED = [name for name in LOSSLESS if name.startswith(("json", "toon", "yaml"))]


def test_no_format_goes_away() -> None:
    unitxts = ["concat", "csv", "df", "html", "indexed_row_major", "json", "markdown"]
    lossless = {
        *("csv", "html", "html_minimal", "json", "json_columns", "json_records", "json_records_indented"),
        *("jsonl", "markdown", "markdown_padded", "nl_sep", "toon", "toon_pipe", "toon_tab", "tsv", "xml"),
        "yaml",
    }
    written = {
        *("canonical_csv", "key_value", "latex", "latex_booktabs", "markdown_kv", "psql", "sentences"),
        *("sql_insert", "xml_attributes"),
    }
    assert lossless == set(LOSSLESS)
    assert lossless | written | {f"torr.{name}" for name in unitxts} <= set(serializers.text_names())


def test_what_is_not_lossless_says_what_it_loses() -> None:
    for name in serializers.text_names():
        assert bool(serializers.get(name).loses) != serializers.get(name).lossless, name


# Drawing a table takes longer than writing and reading it, so each one drawn goes through every format.
@given(table=tables(), cut=st.integers(0, 400), extra=st.text(max_size=5))
@settings(max_examples=50)
def test_every_table_comes_back_and_a_damaged_text_is_parsed_or_refused(
    table: Table, cut: int, extra: str
) -> None:
    for name in LOSSLESS:
        text = serializers.get(name).serialize(table)
        assert serializers.get(name).parse(text).texts_only == table.texts_only, name
        assert "\n" not in refusal(name, text[:cut] + extra + text[cut + 1 :])


@given(text=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12))
@settings(max_examples=50)
def test_every_text_in_every_place(text: str) -> None:
    table = Table.flat([text, "b"], [["", text], [text, text]], title=text, notes=[text, ""])
    for name in LOSSLESS:
        assert serializers.get(name).parse(serializers.get(name).serialize(table)) == table, name


@given(table=flat_tables(notes=False))
def test_different_tables_have_different_texts(table: Table) -> None:
    changed = table.replace(
        rows=(*table.rows[:-1], (Cell(table.rows[-1][0].text + "x"), *table.rows[-1][1:]))
    )
    for name in LOSSLESS:
        assert serializers.get(name).serialize(changed) != serializers.get(name).serialize(table), name


@pytest.mark.parametrize("name", LOSSLESS)
@pytest.mark.parametrize(
    "table",
    [
        Table(((Cell("only"),),), header_rows=0),
        Table(((Cell(""),),), header_rows=0),
        Table.flat([""], [[""]]),
        Table(((Cell("a", 2, 2),), ()), header_rows=0),
        Table(((Cell("a", 2, 2),), ()), header_rows=1, header_columns=1),
        Table(
            ((Cell("x", 1, 3),), tuple(map(Cell, "abc")), tuple(map(Cell, "def"))),
            header_rows=2,
            header_columns=1,
        ),
        Table.flat([f"c{i}" for i in range(60)], [[""] * 60]).replace(title="#"),
    ],
    ids=[
        "one cell",
        "one empty cell",
        "empty column",
        "all merged",
        "merged over the edge",
        "two headers",
        "wide",
    ],
)
def test_corner_cases(name: str, table: Table) -> None:
    serializer = serializers.get(name)
    assert serializer.parse(serializer.serialize(table)) == table


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize(
    ("table", "place"),
    [
        (Table.flat(["a", "b"], [["1", "x\ud800"]]), "the cell in row 1, column 1"),
        (Table.flat(["a"], [["1"]], title="\udfff"), "the title"),
        (Table.flat(["a"], [["1"]], notes=["", "\udc00"]), "note 1"),
    ],
)
def test_lone_surrogates_are_refused(name: str, table: Table, place: str) -> None:
    with pytest.raises(SerializationError, match=f"^{name}: {place} has the lone surrogate U\\+D[89A-F]"):
        serializers.get(name).serialize(table)


@pytest.mark.parametrize("name", NO_NUL)
def test_nul_is_refused_where_the_format_forbids_it(name: str) -> None:
    with pytest.raises(
        SerializationError, match=f"^{name}: the cell in row 0, column 0 has the character NUL"
    ):
        serializers.get(name).serialize(Table.flat(["\0"], [["1"]]))


@pytest.mark.parametrize("name", sorted(set(LOSSLESS) - set(NO_NUL)))
def test_nul_is_kept_elsewhere(name: str) -> None:
    table = Table.flat(["a\0"], [["\0b"]], title="\0")
    assert serializers.get(name).parse(serializers.get(name).serialize(table)) == table


def refusal(name: str, text: str) -> str:
    """Why ``text`` is no table, or nothing if it is one; anything but a ParseError is a failure."""
    try:
        assert isinstance(serializers.get(name).parse(text), Table)
    except ParseError as error:
        return str(error)
    return ""


@given(
    text=st.one_of(
        st.text(max_size=40), st.sampled_from(["", "\n", "#", "{", "[[", "<table>", "<table><tr>", "|"])
    )
)
@settings(max_examples=60)
def test_any_text_is_parsed_or_refused_in_one_line(text: str) -> None:
    for name in READABLE:
        reason = refusal(name, text)
        assert not reason or reason.startswith(name)
        assert "\n" not in reason


SCALARS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6),
    st.sampled_from(
        ["5", "no", "012", "1e3", "null", "true", "12:30", "2001-12-14", "0x1F", "-0.0", "~", ""]
    ),
    st.integers(-(2**60), 2**60),
    st.floats(allow_nan=False, allow_infinity=False).filter(lambda value: not value.is_integer()),
    st.booleans(),
    st.none(),
)


@given(rows=st.lists(st.lists(SCALARS, min_size=2, max_size=2), min_size=1, max_size=3))
@settings(max_examples=100)
def test_numbers_stay_numbers_and_texts_that_look_like_them_stay_texts(rows: list[list[Any]]) -> None:
    table = Table.flat(["a", "b"], rows)
    for name in TYPED:
        assert serializers.get(name).parse(serializers.get(name).serialize(table)) == table, name


def test_tables_that_differ_in_a_number_or_a_style_differ() -> None:
    number, text = Table.flat(["a"], [[5]]), Table.flat(["a"], [["5"]])
    assert number != text
    assert hash(number) != hash(text)
    assert number.texts_only == text
    assert Table(((Cell("a"),), (Cell("5", style=CellStyle(bold=True)),))) != text
