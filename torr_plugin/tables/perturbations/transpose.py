"""Rows as columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..table import Table
from ._grid import transposed
from .base import Perturbation

if TYPE_CHECKING:
    import numpy as np


class Transpose(Perturbation):
    """Header rows become header columns and spans turn with their cells; twice is the identity."""

    name = "transpose"

    def perturb(self, table: Table, rng: np.random.Generator) -> Table:  # noqa: D102
        if table.has_spans:
            return transposed(table)
        turned = {"header_rows": table.header_columns, "header_columns": table.header_rows}
        if (texts := table.texts) is not None:
            return table.with_texts(zip(*texts, strict=True), **turned)
        return table.replace(rows=tuple(zip(*table.rows, strict=True)), **turned)
