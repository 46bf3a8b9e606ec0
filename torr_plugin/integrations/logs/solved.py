"""Scores of items from the lists of those that each model solved."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from ...core.errors import InputError
from .frames import decoded, item_frame

_MOST_ROWS = 10_000_000  # that a short file may stand for


def solved_frame(
    path: Path, task: str, solved: Mapping[str, Collection[str]], count: float, others: Iterable[str] = ()
) -> pd.DataFrame:
    """Rows of a task's items, 1 where a model solved one and 0 elsewhere.

    Items that no model solved and that nothing names are ``unsolved-1`` and so on.

    Args:
        path: the file, for messages.
        task: whose items they are.
        solved: the items that each model solved.
        count: the number of all items.
        others: items that have names, though nobody may have solved them.

    Raises:
        InputError: the number of items is none, or is below that of the names; or an item stands twice.
    """
    twice = next((model for model, ids in solved.items() if len(set(ids)) < len(ids)), None)
    if twice is not None:
        raise InputError(f"{path}: {task}: model {twice!r:.80} solved an item twice; expected each once")
    items = list(dict.fromkeys([*(each for ids in solved.values() for each in ids), *others]))
    most = _MOST_ROWS // len(solved)
    if not len(items) <= count <= most or count % 1:
        raise InputError(
            f"{path}: {task}: number of all items: found {count:g}; expected a whole number, at least "
            f"{len(items):,}, as so many are named, at most {most:,}"
        )
    items += [f"unsolved-{at + 1}" for at in range(int(count) - len(items))]
    own = [set(ids) for ids in solved.values()]
    return item_frame(
        [item in ids for ids in own for item in items],
        model=decoded(list(solved), np.repeat(np.arange(len(solved)), len(items))),
        task=task,
        item=np.tile(np.array(items, dtype=object), len(solved)),
    )
