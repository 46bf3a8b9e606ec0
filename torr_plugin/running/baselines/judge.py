"""``torr-judge``: a judge that is no model of language, but compares answers with the reference by a rule.

In: the text of a prompt of ``torr judge``. Out: a reply of the form that the prompt asks for. What stands
between two equal fences is one text, whatever it holds, so that no answer can end its own fence or pass for
another.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence

from .lm import TextBaseline
from .reading import STOP, stem

NO_JUDGING = "This is not a judge's prompt."
"""The reply to any other prompt; it is no verdict."""

_FENCED = re.compile(r"^([^\n]*):\n(=== [0-9a-f]{24} ===)\n(.*?)\n\2$", re.MULTILINE | re.DOTALL)
_SCALE = re.compile(r"^Rate both answers from 1 to (\d{1,3}),", re.MULTILINE)
_ANY = "\n(Any one of these is right.)"
_TOKEN = re.compile(r"[-\u2212(]?[$\u20ac\u00a3 ]{0,2}[0-9][0-9,]{0,30}(?:\.[0-9]{1,30})?|[^\W\d_]+")


class RuleJudge(TextBaseline):
    """``torr-judge``: judges answers by a rule, their closeness to the reference."""

    def __init__(self) -> None:
        super().__init__(judged)


def judged(prompt: str) -> str:
    """The reply to a judge's prompt: yes or no, a score, or which of two answers is better, as it asks."""
    texts = fenced_texts(prompt)
    labels = [label for label, _ in texts]
    right = [text for label, text in texts if label in ("Reference answer", "Rubric")]
    unfenced = re.split(r"(?:^|\n)(?:Right|Reference) answer: ", _FENCED.sub("", prompt).rstrip("\n"))
    right += [reference.split("\n\n")[0].removesuffix(_ANY) for reference in unfenced[1:]]
    if labels[-2:] == ["First answer", "Second answer"]:
        scale = _SCALE.search(prompt)
        return _compared(texts[-2][1], texts[-1][1], right, int(scale[1]) if scale else None)
    if labels[-1:] == ["Answer to check"]:
        stated = Counter(_tokens(stated_answer(texts[-1][1])))
        return "yes" if any(not Counter(_tokens(reference)) - stated for reference in right) else "no"
    if labels[-1:] == ["Answer to grade"]:
        return f"[Score]: {round(100 * _closeness(texts[-1][1], right))}/100"
    return NO_JUDGING


def fenced_texts(prompt: str) -> list[tuple[str, str]]:
    """The label above and the text between two equal fences, from the first line on."""
    return [(label, text) for label, _, text in _FENCED.findall(prompt)]


def _compared(first: str, second: str, right: Sequence[str], scale: int | None) -> str:
    """The reply on two answers: the closer one is better; with a ``scale`` both are rated from 1."""
    shares = _closeness(first, right), _closeness(second, right)
    order = (shares[0] > shares[1]) - (shares[0] < shares[1])
    told = [
        "equals the reference" if share == 1 else f"agrees with the reference by {share:.2f}"
        for share in shares
    ]
    reply: dict[str, str | int] = {"reason": f"The first answer {told[0]}; the second {told[1]}."}
    if scale is not None:
        low, high = sorted(1 + round(share * (scale - 1)) for share in shares)
        if order and low == high:
            low, high = (low - 1, high) if low > 1 else (low, high + 1)
        reply |= {"rating_first": high if order > 0 else low, "rating_second": low if order > 0 else high}
    return json.dumps({**reply, "verdict": {1: "first", 0: "tie", -1: "second"}[order]})


def _closeness(answer: str, right: Sequence[str]) -> float:
    """F1 of the words and numbers that an answer shares with the nearest reference."""
    stated = Counter(_tokens(stated_answer(answer)))
    references = [Counter(_tokens(reference)) for reference in right]
    return max(
        (
            2 * (stated & each).total() / (stated.total() + each.total())
            for each in references
            if stated or each
        ),
        default=0.0,
    )


def stated_answer(text: str) -> str:
    """What stands under ``answer`` in an answer written as JSON; the whole text of any other."""
    try:
        found = json.loads(text[text.index("{") : text.rindex("}") + 1])
        stated = {str(key).casefold(): value for key, value in found.items()}["answer"]
    except (ValueError, KeyError, RecursionError):
        return text
    return stated if isinstance(stated, str) else json.dumps(stated, ensure_ascii=False)


def _tokens(text: str) -> list[str]:
    """Words, and numbers to four digits; a number in parentheses or behind a minus is negative."""
    found = (each.group() for each in _TOKEN.finditer(text.casefold()) if each.group() not in STOP)
    return [_number(each) if each[-1] in "0123456789," else stem(each) for each in found]


def _number(text: str) -> str:
    sign = -1 if text.startswith(("-", "(", "\u2212")) else 1
    return f"{sign * float(re.sub(r'[^0-9.]', '', text)):.4g}"
