"""A chat server in a process of its own: takes its time; refuses, fails or delays some of its requests."""

from __future__ import annotations

import asyncio
import hashlib
import json
import multiprocessing
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection

ANSWER = "an answer"


@dataclass(frozen=True)
class Faults:
    """The shares of attempts that go wrong; ``slow`` ones are answered after ``slow_seconds``.

    A 429 asks to wait for ``retry_after`` seconds, in full ones, as the header has it.
    """

    refused: float = 0.0
    failed: float = 0.0
    slow: float = 0.0
    seconds: float = 0.02
    slow_seconds: float = 1.0
    retry_after: int = 1

    def of(self, body: bytes, attempt: int) -> tuple[bytes, float]:
        """The reply to an attempt and its delay: equal for equal requests, whoever sends them."""
        digest = hashlib.blake2b(body, digest_size=8, key=attempt.to_bytes(4, "big")).digest()
        chance = int.from_bytes(digest, "big") / 2**64
        if chance < self.refused:
            return _reply(429, {"error": {"message": "too many requests"}}, self.retry_after), self.seconds
        if chance < self.refused + self.failed:
            return _reply(500, {"error": {"message": "internal error"}}), self.seconds
        is_slow = chance < self.refused + self.failed + self.slow
        return _GOOD, self.slow_seconds if is_slow else self.seconds


def _reply(status: int, value: object, retry_after: int | None = None) -> bytes:
    body = json.dumps(value).encode()
    wait = "" if retry_after is None else f"Retry-After: {retry_after}\r\n"
    head = f"HTTP/1.1 {status} Reply\r\nContent-Type: application/json\r\n{wait}Content-Length: {len(body)}"
    return f"{head}\r\n\r\n".encode() + body


_GOOD = _reply(
    200,
    {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": ANSWER}, "finish_reason": "stop"}
        ],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 3, "total_tokens": 1003},
    },
)


class _Server:
    """Its faults come over a pipe; the attempts of each request are counted from there on."""

    def __init__(self, control: Connection) -> None:
        self._control, self._faults, self._attempts = control, Faults(), Counter[bytes]()

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: _Exchange(self.reply), "127.0.0.1", 0)
        loop.add_reader(self._control.fileno(), self._switch)
        self._control.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    def _switch(self) -> None:
        self._faults, self._attempts = self._control.recv(), Counter()
        self._control.send(None)

    def reply(self, body: bytes) -> tuple[bytes, float]:
        """The next reply to a request, and its delay."""
        name = hashlib.blake2b(body, digest_size=8).digest()
        self._attempts[name] += 1
        return self._faults.of(body, self._attempts[name])


class _Exchange(asyncio.Protocol):
    """One connection: reads whole requests and replies to each."""

    def __init__(self, reply: Callable[[bytes], tuple[bytes, float]]) -> None:
        self._reply, self._read = reply, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._read += data
        while (body := self._request()) is not None:
            reply, seconds = self._reply(body)
            asyncio.get_running_loop().call_later(seconds, self._transport.write, reply)  # type: ignore[attr-defined]

    def _request(self) -> bytes | None:
        """The body of the next whole request, which is taken."""
        head, found, rest = self._read.partition(b"\r\n\r\n")
        if not found:
            return None
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
        if len(rest) < length:
            return None
        self._read = rest[length:]
        return rest[:length]


def _serve(control: Connection) -> None:
    asyncio.run(_Server(control).run())


class FaultyServer:
    """The server, as its clients' process sees it."""

    def __init__(self, control: Connection, port: int) -> None:
        self._control, self.url = control, f"http://127.0.0.1:{port}/v1/chat/completions"

    def switch(self, faults: Faults) -> None:
        """Set its faults, and count attempts from here on."""
        self._control.send(faults)
        self._control.recv()


@contextmanager
def faulty_server() -> Iterator[FaultyServer]:
    """Run a server, without faults at first."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_serve, args=(there,), daemon=True)
    process.start()
    try:
        yield FaultyServer(here, here.recv())
    finally:
        process.terminate()
        process.join()
