"""Rows of a split, from wherever a card has them: the mirror, the hub, or a generator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ..core.errors import DataError, nearest
from .rows import Row

if TYPE_CHECKING:
    from pathlib import Path

    from .schema import LoadGenerated, LoadTables


def load_rows(loader: LoadTables | LoadGenerated, split: str, card: str) -> list[Row]:
    """The rows of a split as a list; see :func:`stream_rows`."""
    return list(stream_rows(loader, split, card))


def stream_rows(
    loader: LoadTables | LoadGenerated, split: str, card: str, mirror: Path | None = None
) -> Iterator[Row]:
    """The rows of a split in their order, as the data set has them; from a mirror read little by little.

    Args:
        loader: a card's loader.
        split: one of its splits.
        card: the card's name, for messages.
        mirror: a mirror to read from, instead of the one that ``TORR_DATA`` names.

    Raises:
        DataError: the card has no such split, or the data cannot be had: what is missing, where, and what
            there is.
    """
    if split not in loader.splits:
        raise DataError(f"{card}: no split {split!r}; {nearest(split, loader.splits)}")
    if loader.type_ == "load_generated":
        from .generated import generated_rows

        return iter(generated_rows(loader, split))
    from .mirror import mirror_folder, mirror_rows

    folder = mirror or mirror_folder()
    if folder is not None:
        rows: Iterable[Row] = mirror_rows(loader, split, card, folder)
    else:
        from .hub import hub_rows

        rows = hub_rows(loader, split, card)
    where = loader.where.items()
    kept = (row for row in rows if all(row[column] == value for column, value in where)) if where else rows
    return iter(_shaped(list(kept), loader, split, card) if loader.each or loader.mix else kept)


def _shaped(rows: list[Row], loader: LoadTables, split: str, card: str) -> list[Row]:
    from .shaping import dealt, row_of_each

    if loader.each:
        rows = row_of_each(rows, loader.each, f"{card}: split {split!r}")
    return dealt(rows, loader.mix, split) if loader.mix is not None else rows


def available_splits(loader: LoadTables | LoadGenerated) -> list[str]:
    """The splits that can be read here: with a mirror those whose file it has, else all."""
    from .mirror import mirror_file, mirror_folder

    folder = mirror_folder()
    if folder is None or loader.type_ == "load_generated":
        return list(loader.splits)

    return [split for split in loader.splits if mirror_file(loader, split, folder).is_file()]
