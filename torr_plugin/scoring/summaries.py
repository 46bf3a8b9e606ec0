"""Means of scores with their intervals, over all examples and by group or property."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from math import sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from ..core.errors import PredictionsError, nearest
from ..core.resampling import resample_counts

if TYPE_CHECKING:
    from ..catalog import Card, Example


class IntervalBounds(TypedDict):
    """The bounds of an interval."""

    low: float
    high: float


class ScoreInterval(TypedDict):
    """A mean, the bounds of its bootstrap interval, and the number of scores it is the mean of.

    ``normal`` are the bounds by the normal approximation, see :func:`normal_interval`.
    """

    value: float
    low: float
    high: float
    n: int
    normal: IntervalBounds


def score_intervals(
    names: list[str],
    values: np.ndarray[Any, Any],
    examples: np.ndarray[Any, Any],
    *,
    resamples: int,
    level: float,
    rng: np.random.Generator,
) -> dict[str, ScoreInterval]:
    """The mean of each score with a percentile bootstrap interval over examples, and a normal one.

    An example's scores are drawn together, as often as the example is: several answers to one example (of
    several configurations, say) are no independent evidence. Bounds are the ``(1 - level) / 2`` and ``(1 +
    level) / 2`` quantiles of the resampled means (Efron and Tibshirani, "An introduction to the bootstrap",
    1993, section 13.3).

    Args:
        names: the scores' names.
        values: scores, (answers x names).
        examples: the example of each answer, (answers,).
        resamples: how many resamples.
        level: the interval's, e.g. 0.95.
        rng: draws the examples.
    """
    distinct, codes = np.unique(examples, return_inverse=True)
    counts = np.bincount(codes, minlength=len(distinct))
    sums = np.zeros((len(distinct), len(names)))
    np.add.at(sums, codes, values)
    means = _resampled_means(sums, counts, resamples, rng)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2], axis=0)
    value, spread = values.mean(axis=0), values.std(axis=0)
    return {
        name: ScoreInterval(
            value=float(value[i]),
            low=float(low[i]),
            high=float(high[i]),
            n=len(values),
            normal=normal_interval(float(value[i]), float(spread[i]), len(values), level=level),
        )
        for i, name in enumerate(names)
    }


def normal_interval(mean: float, deviation: float, n: int, *, level: float = 0.95) -> IntervalBounds:
    """The interval of a mean by the normal approximation, ``mean +- z * deviation / sqrt(n)``.

    The intervals that HCT-QA prints (appendix D.7, Tables 12 to 18) follow from it, with the deviation of the
    single scores: of complete containment, which is 0 or 1, ``sqrt(p * (1 - p))`` for a share of ``p``. It is
    not cut at 0 and 1, as theirs are not. Scores are taken as independent: of several answers to one example
    they are not, and the bootstrap, which draws examples, is wider for good reason.

    Args:
        mean: of the scores.
        deviation: their standard deviation (divided by n; for n in the thousands n - 1 is the same).
        n: how many, at least 1; a single score has no spread, and so no interval but itself.
        level: the interval's, e.g. 0.95.
    """
    half = NormalDist().inv_cdf((1 + level) / 2) * deviation / sqrt(n)
    return IntervalBounds(low=mean - half, high=mean + half)


def _resampled_means(
    sums: np.ndarray[Any, Any], counts: np.ndarray[Any, Any], resamples: int, rng: np.random.Generator
) -> np.ndarray[Any, Any]:
    """(resamples x scores): means over examples drawn with replacement.

    A resample is a vector of how often each example was drawn, so its sums are a matrix product.
    """
    means = np.empty((resamples, sums.shape[1]))
    start = 0
    for times in resample_counts(rng, len(counts), resamples):
        means[start : start + len(times)] = (times @ sums) / (times @ counts)[:, None]
        start += len(times)
    return means


ALL = "all"


@dataclass(frozen=True)
class Grouping:
    """Which examples are of which group.

    Attributes:
        members: group -> its examples; one may be of several.
        units: example -> what is resampled with it, its table; empty: each example by itself.
    """

    members: Mapping[str, frozenset[str]] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)


def grouping_of(card: Card, examples: Mapping[str, Example], by: str | None) -> Grouping:
    """The examples by a group's value (``source``), a property's (``table:Row Nesting``), or all properties'.

    Args:
        card: whose examples, for messages.
        examples: by id.
        by: a group; ``table:PROPERTY`` or ``question:PROPERTY``; ``table:all`` or ``question:all``; None.

    Raises:
        PredictionsError: the examples have no such group or property; the nearest are given.
    """
    if by is None:
        return Grouping()
    known = {key for example in examples.values() for key in example.groups}
    if by in known:
        return Grouping(_members((e.groups[by], e.id) for e in examples.values() if by in e.groups))
    of, colon, name = by.partition(":")
    if not colon:
        raise PredictionsError(
            f"{card.name}: its examples have no group {by!r}; {_meant(by, known, examples)}"
        )
    properties = dict.fromkeys(key for e in examples.values() for key in e.properties.get(of, {}))
    if not properties:
        kinds = {kind for example in examples.values() for kind in example.properties}
        raise PredictionsError(f"{card.name}: no properties of {of!r}; {nearest(of, kinds)}")
    if name != ALL and name not in properties:
        raise PredictionsError(f"{card.name}: no property {name!r} of the {of}; {nearest(name, properties)}")
    chosen = list(properties) if name == ALL else [name]
    members = {
        (f"{one}: {value}" if name == ALL else value): those
        for one in chosen
        for value, those in _members(_of_property(examples, of, one)).items()
    }
    return Grouping(members, {each: example.groups.get("table", each) for each, example in examples.items()})


def _meant(by: str, known: Collection[str], examples: Mapping[str, Example]) -> str:
    """What may have been meant: a property of this name with its kind before it, or the nearest group."""
    pairs = {(of, name) for e in examples.values() for of, those in e.properties.items() for name in those}
    named = [f"{of}:{name}" for of, name in pairs if name.lower() == by.lower()]
    if not named and not known:
        return "they have none"
    return nearest(by, named or known)


def _of_property(examples: Mapping[str, Example], of: str, name: str) -> Iterator[tuple[str, str]]:
    for example in examples.values():
        value = example.properties.get(of, {}).get(name)
        if value is not None:
            yield (str(value).lower() if isinstance(value, bool) else str(value)), example.id


def _members(pairs: Iterator[tuple[str, str]]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for value, example in pairs:
        found.setdefault(value, set()).add(example)
    return {value: frozenset(found[value]) for value in sorted(found, key=_order)}


def _order(value: str) -> tuple[bool, float, str]:
    """Numbers by size (``2`` before ``10``), other values after them by name."""
    number = value.isascii() and value.isdigit() and len(value) < 16
    return not number, float(value) if number else 0.0, value
