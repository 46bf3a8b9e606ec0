"""The scores of all subsets once a result, where unitxt copies them into each of its rows.

A data set in 35 configurations has 35 subsets; with a hundred examples that is 3,500 rows of 35 subsets'
scores each, and the square of it for a study. unitxt itself reads those of the first row alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


class SharedScores:
    """Stands for ``recursive_copy`` where unitxt joins subsets: one call a row, with the scores of all rows.

    The first row gets all of them, the others what is global.

    Args:
        copy: unitxt's own.
    """

    def __init__(self, copy: Callable[..., Any]) -> None:
        self._copy = copy
        self._last: object = None

    def __call__(self, scores: Any, *given: Any, **named: Any) -> Any:
        """A copy of the scores; of those that were copied last, what is global."""
        again = scores is self._last
        self._last = scores
        if again and isinstance(scores, Mapping) and "global" in scores:
            return self._copy({"global": scores["global"]}, *given, **named)
        return self._copy(scores, *given, **named)
