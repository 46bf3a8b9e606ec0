"""The question of an example, found in its prompts: the run does not store it by itself."""

from __future__ import annotations

import re
from collections.abc import Sequence

MOST = 400
_LABEL = re.compile(r"^(question|statement|claim|query|q)\s*:\s*", re.IGNORECASE)
_WORDS = re.compile(r"[^\W\d_]{2,}")


def question(prompts: Sequence[str], constant: frozenset[str] = frozenset()) -> str:
    """The last line with words that all prompts of an example share, and other examples' prompts have not.

    The table is written differently in every configuration and so has hardly a line in common; instruction
    and labels are in the prompts of all examples; demonstrations stand before the question.

    Args:
        prompts: of one example in different configurations, the text of the last message each.
        constant: lines that also stand in other examples' prompts.

    Returns:
        At most ``MOST`` characters, without a label such as ``Question:``; "" where nothing is found.
    """
    if not prompts:
        return ""
    shared = _lines(prompts[0])
    for text in prompts[1:]:
        lines = set(_lines(text))
        shared = [line for line in shared if line in lines]
    found = [line for line in shared if line not in constant and len(_WORDS.findall(line)) > 1]
    asked = [line for line in found if _LABEL.match(line) or "?" in line]
    if not found:
        return ""
    return _LABEL.sub("", (asked or found)[-1])[:MOST]


def constant_lines(one: str, other: str) -> frozenset[str]:
    """Lines that the prompts of two examples share."""
    return frozenset(_lines(one)) & frozenset(_lines(other))


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]
