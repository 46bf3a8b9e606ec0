"""Sends requests to a server: as many at once as it takes, and again where an attempt fails."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from typing import TypeAlias

from ...answer import one_line
from ...contexts import Failure
from ...traffic import NO_TRAFFIC
from ..base import Finished, ModelOutput
from .connection import ServerSettings, shown_url
from .payloads import Payloads, RefusedParameter
from .replies import AttemptResult, Denial, RetryLater, ServerReply, Trouble

Post: TypeAlias = "Callable[[bytes], Awaitable[ServerReply | RetryLater | Denial]]"
Read: TypeAlias = "Callable[[ServerReply, float], AttemptResult]"
Deliver: TypeAlias = Callable[[Sequence[Finished]], None]

_FEWEST_TRIES = 3
_log = logging.getLogger(__name__)


class Clock:
    """The time; tests replace it."""

    now = staticmethod(time.monotonic)

    async def sleep(self, seconds: float) -> None:
        """Wait without blocking the event loop."""
        await asyncio.sleep(seconds)


@dataclass(slots=True)
class ServerRequest:
    """A request for a server, and how often it was sent.

    Attributes:
        number: the caller's; smaller ones go first.
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


class Concurrency:
    """How many requests at once: more while there are answers, half where the server refuses too many.

    Additive increase, multiplicative decrease (D.-M. Chiu, R. Jain, 1989), with TCP's slow start. A refusal
    among answers concerns its own request alone: the limit falls once more than half of the last attempts
    were refused (a quarter, where the number is not the user's), and grows while only strays are.

    Args:
        most: the upper limit, from the start; None: unknown, so begin with few.
        timeout: of a request; an answer that takes a quarter of it shows that more at once would only queue.
    """

    def __init__(self, most: int | None, timeout: float) -> None:
        self._most, self._limit, self._late = most or 128, float(most or 8), timeout / 4
        self._tolerated = 0.5 if most else 0.25
        self._starting, self._cut_at = True, float("-inf")
        self._last = deque[bool]()

    @property
    def limit(self) -> int:
        """How many may be in flight now; at least one."""
        return int(self._limit)

    def answered(self, sent: float, now: float, in_flight: int) -> None:
        """Grow after an answer, if the limit was nearly used."""
        self._record(sent, refused=False)
        strays = sum(self._last) <= 0.05 * max(20, self.limit)
        if strays and now - sent < self._late and in_flight + 1 >= self.limit:
            self._limit = min(self._limit + (1.0 if self._starting else 1.0 / self._limit), self._most)

    def overloaded(self, sent: float, now: float) -> bool:
        """Halve the limit if the server refuses too many, and return whether it does."""
        self._record(sent, refused=True)
        if sum(self._last) <= self._tolerated * max(len(self._last), self.limit):
            return False
        self._starting, self._limit, self._cut_at = False, max(1.0, self._limit / 2), now
        self._last.clear()
        return True

    def _record(self, sent: float, *, refused: bool) -> None:
        if sent >= self._cut_at:  # attempts from before the last cut say nothing of the limit since
            self._last.append(refused)
            while len(self._last) > max(20, self.limit):
                self._last.popleft()


def seconds_before_retry(result: RetryLater, tries: int) -> float:
    """How long a request waits: as the server says, else exponential back-off with full jitter.

    A wait that was too short once is the lower bound of the next one. M. Brooker, "Exponential Backoff And
    Jitter", AWS Architecture Blog, 2015.
    """
    gone = result.trouble in ("unreachable", "not ready")  # a try costs nothing, and shows that it is back
    drawn = random.uniform(0, min(5.0 if gone else 30.0, 0.5 * 2 ** min(tries - 1, 10)))  # noqa: S311
    if result.wait is not None and tries == 1:
        return result.wait
    return max(result.wait or 0.0, drawn)


