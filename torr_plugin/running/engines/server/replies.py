"""What a server's reply means: an answer, an error of the request, a refusal of all, or another attempt."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, TypeAlias

from ...contexts import Failure
from ..base import ModelOutput
from .answers import MalformedReply, decoded
from .backoff import RetryLater, ServerTrouble, retry_after
from .refused_parameters import RefusedParameter, refused_parameter


@dataclass(frozen=True, slots=True)
class Denial:
    """A refusal that would hold for every request: a wrong key, path or model, an empty account."""

    reason: str


AttemptResult: TypeAlias = "ModelOutput | Failure | RetryLater | Denial"
ReadAnswer: TypeAlias = "Callable[[Any], ModelOutput | Failure | RetryLater]"

# refusals that would hold for every request
_DENIED = frozenset({401, 402, 403, 404, 405, 407})
_OVERLOADED = frozenset({429, 503, 529})
_AGAIN = frozenset({408, 409, 425})
_EMPTY_ACCOUNT = frozenset({"insufficient_quota", "billing_not_active", "billing_hard_limit_reached"})
_FILTERED = frozenset({"content_filter", "content_policy_violation", "responsibleaipolicyviolation"})
_MOST_WORDS = 300
_MOST_READ = 65_536
# a script that is not closed is one to the end: what fails there would be tried again from each beginning
_TAG = re.compile(r"<(script|style)\b.*?(?:</\1\s*>|\Z)|<[^<>]*>", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ServerReply:
    """``headers`` ignores the case of names."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def attempt_result(reply: ServerReply, read: ReadAnswer, wall: float) -> AttemptResult | RefusedParameter:
    """What a reply means.

    Args:
        reply: the server's.
        read: makes an answer from the reply's JSON.
        wall: seconds since 1970, for replies that say when to ask again.
    """
    if not 200 <= reply.status < 300:
        return _refused(reply.status, reply, _json(reply.body), wall)
    try:
        outputs = decoded(reply.body)
    except MalformedReply as error:
        return RetryLater(
            ServerTrouble.FAULTY, f"{_named(reply.status)}: {error}" if reply.status != 200 else str(error)
        )
    if isinstance(outputs, dict) and outputs.get("error") and not outputs.get("choices"):
        return _refused(_inner_status(outputs["error"]), reply, outputs, wall)
    return read(outputs)


def _refused(status: int, reply: ServerReply, outputs: Any, wall: float) -> AttemptResult | RefusedParameter:
    words, codes = _words(reply.body, outputs), _codes(outputs)
    problem = f"{_named(status)}: {words}" if words else _named(status)
    if 300 <= status < 400:
        return Denial(f"{problem}; it redirects to {_where(reply)!r}, which is not followed")
    if status in _DENIED or codes & _EMPTY_ACCOUNT:
        return Denial(problem)
    if status in _OVERLOADED:
        return RetryLater(ServerTrouble.OVERLOADED, problem, retry_after(reply.headers, wall))
    if status in _AGAIN or not 400 <= status < 500:
        return RetryLater(ServerTrouble.FAULTY, problem, retry_after(reply.headers, wall))
    if codes & _FILTERED:
        return ModelOutput(problem, "content_filter")
    return refused_parameter(status, problem, words, outputs) or Failure(problem)


def _named(status: int) -> str:
    try:
        return f"HTTP {status} {HTTPStatus(status).phrase}"
    except ValueError:
        return f"HTTP {status}"


def _where(reply: ServerReply) -> str:
    return reply.headers.get("location", "").partition("?")[0][:120]


def _inner_status(error: Any) -> int:
    """The status of an error inside a reply with status 200, as some gateways send it."""
    code = error.get("code") if isinstance(error, dict) else None
    if isinstance(code, str) and code.isdecimal() and len(code) == 3:
        code = int(code)
    return code if isinstance(code, int) and 400 <= code < 600 else 500


def _json(body: bytes) -> Any:
    try:
        return decoded(body[:_MOST_READ])
    except MalformedReply:
        return None


def _codes(outputs: Any) -> set[str]:
    """The error's code and type, in lower case; Azure nests another one."""
    error = outputs.get("error") if isinstance(outputs, dict) else None
    if not isinstance(error, dict):
        return set()
    inner = error.get("innererror")
    found = [error.get("code"), error.get("type"), inner.get("code") if isinstance(inner, dict) else None]
    return {each.lower() for each in found if isinstance(each, str)}


def _words(body: bytes, outputs: Any) -> str:
    """The server's words for an error, as one bounded line."""
    message = _message(outputs)
    if message is None:
        message = _TAG.sub(" ", body[:_MOST_READ].decode("utf-8", "replace"))
    line = " ".join("".join(each if each.isprintable() else " " for each in message[:_MOST_READ]).split())
    return line if len(line) <= _MOST_WORDS else line[:_MOST_WORDS] + "..."


def _message(outputs: Any) -> str | None:
    """The words in an error's JSON, under whichever name the server gives them."""
    for _ in range(4):
        if isinstance(outputs, str):
            return outputs
        if isinstance(outputs, list) and outputs:
            outputs = outputs[0]
        if not isinstance(outputs, dict):
            return None
        names = ("error", "message", "detail", "details", "msg", "error_message")
        outputs = next((outputs[name] for name in names if outputs.get(name)), None)
    return None
