"""The texts of a table, in a column of ``tables.parquet`` or a file of its own."""

from __future__ import annotations

from collections.abc import Mapping

from ....tables import Table, serializers

TEXTS: Mapping[str, str] = {"html": "html", "csv": "canonical_csv", "latex": "latex"}
"""The formats that are texts, and the serializer of each."""


def written(table: Table, name: str) -> str:
    """The table in a format of :data:`TEXTS`. The benchmark's CSV is the grid alone, without a title."""
    shown = table.replace(title="") if name == "csv" else table
    return str(serializers.get(TEXTS[name]).serialize(shown))
