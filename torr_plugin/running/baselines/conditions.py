"""Bounds in a question: ``above 84``, ``at least 3``, ``fewer than 1,000``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_BOUND = re.compile(
    r"\b(?P<most>at most|no more than|up to)|\b(?P<least>at least|no less than|no fewer than)"
    r"|\b(?P<above>above|over|exceed(?:s|ed|ing)?|(?:more|greater|higher|larger|longer) than)"
    r"|\b(?P<below>below|under|(?:less|fewer|lower|smaller|shorter) than)",
    re.IGNORECASE,
)
_THEN_NUMBER = re.compile(r"\s+(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?![\w,])")


@dataclass(frozen=True, slots=True)
class Bound:
    """What a number is compared with; ``rest`` is the question without the bound."""

    kind: str
    threshold: float
    rest: str

    def holds(self, value: float) -> bool:
        """Whether a number keeps the bound."""
        if self.kind == "above":
            return value > self.threshold
        if self.kind == "below":
            return value < self.threshold
        return value >= self.threshold if self.kind == "least" else value <= self.threshold

    def rows(self, numbers: Mapping[int, float]) -> list[int]:
        """The rows whose numbers keep it."""
        return [row for row, value in numbers.items() if self.holds(value)]


def find_bound(text: str) -> Bound | None:
    """The first bound that names a number."""
    for mark in _BOUND.finditer(text):
        value = _THEN_NUMBER.match(text, mark.end())
        if value and mark.lastgroup:
            rest = f"{text[: mark.start()]} {text[value.end() :]}"
            return Bound(mark.lastgroup, float(value[1].replace(",", "")), rest)
    return None
