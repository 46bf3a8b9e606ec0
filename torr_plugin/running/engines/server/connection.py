"""One HTTP exchange with a server, over connections that are kept open."""

from __future__ import annotations

import asyncio
import ssl
import zlib
from collections.abc import Mapping

import aiohttp
from multidict import CIMultiDict

from .backoff import RetryLater, ServerTrouble
from .replies import Denial, ServerReply
from .settings import ServerSettings

# an answer is a few kilobytes; this times the most requests at once must fit into memory
MOST_BYTES = 4 * 1024 * 1024
_CONNECT_SECONDS = 30.0
_ENCODINGS = "gzip, deflate"


class _TooLargeError(Exception):
    """A reply of more than :data:`MOST_BYTES`."""


class ServerConnection:
    """Created, used and closed inside one event loop. Follows no redirects and keeps no cookies."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        self._session: aiohttp.ClientSession | None = None

    def _open(self) -> aiohttp.ClientSession:
        """The session; opened by the first request."""
        settings = self._settings
        if self._session is None:
            self._session = aiohttp.ClientSession(
                # the client limits the number of connections
                connector=aiohttp.TCPConnector(limit=0, ssl=_certificates(settings)),
                timeout=aiohttp.ClientTimeout(
                    total=settings.timeout, sock_connect=min(_CONNECT_SECONDS, settings.timeout)
                ),
                headers=_headers(settings),
                cookie_jar=aiohttp.DummyCookieJar(),
            )
        return self._session

    async def close(self) -> None:
        """Close all connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def post(self, body: bytes) -> ServerReply | RetryLater | Denial:
        """Post a request; failures are results, not exceptions."""
        try:
            return await self._posted(body)
        except aiohttp.ClientHttpProxyError as error:  # its own words hold the proxy's password
            return _of_proxy(error.status)
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            return _unconnected(error)
        except asyncio.TimeoutError:
            return RetryLater(ServerTrouble.SLOW, f"no whole reply within {self._settings.timeout:g} s")
        except _TooLargeError:
            return RetryLater(ServerTrouble.FAULTY, f"the reply is larger than {MOST_BYTES >> 20} MiB")
        except (aiohttp.ClientError, OSError, ValueError, zlib.error) as error:
            return RetryLater(
                ServerTrouble.FAULTY, f"no whole reply, or one that is not HTTP ({_first_words(error)})"
            )

    async def _posted(self, body: bytes) -> ServerReply:
        settings = self._settings
        async with self._open().post(
            settings.url, data=body, proxy=settings.proxy, allow_redirects=False
        ) as response:
            found = await _bounded(response)
            return ServerReply(response.status, response.headers, found)


def _unconnected(error: Exception) -> RetryLater | Denial:
    if isinstance(error, aiohttp.ClientSSLError):
        return Denial(
            f"no secure connection ({_first_words(error)}); see verify_certificate and ca_cert_path"
        )
    return RetryLater(ServerTrouble.UNREACHABLE, _first_words(error))


def _of_proxy(status: int) -> RetryLater | Denial:
    problem = f"the proxy set in the environment refused the connection: HTTP {status}"
    return Denial(problem) if status in (401, 403, 407) else RetryLater(ServerTrouble.FAULTY, problem)


def _headers(settings: ServerSettings) -> Mapping[str, str]:
    headers = CIMultiDict(settings.headers)
    headers.setdefault("Content-Type", "application/json")
    headers["Accept-Encoding"] = _ENCODINGS
    return headers


def _certificates(settings: ServerSettings) -> ssl.SSLContext | bool:
    if not settings.verify:
        return False
    return ssl.create_default_context(cafile=settings.certificates) if settings.certificates else True


async def _bounded(response: aiohttp.ClientResponse) -> bytes:
    """A reply's body, unpacked by aiohttp, unless it is too large in either form."""
    if (response.content_length or 0) > MOST_BYTES:
        raise _TooLargeError
    parts, size = [], 0
    async for part in response.content.iter_any():
        size += len(part)
        if size > MOST_BYTES:
            raise _TooLargeError
        parts.append(part)
    return b"".join(parts)


def _first_words(error: BaseException) -> str:
    """An error's kind and first words; aiohttp's messages can hold a whole request."""
    words = " ".join(str(error).split())[:160]
    return f"{type(error).__name__}: {words}" if words else type(error).__name__
