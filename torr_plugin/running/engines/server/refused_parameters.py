"""Generation parameters that a server refuses by their names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

NEEDED = frozenset({"max_tokens", "max_completion_tokens"})
"""What is replaced and never left out: an answer without a limit may cost anything."""

# what may be left out: an answer is asked for without it, and that is said
_OPTIONAL = ("temperature", "top_p", "top_k", "stop", "stop_sequences", "seed", "do_sample")
_INSTEAD = re.compile(r"\buse [`'\"]?(max_tokens|max_completion_tokens)\b", re.IGNORECASE)
_REFUSAL = (
    r"(?i:unsupported|not (?:\w+ )?(?:supported|permitted|allowed|accepted)|does(?: not|n't) support"
    r"|deprecated|unknown|unrecogni[sz]ed|unexpected|extra (?:inputs|fields)|only the default"
    r"|cannot (?:both )?be)"
)
_REFUSES = re.compile(_REFUSAL)
_NAMES = "|".join([*_OPTIONAL, *sorted(NEEDED)])
# servers quote prompts: a name counts alone in quotes, or where nothing else is between it and the refusal
_NAME = rf"(?<![\w.])({_NAMES})(?!\w)"
_GAP = r"[^\w.?!'\"`]*"
_BETWEEN = (
    rf"{_GAP}(?:(?i:{_NAMES}|the|this|model|request|body|keyword|sampling|custom|setting|arguments?"
    r"|param(?:eter)?s?|fields?|keys?|names?|propert(?:y|ies)|options?|inputs?|values?|sequences?|s"
    rf"|supplied|is|are|for|on|with|and|or)\b{_GAP}){{0,6}}?"
)
_NAMED = re.compile(rf"[`'\"]{_NAME}[`'\"]|{_NAME}(?={_BETWEEN}{_REFUSAL})|{_REFUSAL}{_BETWEEN}{_NAME}")
_MOST = 2000
# what stands where a field's name would
_NO_FIELD = ("", "None", "body")


class RefusedParameter(NamedTuple):
    """A field of a request, the one that the server wants in its place, if any, and its words."""

    name: str
    instead: str | None
    reason: str


def refused_parameter(status: int, problem: str, words: str, reply: Any) -> RefusedParameter | None:
    """Which parameter a server's error refuses; None where it is about something else.

    Args:
        status: HTTP's.
        problem: the error as it would be stored.
        words: its message.
        reply: its JSON.
    """
    if status not in (400, 422) or not _REFUSES.search(words := words[:_MOST]):
        return None
    instead = _INSTEAD.search(words)
    named = _said(reply) or ["".join(found) for found in _NAMED.findall(words)]
    name = next((each for each in named if each in _OPTIONAL or each in NEEDED), None)
    if name is None or (name in NEEDED and (instead is None or instead[1] == name)):
        return None
    return RefusedParameter(name, instead[1] if instead and name in NEEDED else None, problem)


def _said(reply: Any) -> list[str]:
    """The names in the error's own field for them: OpenAI's ``param``, the end of pydantic's ``loc``."""
    if not isinstance(reply, Mapping):
        return []
    error, detail = reply.get("error"), reply.get("detail")
    found = [error.get("param")] if isinstance(error, Mapping) else []
    for each in detail[:8] if isinstance(detail, list) else ():
        place = each.get("loc") if isinstance(each, Mapping) else None
        found += place[-1:] if isinstance(place, list) else []
    return [each for each in found if isinstance(each, str) and each not in _NO_FIELD]
