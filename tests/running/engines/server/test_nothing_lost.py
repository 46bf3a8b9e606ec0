"""Random servers: every request comes back once, and what the server had is what is told."""

from __future__ import annotations

import asyncio
import json

from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.running.engines.base import Failure, Finished, ModelOutput
from torr_plugin.running.engines.server.client import DENIED, Clock, ServerRequest
from torr_plugin.running.engines.server.replies import Denial, RetryLater, ServerReply

from .helpers import Leaping, client

KINDS = st.sampled_from(
    ["fine", "fine", "fine", "500", "429", "429 wait", "400", "malformed", "slow", "unreachable", "403"]
)


class Scripted:
    """A server in memory: each try of each request meets what the script holds for it."""

    def __init__(self, scripts: dict[int, list[str]]) -> None:
        self.scripts, self.tries = scripts, dict.fromkeys(scripts, 0)
        self.at_once = self.most = 0

    async def post(self, body: bytes) -> ServerReply | RetryLater | Denial:
        number = json.loads(body)
        script = self.scripts[number]
        kind = script[self.tries[number]] if self.tries[number] < len(script) else "fine"
        self.tries[number] += 1
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        try:
            await asyncio.sleep(0)
            return _reply(kind, number)
        finally:
            self.at_once -= 1


def _reply(kind: str, number: int) -> ServerReply | RetryLater | Denial:
    status = {"fine": 200, "500": 500, "429": 429, "429 wait": 429, "400": 400, "malformed": 200, "403": 403}
    if kind == "slow":
        return RetryLater("slow", "slow")
    if kind == "unreachable":
        return RetryLater("unreachable", "gone")
    body = b"{" if kind == "malformed" else json.dumps(number).encode()
    headers = {"retry-after": "30"} if kind == "429 wait" else {}
    return ServerReply(status[kind], headers, body)


def _expected(script: list[str], attempts: int) -> str:
    """What a request comes to by its script alone."""
    failures = refusals = 0
    for kind in script:
        if kind in ("400", "403"):
            return kind
        refusals += kind in ("429", "429 wait")
        failures += kind in ("500", "malformed", "slow")
        if max(failures, refusals) >= attempts:
            return "given up"
        if kind == "fine":
            return "fine"
    return "fine"


async def _asked(posts: Scripted, count: int, attempts: int, most: int | None) -> list[Finished]:
    found: list[Finished] = []
    limits = {"max_retries": attempts, "wait_for_server": 10**9}
    asked = client(posts.post, most, found.extend, Leaping(), **limits)
    asked.submit([ServerRequest(-1, b"-1")])  # an answer, so that the server is known to answer
    while not found:
        await asyncio.sleep(0)
    asked.submit([ServerRequest(number, json.dumps(number).encode()) for number in range(count)])
    while len(found) < count + 1:
        await asyncio.sleep(0.0005)
    await asyncio.sleep(0.002)
    return found[1:]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(KINDS, max_size=6), min_size=1, max_size=DENIED - 1),
    st.integers(1, 4),
    st.none() | st.integers(1, 5),
)
def test_every_request_comes_back_once(scripts: list[list[str]], attempts: int, most: int | None) -> None:
    posts = Scripted({-1: [], **dict(enumerate(scripts))})
    found = asyncio.run(_asked(posts, len(scripts), attempts, most))
    assert sorted(number for number, _ in found) == list(range(len(scripts)))
    for number, each in found:
        expected = _expected(scripts[number], attempts)
        if expected == "fine":
            assert each == ModelOutput(str(number))
        else:
            assert isinstance(each, Failure)
            assert ("asked" in each.reason) == (expected == "given up")
    assert posts.most <= (most or 128)


def test_a_fault_of_ours_ends_the_run_and_does_not_hang() -> None:
    async def fails(body: bytes) -> ServerReply:
        raise RuntimeError("a bug")

    async def ask() -> str | None:
        asked = client(fails, 1, lambda _: None, Leaping())
        asked.submit([ServerRequest(1, b"1")])
        await asyncio.sleep(0.01)
        return asked.broken

    assert asyncio.run(ask()) == "the server at http://url cannot be asked any more: RuntimeError: a bug"


async def _recalled() -> list[Finished]:
    """One request is refused for good, all others are to wait for long; then the run is to stop."""
    found: list[Finished] = []
    posts = Scripted({-1: [], 0: ["403"], 1: ["429 wait"], 2: ["429 wait"]})
    asked = client(posts.post, 2, found.extend, Clock())
    for numbers in ((-1,), (0, 1, 2)):
        asked.submit([ServerRequest(number, json.dumps(number).encode()) for number in numbers])
        for _ in range(20):
            await asyncio.sleep(0)
    assert await asked.recall() == [1, 2]
    await asyncio.sleep(0)
    return found


def test_what_was_refused_does_not_wait_for_what_is_recalled() -> None:
    assert sorted(number for number, _ in asyncio.run(_recalled())) == [-1, 0]
