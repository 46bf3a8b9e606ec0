"""Sends requests to a server: as many at once as it takes, and again where an attempt fails."""

from __future__ import annotations

import asyncio
import logging
import random
import ssl
import time
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from ....core.errors import described
from ...model_classes import ServerArguments
from ..base import Failure, Finished, ModelOutput
from .payloads import Payloads, RefusedParameter
from .replies import AttemptResult, Denial, RetryLater, ServerReply, meaning

Post: TypeAlias = "Callable[[bytes], Awaitable[ServerReply | RetryLater | Denial]]"
Deliver: TypeAlias = Callable[[Sequence[Finished]], None]

_FEWEST_TRIES = 3
_FIRST_LIMIT, _MOST_LIMIT = 8, 128
_STRAYS = 0.05
_GONE = ("unreachable", "not ready")
# of a request, where the user does not say: when the server fails or does not reply; when it has too many
_ATTEMPTS, _RATE_LIMITED = 5, 12
# the server is given up after so many refusals that seem to hold for every request
DENIED = 16
_IN_A_ROW = 100  # and after so many requests that were given up, one after the other
_LONGEST_WAIT = 600.0  # seconds that a server may ask to wait; the run stops if it asks for more
_log = logging.getLogger(__name__)


class Clock:
    """The time; tests replace it."""

    now = staticmethod(time.monotonic)

    async def sleep(self, seconds: float) -> None:
        """Wait without blocking the event loop."""
        await asyncio.sleep(seconds)


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """How to talk to a server, and when to give it up.

    Attributes:
        url: where requests are posted.
        headers: sent with each request; the key is in here.
        asked: what the user says of how it is asked.
        certificates: how its certificate is checked; False: not at all.
        proxy: the environment's, for other hosts than this machine.
    """

    url: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    asked: ServerArguments
    certificates: ssl.SSLContext | bool = True
    proxy: str | None = None


@dataclass(slots=True)
class ServerRequest:
    """A request for a server, and how often it was sent.

    Attributes:
        number: the caller's.
        body: what is sent.
        tries: attempts in all.
        failures: attempts at which the server failed.
        refusals: attempts for which it had no room.
    """

    number: int
    body: bytes
    tries: int = 0
    failures: int = 0
    refusals: int = 0


def seconds_before_retry(result: RetryLater, tries: int) -> float:
    """How long a request waits: as the server says, else exponential back-off with full jitter.

    A wait that was too short once is the lower bound of the next one. M. Brooker, "Exponential Backoff And
    Jitter", AWS Architecture Blog, 2015.
    """
    most = 5.0 if result.trouble in _GONE else 30.0  # where a try costs nothing, and shows that it is back
    drawn = random.uniform(0, min(most, 0.5 * 2 ** min(tries - 1, 10)))  # noqa: S311
    if result.wait is not None and tries == 1:
        return result.wait
    return max(result.wait or 0.0, drawn)


