"""A chat server on this machine, for models that are asked over the network."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from .misbehaving import Misbehaving, Reply, Request, chat, error, misbehaving

Says = Callable[[list[dict[str, Any]]], "str | tuple[str, str] | None"]


@dataclass
class ChatServer:
    """What the server was asked, and where it listens."""

    server: Misbehaving

    @property
    def asked(self) -> list[dict[str, Any]]:
        return [request.body for request in self.server.asked]

    def arguments(self, **more: str) -> str:
        """``--model-args`` of lm-eval's ``local-chat-completions`` that ask it, one attempt a request."""
        given = {"base_url": self.server.url, "model": "served", "max_retries": "1", **more}
        return ",".join(f"{name}={value}" for name, value in given.items())


@contextmanager
def chat_server(
    says: Says = lambda messages: None, whole_body: Callable[[dict[str, Any]], str] | None = None
) -> Iterator[ChatServer]:
    """A server that answers each list of messages by ``says``, which may wait, perhaps with a finish reason.

    Where that is None, its status is 500. ``whole_body`` answers by all that is sent, the seed say.
    """

    async def reply(request: Request) -> Reply:
        given = (says, request.body["messages"]) if whole_body is None else (whole_body, request.body)
        said = await asyncio.to_thread(*given)
        text, reason = said if isinstance(said, tuple) else (said, None)
        return error(500, "") if text is None else chat(text, reason)

    with misbehaving(reply) as server:
        yield ChatServer(server)


def text_of(messages: list[dict[str, Any]]) -> str:
    """All text of the messages, the parts of a list of contents included."""
    parts = [message["content"] for message in messages]
    return "\n".join(
        part if isinstance(part, str) else "\n".join(each.get("text", "") for each in part) for part in parts
    )
