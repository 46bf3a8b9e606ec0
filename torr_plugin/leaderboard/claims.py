"""What a page may claim: one rule for all that is bold or coloured, and one for sentences.

A page states many differences, so each must hold at its stated rate over all of them. What is bold or
coloured by a test keeps a false discovery rate; of sentences ("worse", "costs it"), the probability that any
is wrong is bounded. A difference without a p-value is never claimed.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from ..analysis.multiplicity import benjamini_hochberg
from ..core.errors import counted

PValues = Mapping[Hashable, float | None]
"""Hypothesis -> its p-value; None where it was not tested."""


@dataclass(frozen=True)
class Claims:
    """Which differences of a page's family are claimed, how many were tested, and at which rate of errors."""

    made: frozenset[Hashable]
    tested: int
    rate: float

    def __contains__(self, hypothesis: Hashable) -> bool:
        return hypothesis in self.made

    @property
    def share(self) -> str:
        """``3 of 40 tested differences``."""
        return f"{len(self.made):,} of {counted(self.tested, 'tested difference')}"

    @property
    def bold_line(self) -> str:
        """What a reader must know of what is bold."""
        expected = self.rate * len(self.made)
        errors = "" if not self.made else f", about {expected:.0f}" if expected >= 1 else ", fewer than one"
        return (
            f"{self.share} on this page {'is' if len(self.made) == 1 else 'are'} bold and coloured{errors}"
            f"{' of them expected by chance' if errors else ''} (false discovery rate {self.rate:.2g})."
        )

    @property
    def sentence_line(self) -> str:
        """What a reader must know of the sentences."""
        return (
            f"{self.share} {'is' if len(self.made) == 1 else 'are'} called so. The probability that any of "
            f"them is due to chance is at most {self.rate:.2g}: Holm\N{RIGHT SINGLE QUOTATION MARK}s "
            "correction over all that were tested."
        )


def bold_claims(p_values: PValues, level: float) -> Claims:
    """What may be bold: a false discovery rate of 1 - ``level`` (Benjamini and Hochberg 1995)."""
    known = {name: p for name, p in p_values.items() if p is not None}
    rate = 1 - level
    adjusted = benjamini_hochberg(np.array(list(known.values())))
    made = frozenset(name for name, p in zip(known, adjusted, strict=True) if p <= rate)
    return Claims(made, len(known), rate)


def sentence_claims(groups: Iterable[PValues], level: float) -> Claims:
    """What may be a sentence: the probability that any is wrong is at most 1 - ``level`` (Holm 1979).

    Args:
        groups: a group is one hypothesis, or several whose p-values are already corrected for one another.
            Its smallest p-value among true hypotheses is then that of one test, so that groups are counted,
            not hypotheses; a group is only counted out once all of it is claimed.
        level: of the study's intervals.
    """
    known = [{name: p for name, p in group.items() if p is not None} for group in groups]
    known = sorted((group for group in known if group), key=lambda group: max(group.values()))
    rate, left = 1 - level, len(known)
    for group in known:
        if left == 1 or max(group.values()) > rate / left:
            break
        left -= 1
    limit = rate / max(left, 1)
    made = frozenset(name for group in known for name, p in group.items() if p <= limit)
    return Claims(made, sum(map(len, known)), rate)