class ServerClient:
    """Everything happens in one event loop; only public attributes may be read from elsewhere.

    A request is ready, in flight or delayed. How many are in flight follows the server, by additive increase
    and multiplicative decrease (D.-M. Chiu, R. Jain, 1989) with TCP's slow start: a refusal among answers
    delays its own request alone; once more than half of the last attempts are refused (a quarter, where the
    number is not the user's), the number is halved, and all wait as long as the server says.

    The server is given up when further requests would be wasted: ``broken``. Refusals that seem to hold for
    every request (:class:`.replies.Denial`) are held back: after an answer they become errors of their own
    requests, else the run stops.

    Args:
        post: sends one request and waits for the reply.
        settings: its limits, and how many requests at once.
        deliver: called in the event loop with finished requests, and with an empty list at the end.
        payloads: leaves out of a body what the server refuses by its name.
        clock: the time.
    """

    def __init__(
        self,
        post: Post,
        settings: ServerSettings,
        deliver: Deliver,
        payloads: Payloads,
        *,
        clock: Clock | None = None,
    ) -> None:
        self._post, self._settings, self._deliver = post, settings, deliver
        self._payloads, self._clock = payloads, clock or Clock()
        self._url, self._limited = shown_url(settings.url), False
        self._limit, self._starting = float(settings.asked.num_concurrent or _FIRST_LIMIT), True
        self._seen, self._share, self._cut_at = 0, 0.0, float("-inf")  # of the last attempts, those refused
        self._paused_until = float("-inf")
        self._ready = deque[ServerRequest]()
        self._in_flight: dict[int, asyncio.Task[None]] = {}
        self._delayed: dict[int, asyncio.Task[None]] = {}
        self._broken: str | None = None
        self._answered = self._up = False  # ever; since it was last out of reach
        self._troubled_since, self._troubles, self._given_up, self._told = 0.0, 0, 0, False
        self._held, self._in_doubt = list[tuple[int, Failure]](), False
        self._alike, self._refusal, self._denials = 0, "", 0

    @property
    def limit(self) -> int:
        """How many requests may be in flight now; at least one."""
        return int(self._limit)

    @property
    def delayed(self) -> int:
        """How many requests wait to be sent again."""
        return len(self._delayed)

    @property
    def broken(self) -> str | None:
        """Why the server was given up, as a line, once all requests in flight are back."""
        return None if self._in_flight else self._broken

    def submit(self, requests: Sequence[ServerRequest]) -> None:
        """Send these, in their order."""
        self._ready.extend(requests)
        self._advance()

    async def recall(self) -> list[int]:
        """Drop the requests that are not in flight, and return their numbers."""
        numbers = sorted([*(request.number for request in self._ready), *self._delayed])
        self._ready.clear()
        _cancel(self._delayed)
        self._advance()  # refusals that were held back need not wait for the dropped ones
        return numbers

    async def abandon(self) -> None:
        """Drop everything, and hang up on the server."""
        self._ready.clear()
        _cancel(self._delayed)
        _cancel(self._in_flight)

    def _advance(self) -> None:
        """Send what is ready, as far as the limits allow, and decide about what was held back."""
        paused = self._clock.now() < self._paused_until
        while (
            self._ready
            and len(self._in_flight) < self.limit
            and not (paused or self._broken or self._in_doubt)
        ):
            request = self._ready.popleft()
            self._in_flight[request.number] = _begun(self._attempt(request))
        if self._in_flight:
            return
        if self._in_doubt:
            self._end(f"refuses all requests: {self._held[0][1].reason}")
        elif not (self._broken or self._ready or self._delayed):
            self._release()
        if self._broken:
            self._deliver(())  # whoever waits for answers can stop

    async def _attempt(self, request: ServerRequest) -> None:
        """Send a request once, and see what comes of it."""
        sent = self._clock.now()
        request.tries += 1
        try:
            self._learn(request, await self._sent(request), sent)
        except Exception as error:  # a fault of ours: stop, rather than wait for ever
            self._end(f"cannot be asked any more: {described(error)}")
        self._in_flight.pop(request.number, None)
        self._advance()

    async def _sent(self, request: ServerRequest) -> AttemptResult:
        """Send a request; again at once without each parameter that the server refuses by its name.

        Where it then refuses the same one, its words are about something else.
        """
        body, tried = request.body, dict[str, RefusedParameter]()
        while True:
            reply = await self._post(body)
            result = meaning(reply, time.time()) if isinstance(reply, ServerReply) else reply
            refused = result if isinstance(result, RefusedParameter) else None
            if refused and refused.name in tried:
                return Failure(refused.reason)
            if tried and not isinstance(result, (RetryLater, Denial)):  # which say nothing of the parameters
                request.body = body
                self._payloads.refuse(tried.values())
            if not refused:
                return result
            revised = self._payloads.revised(body, refused)
            if revised is None:
                return Failure(refused.reason)
            body, tried[refused.name] = revised, refused

    def _learn(self, request: ServerRequest, result: AttemptResult, sent: float) -> None:
        """Deliver what is finished, delay what is to be sent again, and notice when the server is no use."""
        now = self._clock.now()
        if isinstance(result, RetryLater):
            self._failed(request, result, sent, now)
        elif isinstance(result, Denial):
            self._held.append((request.number, Failure(result.reason)))
            self._denials += 1
            self._in_doubt = not self._answered  # until those in flight are back
            if self._answered and self._denials >= DENIED:
                self._end(f"refuses all requests: {result.reason}")
        elif isinstance(result, (ModelOutput, Failure)):
            self._up, self._troubles, self._given_up, self._told = True, 0, 0, False
            self._speed_up(sent, now)
            if isinstance(result, ModelOutput):
                self._answered, self._denials = True, 0
                self._release()
            elif self._refused_alike(result.reason):
                return
            self._deliver([(request.number, result)])

    def _refused_alike(self, reason: str) -> bool:
        """Whether the server is given up: it refused requests in equal words, and never answered any."""
        self._alike = self._alike + 1 if reason == self._refusal else 1
        self._refusal = reason
        if self._answered or self._alike < DENIED:
            return False
        self._end(
            f"refused {self._alike} requests alike and answered none: {reason}; if that is about a "
            "parameter, give the model another value, or leave it out (NAME: null in its generation, as by "
            "'torr run --gen NAME=null')"
        )
        return True

    def _release(self) -> None:
        """Refusals that were held back are errors of single requests."""
        held, self._held, self._in_doubt = self._held, [], False
        if held:
            self._deliver(held)

    def _failed(self, request: ServerRequest, result: RetryLater, sent: float, now: float) -> None:
        if result.may_be_loading and not self._up:  # of a server that has answered it is of the moment
            result = replace(result, trouble="not ready")
        self._watch(result, now)
        if self._broken:
            return
        if result.trouble == "overloaded":
            request.refusals += 1
        elif result.trouble in ("slow", "faulty"):  # else the request is not to blame
            request.failures += 1
        if result.trouble in ("overloaded", "slow"):
            self._slow_down(sent, now, result.wait or 0.0)
        most = self._settings.asked.max_retries
        if request.failures >= (most or _ATTEMPTS) or request.refusals >= (most or _RATE_LIMITED):
            self._give_up(request, result.reason)
        else:
            wait = seconds_before_retry(result, request.tries)
            self._delayed[request.number] = _begun(self._delay(request, wait))

    def _speed_up(self, sent: float, now: float) -> None:
        """Send more at once, unless too many are refused, or answers are late, as more would only queue."""
        self._record(sent, refused=False)
        in_time = now - sent < self._settings.asked.timeout / 4
        if in_time and self._share <= _STRAYS and len(self._in_flight) >= self.limit:
            step = 1.0 if self._starting else 1.0 / self._limit
            self._limit = min(self._limit + step, self._settings.asked.num_concurrent or _MOST_LIMIT)

    def _slow_down(self, sent: float, now: float, wait: float) -> None:
        """Send fewer at once, and none for a while, where the server refuses too many."""
        self._record(sent, refused=True)
        if self._share <= (0.5 if self._settings.asked.num_concurrent else 0.25):
            return
        self._starting, self._limit, self._cut_at = False, max(1.0, self._limit / 2), now
        self._seen, self._share = 0, 0.0
        if wait and now + wait > self._paused_until:
            if not self._limited:
                self._limited = True
                limits = "the server at %s limits requests; waiting as it says, now %.0f s"
                _log.warning(limits, self._url, wait)
            self._paused_until = now + wait
            self._pause = _begun(self._resume(self._paused_until, wait))

    async def _resume(self, until: float, seconds: float) -> None:
        await self._clock.sleep(seconds)
        if until == self._paused_until:  # else another pause is longer
            self._paused_until = float("-inf")
            self._advance()

    def _record(self, sent: float, *, refused: bool) -> None:
        """Keep the share of refused attempts; those from before the last cut say nothing of the limit."""
        if sent >= self._cut_at:
            self._seen += 1
            window = min(max(self._seen, self._limit), max(20.0, self._limit))
            self._share += (refused - self._share) / window

    def _watch(self, result: RetryLater, now: float) -> None:
        """Give the server up where it answers nothing for too long, or says so."""
        settings = self._settings
        if result.wait is not None and result.wait > _LONGEST_WAIT:
            self._end(f"asks to wait {result.wait:.6g} s: {result.reason}")
        self._up = self._up and result.trouble != "unreachable"
        self._troubled_since = self._troubled_since if self._troubles else now
        self._troubles += 1
        waited = now - self._troubled_since
        if self._troubles >= _FEWEST_TRIES and waited >= settings.asked.wait_for_server:
            lost = "cannot be reached" if result.trouble == "unreachable" else "has answered nothing"
            self._end(f"{lost} for {waited:.0f} s ({result.reason}); wait_for_server allows more")
        elif self._troubles >= _FEWEST_TRIES and not self._told and result.trouble in _GONE:
            self._told = True  # without the server's words, which may hold a key
            what = (self._url, result.trouble, settings.asked.wait_for_server)
            _log.warning("the server at %s is %s; waiting for it, at most %g s", *what)

    def _give_up(self, request: ServerRequest, reason: str) -> None:
        """The error of a request that failed too often."""
        self._given_up += 1
        if self._given_up >= _IN_A_ROW:
            self._end(f"failed the last {self._given_up} requests; at last: {reason}")
        tries = request.failures + request.refusals
        times = "once" if tries == 1 else f"{tries} times"
        self._deliver([(request.number, Failure(f"{reason} (asked {times})"))])

    async def _delay(self, request: ServerRequest, seconds: float) -> None:
        await self._clock.sleep(seconds)
        del self._delayed[request.number]
        self._ready.appendleft(request)
        self._advance()

    def _end(self, what: str) -> None:
        """Give the server up; the first reason counts."""
        self._broken = self._broken or f"the server at {self._url} {what}"


def shown_url(url: str) -> str:
    """An URL without user, password, query and fragment."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _begun(work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    return asyncio.get_running_loop().create_task(work)


def _cancel(tasks: dict[int, asyncio.Task[None]]) -> None:
    for task in tasks.values():
        task.cancel()
    tasks.clear()
