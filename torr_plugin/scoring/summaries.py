"""Means of scores with their intervals, over all examples and by group or property."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
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


class _Interval(TypedDict):
    value: float
    low: float
    high: float
    n: int
    normal: IntervalBounds


class ScoreInterval(_Interval, total=False):
    """A mean, the bounds of its bootstrap interval, and the number of scores it is the mean of.

    ``normal`` are the bounds by the normal approximation, see :func:`normal_interval`. Where examples share
    tables, ``tables`` is the number of these, and ``design_effect`` the variance of the mean over that of as
    many examples of tables of their own (None where these do not vary, or of a single table).
    """

    tables: int
    design_effect: float | None


def score_intervals(
    names: list[str],
    values: np.ndarray[Any, Any],
    examples: np.ndarray[Any, Any],
    tables: np.ndarray[Any, Any] | None = None,
    *,
    resamples: int,
    level: float,
    rng: np.random.Generator,
) -> dict[str, ScoreInterval]:
    """The mean of each score with a percentile bootstrap interval over tables, and a normal one.

    A table's examples are drawn together, and an example's scores: questions about one table, and several
    answers to one example (of several configurations, say), are no independent evidence (Field and Welsh,
    "Bootstrapping clustered data", Journal of the Royal Statistical Society B 69, 2007). Bounds are the ``(1
    - level) / 2`` and ``(1 + level) / 2`` quantiles of the resampled means (Efron and Tibshirani, "An
    introduction to the bootstrap", 1993, section 13.3).

    Args:
        names: the scores' names.
        values: scores, (answers x names).
        examples: the example of each answer, (answers,).
        tables: the table of each answer, (answers,); by default each example has one of its own.
        resamples: how many resamples.
        level: the interval's, e.g. 0.95.
        rng: draws the tables.
    """
    sums, counts = _unit_sums(values, examples if tables is None else tables)
    means = _resampled_means(sums, counts, resamples, rng)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2], axis=0)
    value, spread = values.mean(axis=0), values.std(axis=0)
    found = {
        name: ScoreInterval(
            value=float(value[i]),
            low=float(low[i]),
            high=float(high[i]),
            n=len(values),
            normal=normal_interval(float(value[i]), float(spread[i]), len(values), level=level),
        )
        for i, name in enumerate(names)
    }
    if tables is not None:
        effects = design_effects(values, examples, tables)
        for name, effect in zip(names, effects, strict=True):
            found[name]["tables"] = len(counts)
            found[name]["design_effect"] = float(effect) if np.isfinite(effect) else None
    return found


def design_effects(
    values: np.ndarray[Any, Any], examples: np.ndarray[Any, Any], tables: np.ndarray[Any, Any]
) -> np.ndarray[Any, Any]:
    """The variance of each mean between tables over that between examples (Kish, "Survey Sampling", 1965).

    Both are G / (G - 1) times the sum over the G tables, or examples, of their squared sums of deviations
    from the mean.

    Args:
        values: scores, (answers x names).
        examples: of each answer, (answers,).
        tables: likewise.

    Returns:
        (names,); NaN where scores do not vary, and of a single table.
    """
    centred = values - values.mean(axis=0)
    between = []
    for units in (tables, examples):
        sums, counts = _unit_sums(centred, units)
        scale = len(counts) / (len(counts) - 1) if len(counts) > 1 else np.nan
        between.append(scale * (sums**2).sum(axis=0))
    of_tables, of_examples = between
    known = of_examples > _ROUNDING
    effects: np.ndarray[Any, Any] = np.divide(
        of_tables, of_examples, out=np.full(len(of_tables), np.nan), where=known
    )
    return effects


_ROUNDING = 1e-18  # a sum of squares of rounding errors


def _unit_sums(
    values: np.ndarray[Any, Any], units: np.ndarray[Any, Any]
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Sums of the scores of each unit, (units x names), and how many answers these are, (units,)."""
    distinct, codes = np.unique(units, return_inverse=True)
    sums = np.zeros((len(distinct), values.shape[1]))
    np.add.at(sums, codes, values)
    return sums, np.bincount(codes, minlength=len(distinct))


def normal_interval(mean: float, deviation: float, n: int, *, level: float = 0.95) -> IntervalBounds:
    """The interval of a mean by the normal approximation, ``mean +- z * deviation / sqrt(n)``.

    The intervals that HCT-QA prints (appendix D.7, Tables 12 to 18) follow from it, with the deviation of the
    single scores: of complete containment, which is 0 or 1, ``sqrt(p * (1 - p))`` for a share of ``p``. It is
    not cut at 0 and 1, as theirs are not. Scores are taken as independent: of several answers to one example
    they are not, nor of several questions about one table, and the bootstrap, which draws tables, is wider
    for good reason.

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
    """(resamples x scores): means over tables drawn with replacement.

    A resample is a vector of how often each table was drawn, so its sums are a matrix product.
    """
    means = np.empty((resamples, sums.shape[1]))
    start = 0
    for times in resample_counts(rng, len(counts), resamples):
        means[start : start + len(times)] = (times @ sums) / (times @ counts)[:, None]
        start += len(times)
    return means


ALL = "all"


def members_of_groups(
    card: Card, examples: Mapping[str, Example], by: str | None
) -> dict[str, frozenset[str]]:
    """The examples by a group's value (``source``), a property's (``table:Row Nesting``), or all properties'.

    Args:
        card: whose examples, for messages.
        examples: by id.
        by: a group; ``table:PROPERTY`` or ``question:PROPERTY``; ``table:all`` or ``question:all``; None.

    Returns:
        Group -> its examples; one may be of several. Empty for None.

    Raises:
        PredictionsError: the examples have no such group or property; the nearest are given.
    """
    if by is None:
        return {}
    known = {key for example in examples.values() for key in example.groups}
    if by in known:
        return _members((e.groups[by], e.id) for e in examples.values() if by in e.groups)
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
    return {
        (f"{one}: {value}" if name == ALL else value): those
        for one in chosen
        for value, those in _members(_of_property(examples, of, one)).items()
    }


def tables_of(examples: Mapping[str, Example]) -> dict[str, str]:
    """Example -> its table, itself where none is known; empty where no two examples share one."""
    found = {each: example.groups.get("table", each) for each, example in examples.items()}
    return found if len(set(found.values())) < len(found) else {}


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
