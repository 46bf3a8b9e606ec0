"""The interface of a metric."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import ClassVar, Literal, Protocol, TypeAlias, TypeVar, runtime_checkable

from ...core.texts import as_seen

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

    With ``pairs`` it rates how far the two answers of a pair agree (:mod:`torr_plugin.scoring.pairs`): the
    other answer is its only reference, and it gets no facts. It should be symmetric.

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


def step_of(metric: Metric) -> str:
    """The step whose answer a metric rates; empty for the last one, as of a plugin's without ``step``."""
    return str(getattr(metric, "step", ""))


def is_of_pairs(metric: Metric) -> bool:
    """Whether a metric compares the two answers of a pair; no plugin's without ``pairs`` does."""
    return bool(getattr(metric, "pairs", False))


def needs_of(metric: Metric) -> tuple[str, ...]:
    """The facts that a metric needs; none for a plugin's without ``needs``."""
    return tuple(getattr(metric, "needs", ()))


def score_names_of(metric: Metric) -> tuple[str, ...]:
    """The names of the scores that a metric gives; its main one where it does not say."""
    return tuple(getattr(metric, "score_names", ())) or (metric.main,)


def answer_form_of(metric: Metric) -> AnswerForm:
    """How a metric takes a final answer; as text, for a plugin's without ``answer_form``."""
    form: AnswerForm = getattr(metric, "answer_form", "text")
    return form


@runtime_checkable
class CountsValues(Protocol):
    """A metric that reads answers as values."""

    def values_in(self, prediction: str, references: Sequence[str]) -> tuple[int, int]:
        """How many values an answer holds, and how many the right one."""


def counting(its_metrics: Iterable[Metric]) -> CountsValues | None:
    """The first metric that reads answers as values; None where none does."""
    return next((each for each in its_metrics if isinstance(each, CountsValues)), None)


def facts_of(metric: Metric) -> tuple[str, ...]:
    """The facts that a metric needs, and those that it takes into account; without any it gets none."""
    return (*needs_of(metric), *getattr(metric, "optional", ()))


def rate(
    metric: Metric, prediction: str, references: Sequence[str], facts: Mapping[str, str]
) -> dict[str, float]:
    """The scores of one answer, with the facts where the metric takes any.

    Texts are compared as they are seen: in Unicode's composed form, without characters of no width.
    """
    prediction, references = as_seen(prediction), list(map(as_seen, references))
    if facts_of(metric):
        return metric.scores(prediction, references, facts)  # type: ignore[call-arg]  # see Metric.needs
    return metric.scores(prediction, references)


def check_scores(scores: object) -> None:
    """Refuse results of a metric that are no scores.

    Raises:
        TypeError: no mapping, an empty one, or a name that is no text or a score that is no number.
        ValueError: a score outside [0, 1], or none at all (NaN).
    """
    if not isinstance(scores, Mapping) or not scores:
        raise TypeError(f"it gave {type(scores).__name__}, expected a mapping of at least one score")
    for name, score in scores.items():
        if not isinstance(name, str) or not isinstance(score, Real):
            raise TypeError(f"it gave {type(score).__name__} as the score {name!r}, expected a number")
        if not 0 <= float(score) <= 1:
            raise ValueError(f"it gave {float(score)!r} as the score {name!r}, expected a number from 0 to 1")


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
