"""Styles of cells: whatever copies a cell keeps them, and texts do not depend on them."""

from __future__ import annotations

import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.catalog.examples import _table_fingerprint
from torr_plugin.tables import Cell, InputError, Table, perturbations, serializers
from torr_plugin.tables.serializers.structure import Structure, assemble
from torr_plugin.tables.table import CellStyle
from torr_plugin.testing import hierarchical_tables, tables


def style_of(text: str) -> CellStyle | None:
    """A style that tells a text from others; none of empty cells."""
    known = zlib.crc32(text.strip().encode())
    return CellStyle(bold=known % 2 == 0, fill=f"#{known % 2**24:06x}") if text.strip() else None


def styled(table: Table) -> Table:
    return table.replace(
        rows=[[cell._replace(style=style_of(cell.text)) for cell in row] for row in table.rows]
    )


def styles(table: Table) -> list[CellStyle | None]:
    return [cell.style for row in table.rows for cell in row]


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
    changed = perturbations.get("nonsense").perturb(table, np.random.default_rng(0))
    assert styles(changed) == styles(table)


def test_a_merged_cell_keeps_its_style() -> None:
    red = Cell("a", style=CellStyle(fill="#ff0000"))
    grid = [[red, Cell("")], [Cell("b"), Cell("c")]]
    assert assemble(grid, Structure(merged=((0, 0, 1, 2),)), "x").rows[0][0].style == red.style


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


def test_pictures_of_tables_that_look_different_differ() -> None:
    plain = Table.flat(["a"], [["b"]])
    red = styled(plain)
    assert red != plain
    assert red.texts_only == plain
    assert _table_fingerprint(red) != _table_fingerprint(plain)
