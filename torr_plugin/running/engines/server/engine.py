"""A model behind a server: lm-eval writes the requests and reads the texts, we talk to the server."""

from __future__ import annotations

import queue
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ....core.errors import ServerLostError
from ...contexts import Failure
from ..base import EngineRequest, Finished, ModelOutput
from .answers import REFUSED, generated
from .background import Background
from .clock import Clock, Monotonic
from .concurrency import Concurrency, adaptive, at_most
from .conversation import Conversation
from .exchange import Exchange
from .health import Health
from .payloads import Payloads
from .settings import Secrets, ServerSettings, settings_of, shown_url
from .turns import Ask

if TYPE_CHECKING:
    from lm_eval.api.model import LM

_STEP_SECONDS = 0.5
# requests that are ready when those under way are finished, so that the server never waits for us
_AHEAD = 8


class ServerEngine:
    """See :class:`torr_plugin.running.engines.base.Engine`.

    Args:
        lm: a model of lm-eval's ``TemplateAPI``.
        settings: see :func:`settings_of`.
        clock: the time.
    """

    def __init__(self, lm: LM, settings: ServerSettings, *, clock: Clock | None = None) -> None:
        self._lm, self._settings, self._clock = lm, settings, clock or Monotonic()
        self._secrets = Secrets(settings.headers, settings.url, settings.proxy or "")
        self._payloads = Payloads(lm)
        self._finished = queue.SimpleQueue[Sequence[Finished]]()
        self._under_way = set[int]()
        self._talk: _Talk | None = None

    def room(self) -> int:
        """Twice what may be under way, less what is here."""
        limit = self._limit()
        return max(0, limit + max(limit, _AHEAD) - len(self._under_way))

    def add(self, tasks: Sequence[EngineRequest]) -> None:
        """See :class:`Engine`."""
        bodies = self._payloads.of(tasks)
        self._under_way.update(task.number for task in tasks)
        asks = []
        for task, body in zip(tasks, bodies, strict=True):
            if isinstance(body, Failure):
                self._finished.put([(task.number, body)])
            else:
                asks.append(Ask(task.number, body))
        if asks:
            self._talking().submit(asks)

    def step(self) -> list[Finished]:
        """What came back, as soon as something did.

        Raises:
            ServerLostError: the server is gone, refuses all requests, or fails all of them.
        """
        found = self._waited(_STEP_SECONDS)
        if not found and self._talk is not None and (broken := self._talk.broken):
            found = self._waited(0)
            if not found:
                raise ServerLostError(self._secrets.hide(broken))
        return self._taken(found)

    def recall(self) -> list[int]:
        """The tasks that wait for their turn, forgotten; what is under way goes on."""
        numbers = self._talk.recall() if self._talk is not None else []
        self._under_way.difference_update(numbers)
        return numbers

    def abandon(self) -> list[Finished]:
        """See :class:`Engine`."""
        if self._talk is not None:
            self._talk.abandon()
        found = self._taken(self._waited(0))
        self._under_way.clear()
        return found

    def close(self) -> None:
        """Hang up, and end the thread."""
        if self._talk is not None:
            self._talk.close()
            self._talk = None

    def _limit(self) -> int:
        if self._talk is not None:
            return self._talk.limit
        return _concurrency(self._settings).limit

    def _talking(self) -> _Talk:
        if self._talk is None:
            self._talk = _Talk(self._lm, self._settings, self._finished, self._clock)
            # a model that nobody closes: when it is forgotten, or at the end of the process
            weakref.finalize(self, self._talk.close)
        return self._talk

    def _waited(self, seconds: float) -> list[Finished]:
        found = list[Finished]()
        try:
            found += self._finished.get(timeout=seconds) if seconds else self._finished.get_nowait()
            while True:
                found += self._finished.get_nowait()
        except queue.Empty:
            return found

    def _taken(self, found: Sequence[Finished]) -> list[Finished]:
        self._under_way.difference_update(number for number, _ in found)
        return [(number, self._hidden(each)) for number, each in found]

    def _hidden(self, found: ModelOutput | Failure) -> ModelOutput | Failure:
        if isinstance(found, Failure):
            return replace(found, reason=self._secrets.hide(found.reason))
        # the words of a refusal become an error
        return (
            replace(found, text=self._secrets.hide(found.text)) if found.finish_reason in REFUSED else found
        )


class _Talk:
    """The conversation, in its thread; knows nothing of the engine, which may be forgotten before it ends."""

    def __init__(
        self, lm: LM, settings: ServerSettings, finished: queue.SimpleQueue[Sequence[Finished]], clock: Clock
    ) -> None:
        self._background: Background | None = Background("torr-server")
        self._exchange = Exchange(settings)
        self._conversation = Conversation(
            self._exchange,
            partial(generated, lm),
            health=Health(settings.limits, shown_url(settings.url)),
            concurrency=_concurrency(settings),
            limits=settings.limits,
            deliver=finished.put,
            clock=clock,
        )

    @property
    def limit(self) -> int:
        return self._conversation.limit

    @property
    def broken(self) -> str | None:
        return self._conversation.broken

    def submit(self, asks: Sequence[Ask]) -> None:
        if self._background is not None:
            self._background.post(self._conversation.submit, asks)

    def recall(self) -> list[int]:
        return self._background.call(self._conversation.recall) if self._background is not None else []

    def abandon(self) -> None:
        if self._background is not None:
            self._background.call(self._conversation.abandon)

    def close(self) -> None:
        background, self._background = self._background, None
        if background is not None:
            background.stop(self._exchange.close())


def _concurrency(settings: ServerSettings) -> Concurrency:
    if settings.at_once is None:
        return adaptive(settings.timeout)
    return at_most(settings.at_once, settings.timeout)


def server_engine(lm: LM, arguments: Mapping[str, Any]) -> ServerEngine:
    """The engine for a model behind a server.

    Raises:
        ModelError: no request can be made with these arguments.
    """
    return ServerEngine(lm, settings_of(lm, arguments))
