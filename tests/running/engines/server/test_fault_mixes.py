"""The client beside lm-eval's policy on a virtual clock: under mixes of faults, strays cost little."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from random import Random
from typing import Any, TypeVar

import pytest
from multidict import CIMultiDict

from torr_plugin.running.engines.base import Finished, ModelOutput
from torr_plugin.running.engines.server.client import Clock, ServerRequest
from torr_plugin.running.engines.server.replies import ServerReply

from .helpers import client

T = TypeVar("T")
COUNT, AT_ONCE, SECONDS = 1000, 64, 0.02
ATTEMPTS = 10


class VirtualLoop(asyncio.SelectorEventLoop):
    """Leaps to the next timer where nothing else is left to do."""

    def __init__(self) -> None:
        super().__init__()
        self._now = 0.0

    def time(self) -> float:
        return self._now

    def _run_once(self) -> None:
        if not self._ready and self._scheduled:  # type: ignore[attr-defined]
            self._now = max(self._now, self._scheduled[0].when())  # type: ignore[attr-defined]
        super()._run_once()  # type: ignore[misc]


class VirtualClock(Clock):
    def now(self) -> float:  # type: ignore[override]
        return asyncio.get_running_loop().time()


def passed(work: Coroutine[Any, Any, T]) -> tuple[T, float]:
    """What comes of it, and the virtual seconds that it took."""
    loop = VirtualLoop()
    try:
        return loop.run_until_complete(work), loop.time()
    finally:
        loop.close()


class Server:
    """Refuses, fails or delays shares of the attempts, equal ones for whoever asks."""

    def __init__(self, seed: int, refused: float = 0.0, failed: float = 0.0, slow: float = 0.0) -> None:
        self._seed, self._shares = seed, (refused, refused + failed, refused + failed + slow)
        self._tries = dict.fromkeys(range(COUNT), 0)
        self.asked = self.refused = 0

    async def post(self, body: bytes) -> ServerReply:
        number = json.loads(body)
        self._tries[number] += 1
        self.asked += 1
        chance = Random(f"{self._seed} {number} {self._tries[number]}").random()
        refused, failed, slow = self._shares
        await asyncio.sleep(1.0 if failed <= chance < slow else SECONDS)
        self.refused += chance < refused
        status = 429 if chance < refused else 500 if chance < failed else 200
        return ServerReply(status, CIMultiDict({"retry-after": "1"} if status == 429 else {}), body)


async def ours(server: Server) -> list[Finished]:
    """All requests through our client, fed as the engine feeds it."""
    found: list[Finished] = []
    asked = client(server.post, AT_ONCE, found.extend, VirtualClock(), max_retries=ATTEMPTS)
    asked.submit([ServerRequest(number, str(number).encode()) for number in range(COUNT)])
    while len(found) < COUNT:
        await asyncio.sleep(SECONDS / 4)
    assert asked.broken is None
    return found


async def lm_evals(server: Server) -> None:
    """lm-eval's way: each failed attempt alone waits 1, 1, 2, 4 ... seconds, whatever the reply says."""
    turns = asyncio.Semaphore(AT_ONCE)

    async def ask(number: int) -> None:
        for attempt in range(ATTEMPTS):
            async with turns:
                reply = await server.post(str(number).encode())
            if reply.status == 200:
                return
            await asyncio.sleep(min(max(0.5 * 2**attempt, 1.0), 10.0))

    await asyncio.gather(*map(ask, range(COUNT)))


MIXES = {
    "clean": {},
    "429": {"refused": 0.024},
    "500": {"failed": 0.026},
    "slow": {"slow": 0.01},
    "all": {"refused": 0.024, "failed": 0.026, "slow": 0.01},
}


@pytest.mark.parametrize("mix", MIXES)
def test_stray_faults_cost_no_more_than_with_lm_eval(mix: str) -> None:
    found, seconds = passed(ours(Server(0, **MIXES[mix])))
    _, theirs = passed(lm_evals(Server(0, **MIXES[mix])))
    assert sorted(found) == [(number, ModelOutput(str(number))) for number in range(COUNT)]
    assert seconds <= 1.1 * theirs


class Limited(Server):
    """Takes so many requests a second, and says to the others to come again in a second."""

    def __init__(self, a_second: float) -> None:
        super().__init__(0)
        self._rate, self._left, self._at = a_second, a_second, 0.0

    async def post(self, body: bytes) -> ServerReply:
        now = asyncio.get_running_loop().time()
        self._left, self._at = min(self._rate, self._left + (now - self._at) * self._rate), now
        self.asked += 1
        if self._left < 1:
            self.refused += 1
            await asyncio.sleep(0.001)
            return ServerReply(429, CIMultiDict({"retry-after": "1"}), body)
        self._left -= 1
        await asyncio.sleep(SECONDS)
        return ServerReply(200, CIMultiDict(), body)


@pytest.mark.parametrize("a_second", [100.0, 400.0])
def test_a_server_that_refuses_most_is_asked_less(a_second: float, caplog: pytest.LogCaptureFixture) -> None:
    """All are answered at nearly its rate, and what it refuses is bounded."""
    server = Limited(a_second)
    found, seconds = passed(ours(server))
    assert all(isinstance(each, ModelOutput) for _, each in found)
    assert [each.getMessage() for each in caplog.records] == [
        "the server at http://url limits requests; waiting as it says, now 1 s"
    ]
    assert server.refused < COUNT
    assert seconds < 2.5 * COUNT / a_second
