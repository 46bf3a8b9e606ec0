"""How many sequences are generated at once: bounded by rows and by memory, halved where memory ran out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Budget:
    """What one batch may hold.

    Attributes:
        rows: sequences at most.
        tokens: rows times the longest of them, in tokens, at most; None where it is not known.
    """

    rows: int
    tokens: int | None = None

    def first(self, widths: Sequence[int]) -> int:
        """How many of the first sequences make a batch; at least one.

        Args:
            widths: length of each in tokens with what is to be written, none longer than the first.
        """
        rows = min(self.rows, len(widths))
        if self.tokens is not None and widths:
            rows = min(rows, self.tokens // max(widths[0], 1))
        return max(rows, 1)

    def halved(self, rows: int, width: int) -> Budget:
        """The budget after memory ran out for so many rows of this width."""
        return replace(self, tokens=max(rows * width // 2, 1))


def batches(widths: Sequence[int], budget: Budget) -> list[list[int]]:
    """Positions of the sequences, batch by batch: longest first, so that a batch holds little padding.

    The longest come first also because memory then runs out at once or not at all.
    """
    order = sorted(range(len(widths)), key=lambda index: -widths[index])
    found = []
    while order:
        taken = budget.first([widths[index] for index in order])
        found.append(order[:taken])
        order = order[taken:]
    return found
