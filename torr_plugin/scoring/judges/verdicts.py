"""A judge's verdict, read strictly, and how far two verdicts on the same answers agree."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, TypeAlias, TypedDict

Verdict: TypeAlias = Literal["yes", "no", "unclear"]

LONGEST = 20_000
_THOUGHT = "</think>"
_WORD = re.compile(r"\W*(?:(?:verdict|answer|judgement|judgment)\W+)?(yes|no)\b(?P<rest>.*)", re.DOTALL)
_ENDS = re.compile(r"[\s*_`\"')\]]*(?:$|[.,;:!\u2014-])")


def verdict_of(text: str) -> Verdict:
    """``yes`` or ``no`` where the judge's first line says just one of them, else ``unclear``.

    Only the first ``LONGEST`` characters are read, without the thoughts of a reasoning model (up to the last
    ``</think>``). The word may follow ``Verdict:`` or ``Answer:``, stand in marks such as ``**``
    or quotes, and be followed by a mark and reasons; ``no doubt it is`` or ``yes and no`` are no verdict.
    """
    answer = text[-LONGEST:].rpartition(_THOUGHT)[2] if _THOUGHT in text[-LONGEST:] else text[:LONGEST]
    line = next((line for line in answer.lower().splitlines() if line.strip()), "")
    found = _WORD.match(line)
    if found is None or not _ENDS.match(found["rest"]):
        return "unclear"
    other = "no" if found[1] == "yes" else "yes"
    if re.search(rf"\b{other}\b", found["rest"]):
        return "unclear"
    return "yes" if found[1] == "yes" else "no"


_SCORE = re.compile(r"\bscore\b[\]*_ ]{0,4}(?:[:=]|is\b|of\b)?[*_ ]{0,4}(?P<score>\S.{0,40})", re.IGNORECASE)
_OF_A_HUNDRED = re.compile(r"(\d{1,3}(?:\.\d{1,4})?)\s?(?:/\s?100|out of 100|%)?[\s.*_)\]]*")


def score_of(text: str) -> float | None:
    """A judge's score from 0 to 100, as in ``[Score]: 85/100``; None where the text gives no such score.

    The last line with ``Score`` counts, of a reasoning model the last one behind its thoughts. A score beyond
    100 (``120/100``) or of another scale (``8/10``), a range or a negative number is no score: it is never
    clipped or converted. Only the last ``LONGEST`` characters are read.
    """
    said = text[-LONGEST:].rpartition(_THOUGHT)[2].partition("<think>")[0]
    found = [_SCORE.search(line) for line in said.splitlines()]
    last = next((each for each in reversed(found) if each), None)
    number = _OF_A_HUNDRED.fullmatch(last["score"]) if last else None
    return score if number and (score := float(number[1])) <= 100 else None


class Confusion(TypedDict):
    """Numbers of answers by both verdicts; their sum is the number of clear verdicts."""

    both: int
    judge_alone: int
    contained_alone: int
    neither: int


class JudgeAgreement(TypedDict):
    """A judge's verdicts beside complete containment.

    ``judged_right`` and ``contained`` are the shares that the one and the other call right, ``accuracy`` the
    share on which they agree, ``kappa`` Cohen's: all over the ``n`` answers with a clear verdict, null where
    there is none. ``unclear`` and ``failed`` (the judge gave an error) answers are counted apart.
    """

    n: int
    judged_right: float | None
    contained: float | None
    accuracy: float | None
    kappa: float | None
    confusion: Confusion
    unclear: int
    failed: int


def agreement(verdicts: Iterable[str | None], contained: Iterable[bool]) -> JudgeAgreement:
    """Compare verdicts (``yes``, ``no``, ``unclear``; None: failed) with whether an answer holds all values.

    Formula: Cohen's kappa = ``(p - e) / (1 - e)`` with p the share of agreement and e that of chance, from
    the margins (Cohen, "A coefficient of agreement for nominal scales", 1960); null where e is 1, which is
    where both call all answers the same.
    """
    pairs = list(zip(verdicts, contained, strict=True))
    clear = [(verdict == "yes", bool(held)) for verdict, held in pairs if verdict in ("yes", "no")]
    confusion = Confusion(
        both=clear.count((True, True)),
        judge_alone=clear.count((True, False)),
        contained_alone=clear.count((False, True)),
        neither=clear.count((False, False)),
    )
    n = len(clear)
    right = confusion["both"] + confusion["judge_alone"]
    held = confusion["both"] + confusion["contained_alone"]
    same = confusion["both"] + confusion["neither"]
    return JudgeAgreement(
        n=n,
        judged_right=right / n if n else None,
        contained=held / n if n else None,
        accuracy=same / n if n else None,
        kappa=_kappa(same, right, held, n),
        confusion=confusion,
        unclear=sum(verdict == "unclear" for verdict, _ in pairs),
        failed=sum(verdict is None for verdict, _ in pairs),
    )


def _kappa(same: int, right: int, held: int, n: int) -> float | None:
    """Cohen's kappa of two yes-or-no raters, in whole numbers until the last division."""
    chance = right * held + (n - right) * (n - held)
    return (same * n - chance) / (n * n - chance) if n * n != chance else None
