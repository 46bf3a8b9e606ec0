"""The engine for a model behind a server: its address, keys and connection, and a thread for its client."""

from __future__ import annotations

import asyncio
import queue
import re
import ssl
import threading
import weakref
import zlib
from collections.abc import Collection, Coroutine, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote, unquote_plus, urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
from multidict import CIMultiDict
from yarl import URL

from ....core.errors import ModelError, ServerLostError, described
from ...answer import REFUSED, SERVED
from ...model_classes import ServerArguments
from ...trust import LOOPBACK
from ..base import EngineRequest, Failure, Finished, ModelOutput
from .client import Clock, ServerClient, ServerRequest, ServerSettings, shown_url
from .payloads import Payloads
from .replies import Denial, RetryLater, ServerReply

if TYPE_CHECKING:
    from lm_eval.api.model import LM


# an answer is a few kilobytes; this times the most requests at once must fit into memory
MOST_BYTES = 4 * 1024 * 1024
_CONNECT_SECONDS = 30.0
_BLANK = re.compile(r"[\s\x00-\x1f\x7f]")


def settings_of(lm: LM, arguments: Mapping[str, Any]) -> ServerSettings:
    """The settings of a model of lm-eval's ``TemplateAPI``.

    Args:
        lm: the model.
        arguments: what the user gave, which the model cannot tell from its defaults.

    Raises:
        ModelError: an address, a header or a proxy that no request can be made with; a key is missing.
    """
    url = _url(lm.base_url)
    asked = ServerArguments.of(arguments)
    return ServerSettings(url, _headers(lm), asked, _certificates(lm), proxy_of(url))


def _url(value: Any) -> str:
    if not isinstance(value, str) or not _is_address(value):
        raise ModelError(
            f"base_url is {'missing' if value is None else repr(value)}, expected the whole address that "
            "requests are posted to, such as http://localhost:8000/v1/chat/completions"
        )
    if "@" in urlsplit(value).netloc:
        raise ModelError(
            f"base_url {shown_url(value)} has a user or a password before the host; give them as a header, "
            'such as header={"Authorization": "Basic ..."}'
        )
    return value


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").encode("idna")
        return parts.scheme in ("http", "https") and bool(host) and parts.port != 0 and not _BLANK.search(url)
    except ValueError:  # a port that is none, a host that can have no address
        return False


def _certificates(lm: LM) -> ssl.SSLContext | bool:
    file = lm.ca_cert_path
    try:
        found = ssl.create_default_context(cafile=str(file)) if file else True
    except OSError as error:  # also those of OpenSSL
        raise ModelError(
            f"ca_cert_path {str(file)!r} has no certificates that can be read: {error}"
        ) from None
    return found if str(lm.verify_certificate).lower() not in ("false", "0", "no", "none") else False


def _headers(lm: LM) -> Mapping[str, str]:
    try:
        headers = {str(name): str(value) for name, value in dict(lm.header).items()}
    except Exception as error:  # lm-eval's words for a missing key
        raise ModelError(described(error)) from None
    for name, value in headers.items():
        if not f"{name}{value}".isprintable():
            raise ModelError(f"header {name[:40]!r}: a line break or a control character in its value")
    return headers


def proxy_of(url: str) -> str | None:
    """The environment's proxy for an address (``https_proxy``, ``no_proxy`` ...); never for this machine.

    Raises:
        ModelError: it cannot be used.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    found = getproxies().get(parts.scheme)
    if not found or LOOPBACK.fullmatch(host) or proxy_bypass(host):
        return None
    proxy = found if "://" in found else f"http://{found}"
    if not _is_address(proxy):
        raise ModelError(
            f"the environment's {parts.scheme}_proxy is {shown_url(proxy)!r}, expected an address such as "
            "http://proxy:3128 (other kinds of proxies are not supported)"
        )
    return proxy


class ServerConnection:
    """Used and closed inside one event loop. Follows no redirects and keeps no cookies."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        self._session: aiohttp.ClientSession | None = None

    async def close(self) -> None:
        """Close all connections."""
        if self._session is not None:
            await self._session.close()

    async def post(self, body: bytes) -> ServerReply | RetryLater | Denial:  # noqa: PLR0911 - one a failure
        """Post a request; failures are results, not exceptions."""
        settings = self._settings
        self._session = self._session or _session(settings)
        try:
            async with self._session.post(
                settings.url, data=body, proxy=settings.proxy, allow_redirects=False
            ) as response:
                found = bytearray()
                async for part in response.content.iter_any():  # unpacked by aiohttp
                    found += part
                    if len(found) > MOST_BYTES:
                        return RetryLater("faulty", f"the reply is larger than {MOST_BYTES >> 20} MiB")
                return ServerReply(response.status, response.headers, bytes(found))
        except aiohttp.ClientHttpProxyError as error:  # its own words hold the proxy's password
            problem = f"the proxy set in the environment refused the connection: HTTP {error.status}"
            return Denial(problem) if error.status in (401, 403, 407) else RetryLater("faulty", problem)
        except aiohttp.ClientSSLError as error:
            words = described(error)
            return Denial(f"no secure connection ({words}); see verify_certificate and ca_cert_path")
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            return RetryLater("unreachable", described(error))
        except asyncio.TimeoutError:
            return RetryLater("slow", f"no whole reply within {settings.asked.timeout:g} s")
        except (aiohttp.ClientError, OSError, ValueError, zlib.error) as error:
            return RetryLater("faulty", f"no whole reply, or one that is not HTTP ({described(error)})")


