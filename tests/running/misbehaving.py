"""A server on this machine that does to each request what a script says, down to single bytes."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ..timing import PATIENCE


@dataclass(frozen=True)
class Request:
    """One that arrived: its number from 0, and what was in it."""

    number: int
    path: str
    headers: Mapping[str, str]
    data: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.data)

    @property
    def text(self) -> str:
        """The prompt's, of a chat or a completion."""
        body = self.body
        return body["messages"][-1]["content"] if "messages" in body else body["prompt"]


@dataclass(frozen=True)
class Reply:
    """What is sent back.

    ``delay``: seconds before the first byte, fewer where ``once`` holds before; ``cut``: the connection is
    closed after so many bytes of the body; ``drop``: before any byte; ``drip``: seconds between bytes of the
    body; ``raw``: all there is.
    """

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    cut: int | None = None
    drop: bool = False
    drip: float = 0.0
    raw: bytes | None = None
    once: Callable[[], bool] | None = None

    def head(self) -> bytes:
        headers = {"Content-Type": "application/json", "Content-Length": str(len(self.body)), **self.headers}
        lines = [f"HTTP/1.1 {self.status} Whatever", *(f"{name}: {value}" for name, value in headers.items())]
        return "\r\n".join([*lines, "", ""]).encode("latin-1")


Script: TypeAlias = Callable[[Request], "Reply | Awaitable[Reply]"]


def chat(text: Any, reason: Any = "stop", usage: Any = None, **more: Any) -> Reply:
    """A chat server's answer."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": reason}
    return as_json({"choices": [choice], **({"usage": usage} if usage is not None else {})}, **more)


def as_json(value: Any, **more: Any) -> Reply:
    return Reply(body=json.dumps(value).encode(), **more)


def error(status: int, message: str, headers: Mapping[str, str] | None = None, **fields: Any) -> Reply:
    return as_json({"error": {"message": message, **fields}}, status=status, headers=headers or {})


def in_turn(*replies: Reply) -> Script:
    """The first reply to the first request, and so on; the last one to all that follow."""
    return lambda request: replies[min(request.number, len(replies) - 1)]


@dataclass
class Misbehaving:
    """What the server was asked, and the most requests that it had at once."""

    script: Script
    asked: list[Request] = field(default_factory=list)
    port: int = 0
    at_once: int = 0
    most_at_once: int = 0
    connections: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1/chat/completions"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while await self._one(reader, writer):
                pass
        writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Read one request and reply to it; whether the connection is kept."""
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().strip().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        data = await reader.readexactly(int(headers.get("content-length", 0)))
        request = Request(len(self.asked), first.split()[1], headers, data)
        self.asked.append(request)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            reply = self.script(request)
            return await self._reply(reply if isinstance(reply, Reply) else await reply, writer)
        finally:
            self.at_once -= 1

    async def _reply(self, reply: Reply, writer: asyncio.StreamWriter) -> bool:
        end = asyncio.get_running_loop().time() + reply.delay
        while reply.once is not None and not reply.once() and asyncio.get_running_loop().time() < end:
            await asyncio.sleep(0.002)
        if reply.once is None:
            await asyncio.sleep(reply.delay)
        if reply.drop:
            return False
        if reply.raw is not None:
            writer.write(reply.raw)
            await writer.drain()
            return False
        writer.write(reply.head())
        body = reply.body if reply.cut is None else reply.body[: reply.cut]
        pieces = [body[place : place + 1] for place in range(len(body))] if reply.drip else [body]
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(reply.drip)
        return reply.cut is None


@contextmanager
def misbehaving(script: Script) -> Iterator[Misbehaving]:
    """The server, while it is open."""
    found = Misbehaving(script)
    started, ended = threading.Event(), asyncio.Event()
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        server = await asyncio.start_server(found.serve, "127.0.0.1", 0)
        found.port = server.sockets[0].getsockname()[1]
        started.set()
        await ended.wait()
        server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    def run() -> None:
        loop.run_until_complete(serve())
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()

    thread = threading.Thread(target=run)
    thread.start()
    assert started.wait(PATIENCE)
    try:
        yield found
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join(PATIENCE)
        assert not thread.is_alive()
