"""A judge's verdict, read strictly, and how far two verdicts on the same answers agree."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Literal, TypeAlias

from ...core.texts import split_thoughts

Verdict: TypeAlias = Literal["yes", "no", "unclear"]

_WORDS = ("yes", "no")
# a line "Verdict: ...", "**Final verdict:** ...", "My answer - ...", up to what it says, if on the next line
_LABEL = re.compile(
    r"^[^\w\n]{0,20}(?:(?:the|my|so|final|overall)[^\w\n]{1,4}){0,3}"
    r"(?:(?:verdict|judge?ment)\b[^\w\n:=\u2013\u2014-]{0,6}(?:[:=\u2013\u2014-]|\bis\b|\n)"
    r"|answer\b[^\w\n:=\u2013\u2014-]{0,6}[:=\u2013\u2014-])\W{0,20}",
    re.IGNORECASE | re.MULTILINE,
)
_ENDS = re.compile(r"[\s*_`\"')\]}]*(?:$|[.,;:!\u2014-])")


def said_behind_thoughts(text: str) -> str:
    """What a judge says behind its thoughts; nothing where it ended in them."""
    split = split_thoughts(text)
    return "" if split.open else split.text


def labelled(said: str, words: Collection[str]) -> str | None:
    """What the last line ``Verdict:`` (judgement, answer; final, my) says, in lower case.

    Returns:
        One of ``words``; ``unclear`` where it says none of them or several; None without such a line. A line
        ``Answer:`` counts only where one of the words follows, as a judge may repeat what it judges.
    """
    found = None
    for label in _LABEL.finditer(said):
        stated = _stated(_rest_of_line(said, label.end()), words)
        if stated is not None or "answer" not in label[0].lower():
            found = stated or "unclear"
    return found


def _rest_of_line(text: str, start: int) -> str:
    """A line from a place on; a partition would copy all that follows, at each of many labels."""
    end = text.find("\n", start)
    return text[start:] if end < 0 else text[start:end]


def _stated(line: str, words: Collection[str]) -> str | None:
    """The word that a line begins with, if a mark follows, or nothing, and no other of ``words``."""
    found = re.match(rf"\W*({'|'.join(words)})\b(?P<rest>.*)", line.lower())
    if found is None or not _ENDS.match(found["rest"]):
        return None
    others = {*re.findall(r"\w+", found["rest"])}.intersection(words) - {found[1]}
    return None if others else found[1]


def verdict_of(text: str) -> Verdict:
    """``yes`` or ``no`` where the judge says just one of them, else ``unclear``.

    The word may stand in marks such as ``**`` or quotes and be followed by a mark and reasons; ``no doubt it
    is`` and ``yes and no`` are no verdict. The last line ``Verdict:`` counts, see :func:`labelled`, and in a
    reply without one the first line; a last line that begins with the other word makes it unclear. Thoughts
    are no part of a reply, and one that ended in them is unclear.
    """
    said = said_behind_thoughts(text)
    lines = [line for line in said.splitlines() if line.strip()] or [""]
    first = labelled(said, _WORDS) or _stated(lines[0], _WORDS)
    found = {word for word in (first, _stated(lines[-1], _WORDS)) if word is not None}
    if found == {"yes"}:
        return "yes"
    return "no" if found == {"no"} else "unclear"


_SCORE = re.compile(
    r"\bscore\b[\]\"'*_ ]{0,6}(?:[:=]|\bis\b|\bof\b|[-\u2013\u2014] )?[\"'*_\[ ]{0,4}(?=[-+\u2212]?\d)",
    re.IGNORECASE,
)
_ALONE = re.compile(r"^[ \t\"'*_`\[(]*(?=[-+\u2212]?\d)", re.MULTILINE)
_GRADE = re.compile(
    r"(?P<number>\d{1,3}(?:\.\d{1,4})?)(?![\d.,]?\d|[^\W\d_])"
    r"(?:[*_ ]{0,4}(?:/ ?|(?:out )?of )(?P<scale>\d{1,9})\b| ?%)?"
    # neither a range nor an alternative
    r"(?! ?(?:[-\u2013/~,;] ?\d|(?:to|or|and)\b))"
)
MOST = 100.0
"""The best score."""


def score_of(text: str) -> float | None:
    """A judge's score from 0 to 100; None where the text does not give exactly one.

    What follows the word ``score`` counts (``[Score]: 85/100``, ``{"score": 85}``), in the last line that has
    it; in a text without it, a line that is a number (``85``, ``85/100``, ``85%``). Equal scores that are
    repeated are one. A score beyond 100 (``120/100``), a negative one, one of another scale (``8/10``), one
    between 0 and 1, which may be a share, a range, and two different scores are none: nothing is clipped or
    converted. Thoughts are no part of a reply, and one that ended in them has no score.
    """
    said = said_behind_thoughts(text)
    labels = list(_SCORE.finditer(said))
    if labels:
        last_line = said.rfind("\n", 0, labels[-1].start())
        found = {_grade(said, label.end()) for label in labels if label.start() > last_line}
    else:
        found = {_grade(said, line.end(), alone=True) for line in _ALONE.finditer(said)}
    return found.pop() if len(found) == 1 else None


def _grade(text: str, start: int, *, alone: bool = False) -> float | None:
    """The score that begins at a place in a text; ``alone``: up to the end of the line."""
    given = _GRADE.match(text, start)
    if given is None or given["scale"] not in (None, "100"):
        return None
    if alone and _rest_of_line(text, given.end()).strip("\"'*_`]). \t\r"):
        return None
    score = float(given["number"])
    return score if score <= MOST and not 0 < score < 1 else None


def graded(text: str) -> str:
    """The verdict of a judge that gives scores: the score as text, or ``unclear``."""
    score = score_of(text)
    return "unclear" if score is None else f"{score:g}"


def verdict_score(verdict: object) -> float:
    """A verdict as a score from 0 to 1: yes is 1, no is 0, 85 is 0.85, none is NaN.

    Args:
        verdict: of :func:`verdict_of` or :func:`graded`; null where the judge failed.
    """
    if not isinstance(verdict, str):
        return math.nan
    words = {"yes": 1.0, "no": 0.0, "unclear": math.nan}
    return words[verdict] if verdict in words else float(verdict) / MOST


def grades(verdicts: Sequence[str | None], main: Sequence[float]) -> dict[str, Any]:
    """Summarize the verdicts of :func:`graded` (None: failed) beside the answers' main scores.

    Returns:
        ``judge`` and ``main`` are means over the ``n`` answers that have a score of the judge, null where
        there is none. Those to which the judge's reply holds no score (``unclear``), and those where it gave
        an error (``failed``) are counted apart.
    """
    scores = [verdict_score(verdict) for verdict in verdicts]
    clear = [(score, float(own)) for score, own in zip(scores, main, strict=True) if not math.isnan(score)]
    n = len(clear)
    return {
        "n": n,
        "judge": sum(score for score, _ in clear) / n if n else None,
        "main": sum(own for _, own in clear) / n if n else None,
        "unclear": sum(verdict == "unclear" for verdict in verdicts),
        "failed": sum(verdict is None for verdict in verdicts),
    }


def agreement(verdicts: Iterable[str | None], contained: Iterable[bool]) -> dict[str, Any]:
    """Compare verdicts (``yes``, ``no``, ``unclear``; None: failed) with whether an answer holds all values.

    Formula: Cohen's kappa = ``(p - e) / (1 - e)`` with p the share of agreement and e that of chance, from
    the margins (Cohen, "A coefficient of agreement for nominal scales", 1960); null where e is 1, which is
    where both call all answers the same.

    Returns:
        ``judged_right`` and ``contained`` are the shares that the one and the other call right, ``accuracy``
        the share on which they agree, ``kappa`` Cohen's: all over the ``n`` answers with a clear verdict,
        null where there is none. ``confusion`` has the numbers of answers by both verdicts; ``unclear`` and
        ``failed`` (the judge gave an error) answers are counted apart.
    """
    pairs = list(zip(verdicts, contained, strict=True))
    clear = [(verdict == "yes", bool(held)) for verdict, held in pairs if verdict in ("yes", "no")]
    confusion = {
        "both": clear.count((True, True)),
        "judge_alone": clear.count((True, False)),
        "contained_alone": clear.count((False, True)),
        "neither": clear.count((False, False)),
    }
    n = len(clear)
    right = confusion["both"] + confusion["judge_alone"]
    held = confusion["both"] + confusion["contained_alone"]
    same = confusion["both"] + confusion["neither"]
    return {
        "n": n,
        "judged_right": right / n if n else None,
        "contained": held / n if n else None,
        "accuracy": same / n if n else None,
        "kappa": _kappa(same, right, held, n),
        "confusion": confusion,
        "unclear": sum(verdict == "unclear" for verdict, _ in pairs),
        "failed": sum(verdict is None for verdict, _ in pairs),
    }


def _kappa(same: int, right: int, held: int, n: int) -> float | None:
    """Cohen's kappa of two yes-or-no raters, in whole numbers until the last division."""
    chance = right * held + (n - right) * (n - held)
    return (same * n - chance) / (n * n - chance) if n * n != chance else None
