"""Sends requests to a server: as many at once as it takes, and again with tenacity where an attempt fails."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from heapq import heappop, heappush
from typing import TypeAlias

from tenacity import AsyncRetrying, RetryCallState, retry_if_result

from ...answer import one_line
from ...contexts import Failure
from ...traffic import NO_TRAFFIC
from ..base import Finished, ModelOutput
from .backoff import RetryLater, ServerTrouble, seconds_before_retry
from .flow_control import AdaptiveConcurrency, CircuitBreaker, UsualSeconds
from .refused_parameters import RefusedParameter
from .replies import AttemptResult, Denial, ReadAnswer, ServerReply, attempt_result
from .settings import RetryLimits

# so many attempts without an answer between them are no strays
_TROUBLES = 20

Revise: TypeAlias = "Callable[[bytes, RefusedParameter], bytes | None]"
Refuse: TypeAlias = Callable[[RefusedParameter], None]
Deliver: TypeAlias = Callable[[Sequence[Finished]], None]
Post: TypeAlias = "Callable[[bytes], Awaitable[ServerReply | RetryLater | Denial]]"


class Clock:
    """The time; tests replace it."""

    now = staticmethod(time.monotonic)

    async def sleep(self, seconds: float) -> None:
        """Wait without blocking the event loop."""
        await asyncio.sleep(seconds)


@dataclass(slots=True)
class ServerRequest:
    """A request for a server, and how often it failed.

    Attributes:
        number: the caller's; smaller ones go first.
        body: what is sent.
        failures: attempts at which the server failed.
        refusals: attempts for which it had no room.
    """

    number: int
    body: bytes
    failures: int = 0
    refusals: int = 0


class ServerClient:
    """Everything happens in one event loop; only public attributes may be read from elsewhere.

    Args:
        post: sends one request and waits for the reply.
        read: makes an answer from a reply's JSON.
        revise: makes a body without a parameter that the server refuses; None where that is not possible.
        refuse: called with such a parameter once a body without it went through.
        breaker: decides when to give the server up.
        concurrency: how many requests at once.
        limits: of retries.
        deliver: called in the event loop with finished requests, and with an empty list at the end.
        clock: the time.

    Attributes:
        traffic: what the server did so far.
    """

    def __init__(
        self,
        post: Post,
        read: ReadAnswer,
        *,
        revise: Revise = lambda body, parameter: None,
        refuse: Refuse = lambda parameter: None,
        breaker: CircuitBreaker,
        concurrency: AdaptiveConcurrency,
        limits: RetryLimits,
        deliver: Deliver,
        clock: Clock | None = None,
    ) -> None:
        self._post, self._read, self._deliver = post, read, deliver
        self._revise, self._refuse = revise, refuse
        self._breaker, self._concurrency, self._limits = breaker, concurrency, limits
        self._clock = clock or Clock()
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._in_flight: set[int] = set()
        self._waiting: list[tuple[int, asyncio.Future[None]]] = []
        self._usual, self.traffic, self._delayed = UsualSeconds(), NO_TRAFFIC, 0
        self._paused_until = float("-inf")
        self._pause: asyncio.Task[None] | None = None

    @property
    def limit(self) -> int:
        """How many requests may be in flight now."""
        return self._concurrency.limit

    @property
    def delayed(self) -> int:
        """How many requests wait to be sent again while the server answers others."""
        return self._delayed if self._breaker.troubles < _TROUBLES else 0

    @property
    def broken(self) -> str | None:
        """Why the server was given up, once all requests in flight are back."""
        return None if self._in_flight else self._breaker.broken

    def submit(self, requests: Sequence[ServerRequest]) -> None:
        """Send these, in the order of their numbers."""
        loop = asyncio.get_running_loop()
        for request in requests:
            task = self._tasks[request.number] = loop.create_task(self._answer(request))
            task.add_done_callback(partial(self._ended, request.number))

    def recall(self) -> list[int]:
        """Drop the requests that are not in flight, and return their numbers."""
        numbers = sorted(self._tasks.keys() - self._in_flight)
        for number in numbers:
            self._tasks.pop(number).cancel()
        self._advance()  # refusals that were held back need not wait for the dropped ones
        return numbers

    def abandon(self) -> None:
        """Drop everything, and hang up on the server."""
        tasks, self._tasks = self._tasks, {}
        self._in_flight.clear()
        for task in (*tasks.values(), *([self._pause] if self._pause else [])):
            task.cancel()

    async def _answer(self, request: ServerRequest) -> None:
        """Retry until there is an answer or the request is given up.

        Tenacity's bookkeeping costs as much as a fast request, so it gets those whose first attempt failed.
        """
        result: AttemptResult | None = await self._attempt(request)
        if isinstance(result, Failure):
            self._deliver(self._breaker.refused(request.number, result))
            self._advance()
            return
        if isinstance(result, RetryLater):
            result = await self._retry(request, result)
        if isinstance(result, (ModelOutput, Failure)):
            self._deliver([(request.number, result)])

    async def _retry(self, request: ServerRequest, first: RetryLater) -> AttemptResult | None:
        attempts: list[AttemptResult] = [first]

        async def attempt(request: ServerRequest) -> AttemptResult:
            if attempts:
                return attempts.pop()
            self._count("retries")
            return await self._attempt(request)

        retrying = AsyncRetrying(
            retry=retry_if_result(lambda result: isinstance(result, RetryLater)),
            wait=seconds_before_retry,
            stop=self._is_hopeless,
            sleep=self._delay,
            retry_error_callback=self._give_up,
        )
        found: AttemptResult | None = await retrying(attempt, request)
        return found

    async def _delay(self, seconds: float) -> None:
        self._delayed += 1
        try:
            await self._clock.sleep(seconds)
        finally:
            self._delayed -= 1

    def _is_hopeless(self, state: RetryCallState) -> bool:
        return self._is_exhausted(state.args[0]) or self._breaker.broken is not None

    def _is_exhausted(self, request: ServerRequest) -> bool:
        limits = self._limits
        return request.failures >= limits.attempts or request.refusals >= limits.rate_limited

    def _give_up(self, state: RetryCallState) -> Failure | None:
        """The error of a request that failed too often; None if the run stops, so that it remains open."""
        request: ServerRequest = state.args[0]
        if not self._is_exhausted(request):
            return None
        reason = state.outcome.result().reason  # type: ignore[union-attr]
        self._breaker.given_up(reason)
        tries = request.failures + request.refusals
        times = "once" if tries == 1 else f"{tries} times"
        return Failure(f"{reason} (asked {times})")

    async def _attempt(self, request: ServerRequest) -> AttemptResult:
        """Wait for a turn, and send the request once."""
        await self._turn(request.number)
        try:
            sent = self._clock.now()
            result = await self._sent(request)
            self._learn(request, result, sent)
        finally:
            self._in_flight.discard(request.number)
        self._advance()
        return result

    async def _sent(self, request: ServerRequest) -> AttemptResult:
        """Send a request; again at once without each parameter that the server refuses by its name.

        Where it then refuses the same one, its words are about something else.
        """
        body, tried = request.body, dict[str, RefusedParameter]()
        try:
            while True:
                reply = await self._post(body)
                if not isinstance(reply, ServerReply):
                    return reply
                self._breaker.reached()
                result = attempt_result(reply, self._read, time.time())
                if isinstance(result, RefusedParameter) and result.name in tried:
                    return Failure(result.reason)
                if not isinstance(result, (RetryLater, Denial)):  # which say nothing of the parameters
                    request.body = body
                    for each in tried.values():
                        self._refuse(each)
                if not isinstance(result, RefusedParameter):
                    return result
                revised = self._revise(body, result)
                if revised is None:
                    return Failure(result.reason)
                body, tried[result.name] = revised, result
        except Exception as error:  # a fault of ours must not lose a request
            return Failure(f"the reply cannot be read: {one_line(error)}")

    def _learn(self, request: ServerRequest, result: AttemptResult, sent: float) -> None:
        """Report an attempt to the breaker and the concurrency limit."""
        now = self._clock.now()
        if isinstance(result, (ModelOutput, Failure)):
            self._concurrency.answered(sent, now, len(self._in_flight))
        if isinstance(result, ModelOutput):
            if self._usual.is_slow(now - sent):
                self._count("slow")
            if held := self._breaker.answered():
                self._deliver(held)
        elif isinstance(result, Failure):
            self._breaker.sound()
        elif isinstance(result, Denial):
            self._breaker.denied(request.number, result.reason)
        elif result.trouble is ServerTrouble.UNREACHABLE:
            self._breaker.unreachable(now, result.reason)  # the request is not to blame
        elif result.wait is not None and result.wait > self._limits.longest_wait:
            self._breaker.end(f"asks to wait {result.wait:.0f} s: {result.reason}")
        else:
            self._failed(request, result, sent, now)

    def _failed(self, request: ServerRequest, result: RetryLater, sent: float, now: float) -> None:
        self._breaker.failed(now, result.reason)
        if result.trouble is ServerTrouble.FAULTY:
            request.failures += 1
            return
        if result.trouble is ServerTrouble.OVERLOADED:
            request.refusals += 1
            self._count("rate_limited")
        else:
            request.failures += 1
            self._count("slow")
        if self._concurrency.overloaded(sent, now) and result.wait:
            self._pause_all(result.wait)

    def _count(self, name: str) -> None:
        self.traffic = replace(self.traffic, **{name: getattr(self.traffic, name) + 1})

    def _pause_all(self, seconds: float) -> None:
        """Send nothing for a while: the server refuses almost everything now."""
        until = self._clock.now() + seconds
        if until > self._paused_until:
            if self._pause is None:
                self._count("pauses")
            self._paused_until = until
            if self._pause is not None:
                self._pause.cancel()
            self._pause = asyncio.get_running_loop().create_task(self._resume(seconds))

    async def _resume(self, seconds: float) -> None:
        await self._clock.sleep(seconds)
        self._paused_until, self._pause = float("-inf"), None
        self._advance()

    async def _turn(self, number: int) -> None:
        """Wait until the request may be sent."""
        if not self._waiting and self._may_send():
            self._in_flight.add(number)
            return
        turn = asyncio.get_running_loop().create_future()
        heappush(self._waiting, (number, turn))
        await turn

    def _may_send(self) -> bool:
        breaker = self._breaker
        return (
            len(self._in_flight) < self._concurrency.limit
            and not (breaker.broken or breaker.in_doubt)
            and self._clock.now() >= self._paused_until
        )

    def _advance(self) -> None:
        """Give turns to waiting requests, and deliver the end."""
        while self._waiting and self._may_send():
            number, turn = heappop(self._waiting)
            if not turn.done():  # not recalled
                self._in_flight.add(number)
                turn.set_result(None)
        breaker = self._breaker
        if not (self._in_flight or breaker.broken) and (breaker.in_doubt or not self._tasks):
            self._deliver(breaker.drained())
        if self.broken:
            self._deliver(())  # whoever waits for answers can stop

    def _ended(self, number: int, task: asyncio.Task[None]) -> None:
        if task.cancelled():
            return
        self._tasks.pop(number, None)
        if (error := task.exception()) is not None:  # a fault of ours: stop, rather than wait for ever
            self._breaker.end(f"cannot be asked any more: {one_line(error)}")
        if not self._tasks or error is not None:
            self._advance()
