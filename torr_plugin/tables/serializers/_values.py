"""Numbers in formats that write them bare."""

from __future__ import annotations

import math

from ..table import Cell, Scalar


def bare(cell: Cell) -> Scalar:
    """What to write for a cell: its number, boolean or ``None``, if reading that back gives the same text."""
    value = cell.raw
    if type(value) is str:
        return value
    if value is None:
        return value if cell.text == "" else cell.text
    plain = type(value) in (int, bool) or (type(value) is float and math.isfinite(value))
    return value if plain and len(cell.text) < 4000 and str(value) == cell.text else cell.text
