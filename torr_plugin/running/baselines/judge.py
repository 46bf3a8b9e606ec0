"""``torr-judge``: a judge that is no model of language, but compares answers with the reference by a rule.

In: the text of a prompt of ``torr judge``. Out: a reply of the form that the prompt asks for. What stands
between two equal fences is one text, whatever it holds, so that no answer can end its own fence or pass for
another.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .lm import TextBaseline
from .matching import STOP, stem

NO_JUDGING = "This is not a judge's prompt."
"""The reply to any other prompt; it is no verdict."""

_FENCE = re.compile(r"=== [0-9a-f]{24} ===")
_SCALE = re.compile(r"^Rate both answers from 1 to (\d{1,3}),", re.MULTILINE)
_ANY = "\n(Any one of these is right.)"
_WORD = re.compile(r"\d[\d,]*(?:\.\d+)?|[^\W\d_]+")
_NUMBER = re.compile(r"(?P<sign>[-\u2212(]?)[$\u20ac\u00a3 ]{0,2}(?P<digits>\d[\d,]{0,30}(?:\.\d{1,30})?)")
_ANSWER = re.compile(r'"answer"\s*:\s*(?:"((?:[^"\\]|\\.)*)"|([^,}\n]+))', re.IGNORECASE)


class RuleJudge(TextBaseline):
    """``torr-judge``: judges answers by a rule, their closeness to the reference."""

    def __init__(self) -> None:
        super().__init__(judged)


class FencedText(NamedTuple):
    """A text between two equal fences: the label above it, and the lines between the text before and it."""

    label: str
    text: str
    before: str


class Closeness(NamedTuple):
    """How close an answer is to a reference; the greater one is closer.

    Attributes:
        equal: it has the same words and numbers in the same order.
        numbers: F1 of the numbers, to four digits; 0 where the reference has none.
        words: F1 of the words.
    """

    equal: bool
    numbers: float
    words: float

    @property
    def share(self) -> float:
        """All in one figure, from 0 to 1."""
        return 1.0 if self.equal else 0.95 * max((self.numbers + self.words) / 2, self.words)


def judged(prompt: str) -> str:
    """The reply to a judge's prompt: yes or no, a score, or which of two answers is better, as it asks."""
    parts = list(fenced_texts(prompt))
    labels = [part.label for part in parts]
    if labels[-2:] == ["First answer", "Second answer"]:
        right = [part.text for part in parts if part.label in ("Reference answer", "Rubric")]
        scale = _SCALE.search(prompt)
        return compared(parts[-2].text, parts[-1].text, right, int(scale[1]) if scale else None)
    if labels[-1:] == ["Answer to check"]:
        right = _listed("Right answer", parts[-1].before)
        return "yes" if any(is_right(parts[-1].text, each) for each in right) else "no"
    if labels[-1:] == ["Answer to grade"]:
        right = _listed("Reference answer", "\n".join(part.before for part in parts))
        right += [part.text for part in parts if part.label == "Rubric"]
        found = closest(parts[-1].text, right)
        return f"[Score]: {round(100 * found.share)}/100"
    return NO_JUDGING


def fenced_texts(prompt: str) -> Iterator[FencedText]:
    """The texts between fences, from the first line on, in time linear in the prompt."""
    lines = prompt.split("\n")
    fences: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        if _FENCE.fullmatch(line):
            fences.setdefault(line, []).append(number)
    done = at = 0
    while at < len(lines):
        places = fences.get(lines[at], []) if at and lines[at - 1].endswith(":") else []
        later = bisect_right(places, at)
        if later < len(places):
            end = places[later]
            yield FencedText(
                lines[at - 1][:-1], "\n".join(lines[at + 1 : end]), "\n".join(lines[done : at - 1])
            )
            done = at = end + 1
        else:
            at += 1


def _listed(name: str, text: str) -> list[str]:
    """The references of a prompt that has them without fences, each behind its name."""
    found = re.split(rf"(?:^|\n){name}: ", text.rstrip("\n"))[1:]
    return [each.removesuffix(_ANY) for each in found]


