"""What a judge of pairs replied, read so that no answer it quotes can pass for its verdict."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from ...running.answer import storable_text
from ..json_answers import read_json_object
from .verdicts import labelled, said_behind_thoughts

Choice: TypeAlias = Literal["first", "second", "tie"]

MOST_REASON = 2000
"""The most characters of a reason that are kept."""

MOST_SCALE = 100
"""The best rating that may be asked for."""

_MENTION = re.compile(r"verdict\W{1,12}(\w{1,20})", re.IGNORECASE)
_FENCED = re.compile(r"```(?:json)?(?P<inner>.*)```", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PairReply:
    """A judge's verdict on two answers.

    Attributes:
        verdict: which answer is better; ``unclear`` where the reply does not say just one thing.
        reason: the judge's words, hostile text of at most ``MOST_REASON`` characters.
        ratings: of the first and the second answer, from 0 to 1; None where none were asked, or unclear.
    """

    verdict: Choice | Literal["unclear"]
    reason: str
    ratings: tuple[float, float] | None = None


def read_pair_reply(
    reply: str, answers: Sequence[str], scale: int | None = None, *, cut: bool = False
) -> PairReply:
    """The verdict in a judge's reply, a JSON object with ``reason`` and ``verdict``.

    Small flaws of the JSON and words around it do no harm. Of a reply without JSON, and where no ratings were
    asked, the last line ``Verdict:`` counts, see :func:`.verdicts.labelled`. The verdict is unclear where
    there are several different objects, where it is another word, where words beside the object name another
    verdict, where the ratings are missing, beyond the scale or at odds with it, and where one of the answers
    holds it with the same reason, so that the judge may just have quoted that answer.

    Args:
        reply: as the judge gave it; its thoughts are not read.
        answers: those that it was shown.
        scale: the best rating, where ratings were asked.
        cut: it was cut at the most tokens, so that it is unclear whatever it says.
    """
    if cut:
        return PairReply("unclear", storable_text(reply[:MOST_REASON]))
    said = said_behind_thoughts(reply)
    found, problem = read_json_object(said)
    choice = _choice(found)
    if problem == "no JSON" and scale is None:
        return _in_words(said, answers)
    if found is None or problem or choice is None or not (_is_json(said) or _agree(said, choice)):
        return PairReply("unclear", storable_text(said[:MOST_REASON]))
    reason = _text(found.get("reason"))
    ratings = None if scale is None else _ratings(found, scale)
    if _is_quoted(choice, reason, answers) or (scale is not None and _order(ratings) != choice):
        return PairReply("unclear", storable_text(said[:MOST_REASON]))
    return PairReply(choice, storable_text(reason[:MOST_REASON]), ratings)


def _in_words(said: str, answers: Sequence[str]) -> PairReply:
    """The verdict of a reply without JSON; its words are the reason."""
    choice = next((each for each in get_args(Choice) if each == labelled(said, get_args(Choice))), None)
    quoted = choice is not None and _is_quoted(choice, "", answers)
    return PairReply("unclear" if choice is None or quoted else choice, storable_text(said[:MOST_REASON]))


def _is_json(said: str) -> bool:
    """Whether a text is JSON and nothing else, apart from a Markdown fence, so that its reason has an end."""
    within = _FENCED.fullmatch(said.strip())
    try:
        json.loads(within["inner"].strip() if within else said)
    except (ValueError, RecursionError):
        return False
    return True


def _choice(found: Mapping[str, Any] | None) -> Choice | None:
    word = _text((found or {}).get("verdict")).strip().casefold()
    return next((choice for choice in get_args(Choice) if choice == word), None)


def _agree(said: str, choice: str) -> bool:
    """Whether every verdict that a text mentions is this one."""
    words = {mention[1].casefold() for mention in _MENTION.finditer(said)}
    return words.isdisjoint({*get_args(Choice)} - {choice})


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _is_quoted(choice: str, reason: str, answers: Sequence[str]) -> bool:
    """Whether an answer has this verdict with this reason in it, however it is punctuated."""
    verdict, why = f"verdict{choice}", _letters(reason)
    return any(verdict in text and why in text for text in map(_letters, answers))


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


def _ratings(found: Mapping[str, Any], scale: int) -> tuple[float, float] | None:
    """The ratings of both answers as shares of the scale; None if one is missing or beyond it."""
    both = [_number(found.get(f"rating_{place}")) for place in ("first", "second")]
    first, second = ((given - 1) / (scale - 1) if given is not None else -1.0 for given in both)
    return (first, second) if 0 <= first <= 1 and 0 <= second <= 1 else None


def _number(value: object) -> float | None:
    if isinstance(value, str) and re.fullmatch(r"\s*\d{1,3}(\.\d{1,4})?\s*", value):
        return float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= MOST_SCALE else None


def _order(ratings: tuple[float, float] | None) -> Choice | None:
    if ratings is None:
        return None
    first, second = ratings
    return "tie" if first == second else "first" if first > second else "second"
