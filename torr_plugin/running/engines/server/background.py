"""An event loop in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")
_PATIENCE = 10.0


class Background:
    """Runs until it is stopped; a daemon, so that it never keeps a process alive."""

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=_serve, args=(self._loop,), name=name, daemon=True)
        self._thread.start()

    def post(self, function: Callable[..., object], *arguments: object) -> None:
        """Call a function in the loop, without waiting for it."""
        self._loop.call_soon_threadsafe(function, *arguments)

    def call(self, function: Callable[[], T]) -> T:
        """Call a function in the loop and wait for what it gives."""
        found: Future[T] = Future()

        def run() -> None:
            try:
                found.set_result(function())
            except Exception as error:  # goes to whoever waits
                found.set_exception(error)

        self._loop.call_soon_threadsafe(run)
        return found.result(_PATIENCE)

    def stop(self, last: Coroutine[Any, Any, None]) -> None:
        """Cancel all that runs, run something last, end the thread."""
        if not self._thread.is_alive():
            last.close()
            return
        asyncio.run_coroutine_threadsafe(_ended(last), self._loop)
        if threading.current_thread() is not self._thread:  # the collector of garbage runs anywhere
            self._thread.join(_PATIENCE)


async def _ended(last: Coroutine[Any, Any, None]) -> None:
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await last
    await asyncio.sleep(0)  # transports say goodbye in a turn of their own
    asyncio.get_running_loop().call_soon(asyncio.get_running_loop().stop)


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        loop.close()
