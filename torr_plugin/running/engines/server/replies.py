"""What a server's reply means: an answer, an error of the request, a refusal of all, or another attempt.

Nothing in a reply is trusted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timezone
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ...contexts import Failure
from ...model_class import model_class_of
from ..base import ModelOutput
from .payloads import RefusedParameter, refused_parameter

if TYPE_CHECKING:
    from lm_eval.api.model import LM

Trouble: TypeAlias = Literal["unreachable", "not ready", "overloaded", "slow", "faulty"]


@dataclass(frozen=True, slots=True)
class ServerReply:
    """``headers`` ignores the case of names."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Denial:
    """A refusal that would hold for every request: a wrong key, path or model, an empty account."""

    reason: str


@dataclass(frozen=True, slots=True)
class RetryLater:
    """No answer yet, but another attempt may bring one.

    ``wait``: the seconds that the server asks for; ``may_be_loading``: so says a server that is not ready.
    """

    trouble: Trouble
    reason: str
    wait: float | None = None
    may_be_loading: bool = False


AttemptResult: TypeAlias = "ModelOutput | Failure | RetryLater | Denial | RefusedParameter"

_DENIED = frozenset({401, 402, 403, 404, 405, 407})
_OVERLOADED = frozenset({429, 503, 529})
_AGAIN = frozenset({408, 409, 425})
# of a gateway before a server that starts, or of the server itself as it loads its weights
_NOT_READY = frozenset({502, 503, 504})
_EMPTY_ACCOUNT = frozenset({"insufficient_quota", "billing_not_active", "billing_hard_limit_reached"})
_FILTERED = frozenset({"content_filter", "content_policy_violation", "responsibleaipolicyviolation"})
# all of them are stored as the first
REFUSAL_REASONS = (
    *("content_filter", "refusal", "safety", "recitation", "prohibited_content", "blocklist", "spii"),
    *("sensitive", "content_filtered", "guardrail_intervened"),
)
_BROKEN_OFF = frozenset({"abort", "error", "insufficient_system_resource", "cancelled"})
_REASONS = {
    **dict.fromkeys(("end_turn", "stop_sequence", "eos_token", "eos", "completed"), "stop"),
    **dict.fromkeys(("max_tokens", "model_context_window_exceeded", "model_length"), "length"),
}
# the types of parts that hold thoughts, and the fields of messages and parts
_THINKING = ("thinking", "reasoning", "redacted_thinking")
_THOUGHTS = ("reasoning_content", "reasoning", "thinking")
_MESSAGES = ("error", "message", "detail", "details", "msg", "error_message")
_MOST_TOKENS = 10**12
_MOST_WORDS = 300
_MOST_READ = 65_536
# a script that is not closed is one to the end: what fails there would be tried again from each beginning
_TAG = re.compile(r"<(script|style)\b.*?(?:</\1\s*>|\Z)|<[^<>]*>", re.DOTALL | re.IGNORECASE)


_Counts: TypeAlias = "tuple[int | None, int | None, int | None, int | None, int | None]"


class MalformedReply(Exception):  # noqa: N818 - a kind of reply, no error of ours
    """A reply that is no answer; another attempt may bring one."""


class MissingText(Exception):  # noqa: N818
    """A sound reply without a text."""


