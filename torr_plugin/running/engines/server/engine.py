"""The engine for a model behind a server."""

from __future__ import annotations

import asyncio
import json
import queue
import threading
import weakref
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from ....core.errors import ServerLostError
from ...contexts import Failure
from ...traffic import ServerTraffic
from ..base import EngineRequest, Finished, ModelOutput
from .client import Clock, ServerClient, ServerRequest
from .connection import Secrets, ServerConnection, ServerSettings, settings_of
from .payloads import Payloads
from .replies import REFUSAL_REASONS, ReplyReader

if TYPE_CHECKING:
    from lm_eval.api.model import LM

T = TypeVar("T")
_STEP_SECONDS = 0.5
_PATIENCE = 10.0
# requests that are ready when those in flight are finished, so that the server never waits for us
_AHEAD = 8
# requests that wait to be sent again leave room for others, up to so many a slot, as all are held in memory
_DELAYED = 4


def server_engine(lm: LM, arguments: Mapping[str, Any], left_out: Collection[str] = ()) -> ServerEngine:
    """The engine for a model of lm-eval's ``TemplateAPI``.

    Args:
        lm: the model.
        arguments: what the user gave.
        left_out: generation parameters that are not to be sent.

    Raises:
        ModelError: no request can be made with these arguments.
    """
    settings = settings_of(lm, arguments)
    lm.think_end_token = None  # lm-eval would drop the thoughts, which are told apart later
    return ServerEngine(lm, settings, left_out=left_out)


class ServerEngine:
    """See :class:`torr_plugin.running.engines.base.Engine`.

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
        self._lm = lm
        self._secrets = Secrets(settings.headers, settings.url, settings.proxy or "")
        self._payloads = Payloads(lm, left_out)
        self._finished = queue.SimpleQueue[Sequence[Finished]]()
        self._unfinished = set[int]()
        self._thread = _ClientThread(lm, settings, self._finished, self._payloads, clock)
        self.client = self._thread.client
        # for a model that nobody closes: when it is forgotten, or at the end of the process
        weakref.finalize(self, self._thread.close)

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
        bodies = self._payloads.of(requests)
        self._unfinished.update(request.number for request in requests)
        made = []
        for request, body in zip(requests, bodies, strict=True):
            if isinstance(body, Failure):
                self._finished.put([(request.number, body)])
            else:
                made.append(ServerRequest(request.number, body))
        if made:
            self._thread.submit(made)

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
        return self._taken(found)

    def recall(self) -> list[int]:
        """Drop the requests that wait for their turn; those in flight continue."""
        numbers = self._thread.call(self.client.recall)
        self._unfinished.difference_update(numbers)
        return numbers

    def abandon(self) -> list[Finished]:
        """See :class:`Engine`."""
        self._thread.call(self.client.abandon)
        found = self._taken(self._received(0))
        self._unfinished.clear()
        return found

    def close(self) -> None:
        """Hang up, and end the thread."""
        self._thread.close()

    def _received(self, seconds: float) -> list[Finished]:
        found = list[Finished]()
        try:
            found += self._finished.get(timeout=seconds) if seconds else self._finished.get_nowait()
            while True:
                found += self._finished.get_nowait()
        except queue.Empty:
            return found

    def _taken(self, found: Sequence[Finished]) -> list[Finished]:
        self._unfinished.difference_update(number for number, _ in found)
        return [(number, self._without_secrets(each)) for number, each in found]

    def _without_secrets(self, found: ModelOutput | Failure) -> ModelOutput | Failure:
        if isinstance(found, Failure):
            return replace(found, reason=self._secrets.hide(found.reason))
        if found.finish_reason in REFUSAL_REASONS:  # its text may be the server's words
            return replace(found, text=self._secrets.hide(found.text))
        return found


class _ClientThread:
    """A client and its event loop in a thread, with no reference to the engine, which may be freed first."""

    def __init__(
        self,
        lm: LM,
        settings: ServerSettings,
        finished: queue.SimpleQueue[Sequence[Finished]],
        payloads: Payloads,
        clock: Clock | None,
    ) -> None:
        self._connection = ServerConnection(settings)
        self.client = ServerClient(
            self._connection.post,
            ReplyReader(lm).meaning,
            settings,
            finished.put,
            payloads=payloads,
            clock=clock,
        )
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=_run_loop, args=(self._loop,), name="torr-server", daemon=True)
        self._thread.start()

    def submit(self, requests: Sequence[ServerRequest]) -> None:
        self._loop.call_soon_threadsafe(self.client.submit, requests)

    def call(self, function: Callable[[], T]) -> T:
        """Call a function in the loop and wait for its result."""

        async def call() -> T:
            return function()

        return asyncio.run_coroutine_threadsafe(call(), self._loop).result(_PATIENCE)

    def close(self) -> None:
        """Cancel everything, close the connections, end the thread; a second call does nothing."""
        if self._loop.is_closed() or not self._thread.is_alive():
            return
        asyncio.run_coroutine_threadsafe(_finish(self._connection.close()), self._loop)
        if threading.current_thread() is not self._thread:  # the garbage collector runs anywhere
            self._thread.join(_PATIENCE)


def _run_loop(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        loop.close()


async def _finish(last: Coroutine[Any, Any, None]) -> None:
    loop = asyncio.get_running_loop()
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await last
    await asyncio.sleep(0)  # transports close in a turn of their own
    loop.call_soon(loop.stop)
