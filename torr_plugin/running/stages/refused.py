"""The key of a request that could not be made."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...recipes import Cell


def refused_key(cell: Cell, stage: int) -> str:
    """The key under which it is said why a step of a cell has no prompt; no prompt has it."""
    return hashlib.sha256(f"refused {stage} {cell.id}".encode("utf-8", "surrogatepass")).hexdigest()[:32]