class ReplyReader:
    """Reads the replies for one model; a plugin's class reads the texts with its own parser."""

    def __init__(self, lm: LM) -> None:
        parser = type(lm).parse_generations
        self._own = None if parser.__module__.startswith("lm_eval.models.") else lm.parse_generations
        self._chat = model_class_of(type(lm)).chat_replies

    def meaning(self, reply: ServerReply, wall: float) -> AttemptResult:
        """What a reply means.

        Args:
            reply: the server's.
            wall: seconds since 1970, for replies that say when to ask again.
        """
        if not 200 <= reply.status < 300:
            return _refused(reply.status, reply, _json_if_any(reply.body), wall)
        try:
            outputs = _decoded(reply.body)
            if isinstance(outputs, dict) and outputs.get("error") and not outputs.get("choices"):
                return _refused(_inner_status(outputs["error"]), reply, outputs, wall)
            return self._answer(outputs)
        except MalformedReply as error:
            return RetryLater(
                "faulty", f"{_named(reply.status)}: {error}" if reply.status != 200 else str(error)
            )

    def _answer(self, outputs: Any) -> ModelOutput | Failure | RetryLater:
        """A refusal keeps its reason ``content_filter`` and, as its text, the server's words for it."""
        choice = _first_choice(outputs)
        known, refusal = _facts(outputs, choice)
        if known.finish_reason in _BROKEN_OFF:
            return RetryLater("faulty", f"the server broke off the answer ({known.finish_reason})")
        refused = bool(refusal) or known.finish_reason in REFUSAL_REASONS
        try:
            text = self._text(outputs, choice)
        except MissingText as error:
            if not (refused or known.finish_reason == "length" or known.reasoning):
                return Failure(f"no answer: {error} (finish reason {known.finish_reason or 'not given'})")
            text = ""
        except MalformedReply:
            if not refused:
                raise
            text = ""
        if refused:
            return replace(known, text=refusal or text, finish_reason=REFUSAL_REASONS[0])
        return replace(known, text=text)

    def _text(self, outputs: Mapping[str, Any], choice: Mapping[str, Any] | None) -> str:
        if self._own is not None:
            text = self._parsed(outputs, choice)
        elif choice is None:
            text = outputs.get("content", outputs.get("text"))
        elif self._chat or "message" in choice:
            text = _content(choice.get("message"))
        else:
            text = choice.get("text")
            if text is None and "text" in choice:
                raise MissingText("the server gave null for a text")
        if isinstance(text, list):
            return _joined(text)
        if not isinstance(text, str):
            raise MalformedReply(f"expected a text as the answer, found {type(text).__name__}")
        return text

    def _parsed(self, outputs: Mapping[str, Any], choice: Mapping[str, Any] | None) -> Any:
        one = outputs if choice is None else {**outputs, "choices": [{**choice, "index": 0}]}
        try:
            return self._own(outputs=one)[0]  # type: ignore[misc]
        except Exception as error:  # written for replies as they should be
            raise MalformedReply(f"the reply is no answer ({type(error).__name__})") from error


def _content(message: Any) -> Any:
    """The content of a choice's message."""
    if not isinstance(message, dict) or not message:
        raise MalformedReply(f"expected a message in the choice, found {message!r:.80}")
    if message.get("content") is None:
        tool = message.get("tool_calls")
        raise MissingText(
            "the model called a tool in place of an answer" if tool else "the server gave null for a text"
        )
    return message["content"]


def _decoded(body: bytes) -> Any:
    """The JSON of a reply; invalid UTF-8 becomes U+FFFD."""
    text = body.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    try:
        return json.loads(text)
    except RecursionError:
        raise MalformedReply("expected an answer as JSON, found JSON that is nested too deeply") from None
    except ValueError:
        found = repr(" ".join(text[:320].split())[:80]) if text.strip() else "nothing"
        raise MalformedReply(f"expected an answer as JSON, found {found}") from None


def _json_if_any(body: bytes) -> Any:
    try:
        return _decoded(body[:_MOST_READ])
    except MalformedReply:
        return None


def _first_choice(outputs: Any) -> Mapping[str, Any] | None:
    """The choice of the lowest index; None for replies of a kind without choices."""
    if not isinstance(outputs, dict):
        raise MalformedReply(f"expected an answer as a JSON object, found {type(outputs).__name__}")
    if "choices" not in outputs:
        return None
    choices = outputs["choices"]
    if not isinstance(choices, list) or not choices or not all(isinstance(each, dict) for each in choices):
        raise MalformedReply("expected at least one choice in the reply")

    def place(at: int) -> int:
        index = choices[at].get("index")
        return index if isinstance(index, int) else at

    found: Mapping[str, Any] = choices[min(range(len(choices)), key=place)]
    return found


