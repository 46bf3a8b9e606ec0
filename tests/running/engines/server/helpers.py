"""What the tests of servers share: a clock that need not be waited for, and a driver of engines."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from torr_plugin.prompts.message import Message
from torr_plugin.running.engines.base import EngineRequest, Failure, ModelOutput
from torr_plugin.running.engines.server.client import Clock, ServerClient, ServerSettings
from torr_plugin.running.engines.server.engine import ServerEngine, settings_of
from torr_plugin.running.engines.server.replies import ServerReply
from torr_plugin.running.loaded_model import Contexts
from torr_plugin.running.model_classes import ServerArguments, lm_class

from ....timing import PATIENCE

KEY = "sk-a-key-that-nobody-may-see-1234567890"


class Leaping(Clock):
    """A clock that leaps over every wait, so that an hour passes in no time."""

    def __init__(self) -> None:
        self._leapt = 0.0

    def now(self) -> float:  # type: ignore[override]
        return time.monotonic() + self._leapt

    async def sleep(self, seconds: float) -> None:
        until = self.now() + seconds
        await asyncio.sleep(0.001)
        self._leapt += max(0.0, until - self.now())


def client(post: Any, at_once: int | None, deliver: Any, clock: Clock, **limits: Any) -> ServerClient:
    """A client that sends bodies as they are; a number that ``post`` gives is an answer."""

    async def answer(body: bytes) -> Any:
        reply = await post(body)
        if isinstance(reply, ServerReply) and reply.status == 200 and reply.body.lstrip(b"-").isdigit():
            text = json.dumps({"choices": [{"text": reply.body.decode()}]})
            return replace(reply, body=text.encode())
        return reply

    settings = ServerSettings("http://url", {}, ServerArguments(at_once, **limits))
    payloads: Any = None
    return ServerClient(answer, settings, deliver, payloads, clock=clock)


def loaded(url: str, kind: str = "local-chat-completions", /, **arguments: Any) -> Any:
    """A model of lm-eval's that asks a server."""
    return lm_class(kind).create_from_arg_obj({"base_url": url, "model": "served", **arguments})


def engine(
    url: str,
    *,
    clock: Any = None,
    timeout: float | None = None,
    **more: Any,
) -> ServerEngine:
    """An engine on a server; ``timeout`` may be less than lm-eval's whole seconds."""
    lm = loaded(url, **more)
    settings = settings_of(lm, more)
    asked = replace(settings.asked, timeout=timeout or settings.asked.timeout)
    settings = replace(settings, asked=asked, proxy=None)
    return ServerEngine(lm, settings, clock=clock or Leaping())


def tasks(lm: Any, texts: Iterable[str], *, is_chat: bool = True, **generation: Any) -> list[EngineRequest]:
    contexts = Contexts(lm, chat=is_chat)
    arguments = {"until": [], "temperature": 0.0, "do_sample": False, "max_gen_toks": 64, **generation}
    found = []
    for number, text in enumerate(texts):
        context = contexts.of((Message("user", text),))
        assert not isinstance(context, Failure)
        found.append(EngineRequest(number, context, arguments))
    return found


def finished(
    asking: ServerEngine, given: list[EngineRequest], seconds: float = PATIENCE
) -> dict[int, ModelOutput | Failure]:
    """All tasks through an engine; fails where one comes back twice, or none for too long."""
    waiting, found = list(given), dict[int, ModelOutput | Failure]()
    deadline = time.monotonic() + seconds
    while len(found) < len(given):
        assert time.monotonic() < deadline, f"{len(found)} of {len(given)} are back"
        room = asking.room()
        taken, waiting = waiting[:room], waiting[room:]
        asking.add(taken)
        for number, each in asking.step():
            assert number not in found
            found[number] = each
    return found


def said(url: str, texts: Iterable[str] = ("?",), **more: Any) -> list[ModelOutput | Failure]:
    """What comes of asking a server these texts, in their order."""
    asking = engine(url, **more)
    try:
        given = tasks(asking._lm, texts)
        found = finished(asking, given)
        return [found[task.number] for task in given]
    finally:
        asking.close()
