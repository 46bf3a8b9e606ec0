"""How many items a score is a mean of: as given, or recovered from its rounding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ...core.errors import InputError, elided, nearest
from .board import BoardScores, MetricScale

MOST_ITEMS = 10_000
"""The largest number of items that is looked for: beyond it four decimals tell nothing."""

_MOST_DIGITS = 12  # what a double has beyond them may be an error of its sum

CHANCE = 1e-3
"""How probable it may be that the scores of a task with more items fit a smaller number."""


def recovered_count(scores: npt.ArrayLike, digits: int, most: int = MOST_ITEMS) -> int | None:
    """The number n of items of which every score is a rounded share k/n; None where the scores do not tell.

    Each multiple of an n that fits does so too, hence the smallest one counts, unless it may fit by accident.
    M different scores of a task with more items all fit n with a probability near c^M, where c is the share
    of the 10^digits + 1 numbers that can be written which n fits; and those of a task with a multiple of n
    with one of at most 2^(1-M) in all, for M >= 3. The sum over this and all smaller n may be ``CHANCE``. The
    number found is never larger than the true one, up to ``most``: an error makes intervals wider, not
    narrower.

    Args:
        scores: shares of one task's items, (models,), from 0 to 1; NaN is left out, and 0 and 1 say nothing.
        digits: how many decimals of the shares were written (of a percentage two more than it shows).
        most: the largest n that is tried.
    """
    shares = np.unique(np.asarray(scores, dtype=float))
    shares = shares[(shares > 0) & (shares < 1)]
    digits = min(digits, _MOST_DIGITS)
    if not len(shares) or digits < 1:
        return None
    off = 0.5 * 10.0**-digits + 1e-12
    fits = np.ones(most, dtype=bool)
    sizes = np.arange(1, most + 1)
    for share in shares:
        left = sizes[fits]
        fits[fits] = np.abs(np.rint(share * left) / left - share) <= off
    if not fits.any():
        return None
    found = int(sizes[fits][0])
    smaller = np.arange(1, found + 1)
    divisor = np.gcd(2 * 10**digits, smaller)
    # a share in the middle of two numbers may be written as either: of k / n every k = n / divisor * odd
    middles = np.where(2 * 10**digits // divisor % 2, (divisor + 1) // 2, 0)
    written = np.minimum(1.0, (smaller + 1 + middles) / (10.0**digits + 1))
    by_accident = np.sum(written ** len(shares)) + 2.0 ** (1 - len(shares))
    return found if by_accident <= CHANCE else None


def with_counts(board: BoardScores, given: Mapping[str, int]) -> BoardScores:
    """The aggregates with the number of items of every one that has neither that number nor an error.

    Args:
        board: of any reader.
        given: numbers of items by task, which count before all others.

    Raises:
        InputError: a number is given for a task that is not here or of which there are items, or is below 1;
            or one is needed, and neither given nor to be recovered.
    """
    frame = board.aggregates.copy()
    for task, number in given.items():
        if task not in set(frame["task"]):
            raise InputError(
                f"--n {task}={number}: no such task has aggregates alone; {nearest(task, set(frame['task']))}"
            )
        if number < 1:
            raise InputError(f"--n {task}={number}: expected a number of items, at least 1")
        frame.loc[frame["task"] == task, "n"] = float(number)
    notes, unknown = list(board.notes), list[str]()
    open_ones = frame[frame["n"].isna() & frame["error"].isna()]
    for (task, _, metric), rows in open_ones.groupby(["task", "config", "metric"], sort=False):
        found = _recovered(rows, board.scales.get(metric, MetricScale()))
        if found is None:
            unknown.append(task)
            continue
        frame.loc[rows.index, "n"] = float(found)
        notes.append(f"{task}: {found:,} items, recovered from the rounding of {len(rows):,} scores")
    if unknown:
        several = sorted(set(unknown))
        raise InputError(
            f"{several[0]}: neither the number of items nor a standard error is known"
            f"{f' (nor of {len(several) - 1} more tasks)' if len(several) > 1 else ''}; "
            f"add a column n, or give --n {elided(several[0], 60)}=NUMBER"
        )
    return replace(board, aggregates=frame, notes=tuple(dict.fromkeys(notes)))


def _recovered(rows: pd.DataFrame, scale: MetricScale) -> int | None:
    digits: Any = rows["digits"].max()
    if scale.low != 0 or scale.high not in (1.0, 100.0) or digits < 0:
        return None
    more = 2 if scale.high == 100.0 else 0
    return recovered_count(rows["score"].to_numpy(float) / scale.high, int(digits) + more)
