"""Tables by size: classes of the number of cells, each twice as wide as the one before."""

from __future__ import annotations

from itertools import pairwise

_EDGES = (25, 50, 100, 200, 400, 800)

CLASSES = (
    f"up to {_EDGES[0]}",
    *(f"{low + 1} to {high}" for low, high in pairwise(_EDGES)),
    f"over {_EDGES[-1]}",
)
"""The classes' names, smallest first."""


def size_class(cells: int) -> str:
    """The class of a table of so many cells (rows times columns, headers included)."""
    return CLASSES[sum(cells > edge for edge in _EDGES)]
