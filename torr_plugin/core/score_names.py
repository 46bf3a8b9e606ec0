"""The names of a data set's two main scores: its publisher's, and the lenient one beside it."""

from __future__ import annotations

_LENIENT = ".lenient"


def lenient_name(score: str) -> str:
    """``accuracy.lenient`` of ``accuracy``, and of itself."""
    return f"{faithful_name(score)}{_LENIENT}"


def faithful_name(score: str) -> str:
    """``accuracy`` of ``accuracy.lenient``, and of itself."""
    return score.removesuffix(_LENIENT)
