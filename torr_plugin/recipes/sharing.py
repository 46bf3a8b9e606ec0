"""What texts and lists of tokens have in common at their beginning."""

from __future__ import annotations

from collections.abc import Sequence

BLOCK = 16
"""Tokens a block: vLLM's prefix cache keeps whole blocks of so many (its ``block_size``, by default)."""


def common_beginning(one: Sequence[object], other: Sequence[object]) -> int:
    """How many characters two texts (or items two lists) have in common before they first differ."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def in_blocks(common: int, length: int, block: int = BLOCK) -> int:
    """What of ``common`` tokens a cache of whole blocks saves of a prompt of ``length`` tokens.

    The last token of a prompt is always computed, as the first token of the answer follows from it.
    """
    return max(min(common, length - 1), 0) // block * block
