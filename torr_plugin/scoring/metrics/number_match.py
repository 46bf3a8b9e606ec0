"""Numbers within a tolerance, however they are written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...core.errors import InputError
from ...core.texts import normalize
from ...tables.quantities import MARKS, Quantity, quantity, scaled, share
from ..listed_values import parts_of, value_readings
from .base import Metric


class NumberMatch(Metric):
    """1 for the right number, in a tolerance.

    Formula: ``[|a - r| <= max(relative_tolerance * |r|, absolute_tolerance)]`` for some reference ``r``,
    exact in decimals. Both tolerances are facts of an example, 0 by default: the relative one a share
    (``0.01`` or ``1%``), the absolute one in the reference's unit. Reading: the share of right numbers, once
    averaged.

    Numbers are read as people write them: ``1,205``, ``1 205``, ``$1.2 million``, ``1.2e6``, ``2 1/2``,
    ``(3.5)`` for -3.5, ``about 412 km``. The fact ``decimal_mark`` (``.`` by default, or ``,``) decides
    where both readings are possible: ``1,205`` or ``1.205``; ``1.205,50`` is clear.

    Special cases: a unit counts where both have one, so ``412 miles`` is not ``412 km`` but ``412`` is. Where
    only one has a percent sign, ``12.5 %`` is both 12.5 and 0.125. ``1.2 million`` is also 1.2 where the
    reference has no such word, unless the fact ``scale`` says in what it is (``million``, ``percent``;
    ``none`` for a plain number): then ``1344`` is wrong for 1344 million, and ``1344 million`` for a plain
    1344. ``1/2`` is 0.5, but of two such fractions ``8/10`` is not ``4/5``, and ``12/12``, ``8/20`` and
    ``98/99`` are no numbers: they are scores, seasons or counts of a total. A reference of several values
    with ``|`` between them is a set: each of its values has one of the answer's, as for ``value_set``. What
    is no number, on either side, is compared as ``exact_match`` does: names, dates, ranges, sentences, more
    than 100 characters.

    Source: the project's own definition; the tolerances are those of Python's ``math.isclose``, but relative
    to the reference alone.
    """

    name = "number_match"
    main = "number_match"
    source = "ours"
    optional = ("absolute_tolerance", "decimal_mark", "relative_tolerance", "scale")

    def scores(
        self, prediction: str, references: Sequence[str], facts: Mapping[str, str] | None = None
    ) -> dict[str, float]:
        """``{"number_match": 0.0 or 1.0}``.

        Args:
            prediction: the answer.
            references: right answers; any one is right.
            facts: ``relative_tolerance``, ``absolute_tolerance``, ``decimal_mark``, ``scale``; each may be
                absent.

        Raises:
            InputError: a tolerance is no number of at least 0, or the mark or the scale is another one.
        """
        how = _how(facts or {})
        return {"number_match": float(any(_is_right(prediction, each, how) for each in references))}


@dataclass(frozen=True)
class _Comparison:
    """The tolerances, the decimal mark, and the scale, which is empty where it is not known."""

    relative: Fraction
    absolute: Fraction
    mark: str
    scale: str

    def is_near(self, value: Fraction, right: Fraction) -> bool:
        return abs(value - right) <= max(self.relative * abs(right), self.absolute)


def _how(facts: Mapping[str, str]) -> _Comparison:
    mark = facts.get("decimal_mark") or MARKS[0]
    if mark not in MARKS:
        raise InputError(f"fact 'decimal_mark': found {mark[:40]!r}; expected '.' or ','")
    relative, absolute = (_tolerance(facts, f"{kind}_tolerance") for kind in ("relative", "absolute"))
    return _Comparison(relative, absolute, mark, facts.get("scale") or "")


def _tolerance(facts: Mapping[str, str], name: str) -> Fraction:
    try:
        return share(facts.get(name) or "0")
    except ValueError as error:
        raise InputError(f"fact {name!r}: {error}") from None


def _is_right(prediction: str, reference: str, how: _Comparison) -> bool:
    def is_same(answer: str, right: str) -> bool:
        return _is_same(answer, right, how)

    alone = [value for (value,) in value_readings(prediction, 1)] if "|" not in reference else []
    return has_all_values(prediction, reference, is_same) or any(is_same(each, reference) for each in alone)


def has_all_values(prediction: str, reference: str, is_same: Callable[[str, str], bool]) -> bool:
    """Whether an answer is a reference, or each value of one with ``|`` in it has one of the answer's.

    Args:
        prediction: the answer.
        reference: one value, or several with bars between them.
        is_same: whether an answer's value, its first argument, is a value of the reference.
    """
    expected = parts_of(reference)
    if len(expected) == 1:
        return is_same(prediction, reference)
    return any(_pairs_up(values, expected, is_same) for values in value_readings(prediction, len(expected)))


def _pairs_up(values: Sequence[str], expected: Sequence[str], is_same: Callable[[str, str], bool]) -> bool:
    """Whether every expected value has one of the answer's to itself."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    same = [[is_same(value, right) for value in values] for right in expected]
    return bool((maximum_bipartite_matching(csr_array(same), perm_type="column") >= 0).all())


def _is_same(answer: str, reference: str, how: _Comparison) -> bool:
    try:
        written = scaled(reference, how.scale) if how.scale else reference
    except ValueError as error:
        raise InputError(f"fact 'scale': {error}") from None
    right, given = quantity(written, how.mark), quantity(answer, how.mark)
    if right is None or given is None:
        return normalize(answer) == normalize(reference)
    return any(
        how.is_near(value, right.value) for value in in_unit_of(right, given, scale_is_known=bool(how.scale))
    )


def in_unit_of(right: Quantity, given: Quantity, *, scale_is_known: bool = False) -> Iterator[Fraction]:
    """The numbers that an answer can mean, in the reference's unit; none where the units differ.

    Nor where both are written as bare fractions, and not alike: 8 wins of 10 are not 4 of 5. Where the
    reference's scale is not known, ``1.2 million`` can also mean 1.2.
    """
    shorter = min(len(right.unit), len(given.unit))
    if right.unit[:shorter] != given.unit[:shorter]:
        return
    if right.bare_fraction and given.bare_fraction not in ("", right.bare_fraction):
        return
    yield given.value
    if right.value == right.written and not scale_is_known:
        yield given.written
    if right.unit == ("%",) and not given.unit:
        yield given.value * 100
    if given.unit == ("%",) and not right.unit:
        yield given.value / 100
