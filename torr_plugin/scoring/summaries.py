"""Means of scores with their intervals, over all examples and by group or property."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from math import sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from ..core.errors import PredictionsError, nearest
from ..core.names import value_order
from ..core.statistics import clustered_means, ratio_or_nan, score_bounds

if TYPE_CHECKING:
    from ..catalog import Card, Example

_LEVEL = 0.95


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
    """A mean, the bounds of its interval, and the number of scores it is the mean of.

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
) -> dict[str, ScoreInterval]:
    """The mean of each score with its interval, clustered by table, and a normal one.

    It is Wilson's with the effective number of answers, as that of every figure of an analysis
    (:func:`~torr_plugin.core.statistics.score_bounds`). A table's examples count together, and an example's
    scores: questions about one table, and several answers to one example (of several configurations, say),
    are no independent evidence.

    Args:
        names: the scores' names.
        values: scores in [0, 1], (answers x names).
        examples: the example of each answer, (answers,).
        tables: the table of each answer, (answers,); by default each example has one of its own.
    """
    units = np.unique(examples if tables is None else tables, return_inverse=True)[1]
    means = clustered_means(values.T, units)
    low, high = score_bounds([means], _LEVEL)
    value, spread = values.mean(axis=0), values.std(axis=0)
    found = {
        name: ScoreInterval(
            value=float(value[i]),
            low=float(low[i]),
            high=float(high[i]),
            n=len(values),
            normal=normal_interval(float(value[i]), float(spread[i]), len(values)),
        )
        for i, name in enumerate(names)
    }
    if tables is not None:
        # several answers to an example, by models or configurations, share it and are not independent
        own = clustered_means(values.T, np.unique(examples, return_inverse=True)[1]).variance
        for name, effect in zip(names, ratio_or_nan(means.variance, own), strict=True):
            found[name]["tables"] = int(units.max()) + 1
            found[name]["design_effect"] = float(effect) if np.isfinite(effect) else None
    return found


def normal_interval(mean: float, deviation: float, n: int) -> IntervalBounds:
    """The interval of a mean by the normal approximation, ``mean +- z * deviation / sqrt(n)``.

    The intervals that HCT-QA prints (appendix D.7, Tables 12 to 18) follow from it, with the deviation of the
    single scores: of complete containment, which is 0 or 1, ``sqrt(p * (1 - p))`` for a share of ``p``. It is
    not cut at 0 and 1, as theirs are not. Scores are taken as independent: of several answers to one example
    they are not, nor of several questions about one table, and :func:`score_intervals`, which count tables,
    are wider for good reason.

    Args:
        mean: of the scores.
        deviation: their standard deviation (divided by n; for n in the thousands n - 1 is the same).
        n: how many, at least 1; a single score has no spread, and so no interval but itself.
    """
    half = NormalDist().inv_cdf((1 + _LEVEL) / 2) * deviation / sqrt(n)
    return IntervalBounds(low=mean - half, high=mean + half)


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
    return {value: frozenset(found[value]) for value in sorted(found, key=value_order)}
