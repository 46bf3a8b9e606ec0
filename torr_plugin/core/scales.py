"""The order of values that kinds of examples have: numbers, steps of a scale, names."""

from __future__ import annotations

import math
from collections.abc import Mapping

COMPLEXITY = ("low", "medium", "high")
"""Levels of a table's complexity."""

LENGTH = ("under 10K", "10K to 20K", "20K and more")
"""Classes of a table's length in tokens (RealHiTBench, Fig. 8)."""

_STEPS: Mapping[str, float] = {
    value: float(step) for scale in (COMPLEXITY, LENGTH) for step, value in enumerate(scale)
}


def value_order(text: str) -> tuple[bool, list[float], str]:
    """Sort values: numbers (``2`` before ``10``) and steps of scales first, by size; then others, by name.

    Steps of several scales have ``", "`` between them.
    """
    if text.isascii() and text.isdigit() and len(text) < 16:
        return False, [float(text)], text
    steps = [_STEPS.get(part, math.nan) for part in text.split(", ")]
    known = not any(map(math.isnan, steps))
    return not known, steps if known else [], text
