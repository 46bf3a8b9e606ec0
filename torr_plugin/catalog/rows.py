"""A row of a data set, and which of its columns a card reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from .schema import LoadTables

Row: TypeAlias = "Mapping[str, Any]"

MIRROR_VARIABLE = "TORR_DATA"


def needed_columns(loader: LoadTables) -> list[str]:
    """The columns to read: those the card uses, and those that choose rows."""
    return list(dict.fromkeys([*loader.columns, *loader.where]))
