"""Names in scores: a data set's two main ones (its publisher's, the lenient one), and how answers ended."""

from __future__ import annotations

_LENIENT = ".lenient"

ENDED = "ended"
"""The column of scores that is there if some answer did not end as it should; null for those that did."""

UNFINISHED, REFUSED, CUT = "unfinished", "refused", "cut"
"""Its values: no text, as the model ran out of tokens or ended in its thoughts; a refusal; a text that was
cut at ``max_tokens``. The first two score 0, the last one is scored as it stands."""


def lenient_name(score: str) -> str:
    """``accuracy.lenient`` of ``accuracy``, and of itself."""
    return f"{faithful_name(score)}{_LENIENT}"


def faithful_name(score: str) -> str:
    """``accuracy`` of ``accuracy.lenient``, and of itself."""
    return score.removesuffix(_LENIENT)
