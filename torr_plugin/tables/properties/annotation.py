"""Agreement of detected properties with human annotation: counts, precision, recall, F1, Cohen's kappa."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from . import names

_ANNOTATED_WITH = dict.fromkeys(
    (names.BALANCED_ROW, names.UNBALANCED_ROW, names.SYMMETRIC_ROW, names.ASYMMETRIC_ROW), names.ROW_NESTING
)
"""Properties that were annotated only for tables with another property."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Counts of one property: annotated and detected, yes and no."""

    name: str
    tp: int
    fp: int
    fn: int
    tn: int

    @property
    def n(self) -> int:
        """Tables compared."""
        return self.tp + self.fp + self.fn + self.tn

    @property
    def precision(self) -> float:
        """The share of detected ones that the annotation has; NaN where none was detected."""
        return _share(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float:
        """The share of annotated ones that were detected; NaN where none was annotated."""
        return _share(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> float:
        """2 tp / (2 tp + fp + fn); NaN where neither has any."""
        return _share(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    @property
    def _expected(self) -> float:
        """The share of agreement that chance gives with these totals."""
        yes = (self.tp + self.fp) * (self.tp + self.fn)
        no = (self.fn + self.tn) * (self.fp + self.tn)
        return _share(yes + no, self.n**2)

    @property
    def kappa(self) -> float:
        """Cohen's kappa, (agreement - chance) / (1 - chance); NaN where both say the same of every table."""
        expected = self._expected
        return _share(_share(self.tp + self.tn, self.n) - expected, 1 - expected)

    def kappa_interval(self, level: float = 0.95) -> tuple[float, float]:
        """The interval of kappa by its large-sample error (Fleiss, Cohen and Everitt 1969), within [-1, 1].

        Raises:
            ValueError: a level that is not between 0 and 1.
        """
        width = self.kappa_width(level)
        return max(self.kappa - width, -1.0), min(self.kappa + width, 1.0)

    def kappa_width(self, level: float = 0.95) -> float:
        """Half the interval's width before it is cut to [-1, 1].

        Raises:
            ValueError: a level that is not between 0 and 1.
        """
        if not 0 < level < 1:
            raise ValueError(f"level is {level}; expected a number between 0 and 1")
        return NormalDist().inv_cdf(0.5 + level / 2) * self.kappa_error

    @property
    def kappa_error(self) -> float:
        """The standard error of kappa (Fleiss, Cohen and Everitt 1969, eq. 13), for intervals."""
        kappa, expected = self.kappa, self._expected
        if math.isnan(kappa):
            return math.nan
        cell = [[self.tp / self.n, self.fn / self.n], [self.fp / self.n, self.tn / self.n]]
        row = [sum(line) for line in cell]
        column = [cell[0][j] + cell[1][j] for j in (0, 1)]
        diagonal = sum(cell[i][i] * (1 - (row[i] + column[i]) * (1 - kappa)) ** 2 for i in (0, 1))
        beside = sum(cell[i][1 - i] * (column[i] + row[1 - i]) ** 2 for i in (0, 1)) * (1 - kappa) ** 2
        chance = (kappa - expected * (1 - kappa)) ** 2
        return math.sqrt(max(diagonal + beside - chance, 0.0) / self.n) / (1 - expected)


def agreement(
    annotated: Iterable[Mapping[str, object]],
    detected: Iterable[Mapping[str, bool]],
    properties: Sequence[str] = names.DETECTED,
) -> tuple[Agreement, ...]:
    """Compare two sets of properties table by table.

    A table whose annotation lacks a property is left out of that property's counts; if ``Row Nesting`` is
    missing, so are its kinds, which annotators were then not asked for.

    Raises:
        ValueError: a different number of annotations and detections.
    """
    pairs = list(zip(annotated, detected, strict=True))
    return tuple([_compared(name, pairs) for name in properties])


def _compared(name: str, pairs: Sequence[tuple[Mapping[str, object], Mapping[str, bool]]]) -> Agreement:
    counts = Counter(
        (bool(human[name]), machine[name])
        for human, machine in pairs
        if name in human and _ANNOTATED_WITH.get(name, name) in human
    )
    return Agreement(
        name,
        tp=counts[True, True],
        fp=counts[False, True],
        fn=counts[True, False],
        tn=counts[False, False],
    )


def _share(part: float, whole: float) -> float:
    return part / whole if whole else math.nan
