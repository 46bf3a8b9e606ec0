"""The metric and the reading that fit the right answers of a data set, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ...core.errors import DataError
from ...tables.quantities import quantity
from .questions import BETWEEN, OwnQuestion

NUMBERS = "number_match"
AS_ONE_TEXT = ("exact_match", "accuracy")
"""Metrics that compare an answer of several values as one text."""

_MOST_WORDS = 12  # of a short answer
_WHOLE, _LISTED, _SHORT = (
    ("to_string_stripped",),
    ("torr.short_answer",),
    ("torr.short_answer", "take_first_non_empty_line"),
)
_READS = {
    _WHOLE: "the whole reply is read",
    _LISTED: "a list in a reply is read to its end",
    _SHORT: r"of a reply what is in \boxed{} or follows 'Answer:' is read, else its first line",
}


@dataclass(frozen=True)
class AnswerMetric:
    """The metric that rates the answers.

    Attributes:
        name: as a card names it: ``metrics.torr.exact_match``.
        main: the score that stands for it.
    """

    name: str
    main: str

    @classmethod
    def ours(cls, name: str, main: str = "") -> AnswerMetric:
        """A metric of the project's, whose main score has its name unless another is given."""
        return cls(f"metrics.torr.{name}", main or name)


@dataclass(frozen=True)
class AnswerForm:
    """How answers are read and rated.

    Attributes:
        metric: rates them.
        processors: read them, as in ``processors.<name>``.
        why: a sentence on both choices.
        is_text: whether right answers are texts of several lines or sentences.
    """

    metric: AnswerMetric
    processors: tuple[str, ...]
    why: str
    is_text: bool


def fitting_form(questions: Sequence[OwnQuestion], path: Path, metric: AnswerMetric | None) -> AnswerForm:
    """The reading that fits the right answers, with the metric that was named, or else the one that fits too.

    Args:
        questions: at least one.
        path: their file, for messages.
        metric: the metric that was named; None for the one that fits.

    Raises:
        DataError: the metric that was named cannot rate these answers.
    """
    answers = [answer for each in questions for answer in each.answers]
    values = [value for answer in answers for value in answer.split(BETWEEN)]
    listed = sum(each.has_values for each in questions)
    numbers = [value for value in values if _is_number(value)]
    toleranced = sum(bool(each.tolerances or "scale" in each.facts) for each in questions)
    is_long = [("\n" in answer) or len(answer.split()) > _MOST_WORDS for answer in answers]
    is_text = not toleranced and not listed and 2 * sum(is_long) > len(answers)
    if toleranced:
        why = f"{toleranced:,} of {len(questions):,} questions have a tolerance or a scale"
        chosen = AnswerMetric.ours(NUMBERS)
    elif is_text:
        why = f"{sum(is_long):,} of {len(answers):,} right answers are sentences or have several lines"
        chosen = AnswerMetric.ours("rouge", "rougeL")
    elif numbers:
        why = f"{len(numbers):,} of {len(values):,} right values are numbers, such as {numbers[0]}"
        chosen = AnswerMetric.ours(NUMBERS)
    elif listed:
        chosen, why = AnswerMetric.ours("value_set"), f"{listed:,} right answers have several values"
    else:
        chosen, why = AnswerMetric.ours("exact_match"), "the right answers are short texts"
    if metric is not None:
        _check(metric, questions, path)
        fits = "" if metric.main == chosen.main else f"; {chosen.main} would fit: {why}"
        chosen, why = metric, f"--metric names it{fits}"
    # one answer of several lines is cut by a reading of its first line
    has_lines = any("\n" in answer for answer in answers)
    processors = _WHOLE if is_text or has_lines else _LISTED if listed else _SHORT
    return AnswerForm(chosen, processors, f"metric {chosen.main}: {why}; {_READS[processors]}", is_text)


def _is_number(value: str) -> bool:
    """Whether a right answer is a number; ``7/8`` alone may as well be a score or a count of a total."""
    found = quantity(value)
    return found is not None and not found.bare_fraction


def _check(metric: AnswerMetric, questions: Sequence[OwnQuestion], path: Path) -> None:
    toleranced = next((each for each in questions if each.tolerances), None)
    if toleranced and metric.main != NUMBERS:
        raise DataError(
            f"{path}: question {toleranced.id!r} has a tolerance, which {metric.main} does not take into "
            f"account; expected --metric {NUMBERS}, or none"
        )
    several = next((each for each in questions if each.has_values), None)
    if several and metric.main in AS_ONE_TEXT:
        raise DataError(
            f"{path}: question {several.id!r} has several values (all_of), which {metric.main} compares as "
            f"one text; expected --metric value_set or {NUMBERS}, or none"
        )
