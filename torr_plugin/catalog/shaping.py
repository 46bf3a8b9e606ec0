"""From a data set's rows to a card's: a row for every element of a list, and splits that are dealt out."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..core.errors import DataError
from .rows import Row

if TYPE_CHECKING:
    from .schema import Mix

UNITXT_SEED = 42


def row_of_each(rows: Sequence[Row], each: Mapping[str, str], where: str) -> list[Row]:
    """A row for every element of the rows' list columns, in their order.

    Args:
        rows: the rows as the data set has them.
        each: new column -> the list column whose element it gets.
        where: what a message begins with.

    Raises:
        DataError: a value is no list, or the lists of one row are of different lengths.
    """
    made: list[Row] = []
    for number, row in enumerate(rows):
        lists = {name: _elements(row, column, f"{where}, row {number}") for name, column in each.items()}
        lengths = {each[name]: len(elements) for name, elements in lists.items()}
        if len(set(lengths.values())) > 1:
            found = ", ".join(f"{column!r} has {length}" for column, length in lengths.items())
            raise DataError(f"{where}, row {number}: lists of different lengths: {found} elements")
        made.extend(
            {**row, **dict(zip(lists, elements, strict=True))}
            for elements in zip(*lists.values(), strict=True)
        )
    return made


def _elements(row: Row, column: str, where: str) -> list[object]:
    value = row[column]
    if not isinstance(value, list):
        raise DataError(f"{where}: column {column!r} has {str(value)[:40]!r}, expected a list")
    return value


def dealt(rows: Sequence[Row], mix: Mix, split: str) -> list[Row]:
    """The rows that fall to a split when all are dealt out by chance.

    The same rows in the same order as unitxt's ``split_random_mix`` gives with its default seed, 42: one draw
    a row from ``random.Random("42/<name of the split dealt out>")``, weighted by the shares in their order.
    """
    chance = random.Random(f"{UNITXT_SEED}/{mix.of}")  # noqa: S311 - Python's own generator, as unitxt's
    names, weights = list(mix.shares), list(mix.shares.values())
    return [row for row in rows if chance.choices(names, weights=weights, k=1)[0] == split]
