"""What a server's replies mean: answers, errors and refusals. Nothing in a reply is trusted."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import timezone
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any, Literal, TypeAlias

from ...answer import REFUSED
from ..base import Failure, ModelOutput
from .payloads import RefusedParameter, refused_parameter

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
_BROKEN_OFF = frozenset({"abort", "error", "insufficient_system_resource", "cancelled"})
# other servers' words, by the one that is stored
_WORDS = {
    "stop": ("end_turn", "stop_sequence", "eos_token", "eos", "completed"),
    "length": ("max_tokens", "model_context_window_exceeded", "model_length"),
    REFUSED: (
        *("refusal", "safety", "recitation", "prohibited_content", "blocklist", "spii", "sensitive"),
        *("content_filtered", "guardrail_intervened"),
    ),
}
_REASONS = {word: reason for reason, words in _WORDS.items() for word in words}
# the types of parts that hold thoughts, and the fields of messages and parts
_THINKING = ("thinking", "reasoning", "redacted_thinking")
_THOUGHTS = ("reasoning_content", "reasoning", "thinking")
_MESSAGES = ("error", "message", "detail", "details", "msg", "error_message")
_MOST_TOKENS = 10**12
_MOST_WORDS = 300
_MOST_NAME = 200
_MOST_READ = 65_536


class MalformedReply(Exception):  # noqa: N818 - a kind of reply, no error of ours
    """A reply that is no answer; another attempt may bring one."""


def meaning(reply: ServerReply, wall: float) -> AttemptResult:
    """What a reply means.

    Args:
        reply: the server's.
        wall: seconds since 1970, for replies that say when to ask again.
    """
    if not 200 <= reply.status < 300:
        outputs = None
        with suppress(MalformedReply):
            outputs = _decoded(reply.body[:_MOST_READ])
        return _refused(reply.status, reply, outputs, wall)
    try:
        outputs = _decoded(reply.body)
        if isinstance(outputs, dict) and outputs.get("error") and not outputs.get("choices"):
            return _refused(_inner_status(outputs["error"]), reply, outputs, wall)
        return _answer(outputs)
    except MalformedReply as error:
        return RetryLater("faulty", str(error))


def _decoded(body: bytes) -> Any:
    """The JSON of a reply; invalid UTF-8 becomes U+FFFD."""
    text = body.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        found = repr(" ".join(text[:320].split())[:80]) if text.strip() else "nothing"
        raise MalformedReply(f"expected an answer as JSON, found {found}") from None


def _answer(outputs: Any) -> ModelOutput | Failure | RetryLater:
    """A refusal has the reason ``content_filter`` and, as its text, the server's words for it."""
    if not isinstance(outputs, dict):
        raise MalformedReply(f"expected an answer as a JSON object, found {type(outputs).__name__}")
    if "choices" in outputs:
        choices = outputs["choices"]
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
            raise MalformedReply("expected at least one choice in the reply")
        choice = choices[0]
        message = choice if "text" in choice and "message" not in choice else _mapping(choice.get("message"))
        counts, reason = _openai_counts(outputs), _reason(choice.get("finish_reason"))
    else:
        message = outputs
        counts, reason = _anthropic_counts(outputs) if "stop_reason" in outputs else _sglang_counts(outputs)
    thoughts = _thoughts(message)
    known: dict[str, Any] = {**counts, "reasoning": thoughts, "served_by": _name(outputs.get("model"))}
    if reason in _BROKEN_OFF:
        return RetryLater("faulty", f"the server broke off the answer ({reason})")
    words = message.get("refusal")
    refusal = words if isinstance(words, str) and words.strip() else ""
    content = message.get("content", message.get("text", _ABSENT))
    text = _joined(content) if isinstance(content, list) else content
    if refusal or reason == REFUSED:
        return ModelOutput(refusal or (text if isinstance(text, str) else ""), REFUSED, **known)
    if isinstance(text, str):
        return ModelOutput(text, reason, **known)
    if text is not None:
        found = "nothing" if text is _ABSENT else type(text).__name__
        raise MalformedReply(f"expected a text as the answer, found {found}")
    if reason == "length" or thoughts:
        return ModelOutput("", reason, **known)
    missing = (
        "the model called a tool in place of an answer"
        if message.get("tool_calls")
        else "the server gave null for a text"
    )
    return Failure(f"no answer: {missing} (finish reason {reason or 'not given'})")


_ABSENT = object()


def _joined(parts: list[Any]) -> str | None:
    """The text of a content in parts, without the model's thoughts; None where no part is a text."""
    texts = [
        part["text"]
        for part in parts
        if isinstance(part, dict) and isinstance(part.get("text"), str) and part.get("type") not in _THINKING
    ]
    return "".join(texts) if texts or not parts else None


def _openai_counts(outputs: Mapping[str, Any]) -> dict[str, int | None]:
    """The numbers of tokens in a reply, by the fields of :class:`ModelOutput`."""
    usage = _mapping(outputs.get("usage"))
    details = _mapping(usage.get("prompt_tokens_details"))
    thoughts = _count(_mapping(usage.get("completion_tokens_details")).get("reasoning_tokens"))
    prompt, completion, total = (
        _count(usage.get(name)) for name in ("prompt_tokens", "completion_tokens", "total_tokens")
    )
    if None not in (prompt, completion, total, thoughts) and total == prompt + completion + thoughts:  # type: ignore[operator]
        completion += thoughts  # type: ignore[operator]  # some servers count these apart
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        # DeepSeek has a name of its own
        "cached_tokens": _count(details.get("cached_tokens", usage.get("prompt_cache_hit_tokens"))),
        "cache_write_tokens": _count(details.get("cache_write_tokens")),
        "reasoning_tokens": thoughts,
    }


