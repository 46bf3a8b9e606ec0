"""Styles of cells: whatever copies a cell keeps them, though they take no part in comparison."""

from __future__ import annotations

import zlib
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.catalog.examples import _table_fingerprint
from torr_plugin.tables import Cell, InputError, Table, perturbations, serializers
from torr_plugin.tables.cells import CellStyle
from torr_plugin.tables.flattening import flattened
from torr_plugin.tables.serializers.structure import Structure, assemble
from torr_plugin.tables.strategies import hierarchical_tables, tables


def style_of(text: str) -> CellStyle | None:
    """A style that tells a text from others; none of empty cells."""
    known = zlib.crc32(text.strip().encode())
    return CellStyle(bold=known % 2 == 0, fill=f"#{known % 2**24:06x}") if text.strip() else None


def styled(table: Table) -> Table:
    return table.replace(
        rows=[[replace(cell, style=style_of(cell.text)) for cell in row] for row in table.rows]
    )


KEEPING = [name for name in perturbations.names() if perturbations.get(name).keeps_content]


@pytest.mark.parametrize("name", KEEPING)
@given(table=st.one_of(tables(), hierarchical_tables()).map(styled), seed=st.integers(0, 99))
@settings(max_examples=6)
def test_perturbations_move_styles_with_their_cells(name: str, table: Table, seed: int) -> None:
    moved = perturbations.get(name).perturb(table, np.random.default_rng(seed))
    assert {(cell.text, cell.style) for row in moved.rows for cell in row} == {
        (cell.text, style_of(cell.text)) for row in moved.rows for cell in row
    }


@given(table=st.one_of(tables(), hierarchical_tables()).map(styled))
@settings(max_examples=6)
def test_nonsense_keeps_styles_in_place(table: Table) -> None:
    assert perturbations.get("nonsense").perturb(table, np.random.default_rng(0)).styles == table.styles


@given(table=hierarchical_tables().map(styled))
@settings(max_examples=10)
def test_flattening_keeps_the_styles_of_values_and_the_texts_of_plain_tables(table: Table) -> None:
    flat = flattened(table)
    plain = table.replace(rows=[[replace(cell, style=None) for cell in row] for row in table.rows])
    assert flat == flattened(plain)
    for row in flat.body:
        for cell in row[table.header_columns :]:
            assert not cell.text or cell.style == style_of(cell.text)


def test_a_merged_cell_keeps_its_style() -> None:
    red = Cell("a", style=CellStyle(fill="#ff0000"))
    grid = [[red, Cell("")], [Cell("b"), Cell("c")]]
    assert assemble(grid, Structure(merged=((0, 0, 1, 2),)), "x").rows[0][0].style == red.style


def test_tables_that_look_different_are_equal_and_have_other_styles() -> None:
    plain = Table.flat(["a"], [["b"]])
    assert (plain.styles, plain.texts) == ((), (("a",), ("b",)))
    red = styled(plain)
    assert red == plain
    assert hash(red) == hash(plain)
    assert red.styles == (style_of("a"), style_of("b"))
    assert red.texts is None  # or copies made of its texts would lose them
    assert red.replace(title="t").styles == red.styles
    assert _table_fingerprint(red) != _table_fingerprint(plain)  # pictures of them differ


@pytest.mark.parametrize("name", serializers.text_names())
@given(table=st.one_of(tables(), hierarchical_tables()))
@settings(max_examples=3)
def test_texts_do_not_depend_on_looks(name: str, table: Table) -> None:
    def written(shown: Table) -> str:
        try:
            return serializers.get(name).serialize(shown)
        except InputError as refusal:
            return str(refusal)

    assert written(styled(table)) == written(table)
