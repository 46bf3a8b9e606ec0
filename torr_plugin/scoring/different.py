"""Equal answers to equal references, met once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .answered import Answered
from .cells import Cells

if TYPE_CHECKING:
    import numpy as np

_AT_ONCE = 1 << 14  # answers whose texts are in memory as Python's


def each_different(
    each: Answered,
    cells: Cells,
    use: Callable[[list[str], list[tuple[str, ...]], list[str | None]], None],
    *,
    facts: bool,
) -> np.ndarray:
    """Hand every different answer with its references to ``use``, some thousands at a time.

    Args:
        each: the answers.
        cells: of the run.
        use: takes texts, their references, and their facts (JSON) or None.
        facts: whether answers that differ in nothing but facts are different.

    Returns:
        For each answer the number of the one among those handed that is equal to it.
    """
    import numpy as np

    texts, said = each.coded
    told = cells.told[each.rows] if facts else np.full(len(each.rows), -1)
    number = said.astype(np.int64) * len(cells.references) + cells.right[each.rows]
    number = number * (len(cells.facts) + 1) + told if facts else number
    _, firsts, which = np.unique(number, return_index=True, return_inverse=True)
    for start in range(0, len(firsts), _AT_ONCE):
        some = firsts[start : start + _AT_ONCE]
        use(
            texts.take(said[some]).to_pylist(),
            [cells.references[right] for right in cells.right[each.rows[some]].tolist()],
            [cells.facts[fact] if fact >= 0 else None for fact in told[some].tolist()],
        )
    found: np.ndarray = which.reshape(-1)
    return found