def _joined(parts: list[Any]) -> str:
    """The text of a content in parts, without the model's thoughts."""
    texts = [
        part["text"]
        for part in parts
        if isinstance(part, dict) and isinstance(part.get("text"), str) and part.get("type") not in _THINKING
    ]
    if parts and not texts:
        raise MissingText("the answer has no part that is a text")
    return "".join(texts)


def _facts(outputs: Mapping[str, Any], choice: Mapping[str, Any] | None) -> tuple[ModelOutput, str | None]:
    """What a reply of OpenAI's, Anthropic's or SGLang's shape says beside its text, and its refusal.

    What makes no sense is None.
    """
    usage = _mapping(outputs.get("usage"))
    if choice is not None:
        message, reason = _mapping(choice.get("message")), _reason(choice.get("finish_reason"))
        known = ModelOutput("", reason, *_openai_counts(usage), reasoning=_thoughts(message))
        refusal = message.get("refusal")
        return known, refusal if isinstance(refusal, str) and refusal.strip() else None
    if "stop_reason" in outputs:
        rest, completion = _count(usage.get("input_tokens")), _count(usage.get("output_tokens"))
        cached = _count(usage.get("cache_read_input_tokens"))
        written = _count(usage.get("cache_creation_input_tokens"))
        # Anthropic counts the parts of a prompt that a cache has or takes separately
        whole = None if rest is None else rest + (cached or 0) + (written or 0)
        reason, thoughts = _reason(outputs["stop_reason"]), _thoughts(outputs)
        return ModelOutput("", reason, whole, completion, cached, written, reasoning=thoughts), None
    meta = _mapping(outputs.get("meta_info"))
    ended = meta.get("finish_reason")
    prompt, completion, cached = (
        _count(meta.get(name)) for name in ("prompt_tokens", "completion_tokens", "cached_tokens")
    )
    return ModelOutput("", _reason(_mapping(ended).get("type", ended)), prompt, completion, cached), None


def _openai_counts(usage: Mapping[str, Any]) -> _Counts:
    """Tokens of the prompt, of the completion, and parts of them: cached, put into a cache, of thoughts."""
    details = _mapping(usage.get("prompt_tokens_details"))
    cached = _count(details.get("cached_tokens", usage.get("prompt_cache_hit_tokens")))  # as DeepSeek says it
    thoughts = _count(_mapping(usage.get("completion_tokens_details")).get("reasoning_tokens"))
    prompt, completion, total = (
        _count(usage.get(name)) for name in ("prompt_tokens", "completion_tokens", "total_tokens")
    )
    if None not in (prompt, completion, total, thoughts) and total == prompt + completion + thoughts:  # type: ignore[operator]
        completion += thoughts  # type: ignore[operator]  # some servers count these apart
    return prompt, completion, cached, _count(details.get("cache_write_tokens")), thoughts


def _thoughts(message: Mapping[str, Any]) -> str | None:
    """The thoughts that a message holds beside its text: in a field of their own, or in parts of it."""
    found = next((message[name] for name in _THOUGHTS if isinstance(message.get(name), str)), None)
    if found is None and isinstance(parts := message.get("content"), list):
        own = [part for part in parts if isinstance(part, dict) and part.get("type") in _THINKING]
        found = "\n".join(map(_thought, own))
    return found if found and found.strip() else None


