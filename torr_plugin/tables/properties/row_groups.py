"""Labels of row groups: rows that head others and hold nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import names

if TYPE_CHECKING:
    from .layout import Layout


def row_groups(layout: Layout) -> dict[str, bool]:
    """Whether any row is a heading for rows above or below it."""
    return {names.ROW_GROUP_LABEL: bool(layout.groups)}
