"""Names that stages share: a main score and its lenient one, how answers ended, levels of properties."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

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


COMPLEXITY = ("low", "medium", "high")
"""Levels of a table's complexity."""

LENGTH = ("under 10K", "10K to 20K", "20K and more")
"""Classes of a table's length in tokens (RealHiTBench, Fig. 8)."""

_SCALES = (COMPLEXITY, LENGTH)
_STEPS: Mapping[str, float] = {value: float(step) for scale in _SCALES for step, value in enumerate(scale)}


def steps_of(values: Collection[object]) -> list[str]:
    """The values in order if they are all on one scale; empty if they are not."""
    scale = next((scale for scale in _SCALES if set(values) <= set(scale)), ())
    return [step for step in scale if step in values]


def value_order(text: str) -> tuple[bool, list[float], str]:
    """Sort values: numbers (``2`` before ``10``) and steps of scales first, by size; then others, by name.

    Steps of several scales have ``", "`` between them.
    """
    if text.isascii() and text.isdigit() and len(text) < 16:
        return False, [float(text)], text
    steps = [_STEPS.get(part, math.nan) for part in text.split(", ")]
    known = not any(map(math.isnan, steps))
    return not known, steps if known else [], text
