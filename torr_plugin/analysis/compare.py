"""Whether things differ: the one verdict, which the analysis decides and everything else prints.

A question is a family of differences: models overall; models on one data set; formats averaged over models;
the formats of one model; layout changes; designs. Each difference is a mean over the examples that both sides
have, paired example by example; overall it is the unweighted mean over data sets. Its interval is Student's
over tables (an example without a known table is a table of its own), overall with Welch's and Satterthwaite's
degrees of freedom, at Bonferroni's critical value for the family: all intervals of a family hold at once,
with probability ``level``. Two things differ exactly where the interval excludes 0, and ``p`` is of the same
correction. Nothing is shared between families, so that asking one question more moves no other answer.

Where the two sides are right or wrong on each example (every difference is -1, 0 or 1), a data set is given
two more questions, one that the first side alone answers and one that the other does, each about a table of
its own (as Agresti and Caffo 2000, and Bonett and Price 2012, do for proportions): answers that are all alike
prove little, and no interval has width 0. Other scores that differ on fewer than ``FEW`` tables get no
interval: too few differ to say. Where they differ by the same on all tables but fewer than ``FEW``, and than
half of them, their variance is that of two more tables besides, one without a difference and one with twice
the mean: how such differences vary says little of other tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import betaincinv, stdtr, stdtrit

from ..core.statistics import (
    FEW,
    ROUNDING,
    Booleans,
    Floats,
    Integers,
    alike_on_most,
    cluster_sums,
    ratio_or_nan,
)
from .estimates import ExampleValues
from .result import Verdict, given_marks, interval_fields, number

METHOD = (
    "a paired difference over the examples that both have, of the unweighted mean over data sets where it is "
    "overall; low and high are Student's interval over tables at Bonferroni's critical value for the whole "
    "question, p is of the same correction, and two things differ exactly where the interval excludes 0. "
    "Where both are right or wrong on each example, two further questions, one for either side, are added; "
    "where they differ by the same on nearly all tables, the variance has that of two more tables, one "
    "without a difference and one with twice the mean; few: other scores that differ on fewer than "
    f"{FEW} tables, too few to say"
)


@dataclass(frozen=True)
class Moments:
    """Of differences on one data set, (differences,) each.

    Attributes:
        mean: over the examples that both sides have.
        centre: of the interval: the same with the two further questions, if it has any.
        variance: of the centre.
        tables: how many the examples are about.
        differing: on how many of them the two sides differ.
        examples: that both sides have.
        right_or_wrong: every difference is -1, 0 or 1.
    """

    mean: Floats
    centre: Floats
    variance: Floats
    tables: Floats
    differing: Floats
    examples: Floats
    right_or_wrong: Booleans


def moments(compared: ExampleValues) -> Moments:
    """Mean and variance over tables, whose sums of differences are independent of one another.

    Args:
        compared: first side less second, (differences x examples); NaN of an example that a side lacks.

    The variance is G / (G - 1) sum over g of (sum over e in g of (x_e - centre))**2 / n**2 of G tables
    (Cochran, "Sampling Techniques", 1977, section 11.7).
    """
    values = np.round(compared.values, ROUNDING)
    present = ~np.isnan(values)
    filled = np.where(present, values, 0.0)
    right_or_wrong = np.asarray(((filled == 0) | (np.abs(filled) == 1)).all(axis=-1))
    sums = cluster_sums(filled, compared.clusters)
    sizes = cluster_sums(present.astype(float), compared.clusters)
    count, total, tables = sizes.sum(axis=-1), sums.sum(axis=-1), (sizes > 0).sum(axis=-1).astype(float)
    more = np.where(right_or_wrong, 2.0, 0.0)
    centre = ratio_or_nan(total, np.where(count > 0, count + more, 0.0))
    residuals = sums - sizes * centre[..., None]
    squares = np.where(np.abs(residuals) < _ROUNDED, 0.0, residuals**2).sum(axis=-1)
    squares = squares + more * (1 + centre**2)  # (1 - centre)**2 + (-1 - centre)**2
    squares = squares + np.where(_alike(sums, sizes, right_or_wrong), 2 * centre**2, 0.0)
    groups = tables + more
    variance = groups * ratio_or_nan(squares, (groups - 1) * (count + more) ** 2)
    differing = (np.abs(sums) >= _ROUNDED).sum(axis=-1).astype(float)
    return Moments(ratio_or_nan(total, count), centre, variance, tables, differing, count, right_or_wrong)


_ROUNDED = 10.0**-ROUNDING


def _alike(sums: Floats, sizes: Floats, right_or_wrong: Booleans) -> Booleans:
    """Which other differences are one number, and not 0, on all tables but fewer than ``FEW`` and than half.

    Args:
        sums: of each table, (differences x tables).
        sizes: how many examples each holds, likewise.
        right_or_wrong: those that are not looked at, (differences,).
    """
    found = np.zeros(right_or_wrong.shape, dtype=bool)
    rows = np.flatnonzero(~right_or_wrong)
    if len(rows):
        alike, middle = alike_on_most(sums[rows], sizes[rows])
        found[rows] = alike & (np.abs(middle) >= _ROUNDED)
    return found


@dataclass(frozen=True)
class VerdictFamily:
    """The verdicts of one question, (differences,) each; NaN where there is none.

    Attributes:
        difference: first side less second.
        low: of the interval; all of the family hold at once.
        high: likewise.
        p: of the same correction, at most 1 - ``level`` exactly where the interval excludes 0.
        few: too few tables differ for a verdict.
        examples: that both sides have, of all data sets.
        error: the standard error.
        freedom: its degrees of freedom.
        tested: how many differences the correction is for.
    """

    difference: Floats
    low: Floats
    high: Floats
    p: Floats
    few: Booleans
    examples: Floats
    error: Floats
    freedom: Floats
    tested: int

    @cached_property
    def differs(self) -> Booleans:
        """Where the interval excludes 0."""
        found: Booleans = np.asarray((self.low > 0) | (self.high < 0))
        return found

    def verdict(self, at: int, *, complete: bool = True, swapped: bool = False) -> Verdict:
        """One difference; ``swapped``: the second side less the first."""
        value, low, high = self.difference[at], self.low[at], self.high[at]
        fields = interval_fields(
            *((-value, -high, -low) if swapped else (value, low, high)), complete=complete
        )
        if not complete:
            fields["examples"] = int(self.examples[at])
        marks = given_marks(differs=self.differs[at], few=self.few[at])
        return Verdict(**fields, p=number(self.p[at]), **marks)


def compare(parts: Sequence[ExampleValues], level: float) -> VerdictFamily:
    """The verdicts of one question, on the unweighted mean over data sets."""
    return decide([moments(part) for part in parts], level)


def decide(
    parts: Sequence[Moments], level: float, tested: int | None = None, few: int = FEW
) -> VerdictFamily:
    """As :func:`compare`.

    Args:
        parts: of each data set.
        level: at which all intervals hold at once.
        tested: of how many differences the question is, where others were not made.
        few: on how many tables other scores than right and wrong must differ.
    """

    def every(name: str) -> Any:
        return np.stack([getattr(part, name) for part in parts])

    tables, variances = every("tables"), every("variance")
    difference, centre = every("mean").mean(axis=0), every("centre").mean(axis=0)
    total = variances.sum(axis=0)
    error = np.sqrt(total) / len(parts)
    known = (tables >= 2).all(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = total**2 / (variances**2 / (tables - 1)).sum(axis=0)
        freedom = np.where(total == 0, (tables - 1).sum(axis=0), freedom)
        tested = int(known.sum()) if tested is None else tested
        half = error * stdtrit(freedom, 1 - (1 - level) / (2 * max(tested, 1)))
        p = np.where(centre == 0, 1.0, 2 * tested * stdtr(freedom, -np.abs(centre) / error))
    certain = every("right_or_wrong")
    differing = np.where(certain, 0.0, every("differing")).sum(axis=0)
    too_few = known & ~certain.all(axis=0) & (differing < few)
    said = known & ~too_few
    bounds = np.clip([centre - half, centre + half], -1.0, 1.0)
    low, high = (np.where(said, np.round(bound, ROUNDING), np.nan) for bound in bounds)
    return VerdictFamily(
        difference=np.round(difference, ROUNDING),
        low=low,
        high=high,
        p=np.where(said, np.minimum(p, 1.0), np.nan),
        few=too_few,
        examples=every("examples").sum(axis=0),
        error=np.where(known, error, np.nan),
        freedom=np.where(known, freedom, np.nan),
        tested=tested,
    )


def rare_difference_bound(part: Moments, alpha: float) -> Floats:
    """How large a mean difference of scores between 0 and 1 can be at most, where few examples differ.

    It is not above the share of examples that differ, whose upper bound is Clopper and Pearson's (1934). It
    needs no variance, which so few say nothing of.

    Args:
        part: of one data set.
        alpha: of the one-sided bound.

    Returns:
        (differences,); NaN where examples share tables, or there are none.
    """
    alone = (part.tables == part.examples) & (part.examples > 0)
    n, differing = part.examples, part.differing
    bound = np.where(differing < n, betaincinv(differing + 1, np.maximum(n - differing, 1), 1 - alpha), 1.0)
    return np.where(alone, bound, np.nan)


_AT_ONCE = 4_000_000  # differences held in memory


@dataclass(frozen=True)
class ComparedPairs:
    """The verdicts on all pairs of some things.

    Attributes:
        known: which things have a figure, (things,); the others are in no pair.
        first: a thing a pair, by number.
        second: its other thing.
        verdicts: of the first less the second.
    """

    known: Booleans
    first: Integers
    second: Integers
    verdicts: VerdictFamily

    def at(self, first: int, second: int) -> int | None:
        """The place of two different things in the verdicts; None where one of them has no figure.

        The verdict there is of the smaller number less the larger.
        """
        if not (self.known[first] and self.known[second]):
            return None
        one, other = (int(self.known[:thing].sum()) for thing in (first, second))
        return pair_place(int(self.known.sum()), one, other)

    @property
    def better(self) -> Booleans:
        """Entry [a, b] where a is better than b."""
        found = np.zeros((len(self.known), len(self.known)), dtype=bool)
        above = self.verdicts.differs & (self.verdicts.difference > 0)
        below = self.verdicts.differs & (self.verdicts.difference < 0)
        found[self.first[above], self.second[above]] = True
        found[self.second[below], self.first[below]] = True
        return found


def pair_place(things: int, one: int, other: int) -> int:
    """Where two different things stand among all pairs of so many, as ``triu_indices`` gives them."""
    first, second = min(one, other), max(one, other)
    return first * (2 * things - first - 1) // 2 + second - first - 1


def all_pairs(
    known: Booleans, differences: Callable[[Integers, Integers], Sequence[ExampleValues]], level: float
) -> ComparedPairs:
    """The verdicts on all pairs of the things that are known.

    Args:
        known: (things,).
        differences: gives the differences of some pairs on each data set, by the numbers of their things.
        level: at which all intervals hold at once.
    """
    things = np.flatnonzero(known)
    first, second = (things[side] for side in np.triu_indices(len(things), k=1))
    return ComparedPairs(known, first, second, decide(pair_moments(first, second, differences), level))


def pair_moments(
    first: Integers,
    second: Integers,
    differences: Callable[[Integers, Integers], Sequence[ExampleValues]],
) -> list[Moments]:
    """Of the differences of pairs on each data set, a block of pairs at a time.

    Args:
        first: a thing a pair, by number.
        second: its other thing.
        differences: as for :func:`all_pairs`.
    """
    examples = max(sum(len(part.clusters) for part in differences(first[:0], second[:0])), 1)
    step = max(1, _AT_ONCE // examples)
    blocks = [
        [moments(part) for part in differences(first[at : at + step], second[at : at + step])]
        for at in range(0, max(1, len(first)), step)
    ]
    return [one_after_the_other(parts) for parts in zip(*blocks, strict=True)]


def one_after_the_other(parts: Sequence[Moments]) -> Moments:
    """The differences of several as those of one question on one data set."""
    return Moments(*(np.concatenate([getattr(one, each.name) for one in parts]) for each in fields(Moments)))


def rank_bounds(better: Booleans) -> Integers:
    """The ranks each thing may have, (things x 2): behind all that are better, before all that it beats."""
    return np.stack([1 + better.sum(axis=0), len(better) - better.sum(axis=1)], axis=1)


def groups(ranked: Iterable[int], better: Booleans) -> list[list[int]]:
    """Things in groups, in the order of the ranking; one that a group's best beats begins the next."""
    found: list[list[int]] = []
    for thing in ranked:
        if found and not better[found[-1][0], thing]:
            found[-1].append(thing)
        else:
            found.append([thing])
    return found


def group_numbers(found: Iterable[Sequence[str]]) -> dict[str, int]:
    """Name -> the number of its group, 1 for the best."""
    return {name: number for number, group in enumerate(found, 1) for name in group}