class ServerClient:
    """Everything happens in one event loop; only public attributes may be read from elsewhere.

    A request is ready, in flight or delayed. The server is given up when further requests would be wasted:
    ``broken``. Refusals that seem to hold for every request (:class:`.replies.Denial`) are held back: after
    any answer they become errors of their own requests, else the run stops.

    Args:
        post: sends one request and waits for the reply.
        read: says what a reply means.
        settings: its limits, and how many requests at once.
        deliver: called in the event loop with finished requests, and with an empty list at the end.
        payloads: leaves out of a body what the server refuses by its name.
        clock: the time.

    Attributes:
        traffic: what the server did so far.
    """

    def __init__(
        self,
        post: Post,
        read: Read,
        settings: ServerSettings,
        deliver: Deliver,
        *,
        payloads: Payloads | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._post, self._read, self._deliver = post, read, deliver
        self._payloads, self._clock = payloads, clock or Clock()
        self._url, self._limits = shown_url(settings.url), settings.limits
        self._concurrency, self.traffic = Concurrency(settings.at_once, settings.timeout), NO_TRAFFIC
        self._ready: list[tuple[int, ServerRequest]] = []
        self._in_flight: dict[int, asyncio.Task[None]] = {}
        self._delayed: dict[int, asyncio.Task[None]] = {}
        self._pause: asyncio.Task[None] | None = None
        self._paused_until = float("-inf")
        self._broken: str | None = None
        self._answered = self._up = False  # ever; since it was last out of reach
        self._troubled_since, self._troubles, self._given_up, self._told = 0.0, 0, 0, False
        self._held: list[Finished] = []
        self._denials, self._alike, self._refusal = 0, 0, ""

    @property
    def limit(self) -> int:
        """How many requests may be in flight now."""
        return self._concurrency.limit

    @property
    def delayed(self) -> int:
        """How many requests wait to be sent again."""
        return len(self._delayed)

    @property
    def broken(self) -> str | None:
        """Why the server was given up, as a line, once all requests in flight are back."""
        return None if self._in_flight else self._broken

    def submit(self, requests: Sequence[ServerRequest]) -> None:
        """Send these, in the order of their numbers."""
        for request in requests:
            heappush(self._ready, (request.number, request))
        self._advance()

    def recall(self) -> list[int]:
        """Drop the requests that are not in flight, and return their numbers."""
        numbers = sorted([*(number for number, _ in self._ready), *self._delayed])
        self._ready.clear()
        self._cancel(self._delayed)
        self._advance()  # refusals that were held back need not wait for the dropped ones
        return numbers

    def abandon(self) -> None:
        """Drop everything, and hang up on the server."""
        self._ready.clear()
        self._cancel(self._delayed)
        self._cancel(self._in_flight)
        if self._pause is not None:
            self._pause.cancel()

    @staticmethod
    def _cancel(tasks: dict[int, asyncio.Task[None]]) -> None:
        for task in tasks.values():
            task.cancel()
        tasks.clear()

    def _advance(self) -> None:
        """Send what is ready, as far as the limits allow, and decide about what was held back."""
        loop = asyncio.get_running_loop()
        while self._ready and self._may_send():
            number, request = heappop(self._ready)
            self._in_flight[number] = loop.create_task(self._attempt(request))
        if self._in_flight:
            return
        if self._held and not self._answered:
            self._end(f"refuses all requests: {self._held[0][1].reason}")  # type: ignore[union-attr]
        elif self._held and not (self._broken or self._ready or self._delayed):
            self._release()
        if self._broken:
            self._deliver(())  # whoever waits for answers can stop

    def _may_send(self) -> bool:
        in_doubt = self._held and not self._answered  # until the requests in flight are back
        return (
            len(self._in_flight) < self._concurrency.limit
            and not (self._broken or in_doubt)
            and self._clock.now() >= self._paused_until
        )

    async def _attempt(self, request: ServerRequest) -> None:
        """Send a request once, and see what comes of it."""
        sent = self._clock.now()
        request.tries += 1
        if request.tries > 1:
            self._count("retries")
        try:
            result = await self._sent(request)
            self._learn(request, result, sent, self._clock.now())
        except Exception as error:  # a fault of ours: stop, rather than wait for ever
            self._end(f"cannot be asked any more: {one_line(error)}")
        self._in_flight.pop(request.number, None)
        self._advance()

    async def _sent(self, request: ServerRequest) -> AttemptResult:
        """Send a request; again at once without each parameter that the server refuses by its name.

        Where it then refuses the same one, its words are about something else.
        """
        body, tried = request.body, dict[str, RefusedParameter]()
        while True:
            reply = await self._post(body)
            if not isinstance(reply, ServerReply):
                return reply
            try:
                result = self._read(reply, time.time())
            except Exception as error:  # a fault of ours must not lose a request
                return Failure(f"the reply cannot be read: {one_line(error)}")
            if isinstance(result, RefusedParameter) and result.name in tried:
                return Failure(result.reason)
            if not isinstance(result, (RetryLater, Denial)):  # which say nothing of the parameters
                request.body = body
                for each in tried.values() if self._payloads else ():
                    self._payloads.refuse(each)  # type: ignore[union-attr]
            if not isinstance(result, RefusedParameter):
                return result
            revised = self._payloads.revised(body, result) if self._payloads else None
            if revised is None:
                return Failure(result.reason)
            body, tried[result.name] = revised, result

    def _learn(self, request: ServerRequest, result: AttemptResult, sent: float, now: float) -> None:
        """Deliver what is finished, delay what is to be sent again, and notice when the server is no use."""
        if isinstance(result, Denial):
            self._held.append((request.number, Failure(result.reason)))
            self._denials += 1
            if self._denials >= self._limits.denied and self._answered:
                self._end(f"refuses all requests: {result.reason}")
        elif isinstance(result, RetryLater):
            self._failed(request, result, sent, now)
        else:
            self._up, self._troubles, self._given_up, self._told = True, 0, 0, False
            self._concurrency.answered(sent, now, len(self._in_flight) - 1)
            if isinstance(result, ModelOutput):
                self._answered, self._denials = True, 0
                self._release()
            elif self._refuses_alike(result):  # type: ignore[arg-type]
                return
            self._deliver([(request.number, result)])  # type: ignore[list-item]

    def _release(self) -> None:
        """Refusals that were held back are errors of single requests."""
        if self._held:
            held, self._held = self._held, []
            self._deliver(held)

    def _refuses_alike(self, failure: Failure) -> bool:
        """Whether requests are refused in equal words, and none was ever answered."""
        self._alike = self._alike + 1 if failure.reason == self._refusal else 1
        self._refusal = failure.reason
        if self._answered or self._alike < self._limits.denied:
            return False
        self._end(
            f"refused {self._alike} requests alike and answered none: {failure.reason}; if that is about a "
            "parameter, give the model another value, or leave it out (NAME: null in its generation, as by "
            "'torr run --gen NAME=null')"
        )
        return True

    def _failed(self, request: ServerRequest, result: RetryLater, sent: float, now: float) -> None:
        # of a server that has answered it is of the moment
        trouble = "not ready" if result.may_be_loading and not self._up else result.trouble
        self._watch(trouble, result, now)
        if self._broken:
            return
        if trouble == "overloaded":
            request.refusals += 1
            self._count("rate_limited")
        elif trouble in ("slow", "faulty"):  # else the request is not to blame
            request.failures += 1
        if trouble == "slow":
            self._count("slow")
        if trouble in ("overloaded", "slow") and self._concurrency.overloaded(sent, now) and result.wait:
            self._pause_all(now, result.wait)
        limits = self._limits
        if request.failures >= limits.attempts or request.refusals >= limits.rate_limited:
            self._give_up(request, result.reason)
        else:
            task = self._delay(request, seconds_before_retry(replace(result, trouble=trouble), request.tries))
            self._delayed[request.number] = asyncio.get_running_loop().create_task(task)

    def _watch(self, trouble: Trouble, result: RetryLater, now: float) -> None:
        """Give the server up where it answers nothing for too long, or says so."""
        limits = self._limits
        if result.wait is not None and result.wait > limits.longest_wait:
            self._end(f"asks to wait {result.wait:.6g} s: {result.reason}")
        self._up = self._up and trouble != "unreachable"
        if not self._troubles:
            self._troubled_since = now
        self._troubles += 1
        if self._troubles < _FEWEST_TRIES:
            return
        waited, gone = now - self._troubled_since, trouble in ("unreachable", "not ready")
        if waited >= limits.wait_for_server:
            lost = "cannot be reached" if trouble == "unreachable" else "has answered nothing"
            self._end(f"{lost} for {waited:.0f} s ({result.reason}); wait_for_server allows more")
        elif gone and not self._told:
            self._told, most = True, limits.wait_for_server
            # without the server's words, which may hold a key
            _log.warning("the server at %s is %s; waiting for it, at most %g s", self._url, trouble, most)

    def _give_up(self, request: ServerRequest, reason: str) -> None:
        """The error of a request that failed too often."""
        self._given_up += 1
        if self._given_up >= self._limits.in_a_row:
            self._end(f"failed the last {self._given_up} requests; at last: {reason}")
        tries = request.failures + request.refusals
        times = "once" if tries == 1 else f"{tries} times"
        self._deliver([(request.number, Failure(f"{reason} (asked {times})"))])

    async def _delay(self, request: ServerRequest, seconds: float) -> None:
        await self._clock.sleep(seconds)
        del self._delayed[request.number]
        self.submit([request])

    def _pause_all(self, now: float, seconds: float) -> None:
        """Send nothing for a while: the server refuses almost everything now."""
        if now + seconds <= self._paused_until:
            return
        if self._pause is None:
            self._count("pauses")
        else:
            self._pause.cancel()
        self._paused_until = now + seconds
        self._pause = asyncio.get_running_loop().create_task(self._resume(seconds))

    async def _resume(self, seconds: float) -> None:
        await self._clock.sleep(seconds)
        self._paused_until, self._pause = float("-inf"), None
        self._advance()

    def _count(self, name: str) -> None:
        self.traffic = replace(self.traffic, **{name: getattr(self.traffic, name) + 1})

    def _end(self, what: str) -> None:
        """Give the server up; the first reason counts."""
        self._broken = self._broken or f"the server at {self._url} {what}"
