"""All that our command changes in unitxt itself; a test fails where a release has this place no more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


def share_scores_of_subsets() -> None:
    """Have unitxt copy the scores of all subsets once a result, and not into each row of it.

    Memory grows with the square of the subsets else: 700 rows of 35 subsets hold 2.9 MB of scores instead of
    0.13, and the 35,000 rows of a study in 350 some 1.5 GB.
    """
    from unitxt import metric_utils

    metric_utils.recursive_copy = shared_scores(metric_utils.recursive_copy)


def shared_scores(copy: Callable[..., Any]) -> Callable[..., Any]:
    """Stands for ``recursive_copy`` where unitxt joins subsets: one call a row, with the scores of all rows.

    The first row gets all of them, the others what is global; unitxt itself reads those of the first row
    alone.

    Args:
        copy: unitxt's own.
    """
    last: object = None

    def copied(scores: Any, *given: Any, **named: Any) -> Any:
        nonlocal last
        again, last = scores is last, scores
        if again and isinstance(scores, Mapping) and "global" in scores:
            return copy({"global": scores["global"]}, *given, **named)
        return copy(scores, *given, **named)

    return copied
