"""A claim, and which claims hold: one family for all sentences of a site, one for all bold and colour.

A site states many differences, so each must hold at its stated rate over all of them. Of sentences and
verdicts ("worse", "costs it"), the probability that any is wrong is bounded; what is bold or coloured by a
test keeps a false discovery rate. A difference without a p-value is never claimed.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from math import floor
from typing import Literal

import numpy as np

from ...analysis.multiplicity import benjamini_hochberg
from ...analysis.result import Interval
from ...core.errors import counted
from ..text import MOST_NAMED, in_words, listed, sentence
from ..views import negated

Hypothesis = tuple[Hashable, ...]
"""Names what is claimed, as ``("worse", model, place, format)``; see :mod:`.families`."""

Family = Literal["sentences", "bold"]


@dataclass(frozen=True)
class Claim:
    """A difference that a site may state, with what it rests on.

    Attributes:
        kind: the kind of question that it answers.
        hypothesis: what is claimed.
        cells: over which cells, in words: ``all data sets``.
        n: examples of the test, None where unknown.
        estimate: the difference, whose sign is the direction that is claimed.
        p: of the two-sided test that it is 0, None where it was not tested; so is what is not a number.
        family: within which ``p`` is corrected.
        sides: of two models, whose figure is taken from whose: the first less the second.
        of_best: that the best of several is worse than the best, which cannot be stated. It counts in the
            correction all the same: which one is best was found on the same scores.
        holds: whether it may be stated.
        adjusted: of sentences, ``p`` corrected for all of the family: the least rate at which it would hold.
    """

    kind: str
    hypothesis: Hypothesis
    cells: str
    n: int | None
    estimate: Interval
    p: float | None
    family: Family
    sides: tuple[str, str] | None = None
    of_best: bool = False
    holds: bool = False
    adjusted: float | None = None

    def __post_init__(self) -> None:
        """Let no limit be compared with NaN, which lies neither above it nor below."""
        if self.p is not None and np.isnan(self.p):
            object.__setattr__(self, "p", None)

    def seen_from(self, model: str) -> Interval:
        """The difference of two models from the side of one."""
        return negated(self.estimate) if self.sides and self.sides[1] == model else self.estimate


Group = Mapping[Hypothesis, Claim]
"""One hypothesis, or several whose p-values are already corrected for one another."""


@dataclass(frozen=True)
class Claims:
    """The claims of a family; ``in`` says of a hypothesis whether it is claimed."""

    every: Mapping[Hypothesis, Claim]
    rate: float
    levels: Mapping[str, float] = field(default_factory=dict)
    """Of sentences, kind of question -> the level at which each of its groups is tested at least."""
    outside: str = ""
    """A page whose sentences keep a rate of their own."""

    def __contains__(self, hypothesis: object) -> bool:
        return hypothesis in self.made

    def get(self, hypothesis: Hypothesis) -> Claim | None:
        """The claim of this name, whether it holds or not; None where there is none."""
        return self.every.get(hypothesis)

    def of_kind(self, kind: str) -> tuple[Claim, ...]:
        """Those of one kind of question, whether they hold or not."""
        return tuple(self._by_kind.get(kind, ()))

    @cached_property
    def _by_kind(self) -> Mapping[str, Sequence[Claim]]:
        # every model's page asks, and a large study has thousands
        found: dict[str, list[Claim]] = {}
        for claim in self.every.values():
            found.setdefault(claim.kind, []).append(claim)
        return found

    @cached_property
    def made(self) -> frozenset[Hypothesis]:
        """What is claimed."""
        return frozenset(name for name, claim in self.every.items() if claim.holds)

    @cached_property
    def tested(self) -> int:
        """How many differences were tested that could be stated; one of several names is one."""
        every = self.every.values()
        return len({claim.hypothesis for claim in every if claim.p is not None and not claim.of_best})

    @cached_property
    def held(self) -> int:
        """How many of them are claimed."""
        return len({claim.hypothesis for claim in self.every.values() if claim.holds})

    @property
    def bold_rule(self) -> str:
        """What a reader must know beside what is bold."""
        return (
            f"{sentence(self._bold_error)} (false discovery rate {self.rate:.2g}). Sentences and verdicts "
            "keep a stricter rule, so a figure can be highlighted where they state no difference."
        )

    @property
    def bold_line(self) -> str:
        """How much is bold, and the rule."""
        figures = counted(self.tested, "figure")
        return f"Of {figures} that could be highlighted, {self.held:,} {_is(self.held)}. {self.bold_rule}"

    def may_be_real(self, bold: Sequence[str], where: str) -> str:
        """What stands beside words that state no difference, of bold figures; "" where there are none."""
        number = len(bold)
        if not number:
            return ""
        figures = f"{in_words(number)} {'figure' if number == 1 else 'figures'}"
        which = f" ({listed(bold)})" if number <= MOST_NAMED else ""
        return (
            f" {sentence(figures)} {where} {_is(number)} highlighted and may be real{which}: "
            f"{self._bold_error}."
        )

    @property
    def _bold_error(self) -> str:
        return f"on average at most one highlighted figure in {floor(1 / self.rate + 1e-6)} is due to chance"

    @property
    def sentence_rule(self) -> str:
        """What a reader must know beside sentences and verdicts."""
        but = f", except on {self.outside}," if self.outside else ""
        return (
            f"The probability that this study states even one difference that is not there{but} is at most "
            f"{self.rate:.2g}."
        )

    @property
    def sentence_line(self) -> str:
        """How much they state, and the rule."""
        differences = counted(self.tested, "difference")
        return f"Of {differences} that could be stated, {self.held:,} {_is(self.held)}. {self.sentence_rule}"


def _is(number: int) -> str:
    return "is" if number == 1 else "are"


def bold_claims(claims: Group, level: float) -> Claims:
    """Which may be bold: a false discovery rate of 1 - ``level`` (Benjamini and Hochberg 1995)."""
    rate = 1 - level
    known = {name: claim.p for name, claim in claims.items() if claim.p is not None}
    adjusted = benjamini_hochberg(np.array(list(known.values())))
    made = {name for name, p in zip(known, adjusted, strict=True) if p <= rate}
    return Claims({name: replace(claim, holds=name in made) for name, claim in claims.items()}, rate)


def sentence_claims(kinds: Mapping[str, Sequence[Group]], level: float) -> Claims:
    """Which may be sentences: the probability that any is wrong is at most 1 - ``level``.

    Holm's procedure with weights (Holm 1979; Bretz et al. 2009): each kind of question has an equal share of
    the errors, so that one of thousands of hypotheses does not drown one of ten; within a kind, each group. A
    group is counted out once all of it is claimed, and its share goes to the other groups of its kind; that
    of a kind without any left, to the other kinds. A group's smallest p-value among true hypotheses is that
    of one test, so that groups are counted and not hypotheses.

    Args:
        kinds: of question -> groups.
        level: of the study's intervals.
    """
    rate = 1 - level
    tested = {
        kind: known
        for kind, groups in kinds.items()
        if (known := [own for own in map(_p_values, groups) if own])
    }
    p_values = _adjusted(list(tested.values()))
    every = {
        name: replace(claim, holds=name in p_values and p_values[name] <= rate, adjusted=p_values.get(name))
        for groups in kinds.values()
        for group in groups
        for name, claim in group.items()
    }
    return Claims(every, rate, {kind: rate / len(tested) / len(groups) for kind, groups in tested.items()})


def _p_values(group: Group) -> dict[Hypothesis, float]:
    return {name: claim.p for name, claim in group.items() if claim.p is not None}


def _adjusted(kinds: Sequence[Sequence[Mapping[Hypothesis, float]]]) -> dict[Hypothesis, float]:
    """The least rate at which each hypothesis is claimed; at most 1.

    As the rate grows, groups are claimed whole one after the other, and with each the shares of those that
    are left grow: a hypothesis is claimed at the least, over these steps, of the rates at which the step is
    reached and its p-value is within its group's share.
    """
    found: dict[Hypothesis, float] = {}
    reached, left = 0.0, [list(groups) for groups in kinds]
    while left and reached < 1:
        shared = [[(group, len(left) * len(groups)) for group in groups] for groups in left]
        for group, shares in chain(*shared):
            for name, p in group.items():
                found[name] = min(found.get(name, 1.0), max(reached, shares * p))
        reached = max(reached, min(shares * max(group.values()) for group, shares in chain(*shared)))
        left = [
            kept
            for own in shared
            if (kept := [group for group, shares in own if shares * max(group.values()) > reached])
        ]
    return found
