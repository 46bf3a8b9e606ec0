"""Detect all of HCT-QA's table properties (Table 6) that do not need the picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import names
from .aggregation import column_aggregation, row_aggregation
from .layout import settled
from .nesting import column_nesting, row_nesting

if TYPE_CHECKING:
    from ..table import Table
    from .layout import Layout


def detect(table: Table) -> dict[str, bool]:
    """Which of HCT-QA's properties a table has, one entry a name of :data:`names.DETECTED`, in that order.

    Nesting is read from the header trees, aggregation from arithmetic on the printed numbers and from the
    words of the headers. ``Split Header Cell`` is not among them: it needs the picture.
    """
    layout = settled(table)
    found = {
        **column_nesting(layout),
        **row_nesting(layout),
        **column_aggregation(layout),
        **row_aggregation(layout),
        **row_groups(layout),
    }
    found[names.STANDARD] = not any(found.values())
    return {name: found[name] for name in names.DETECTED}


def row_groups(layout: Layout) -> dict[str, bool]:
    """Whether any row is a heading for rows above or below it."""
    return {names.ROW_GROUP_LABEL: bool(layout.groups)}
