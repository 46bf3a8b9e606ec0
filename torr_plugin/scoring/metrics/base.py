"""The interface of a metric."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import ClassVar, Literal, Protocol, TypeAlias, TypeVar, runtime_checkable

SHOWN_TABLE = "shown_table"
"""The fact that scoring itself makes: the table as the configuration shows it, in the format ``json``."""


T = TypeVar("T")
AnswerForm: TypeAlias = Literal["text", "json", "whole"]


class Metric(ABC):
    """Rates one prediction against its references, without other examples.

    ``name`` is the one that cards use, ``main`` the score (a key of what :meth:`scores` returns) that stands
    for the metric. ``score_names`` are those keys, for a metric that gives several; ``source`` is whose
    metric it is, for ``torr list metrics``, which also shows the docstring's first line. A metric has no
    state that changes its scores, loads its libraries when first used, and works offline.

    A metric that needs more than the references (a table to run a program over) names it in ``needs``, the
    names of :attr:`Example.facts <torr_plugin.catalog.Example.facts>`, and takes a third argument: ``def
    scores(self, prediction, references, facts=None)``. Others are called with two. What it takes into account
    where an example has it (a tolerance), and does without elsewhere, is named in ``optional``. The fact
    ``shown_table`` is always there when a run is scored: the table as the model saw it, perturbed, as the
    serializer ``json`` writes it.

    ``step`` names a step of designs of several calls. The metric then rates the answer to that step, as the
    model gave it, in the designs that have it, and nothing elsewhere. Without it, it rates the last answer.

    With ``pairs`` it rates how far the two answers of a pair agree, which
    :mod:`torr_plugin.scoring.run_scores` explains: the other answer is its only reference, and it gets no
    facts. It should be symmetric.

    ``alike`` names metrics that read the same references in another way; where one of them rates answers
    otherwise by much, ``torr score`` says so.

    ``answer_form`` says how the lenient score hands over the final answer that it reads in a reply: as
    ``text``, as the ``answer`` of a JSON object, for a metric that wants one (``json``), or not at all
    (``whole``): there is no lenient score where a reply is no short answer in some wrapping, as a program, or
    is too expensive to rate twice.
    """

    name: ClassVar[str]
    main: ClassVar[str]
    needs: ClassVar[tuple[str, ...]] = ()
    optional: ClassVar[tuple[str, ...]] = ()
    score_names: ClassVar[tuple[str, ...]] = ()
    step: ClassVar[str] = ""
    pairs: ClassVar[bool] = False
    source: ClassVar[str] = ""
    alike: ClassVar[tuple[str, ...]] = ()
    answer_form: ClassVar[AnswerForm] = "text"

    @abstractmethod
    def scores(self, prediction: str, references: Sequence[str]) -> dict[str, float]:
        """The scores by name, each in [0, 1]; always the same names, in the same order.

        Args:
            prediction: the answer, postprocessed.
            references: the right answers, postprocessed; at least one.
        """


@runtime_checkable
class CountsValues(Protocol):
    """A metric that reads answers as values."""

    def values_in(self, prediction: str, references: Sequence[str]) -> tuple[int, int]:
        """How many values an answer holds, and how many the right one."""


def counting(its_metrics: Iterable[Metric]) -> CountsValues | None:
    """The first metric that reads answers as values; None where none does."""
    return next((each for each in its_metrics if isinstance(each, CountsValues)), None)


def shared_f1(*pairs: tuple[Counter[T], Counter[T]]) -> float:
    """F1 of multisets, 2PR / (P + R), the counts of all pairs added up; 0 where nothing is shared.

    Args:
        pairs: of an answer and a reference each: P is the share of the answers that the references have, R
            that of the references that the answers have.
    """
    shared = sum((answer & reference).total() for answer, reference in pairs)
    if not shared:
        return 0.0
    answered, expected = (sum(pair[side].total() for pair in pairs) for side in (0, 1))
    return f_measure(shared / answered, shared / expected)


def f_measure(precision: float, recall: float) -> float:
    """Harmonic mean of precision and recall, 2PR / (P + R); 0 where both are 0."""
    total = precision + recall
    return 2 * precision * recall / total if total > 0 else 0.0