def _thought(part: Mapping[str, Any]) -> str:
    text = part.get("thinking", part.get("text"))
    if isinstance(text, list):
        text = "".join(str(each.get("text", "")) for each in text if isinstance(each, dict))
    return text if isinstance(text, str) else "(not shown)"


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(value: Any) -> int | None:
    """A number of tokens; None for negative or absurd ones, NaN, texts and booleans."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= _MOST_TOKENS:
        return None
    return int(value) if value == int(value) else None


def _reason(value: Any) -> str | None:
    if not isinstance(value, str) or not value.strip():
        return None
    word = "".join(each for each in value.strip().lower() if each.isprintable())[:40]
    return _REASONS.get(word, word)


def _refused(status: int, reply: ServerReply, outputs: Any, wall: float) -> AttemptResult:
    words, codes = _words(reply.body, outputs), _codes(outputs)
    problem = f"{_named(status)}: {words}" if words else _named(status)
    if 300 <= status < 400:
        to = reply.headers.get("location", "").partition("?")[0][:120]
        return Denial(f"{problem}; it redirects to {to!r}, which is not followed")
    if status in _DENIED or codes & _EMPTY_ACCOUNT:
        return Denial(problem)
    if status in _OVERLOADED or status in _AGAIN or not 400 <= status < 500:
        trouble: Trouble = "overloaded" if status in _OVERLOADED else "faulty"
        return RetryLater(trouble, problem, retry_after(reply.headers, wall), status in _NOT_READY)
    if codes & _FILTERED:
        return ModelOutput(problem, "content_filter")
    return refused_parameter(status, problem, words, outputs) or Failure(problem)


def _named(status: int) -> str:
    try:
        return f"HTTP {status} {HTTPStatus(status).phrase}"
    except ValueError:
        return f"HTTP {status}"


def _inner_status(error: Any) -> int:
    """The status of an error inside a reply with status 200, as some gateways send it."""
    code = error.get("code") if isinstance(error, dict) else None
    if isinstance(code, str) and code.isdecimal() and len(code) == 3:
        code = int(code)
    return code if isinstance(code, int) and 400 <= code < 600 else 500


def _codes(outputs: Any) -> set[str]:
    """The error's code and type, in lower case; Azure nests another one."""
    error = _mapping(_mapping(outputs).get("error"))
    found = [error.get("code"), error.get("type"), _mapping(error.get("innererror")).get("code")]
    return {each.lower() for each in found if isinstance(each, str)}


def _words(body: bytes, outputs: Any) -> str:
    """The server's words for an error, under whichever name it gives them, as one bounded line."""
    for _ in range(4):
        if isinstance(outputs, list) and outputs:
            outputs = outputs[0]
        if isinstance(outputs, dict):
            outputs = next((outputs[name] for name in _MESSAGES if outputs.get(name)), None)
    if not isinstance(outputs, str):
        outputs = _TAG.sub(" ", body[:_MOST_READ].decode("utf-8", "replace"))
    line = " ".join("".join(each if each.isprintable() else " " for each in outputs[:_MOST_READ]).split())
    return line if len(line) <= _MOST_WORDS else line[:_MOST_WORDS] + "..."


_NUMBER = re.compile(r"\+?(?:\d+(?:\.\d*)?(?:e\+?\d+)?|inf(?:inity)?)", re.ASCII | re.IGNORECASE)


def retry_after(headers: Mapping[str, str], wall: float) -> float | None:
    """The seconds that a reply asks to wait, maybe without end; None where it says nothing, or no sense.

    Args:
        headers: the reply's, in a mapping that ignores case.
        wall: seconds since 1970 on our clock, for replies without a date of their own.
    """
    for name, unit in (("retry-after-ms", 1000), ("x-ms-retry-after-ms", 1000), ("retry-after", 1)):
        if _NUMBER.fullmatch(text := headers.get(name, "").strip()):
            return float(text) / unit
    until = _date(headers.get("retry-after", ""))
    return None if until is None else max(0.0, until - (_date(headers.get("date", "")) or wall))


def _date(text: str) -> float | None:
    """Seconds since 1970 of a date as in HTTP."""
    try:
        found = parsedate_to_datetime(text.strip()[:64])
        return (found if found.tzinfo else found.replace(tzinfo=timezone.utc)).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