def compared(first: str, second: str, right: Sequence[str], scale: int | None) -> str:
    """The reply on two answers: the closer one is better, then the shorter.

    Two that equal the reference tie, and two that have nothing of it.

    Args:
        first: the answer shown first.
        second: the other one.
        right: the references.
        scale: the best rating, if both are to be rated from 1.
    """
    answers = stated_answer(first), stated_answer(second)
    close = [closest(answer, right) for answer in answers]
    order = _sign(close[0], close[1])
    reason = f"The first answer {_described(close[0])}; the second {_described(close[1])}."
    if not order and 0 < close[0].share < 1:
        order = -_sign(*(len(" ".join(answer.split())) for answer in answers))
        reason += " The shorter one is clearer." if order else ""
    reply: dict[str, str | int] = {"reason": reason}
    if scale is not None:
        rated = _ratings([each.share for each in close], order, scale)
        reply |= {"rating_first": rated[0], "rating_second": rated[1]}
    return json.dumps({**reply, "verdict": {1: "first", 0: "tie", -1: "second"}[order]})


def _sign(one: object, other: object) -> int:
    return (one > other) - (one < other)  # type: ignore[operator, no-any-return]


def _described(close: Closeness) -> str:
    if close.equal:
        return "equals the reference"
    return f"agrees with the reference in numbers by {close.numbers:.2f} and in words by {close.words:.2f}"


def _ratings(shares: Sequence[float], order: int, scale: int) -> tuple[int, int]:
    """Ratings from 1 to ``scale`` that are in the order of the verdict."""
    first, second = (1 + round(share * (scale - 1)) for share in shares)
    if order > 0:
        first = max(first, 2)
        return first, min(second, first - 1)
    if order < 0:
        second = max(second, 2)
        return min(first, second - 1), second
    return first, first


def closest(answer: str, right: Sequence[str]) -> Closeness:
    """How close an answer is to the nearest of several references."""
    stated = stated_answer(answer)
    return max((closeness(stated, each) for each in right), default=Closeness(False, 0.0, 0.0))


def closeness(answer: str, right: str) -> Closeness:
    """How close an answer is to a reference."""
    words, right_words = _words(answer), _words(right)
    numbers, right_numbers = _numbers(answer), _numbers(right)
    equal = words == right_words and numbers == right_numbers
    return Closeness(equal, _f1(numbers, right_numbers), _f1(words, right_words))


def is_right(answer: str, right: str) -> bool:
    """Whether an answer has all words and numbers of a reference."""
    stated = stated_answer(answer)
    return not (
        Counter(_words(right)) - Counter(_words(stated))
        or Counter(_numbers(right)) - Counter(_numbers(stated))
    )


def stated_answer(text: str) -> str:
    """What stands under ``answer`` in an answer written as JSON; the whole text of any other."""
    try:
        found = json.loads(text[text.index("{") : text.rindex("}") + 1])
        stated = {str(key).casefold(): value for key, value in found.items()}["answer"]
        return stated if isinstance(stated, str) else json.dumps(stated, ensure_ascii=False)
    except (ValueError, KeyError, RecursionError):
        found = list(_ANSWER.finditer(text))
        return (found[-1][1] or found[-1][2] or "") if found else text


def _words(text: str) -> list[str]:
    return [stem(word) for word in _WORD.findall(text.casefold()) if word not in STOP]


def _numbers(text: str) -> list[str]:
    """The numbers of a text to four digits; one in parentheses or behind a minus is negative."""
    return [
        f"{'-' * bool(found['sign'])}{float(found['digits'].replace(',', '')):.4g}"
        for found in _NUMBER.finditer(text)
    ]


def _f1(some: Sequence[str], right: Sequence[str]) -> float:
    shared = sum((Counter(some) & Counter(right)).values())
    return 2 * shared / (len(some) + len(right)) if shared else 0.0
