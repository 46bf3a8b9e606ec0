"""What every lossless serializer promises: ``parse(serialize(t)) == t`` for every table."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.tables import Cell, ParseError, SerializationError, Table, serializers
from torr_plugin.tables.strategies import flat_tables, tables

LOSSLESS = [name for name in serializers.text_names() if serializers.get(name).lossless]
READABLE = [name for name in serializers.text_names() if not name.endswith("concat")]


def test_no_format_goes_away() -> None:
    formats = ["concat", "csv", "df", "html", "indexed_row_major", "json", "markdown"]
    ours = {*formats, "canonical_csv", "json_nested", "latex", "markdown_paths", "nl_sep", "xml"}
    assert ours | {f"torr.{name}" for name in formats} <= set(serializers.text_names())
    assert ours - {"canonical_csv", "concat", "markdown_paths"} <= set(LOSSLESS)


# Drawing a table takes longer than writing and reading it, so each one drawn goes through every format.
@given(table=tables(), cut=st.integers(0, 400), extra=st.text(max_size=5))
@settings(max_examples=50)
def test_every_table_comes_back_and_a_damaged_text_is_parsed_or_refused(
    table: Table, cut: int, extra: str
) -> None:
    for name in LOSSLESS:
        text = serializers.get(name).serialize(table)
        assert serializers.get(name).parse(text) == table, name
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


@pytest.mark.parametrize("name", [*LOSSLESS, "concat"])
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


@pytest.mark.parametrize("name", ["html", "markdown", "xml"])
def test_nul_is_refused_where_the_format_forbids_it(name: str) -> None:
    with pytest.raises(
        SerializationError, match=f"^{name}: the cell in row 0, column 0 has the character NUL"
    ):
        serializers.get(name).serialize(Table.flat(["\0"], [["1"]]))


@pytest.mark.parametrize("name", sorted(set(LOSSLESS) - {"html", "markdown", "xml"}))
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
