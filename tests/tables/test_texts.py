"""Tables that keep texts and make their cells when asked: the same values as tables of cells."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.tables import Cell, Table, TableError, perturbations, serializers
from torr_plugin.tables.serializers.texts import json_lists, json_records

TEXT = st.text(alphabet='ab ,"\n\r\t\\%|#é\u2028\x00\x7f€0', max_size=5)
LINES = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(TEXT, min_size=width, max_size=width), min_size=2, max_size=5)
)


def of_cells(lines: list[list[str]], **options: int) -> Table:
    """The same table made of cells, which no fast way knows to be of texts alone."""
    rows = tuple(tuple(Cell(text, value=text) for text in line) for line in lines)
    return Table(rows, **options)


@given(lines=LINES)
def test_it_is_the_same_value_as_a_table_of_cells(lines: list[list[str]]) -> None:
    table = Table.of_texts(lines)
    plain = Table(tuple(tuple(map(Cell, line)) for line in lines))
    assert table == plain
    assert hash(Table.of_texts(lines)) == hash(plain)
    assert repr(Table.of_texts(lines)) == repr(plain)
    for copied in (pickle.loads(pickle.dumps(Table.of_texts(lines))), copy.deepcopy(table), table.replace()):
        assert copied == plain
    assert plain.texts == table.texts == tuple(map(tuple, lines))
    assert (table.n_rows, table.n_columns, table.is_flat) == (len(lines), len(lines[0]), True)


@given(lines=LINES, seed=st.integers(0, 9))
def test_every_format_and_perturbation_gives_what_it_gives_for_cells(
    lines: list[list[str]], seed: int
) -> None:
    texts, cells = Table.of_texts(lines), of_cells(lines)
    assert cells.texts is None
    for way in perturbations.names():
        turn = perturbations.get(way).perturb
        one, other = turn(texts, np.random.default_rng(seed)), turn(cells, np.random.default_rng(seed))
        assert one == other
        assert "rows" in one.__dict__  # made for the comparison, not before it
        for name in serializers.text_names():
            assert written(name, one) == written(name, other), (name, way)


def written(name: str, table: Table) -> str:
    try:
        return serializers.get(name).serialize(table)
    except TableError as refusal:
        return f"refused: {refusal}"


def test_perturbing_and_writing_flat_tables_makes_no_cells() -> None:
    table = Table.flat(["a", "b"], [["1", "x,y"], ["2", ""], ["3", '"']])
    for way in ("none", "shuffle_rows", "shuffle_cols", "transpose", "insert_empty_rows"):
        changed = perturbations.get(way).perturb(table, np.random.default_rng(1))
        for name in [name for name in serializers.names() if name.startswith("torr.")]:
            serializers.get(name).serialize(changed)
        assert "rows" not in changed.__dict__, way
    assert "rows" not in table.__dict__
    assert table.rows is table.rows


def test_numbers_and_spans_are_kept_as_cells() -> None:
    assert Table.flat(["a"], [[1]]).texts is None
    assert Table(((Cell("a", 1, 2),), (Cell("b"), Cell("c")))).texts is None


@pytest.mark.parametrize(
    ("lines", "options", "message"),
    [
        ([], {}, "the table has no rows"),
        ([[], []], {}, "the table has no cells"),
        ([["a"], ["b", "c"]], {}, "row 1 of the table has 2 cells, expected 1 as in row 0"),
        ([["a"]], {}, "no rows below its 1 header row"),
        ([["a"], ["b"]], {"header_columns": 1}, "no columns beside its 1 header column"),
    ],
)
def test_texts_that_make_no_table(lines: list[list[str]], options: dict[str, int], message: str) -> None:
    with pytest.raises(TableError, match=message):
        Table.of_texts(lines, **options)


def test_a_missing_attribute_is_missing() -> None:
    with pytest.raises(AttributeError, match="no attribute 'row'"):
        _ = Table.of_texts([["a"], ["b"]]).row  # type: ignore[attr-defined]


@given(lines=LINES, ascii_only=st.booleans())
def test_json_texts_are_what_json_writes(lines: list[list[str]], ascii_only: bool) -> None:
    expected = [json.dumps(line, ensure_ascii=ascii_only) for line in lines]
    assert json_lists(lines, ascii_only=ascii_only) == expected
    names = [f"{number}%{text}" for number, text in enumerate(lines[0])]
    expected = [json.dumps(dict(zip(names, line, strict=True)), ensure_ascii=ascii_only) for line in lines]
    assert json_records(names, [tuple(line) for line in lines], ascii_only=ascii_only) == expected