_Counted: TypeAlias = "tuple[dict[str, int | None], str | None]"


def _anthropic_counts(outputs: Mapping[str, Any]) -> _Counted:
    """Anthropic counts the parts of a prompt that a cache has or takes separately."""
    usage = _mapping(outputs.get("usage"))
    rest, cached, written, completion = (
        _count(usage.get(name))
        for name in (
            *("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens"),
        )
    )
    whole = None if rest is None else rest + (cached or 0) + (written or 0)
    counts = {
        "prompt_tokens": whole,
        "completion_tokens": completion,
        "cached_tokens": cached,
        "cache_write_tokens": written,
    }
    return counts, _reason(outputs["stop_reason"])


def _sglang_counts(outputs: Mapping[str, Any]) -> _Counted:
    meta = _mapping(outputs.get("meta_info"))
    ended = meta.get("finish_reason")
    names = ("prompt_tokens", "completion_tokens", "cached_tokens")
    return {name: _count(meta.get(name)) for name in names}, _reason(_mapping(ended).get("type", ended))


def _thoughts(message: Mapping[str, Any]) -> str | None:
    """The thoughts that a message holds beside its text: in a field of their own, or in parts of it."""
    found = next((message[name] for name in _THOUGHTS if isinstance(message.get(name), str)), None)
    if found is None and isinstance(parts := message.get("content"), list):
        thinking = [part for part in parts if isinstance(part, dict) and part.get("type") in _THINKING]
        found = "\n".join(map(_thought, thinking))
    return found if found and found.strip() else None


def _thought(part: Mapping[str, Any]) -> str:
    text = part.get("thinking", part.get("text"))
    if isinstance(text, list):
        text = "".join(str(each.get("text", "")) for each in text if isinstance(each, dict))
    return text if isinstance(text, str) else "(not shown)"


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(value: Any) -> int | None:
    """A number of tokens; None for what cannot be one."""
    return value if type(value) is int and 0 <= value <= _MOST_TOKENS else None


def _name(value: Any) -> str | None:
    """The name of a model; None for what cannot be one."""
    return value if isinstance(value, str) and 0 < len(value) <= _MOST_NAME and value.isprintable() else None


def _reason(value: Any) -> str | None:
    if not isinstance(value, str) or not value.strip():
        return None
    word = "".join(each for each in value.strip().lower() if each.isprintable())[:40]
    return _REASONS.get(word, word)


def _refused(status: int, reply: ServerReply, outputs: Any, wall: float) -> AttemptResult:
    words, codes = _words(reply.body, outputs), _codes(outputs)
    try:
        problem = f"HTTP {status} {HTTPStatus(status).phrase}"
    except ValueError:
        problem = f"HTTP {status}"
    problem = f"{problem}: {words}" if words else problem
    if 300 <= status < 400:
        to = reply.headers.get("location", "").partition("?")[0][:120]
        return Denial(f"{problem}; it redirects to {to!r}, which is not followed")
    if status in _DENIED or codes & _EMPTY_ACCOUNT:
        return Denial(problem)
    if status in _OVERLOADED or status in _AGAIN or not 400 <= status < 500:
        trouble: Trouble = "overloaded" if status in _OVERLOADED else "faulty"
        return RetryLater(trouble, problem, retry_after(reply.headers, wall), status in _NOT_READY)
    if codes & _FILTERED:
        return ModelOutput(problem, REFUSED)
    return refused_parameter(status, problem, words, outputs) or Failure(problem)


def _inner_status(error: Any) -> int:
    """The status of an error inside a reply with status 200, as some gateways send it."""
    code = str(_mapping(error).get("code"))
    return int(code) if re.fullmatch("[45][0-9][0-9]", code) else 500


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
        outputs = re.sub("<[^<>]*>", " ", body[:_MOST_READ].decode("utf-8", "replace"))
    line = " ".join("".join(each if each.isprintable() else " " for each in outputs[:_MOST_READ]).split())
    return line if len(line) <= _MOST_WORDS else line[:_MOST_WORDS] + "..."


def retry_after(headers: Mapping[str, str], wall: float) -> float | None:
    """The seconds that a reply asks to wait, maybe without end; None where it says nothing, or no sense.

    Args:
        headers: the reply's, in a mapping that ignores case.
        wall: seconds since 1970 on our clock, for replies without a date of their own.
    """
    for name, unit in (("retry-after-ms", 1000), ("x-ms-retry-after-ms", 1000), ("retry-after", 1)):
        with suppress(ValueError):
            if (seconds := float(headers.get(name, "")) / unit) >= 0:
                return seconds
    until = _date(headers.get("retry-after", ""))
    return None if until is None else max(0.0, until - (_date(headers.get("date", "")) or wall))


def _date(text: str) -> float | None:
    """Seconds since 1970 of a date as in HTTP."""
    try:
        found = parsedate_to_datetime(text.strip()[:64])
        return (found if found.tzinfo else found.replace(tzinfo=timezone.utc)).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
