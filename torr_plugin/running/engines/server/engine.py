"""The engine for a model behind a server."""

from __future__ import annotations

import asyncio
import json
import queue
import threading
import weakref
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from ....core.errors import ServerLostError
from ...answer import REFUSED
from ...contexts import Failure
from ...traffic import ServerTraffic
from ..base import EngineRequest, Finished, ModelOutput
from .client import Clock, ServerClient, ServerRequest
from .connection import Secrets, ServerConnection, ServerSettings
from .payloads import Payloads

if TYPE_CHECKING:
    from lm_eval.api.model import LM

T = TypeVar("T")
_STEP_SECONDS = 0.5
_PATIENCE = 10.0
# requests that are ready when those in flight are finished, so that the server never waits for us
_AHEAD = 8
# requests that wait to be sent again leave room for others, up to so many a slot, as all are held in memory
_DELAYED = 4


class ServerEngine:
    """See :class:`torr_plugin.running.engines.base.Engine`; its client works in a thread of its own.

    Args:
        lm: a model of lm-eval's ``TemplateAPI``.
        settings: see :func:`settings_of`.
        left_out: generation parameters that are not to be sent.
        clock: the time.
    """

    def __init__(
        self,
        lm: LM,
        settings: ServerSettings,
        *,
        left_out: Collection[str] = (),
        clock: Clock | None = None,
    ) -> None:
        lm.think_end_token = None  # lm-eval would drop the thoughts, which are told apart later
        self._lm = lm
        self._secrets = Secrets(settings.headers, settings.url, settings.proxy or "")
        self._payloads = Payloads(lm, left_out)
        self._finished = queue.SimpleQueue[Sequence[Finished]]()
        self._unfinished = set[int]()
        connection = ServerConnection(settings)
        self.client = ServerClient(connection.post, settings, self._finished.put, self._payloads, clock=clock)
        self._loop = asyncio.new_event_loop()
        thread = threading.Thread(target=_run_loop, args=(self._loop,), name="torr-server", daemon=True)
        thread.start()
        # also for a model that nobody closes: when it is forgotten, or at the end of the process
        self._close = weakref.finalize(self, _hang_up, self._loop, thread, connection)

    def room(self) -> int:
        """Twice the concurrency limit, less the requests it has; those that wait for a retry do not count."""
        limit, delayed = self.client.limit, self.client.delayed
        return max(0, limit + max(limit, _AHEAD) + min(delayed, _DELAYED * limit) - len(self._unfinished))

    @property
    def traffic(self) -> ServerTraffic:
        """What the server did so far, and what it was sent."""
        sent = self._payloads.sent
        return replace(self.client.traffic, sent=json.dumps(sent, sort_keys=True) if sent else "")

    def add(self, requests: Sequence[EngineRequest]) -> None:
        """See :class:`Engine`."""
        self._unfinished.update(request.number for request in requests)
        made = []
        for request, body in zip(requests, self._payloads.of(requests), strict=True):
            if isinstance(body, Failure):
                self._finished.put([(request.number, body)])
            else:
                made.append(ServerRequest(request.number, body))
        self._loop.call_soon_threadsafe(self.client.submit, made)

    def step(self) -> list[Finished]:
        """Wait for answers, and return them.

        Raises:
            ServerLostError: the server is gone, refuses all requests, or fails all of them.
        """
        found = self._received(_STEP_SECONDS)
        if not found and (broken := self.client.broken):
            found = self._received(0)
            if not found:
                raise ServerLostError(self._secrets.hide(broken))
        return found

    def recall(self) -> list[int]:
        """Drop the requests that wait for their turn; those in flight continue."""
        numbers = self._call(self.client.recall)
        self._unfinished.difference_update(numbers)
        return numbers

    def abandon(self) -> list[Finished]:
        """See :class:`Engine`."""
        self._call(self.client.abandon)
        found = self._received(0)
        self._unfinished.clear()
        return found

    def close(self) -> None:
        """Hang up, and end the thread; a second call does nothing."""
        self._close()

    def _call(self, function: Callable[[], T]) -> T:
        """Call a function in the loop and wait for its result."""

        async def call() -> T:
            return function()

        return asyncio.run_coroutine_threadsafe(call(), self._loop).result(_PATIENCE)

    def _received(self, seconds: float) -> list[Finished]:
        found = list[Finished]()
        try:
            found += self._finished.get(timeout=seconds) if seconds else self._finished.get_nowait()
            while True:
                found += self._finished.get_nowait()
        except queue.Empty:
            pass
        self._unfinished.difference_update(number for number, _ in found)
        return [(number, self._without_secrets(each)) for number, each in found]

    def _without_secrets(self, found: ModelOutput | Failure) -> ModelOutput | Failure:
        if isinstance(found, Failure):
            return replace(found, reason=self._secrets.hide(found.reason))
        if found.finish_reason == REFUSED:  # its text may be the server's words
            return replace(found, text=self._secrets.hide(found.text))
        return found


def _run_loop(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        loop.close()


def _hang_up(loop: asyncio.AbstractEventLoop, thread: threading.Thread, connection: ServerConnection) -> None:
    """Cancel everything, close the connections, end the thread."""

    async def finish() -> None:
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await connection.close()
        await asyncio.sleep(0)  # transports close in a turn of their own
        loop.call_soon(loop.stop)

    if thread.is_alive():
        asyncio.run_coroutine_threadsafe(finish(), loop)
        if threading.current_thread() is not thread:  # the garbage collector runs anywhere
            thread.join(_PATIENCE)
