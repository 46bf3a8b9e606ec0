"""Answers in JSON with steps, after TableQuest: values with their units, analyses, and the form itself."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from ...core.texts import normalize
from ...scoring.json_answers import read_json_answer
from ...scoring.metrics.base import Metric
from ...scoring.metrics.exact_match import ExactMatch
from ...scoring.metrics.f1_strings import F1Strings
from ...scoring.metrics.number_match import has_all_values, in_unit_of
from ...scoring.metrics.rouge import Rouge
from ...tables.quantities import Quantity, quantity


class TableQuest(Metric):
    """1 for the right value in JSON.

    Formula: ``accuracy = [a is r for some reference r]``, where ``a`` is the ``answer`` of the JSON object in
    what the model wrote (:mod:`torr_plugin.scoring.json_answers` says how leniently it is read), and 0
    without one; ``exact_match`` and ``f1_strings`` are those metrics' scores of ``a``; ``answer_format`` is 1
    where the form is right: one JSON object that has an answer. So a wrong answer has 0 and 1, a failure of
    the form has 0 as ``answer_format``. Reading: the shares of right answers and of well-formed ones, once
    averaged; the first over the second is the accuracy of well-formed answers, but for the few that are right
    in spite of their form (of two objects the last one's answer is rated).

    A number is right where it rounds to the reference at the reference's last digit: 85.163 % for 85.16 %,
    not 85.2 %; of a fraction, ``3/4``, within 1e-9. Numbers are read as ``number_match`` reads them: a unit
    counts where both have one, brackets are a minus, where one alone has a percent sign ``12.5 %`` is 0.125
    too, and percentage points are percent. The word of scale may be missing where the question names it: 721
    for $721 million, asked "in millions". A sentence is its one number, those of the question aside, unless
    it hedges (or, not, than); a fall that the question does not speak of is a minus: "a decrease of 5" is -5.
    Other references are compared in words, lower case, without articles and marks: the answer's are the
    reference's, or these in a row among words of the question and is, was, in and the like, without a
    hedge. A reference with ``|`` is a set of values, as for ``number_match``.

    Source: Pan et al., "Benchmarking Table Comprehension in the Wild" (2024), appendix D, which reports an
    accuracy of extraction and calculation without its rules; these are ours.
    """

    name = "tablequest"
    main = "accuracy"
    score_names = ("accuracy", "exact_match", "f1_strings", "answer_format")
    answer_form = "json"
    source = "TableQuest"
    optional = ("question",)

    def scores(
        self, prediction: str, references: Sequence[str], facts: Mapping[str, str] | None = None
    ) -> dict[str, float]:
        """``{"accuracy": 0.0 or 1.0, "exact_match": ..., "f1_strings": value, "answer_format": ...}``.

        Args:
            prediction: all that the model wrote.
            references: right answers, as plain text; any one is right.
            facts: ``question``, whose words and numbers may surround an answer; may be absent.
        """
        answer, problem = read_json_answer(prediction)
        well_formed = {"answer_format": float(not problem)}
        if answer is None:
            return {"accuracy": 0.0, "exact_match": 0.0, "f1_strings": 0.0, **well_formed}
        asked = _asked((facts or {}).get("question", ""))
        return {
            "accuracy": float(any(_is_right(answer, each, asked) for each in references)),
            **_EXACT.scores(answer, references),
            **_F1.scores(answer, references),
            **well_formed,
        }


class TableQuestAnalysis(Metric):
    """ROUGE of the answer in JSON.

    Formula: the scores of ``rouge``, of the ``answer`` of the JSON object in what the model wrote, 0 without
    one; ``answer_format`` as for ``tablequest``. Reading: ROUGE-L is wording, not truth: a judge
    rates analyses, by pairs as in the paper. Source: Pan et al., "Benchmarking Table Comprehension in the
    Wild" (2024), section 3, which names word overlap beside its judge.
    """

    name = "tablequest_analysis"
    main = "rougeL"
    score_names = (*Rouge.score_names, "answer_format")
    answer_form = "json"
    source = "TableQuest"

    def scores(self, prediction: str, references: Sequence[str]) -> dict[str, float]:
        """``{"rouge1": value, "rouge2": value, "rougeL": value, "answer_format": 0.0 or 1.0}``."""
        answer, problem = read_json_answer(prediction)
        rated = _ROUGE.scores(answer or "", references)
        return {**rated, "answer_format": float(not problem)}


_EXACT, _F1, _ROUGE = ExactMatch(), F1Strings(), Rouge()


@dataclass(frozen=True)
class _Asked:
    """What a question says: its words, its numbers, and the words of scale among them."""

    words: frozenset[str]
    numbers: Counter[str]
    scales: frozenset[str]


_NEARLY = Fraction(1, 10**9)  # thirds are read to twelve digits
_LONGEST = 2_000  # characters of an answer that can be a value; longer ones are compared in words
_SCALE = re.compile(r"\b(thousand|million|billion|trillion)s?\b", re.I)
_NUMBER = re.compile(
    r"(?:(?<![\w.,])|(?<=[$€£¥]))[-\u2212(]?\s?[$€£¥]?-?\d[\d,]*(?:\.\d+)?\)?(?:\s?(?:%|percent\b|thousand\b|million\b|"
    r"billion\b|trillion\b))?",
    re.I,
)
_POINTS = re.compile(r"(?i)\bpercentage[ -]points?\b")
_WORD = re.compile(r"[^\W_]+(?:[.,'\u2019][^\W_]+)*")
_FALL = re.compile(r"decreas|declin|fall|fell|drop|reduc|shrank|shrink|negative")
_HEDGES = frozenset(("or", "not", "no", "never", "neither", "than", "between", "least", "most"))
_ARTICLES = {"a", "an", "the"}
_AROUND = frozenset(
    re.findall(
        r"\w+",
        "is was were are be been it its this that there which of in at on for by to with from as per "
        "total amount value answer",
    )
)


@lru_cache(maxsize=4_096)
def _asked(question: str) -> _Asked:
    scales = frozenset(word.lower() for word in _SCALE.findall(question))
    return _Asked(frozenset(_words(question)), Counter(_numbers(question)), scales)


def _is_right(answer: str, reference: str, asked: _Asked) -> bool:
    if len(answer) > _LONGEST:
        return False
    return has_all_values(answer, reference, lambda given, right: _is_same(given, right, asked))


def _is_same(answer: str, reference: str, asked: _Asked) -> bool:
    right = _quantity(reference)
    if right is None:
        return _says(answer, reference, asked)
    given = _quantity(answer) or _only_number(answer, asked)
    if given is None:
        return normalize(answer) == normalize(reference)
    half = _half_a_digit(reference, right)
    sign = -1 if given.value > 0 and _tells_a_fall(answer, asked) else 1
    return any(abs(sign * value - right.value) <= half for value in _readings(right, given, reference, asked))


def _quantity(text: str) -> Quantity | None:
    return quantity(_POINTS.sub("%", text))


def _readings(right: Quantity, given: Quantity, reference: str, asked: _Asked) -> Iterator[Fraction]:
    """The numbers that an answer can mean, with the scale of the reference that the question names too."""
    found = list(in_unit_of(right, given))
    yield from found
    scale = _SCALE.search(reference)
    if (
        found
        and scale
        and scale[1].lower() in asked.scales
        and given.value == given.written
        and right.written
    ):
        yield given.value * (right.value / right.written)


def _half_a_digit(reference: str, right: Quantity) -> Fraction:
    """Half of the last digit that the reference is written with, in its scale; next to none of a fraction."""
    decimals = re.search(r"\d\.(\d+)|(?<!\d)\.(\d+)", reference)
    digits = len(decimals[1] or decimals[2]) if decimals else 0
    scale = right.value / right.written if right.written else Fraction(1)
    if (right.written * 10**digits).denominator > 1:  # 3/4 and 1.5e-3 say more than their decimals
        return abs(scale) * _NEARLY
    return Fraction(abs(scale), 2 * 10**digits)


def _numbers(text: str) -> Iterator[str]:
    for found in _NUMBER.finditer(text):
        yield normalize(found[0])


def _only_number(answer: str, asked: _Asked) -> Quantity | None:
    """The one number of a sentence, or the one that the question does not have; None in a hedge."""
    if _HEDGES & {*_words(answer)} - asked.words:
        return None
    numbers = Counter(_numbers(answer))
    left = numbers if numbers.total() == 1 else numbers - asked.numbers
    return _quantity(next(iter(left))) if left.total() == 1 else None


def _tells_a_fall(answer: str, asked: _Asked) -> bool:
    return any(_FALL.match(word) for word in _words(answer)) and not any(map(_FALL.match, asked.words))


def _words(text: str) -> list[str]:
    return [word for word in map(normalize, _WORD.findall(text.casefold())) if word not in _ARTICLES]


def _says(answer: str, reference: str, asked: _Asked) -> bool:
    """Whether an answer is the words of the reference, or these in a row among words that say nothing new."""
    given, right = _words(answer), _words(reference)
    if given == right:
        return bool(right) or normalize(answer) == normalize(reference)
    if not right:
        return False
    places = range(len(given) - len(right) + 1)
    around = (given[:at] + given[at + len(right) :] for at in places if given[at : at + len(right)] == right)
    allowed = (asked.words | _AROUND) - _HEDGES
    return any(allowed.issuperset(words) for words in around)
