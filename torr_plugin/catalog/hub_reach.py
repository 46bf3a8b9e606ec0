"""Whether the hub can be reached at all, asked once a process.

Its libraries ask again and again before they give up, for half a minute a data set, with a warning each time.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

_SECONDS = 5


@lru_cache(maxsize=1)
def unreachable() -> str | None:
    """Why no connection to the hub can be made; None where one can, or where nobody is to try (offline mode).

    Any answer will do, a refusal included; so will a certificate that Python distrusts, for the libraries may
    know more of them.
    """
    from http.client import HTTPException
    from urllib.error import HTTPError, URLError
    from urllib.request import Request, urlopen

    import huggingface_hub

    if huggingface_hub.constants.HF_HUB_OFFLINE:
        return None
    address = huggingface_hub.constants.ENDPOINT
    try:
        with urlopen(Request(address, method="HEAD"), timeout=_SECONDS):  # noqa: S310 - the hub's own address
            return None
    except (HTTPError, HTTPException, ssl.SSLError, ValueError):
        return None
    except OSError as error:
        reason = error.reason if isinstance(error, URLError) else error
        if isinstance(reason, ssl.SSLError):
            return None
        said = getattr(reason, "strerror", None) or str(reason)
        return f"{address} cannot be reached ({said})"


@contextmanager
def from_cache_alone() -> Iterator[None]:
    """The hub's libraries in their offline mode, where what they once fetched can still be had."""
    import datasets
    import huggingface_hub

    places: tuple[Any, ...] = (huggingface_hub.constants, datasets.config)
    before = [place.HF_HUB_OFFLINE for place in places]
    try:
        for place in places:
            place.HF_HUB_OFFLINE = True
        yield
    finally:
        for place, value in zip(places, before, strict=True):
            place.HF_HUB_OFFLINE = value
