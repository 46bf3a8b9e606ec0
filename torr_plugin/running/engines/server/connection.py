"""How to talk to a server, by lm-eval's model and its arguments: address, keys, one HTTP exchange."""

from __future__ import annotations

import asyncio
import re
import ssl
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, unquote_plus, urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
from multidict import CIMultiDict
from yarl import URL

from ....core.errors import ModelError
from ...answer import one_line
from .replies import Denial, RetryLater, ServerReply

if TYPE_CHECKING:
    from lm_eval.api.model import LM

# an answer is a few kilobytes; this times the most requests at once must fit into memory
MOST_BYTES = 4 * 1024 * 1024
_CONNECT_SECONDS = 30.0
_BLANK = re.compile(r"[\s\x00-\x1f\x7f]")
_LOOPBACK = ("localhost", "127.", "::1", "0.0.0.0")  # noqa: S104 - compared with, not bound to


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """How to talk to a server, and when to give up a request, or the server.

    Attributes:
        url: where requests are posted.
        headers: sent with each request; the key is in here.
        timeout: seconds for one attempt, from connecting to the last byte of the reply.
        at_once: the most requests at once; None: as many as the server turns out to take.
        certificates: how its certificate is checked; False: not at all.
        proxy: the environment's, for other hosts than this machine.
        attempts: of a request, when the server fails or does not reply.
        rate_limited: attempts of a request, when the server has too many.
        longest_wait: seconds that a server may ask to wait; the run stops if it asks for more.
        wait_for_server: seconds without any answer, as it loads, restarts or fails, until it is given up.
        in_a_row: requests given up one after the other, after which the server is, too.
        denied: refusals that seem to hold for every request, after which the server is given up.
    """

    url: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    timeout: float
    at_once: int | None = None
    certificates: ssl.SSLContext | bool = True
    proxy: str | None = None
    attempts: int = 5
    rate_limited: int = 12
    longest_wait: float = 600.0
    wait_for_server: float = 600.0
    in_a_row: int = 100
    denied: int = 16


def settings_of(lm: LM, arguments: Mapping[str, Any]) -> ServerSettings:
    """The settings of a model of lm-eval's ``TemplateAPI``.

    Args:
        lm: the model.
        arguments: what the user gave, which the model cannot tell from its defaults.

    Raises:
        ModelError: an address, a header or a proxy that no request can be made with; a key is missing.
    """
    url = _url(lm.base_url)
    given = {
        field: int(arguments[name])
        for name, fields in _COUNTS.items()
        for field in fields
        if arguments.get(name) is not None
    }
    given.setdefault("timeout", int(lm.timeout))
    return ServerSettings(url, _headers(lm), certificates=_certificates(lm), proxy=proxy_of(url), **given)


_COUNTS = {
    "timeout": ("timeout",),
    "num_concurrent": ("at_once",),
    "max_retries": ("attempts", "rate_limited"),
    "wait_for_server": ("wait_for_server",),
}


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
        raise ModelError(one_line(error)) from None
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
    if not found or host.startswith(_LOOPBACK) or proxy_bypass(host):
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
            words = one_line(error)
            return Denial(f"no secure connection ({words}); see verify_certificate and ca_cert_path")
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            return RetryLater("unreachable", one_line(error))
        except asyncio.TimeoutError:
            return RetryLater("slow", f"no whole reply within {settings.timeout:g} s")
        except (aiohttp.ClientError, OSError, ValueError, zlib.error) as error:
            return RetryLater("faulty", f"no whole reply, or one that is not HTTP ({one_line(error)})")


def _session(settings: ServerSettings) -> aiohttp.ClientSession:
    headers = CIMultiDict(settings.headers)
    headers.setdefault("Content-Type", "application/json")
    headers["Accept-Encoding"] = "gzip, deflate"
    connecting = min(_CONNECT_SECONDS, settings.timeout)
    return aiohttp.ClientSession(
        # the client limits the number of connections
        connector=aiohttp.TCPConnector(limit=0, ssl=settings.certificates),
        timeout=aiohttp.ClientTimeout(total=settings.timeout, sock_connect=connecting),
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


def shown_url(url: str) -> str:
    """An URL without user, password, query and fragment."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _of_url(url: str) -> Iterator[str]:
    """The secrets of a URL: as written, as sent, and decoded."""
    parts = urlsplit(url)
    for part in filter(None, (parts.username, parts.password)):
        yield from (part, unquote(part))
    for part in f"{parts.query}&{URL(url).raw_query_string}".split("&"):
        name, _, value = part.partition("=")
        if name.lower() not in _PUBLIC_PARAMETERS:
            yield from (value, unquote_plus(value))
