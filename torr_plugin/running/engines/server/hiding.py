"""Keeps keys out of everything that is said, stored or logged."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import chain
from urllib.parse import unquote, unquote_plus, urlsplit

_HIDDEN = "***"
_SHORTEST = 6
# keys that a server echoes in part: "Incorrect API key provided: sk-ab****yz"
_KEY_LIKE = re.compile(
    r"\bsk-[\w*.-]{6,}|\b(?:gsk_|hf_|xai-|nvapi-)[\w*-]{16,}|\bBearer\s+[\w*.~+/=-]{6,}", re.IGNORECASE
)
_PUBLIC_HEADERS = frozenset({"content-type", "accept", "user-agent", "anthropic-version", "accept-encoding"})
_PUBLIC_PARAMETERS = frozenset({"api-version", "model"})


class Secrets:
    """Hides the values of headers, and of users, passwords and queries of URLs, wherever a text has them."""

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
    """As they are written, as they are sent, and as they are meant."""
    from yarl import URL

    parts = urlsplit(url)
    for part in (parts.username, parts.password):
        if part:
            yield from (part, unquote(part))
    for part in f"{parts.query}&{URL(url).raw_query_string}".split("&"):
        name, _, value = part.partition("=")
        if name.lower() not in _PUBLIC_PARAMETERS:
            yield from (value, unquote_plus(value))