def _session(settings: ServerSettings) -> aiohttp.ClientSession:
    headers = CIMultiDict(settings.headers)
    headers.setdefault("Content-Type", "application/json")
    headers["Accept-Encoding"] = "gzip, deflate"
    connecting = min(_CONNECT_SECONDS, settings.asked.timeout)
    return aiohttp.ClientSession(
        # the client limits the number of connections
        connector=aiohttp.TCPConnector(limit=0, ssl=settings.certificates),
        timeout=aiohttp.ClientTimeout(total=settings.asked.timeout, sock_connect=connecting),
        headers=headers,
        cookie_jar=aiohttp.DummyCookieJar(),
    )


_HIDDEN = "***"
_SHORTEST = 6
# keys that a server echoes in part: "Incorrect API key provided: sk-ab****yz"
_KEY_LIKE = re.compile(
    r"\bsk-[\w*.-]{6,}|\b(?:gsk_|hf_|xai-|nvapi-)[\w*-]{16,}|\bBearer\s+[\w*.~+/=-]{6,}", re.IGNORECASE
)
_PUBLIC_HEADERS = frozenset({"content-type", "accept", "user-agent", "anthropic-version", "accept-encoding"})
_PUBLIC_PARAMETERS = frozenset({"api-version", "model"})


class Secrets:
    """Hides values of headers, and users, passwords and queries of URLs, in any text."""

    def __init__(self, headers: Mapping[str, str], *urls: str) -> None:
        given = [each for name, each in headers.items() if name.lower() not in _PUBLIC_HEADERS]
        of_headers = [part for value in given for part in (value.strip(), *value.split()[1:])]  # "Bearer KEY"
        values = {*of_headers, *(part for url in urls for part in _of_url(url))}
        self._values = sorted((each for each in values if len(each) >= _SHORTEST), key=len, reverse=True)

    def hide(self, text: str) -> str:
        """The text without them."""
        for value in self._values:
            text = text.replace(value, _HIDDEN)
        return _KEY_LIKE.sub(_HIDDEN, text)


def _of_url(url: str) -> Iterator[str]:
    """The secrets of a URL: as written, as sent, and decoded."""
    parts = urlsplit(url)
    for part in filter(None, (parts.username, parts.password)):
        yield from (part, unquote(part))
    for part in f"{parts.query}&{URL(url).raw_query_string}".split("&"):
        name, _, value = part.partition("=")
        if name.lower() not in _PUBLIC_PARAMETERS:
            yield from (value, unquote_plus(value))


T = TypeVar("T")
_STEP_SECONDS = 0.5
_PATIENCE = 10.0
_MOST_NAMES = 20
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
        self._served = dict[str, None]()
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
    def sent(self) -> dict[str, Any]:
        """The parameters that the server is sent; empty before the first request."""
        return self._payloads.sent

    @property
    def answered_by(self) -> dict[str, list[str]]:
        """The models that its replies named so far; empty where they name none."""
        return {SERVED: list(self._served)} if self._served else {}

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
        numbers = self._result(self.client.recall())
        self._unfinished.difference_update(numbers)
        return numbers

    def abandon(self) -> list[Finished]:
        """See :class:`Engine`."""
        self._result(self.client.abandon())
        found = self._received(0)
        self._unfinished.clear()
        return found

    def close(self) -> None:
        """Hang up, and end the thread; a second call does nothing."""
        self._close()

    def _result(self, work: Coroutine[Any, Any, T]) -> T:
        """What comes of some work in the loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(_PATIENCE)

    def _received(self, seconds: float) -> list[Finished]:
        found = list[Finished]()
        try:
            found += self._finished.get(timeout=seconds) if seconds else self._finished.get_nowait()
            while True:
                found += self._finished.get_nowait()
        except queue.Empty:
            pass
        self._unfinished.difference_update(number for number, _ in found)
        for _, each in found:
            if isinstance(each, ModelOutput) and each.served_by and len(self._served) < _MOST_NAMES:
                self._served[each.served_by] = None
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
