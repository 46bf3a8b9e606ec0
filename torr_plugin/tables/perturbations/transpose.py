"""Rows as columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..table import Table
from ._grid import transposed
from .base import Perturbation

if TYPE_CHECKING:
    import numpy as np


class Transpose(Perturbation):
    """Header rows become header columns and spans turn with their cells; twice is the identity.

    One thing has no place in a header row: a group's label above the group's rows, which would come to stand
    beside its columns and seem one of them. Such a label becomes a merged header cell over its columns, and
    back it is one beside its rows.
    """

    name = "transpose"
    draws = False

    def perturb(self, table: Table, rng: np.random.Generator) -> Table:  # noqa: D102
        turned = _plainly(table)
        if table.is_flat or not table.header_columns:
            return turned
        return _grouped(table, turned) or turned


def _plainly(table: Table) -> Table:
    if table.has_spans:
        return transposed(table)
    turned = {"header_rows": table.header_columns, "header_columns": table.header_rows}
    if (texts := table.texts) is not None:
        return table.with_texts(zip(*texts, strict=True), **turned)
    return table.replace(rows=tuple(zip(*table.rows, strict=True)), **turned)


def _grouped(table: Table, plainly: Table) -> Table | None:
    """The transposed table with row groups as headers; None where it needs none, or they cannot be."""
    from ._beside import labels_beside, paths_by_line

    if not any(path[1:] for path in table.row_tree.paths):
        return None
    if paths_by_line(plainly.column_tree) == paths_by_line(table.row_tree):
        return None
    beside = labels_beside(table)
    if beside is None:
        return None
    turned = _plainly(beside)
    is_told = paths_by_line(turned.column_tree) == paths_by_line(beside.row_tree)
    return turned if is_told else None
