"""Rows of a split, from wherever a card has them: the mirror, the hub, or a generator."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ..errors import DataError, nearest

if TYPE_CHECKING:
    from .schema import LoadGenerated, LoadTables

Row: TypeAlias = "Mapping[str, Any]"

MIRROR_VARIABLE = "TORR_DATA"


def mirror_folder() -> Path | None:
    """The folder that ``TORR_DATA`` names, or None where it is not set."""
    named = os.environ.get(MIRROR_VARIABLE)
    return Path(named) if named else None


def load_rows(loader: LoadTables | LoadGenerated, split: str, card: str) -> list[Row]:
    """The rows of a split in their order, as the data set has them.

    Args:
        loader: a card's loader.
        split: one of its splits.
        card: the card's name, for messages.

    Raises:
        DataError: the card has no such split, or the data cannot be had: what is missing, where, and what
            there is.
    """
    if split not in loader.splits:
        raise DataError(f"{card}: no split {split!r}; {nearest(split, loader.splits)}")
    if loader.type_ == "load_generated":
        from .generated import generated_rows

        return generated_rows(loader, split)
    folder = mirror_folder()
    if folder is not None:
        from .mirror import mirror_rows

        rows: Iterable[Row] = mirror_rows(loader, split, card, folder)
    else:
        from .hub import hub_rows

        rows = hub_rows(loader, split, card)
    return [row for row in rows if all(row[column] == value for column, value in loader.where.items())]


def needed_columns(loader: LoadTables) -> list[str]:
    """The columns to read: those the card uses, and those that choose rows."""
    return list(dict.fromkeys([*loader.columns, *loader.where]))


def available_splits(loader: LoadTables | LoadGenerated) -> list[str]:
    """The splits that can be read here: with a mirror those whose file it has, else all."""
    folder = mirror_folder()
    if folder is None or loader.type_ == "load_generated":
        return list(loader.splits)
    from .mirror import mirror_file

    return [split for split in loader.splits if mirror_file(loader, split, folder).is_file()]
