"""When to ask a server again: what it says itself, else exponential back-off with full jitter."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from enum import Enum

from tenacity import RetryCallState, wait_random_exponential

# full jitter, as in M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015
_BACKOFF = wait_random_exponential(multiplier=0.5, max=30.0)
# a try to connect costs nothing, and shows soon that a server is back
_RECONNECT = wait_random_exponential(multiplier=0.5, max=5.0)
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_SPAN = re.compile(r"(?:\d+(?:\.\d+)?(?:ms|[smhd]))+")
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|[smhd])")
_NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,9})?")
_EPOCH = 1e9  # a number from here on is a date, in seconds
_EPOCH_MILLISECONDS = 1e12
_MILLISECONDS = ("retry-after-ms", "x-ms-retry-after-ms")
_RESETS = (
    ("x-ratelimit-reset-requests", "x-ratelimit-remaining-requests"),
    ("x-ratelimit-reset-tokens", "x-ratelimit-remaining-tokens"),
    ("x-ratelimit-reset", "x-ratelimit-remaining"),
    ("ratelimit-reset", "ratelimit-remaining"),
    ("anthropic-ratelimit-requests-reset", "anthropic-ratelimit-requests-remaining"),
    ("anthropic-ratelimit-tokens-reset", "anthropic-ratelimit-tokens-remaining"),
)


class ServerTrouble(Enum):
    """Why a request has to be asked again."""

    UNREACHABLE = "no connection can be made"
    OVERLOADED = "the server takes no more for now"
    SLOW = "no reply in time"
    FAULTY = "the server failed, or replied with something else than an answer"


@dataclass(frozen=True, slots=True)
class RetryLater:
    """No answer yet, but another attempt may bring one; ``wait``: the seconds that the server asks for."""

    trouble: ServerTrouble
    reason: str
    wait: float | None = None


def seconds_before_retry(state: RetryCallState) -> float:
    """Tenacity's ``wait`` for attempts that end in :class:`RetryLater`.

    A wait that the server asks for is followed; if it was too short once, the back-off is its lower bound.
    """
    result: RetryLater = state.outcome.result()  # type: ignore[union-attr]
    if result.trouble is ServerTrouble.UNREACHABLE:
        return _RECONNECT(state)
    if result.wait is not None and state.attempt_number == 1:
        return result.wait
    return max(result.wait or 0.0, _BACKOFF(state))


def retry_after(headers: Mapping[str, str], wall: float) -> float | None:
    """The seconds that a reply asks to wait; None where it says nothing, or nothing sensible.

    Args:
        headers: the reply's, in a mapping that ignores case.
        wall: seconds since 1970 on our clock, for replies without a date of their own.
    """
    wall = _date(headers.get("date", "")) or wall
    for name in _MILLISECONDS:
        if (given := _number(headers.get(name, ""))) is not None:
            return given / 1000
    given = _seconds(headers.get("retry-after", ""), wall)
    return given if given is not None else max(_resets(headers, wall), default=None)


def _resets(headers: Mapping[str, str], wall: float) -> Iterator[float]:
    """Seconds until the exhausted limits are reset; those with something left do not count."""
    for reset, remaining in _RESETS:
        left = _number(headers.get(remaining, ""))
        seconds = _seconds(headers.get(reset, ""), wall)
        if seconds is not None and not left:
            yield seconds


def _seconds(text: str, wall: float) -> float | None:
    """A span (``20``, ``1.5s``, ``6m0s``), a point of time in seconds since 1970, or a date."""
    text = text.strip()[:64]
    number = _number(text)
    if number is not None:
        return number if number < _EPOCH else max(0.0, _epoch(number) - wall)
    if _SPAN.fullmatch(text):
        return sum(float(size) * _UNITS[unit] for size, unit in _PART.findall(text))
    date = _date(text)
    return None if date is None else max(0.0, date - wall)


def _epoch(number: float) -> float:
    return number / 1000 if number >= _EPOCH_MILLISECONDS else number


def _number(text: str) -> float | None:
    text = text.strip()
    if not _NUMBER.fullmatch(text):
        return None
    number = float(text)
    return number if math.isfinite(number) else None


def _date(text: str) -> float | None:
    """Seconds since 1970 of a date as in HTTP, or in ISO 8601."""
    for read in (parsedate_to_datetime, datetime.fromisoformat):
        try:
            found = read(text.strip()[:64].replace("Z", "+00:00"))
            return (found if found.tzinfo else found.replace(tzinfo=timezone.utc)).timestamp()
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
    return None
