"""How to talk to a server, from lm-eval's model and its arguments; its keys, kept out of all messages."""

from __future__ import annotations

import re
import ssl
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, unquote_plus, urlsplit
from urllib.request import getproxies, proxy_bypass

from yarl import URL

from ....core.errors import ModelError
from ...answer import one_line
from ...model_class import positive_integer

if TYPE_CHECKING:
    from lm_eval.api.model import LM

_BLANK = re.compile(r"[\s\x00-\x1f\x7f]")
_LOOPBACK = ("localhost", "127.", "::1", "0.0.0.0")  # noqa: S104 - compared with, not bound to


@dataclass(frozen=True, slots=True)
class RetryLimits:
    """When to give up a request, or the server.

    Attributes:
        attempts: of a request, when the server fails or does not reply.
        rate_limited: attempts of a request, when the server has too many.
        longest_wait: seconds that a server may ask to wait; the run stops if it asks for more.
        never_reached: seconds that a server may be out of reach before it was ever reached.
        lost: seconds that a server may be out of reach after it was.
        silent: seconds of nothing but failures after which the server is given up.
        in_a_row: requests given up one after the other, after which the server is, too.
        denied: refusals that seem to hold for every request, after which the server is given up.
    """

    attempts: int = 5
    rate_limited: int = 12
    longest_wait: float = 600.0
    never_reached: float = 30.0
    lost: float = 300.0
    silent: float = 900.0
    in_a_row: int = 100
    denied: int = 16


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """How to talk to a server.

    Attributes:
        url: where requests are posted.
        headers: sent with each request; the key is in here.
        timeout: seconds for one attempt, from connecting to the last byte of the reply.
        at_once: the most requests at once; None: as many as the server turns out to take.
        verify: whether its certificate is checked.
        certificates: a file of certificates to check it with.
        proxy: the environment's, for other hosts than this machine.
    """

    url: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    timeout: float
    at_once: int | None = None
    verify: bool = True
    certificates: str | None = None
    proxy: str | None = None
    limits: RetryLimits = field(default_factory=RetryLimits)


def settings_of(lm: LM, arguments: Mapping[str, Any]) -> ServerSettings:
    """The settings of a model of lm-eval's ``TemplateAPI``.

    Args:
        lm: the model.
        arguments: what the user gave, which the model cannot tell from its defaults.

    Raises:
        ModelError: an argument or a proxy that no request can be made with; a key is missing.
    """
    url = _url(lm.base_url)
    return ServerSettings(
        url=url,
        headers=_headers(lm),
        timeout=float(positive_integer("timeout", arguments.get("timeout") or lm.timeout)),
        at_once=_given("num_concurrent", arguments),
        verify=str(lm.verify_certificate).lower() not in ("false", "0", "no", "none"),
        certificates=_certificates(lm.ca_cert_path),
        proxy=proxy_of(url),
        limits=_limits(_given("max_retries", arguments)),
    )


def _limits(attempts: int | None) -> RetryLimits:
    limits = RetryLimits()
    return limits if attempts is None else replace(limits, attempts=attempts, rate_limited=attempts)


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


def _certificates(value: Any) -> str | None:
    if not value:
        return None
    try:
        ssl.create_default_context(cafile=str(value))
    except OSError as error:  # also those of OpenSSL
        raise ModelError(
            f"ca_cert_path {str(value)!r} has no certificates that can be read: {error}"
        ) from None
    return str(value)


def _headers(lm: LM) -> Mapping[str, str]:
    try:
        given = lm.header
    except Exception as error:  # lm-eval's words for a missing key
        raise ModelError(one_line(error)) from None
    if not isinstance(given, Mapping):
        raise ModelError(f"header is a {type(given).__name__}, expected names and values")
    headers = {str(name): str(value) for name, value in given.items()}
    for name, value in headers.items():
        if not f"{name}{value}".isprintable():
            raise ModelError(f"header {name[:40]!r}: a line break or a control character in its value")
    return headers


def _given(name: str, arguments: Mapping[str, Any]) -> int | None:
    value = arguments.get(name)
    return None if value is None else positive_integer(name, value)


def proxy_of(url: str) -> str | None:
    """The environment's proxy for an address (``https_proxy``, ``no_proxy`` ...); never for this machine.

    Raises:
        ModelError: it cannot be used.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    if host.startswith(_LOOPBACK) or proxy_bypass(host):
        return None
    found = getproxies().get(parts.scheme)
    if not found:
        return None
    proxy = found if "://" in found else f"http://{found}"
    if not _is_address(proxy):
        raise ModelError(
            f"the environment's {parts.scheme}_proxy is {shown_url(proxy)!r}, expected an address such as "
            "http://proxy:3128 (other kinds of proxies are not supported)"
        )
    return proxy


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
        values = chain(_of_headers(headers), *map(_of_url, urls))
        found = {value for value in values if len(value) >= _SHORTEST}
        self._values = sorted(found, key=len, reverse=True)

    def hide(self, text: str) -> str:
        """The text without them."""
        for value in self._values:
            text = text.replace(value, _HIDDEN)
        return _KEY_LIKE.sub(_HIDDEN, text)


def shown_url(url: str) -> str:
    """An URL without user, password, query and fragment."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _of_headers(headers: Mapping[str, str]) -> Iterable[str]:
    for name, value in headers.items():
        if name.lower() not in _PUBLIC_HEADERS:
            yield value.strip()
            yield from value.split()[1:]  # "Bearer KEY"


def _of_url(url: str) -> Iterable[str]:
    """The secrets of a URL: as written, as sent, and decoded."""
    parts = urlsplit(url)
    for part in (parts.username, parts.password):
        if part:
            yield from (part, unquote(part))
    for part in f"{parts.query}&{URL(url).raw_query_string}".split("&"):
        name, _, value = part.partition("=")
        if name.lower() not in _PUBLIC_PARAMETERS:
            yield from (value, unquote_plus(value))
