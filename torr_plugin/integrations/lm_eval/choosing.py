"""Which documents are asked: ``--limit``, ``--samples``, and the share of one process among several."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from ...core.errors import InputError

OPTIONS = ("rank", "limit", "world_size", "samples")


def chosen(
    task: str,
    count: int,
    *,
    rank: int = 0,
    limit: int | None = None,
    world_size: int = 1,
    samples: Sequence[int] | None = None,
) -> list[tuple[int, int]]:
    """Number and place of each document that is asked.

    Args:
        task: for messages.
        count: of the documents there are.
        rank: of this process; it asks every ``world_size``-th.
        limit: at most so many by all processes together; without effect where samples are named.
        world_size: processes.
        samples: places, asked in their order.

    Raises:
        InputError: samples name a place that is not there, or the limit allows none.
    """
    if limit is not None and limit < 1:
        raise InputError(f"--limit: {task}: expected a number above 0, of examples or as a share of them")
    places: Sequence[int] = range(count)
    if samples:
        _check(task, count, samples)
        places, limit = list(dict.fromkeys(samples)), None
    return list(
        itertools.islice(enumerate(places), int(rank), None if limit is None else int(limit), int(world_size))
    )


def _check(task: str, count: int, samples: Sequence[int]) -> None:
    wrong = next((each for each in samples if not 0 <= each < count), None)
    if wrong is not None:
        raise InputError(f"--samples: {task}: found {wrong}; expected numbers from 0 to {count - 1}")
