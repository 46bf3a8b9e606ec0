"""From the JSON of a reply to a text and what the server tells of it. Nothing in a reply is trusted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...contexts import Failure
from ..base import Generated
from .facts import REFUSED, UNFINISHED, Facts, facts_of
from .outcomes import Again, Trouble
from .shapes import Malformed, Missing, shaped

if TYPE_CHECKING:
    from lm_eval.api.model import LM

_SHOWN = 80


def decoded(body: bytes) -> Any:
    """The JSON of a reply; bytes that are no UTF-8 become U+FFFD.

    Raises:
        Malformed: no JSON, cut short, or nested too deeply.
    """
    text = body.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    try:
        return json.loads(text)
    except RecursionError:
        raise Malformed("expected an answer as JSON, found JSON that is nested too deeply") from None
    except ValueError:
        raise Malformed(f"expected an answer as JSON, found {_described(text)}") from None


def _described(text: str) -> str:
    if not text.strip():
        return "nothing"
    return repr(" ".join(text[: 4 * _SHOWN].split())[:_SHOWN])


def generated(lm: LM, outputs: Any) -> Generated | Failure | Again:
    """What a reply's JSON says, its text parsed by the lm-eval model itself.

    A refusal keeps its reason ``content_filter`` and, as its text, the server's words for it.
    """
    try:
        facts = facts_of(outputs)
        if facts.reason in REFUSED or facts.refusal:
            return _with(facts, facts.refusal or facts.text or "", REFUSED[0])
        if facts.reason in UNFINISHED:
            return Again(Trouble.FAULTY, f"the server broke off the answer ({facts.reason})")
        return _with(facts, _parsed(lm, shaped(outputs)), facts.reason)
    except Missing as error:
        return _no_text(facts, str(error))
    except Malformed as error:
        return Again(Trouble.FAULTY, str(error))


def _with(facts: Facts, text: str, reason: str | None) -> Generated:
    return Generated(text, reason, facts.prompt_tokens, facts.completion_tokens, facts.cached_tokens)


def _parsed(lm: LM, outputs: Mapping[str, Any]) -> str:
    if _in_messages(lm) and not any("message" in choice for choice in outputs.get("choices", ())):
        raise Malformed("expected a choice with a message")  # lm-eval would take it for an empty answer
    try:
        texts = lm.parse_generations(outputs=outputs)
        text = texts[0]
    except Exception as error:  # written for replies as they should be
        raise Malformed(f"the reply has another shape than an answer ({type(error).__name__})") from error
    if not isinstance(text, str):
        raise Malformed(f"expected a text as the answer, found {type(text).__name__}")
    return text


def _in_messages(lm: LM) -> bool:
    return any(kind.__name__ == "LocalChatCompletion" for kind in type(lm).__mro__)


def _no_text(facts: Facts, what: str) -> Failure:
    if facts.reason == "length":
        spent = f" after {facts.completion_tokens} tokens" if facts.completion_tokens is not None else ""
        return Failure(
            f"no answer: the model reached max_tokens{spent} before it wrote any text; "
            "a model that reasons needs a larger max_tokens"
        )
    return Failure(f"no answer: {what} (finish reason {facts.reason or 'not told'})")
