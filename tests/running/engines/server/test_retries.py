"""Back-off, proxies and secrets, each by itself."""

from __future__ import annotations

import math
from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st
from multidict import CIMultiDict

from torr_plugin.core.errors import ModelError
from torr_plugin.running.engines.server.client import seconds_before_retry
from torr_plugin.running.engines.server.engine import Secrets, proxy_of, shown_url
from torr_plugin.running.engines.server.replies import RetryLater, Trouble, retry_after

NOW = 1_700_000_000.0


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": "12"}, 12),
        ({"RETRY-AFTER": " 1.5 "}, 1.5),
        ({"Retry-After": formatdate(NOW + 90, usegmt=True)}, 90),
        ({"Retry-After": formatdate(NOW - 90, usegmt=True)}, 0),
        # the server's clock is a day ahead of ours
        (
            {
                "Retry-After": formatdate(NOW + 86430, usegmt=True),
                "Date": formatdate(NOW + 86400, usegmt=True),
            },
            30,
        ),
        ({"retry-after-ms": "250", "Retry-After": "9"}, 0.25),
        ({"x-ms-retry-after-ms": "250"}, 0.25),
        # only what the vendors' own clients read: they all send it
        ({"x-ratelimit-reset-tokens": "1h2m3.5s", "x-ratelimit-remaining-tokens": "0"}, None),
        ({"Retry-After": "-5"}, None),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "-inf"}, None),
        ({"Retry-After": "1e308"}, 1e308),
        ({"Retry-After": "1e999"}, math.inf),
        ({"Retry-After": "inf"}, math.inf),
        ({"Retry-After": "9" * 400}, math.inf),
        ({"retry-after-ms": "1e308"}, 1e305),
        ({"Retry-After": "Fri, 31 Dec 9999 23:59:59 GMT"}, 253402300799 - NOW),
        ({"Retry-After": "Thu, 99 Foo 2999 99:99:99 GMT"}, None),
        ({"Retry-After": "²"}, None),
    ],
)
def test_what_a_server_asks_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(CIMultiDict(headers), NOW) == (None if seconds is None else pytest.approx(seconds))


@given(st.text(max_size=40))
def test_no_header_is_too_strange(text: str) -> None:
    found = retry_after(CIMultiDict({"retry-after": text, "date": text}), NOW)
    assert found is None or found >= 0


def _waits(trouble: Trouble, tries: int, wait: float | None = None) -> list[float]:
    return [seconds_before_retry(RetryLater(trouble, "", wait), tries) for _ in range(500)]


def test_backoff_doubles_up_to_a_bound_and_jitters() -> None:
    for tries, most in ((1, 0.5), (2, 1.0), (3, 2.0), (50, 30.0), (10**9, 30.0)):
        drawn = _waits("faulty", tries)
        assert 0 <= min(drawn) < most * 0.05
        assert most * 0.95 < max(drawn) <= most
    assert max(_waits("unreachable", 50)) <= 5.0


def test_a_wait_that_the_server_asks_for_is_kept_and_not_trusted_twice() -> None:
    assert set(_waits("overloaded", 1, wait=7.0)) == {7.0}
    assert min(_waits("overloaded", 9, wait=7.0)) == 7.0
    assert max(_waits("overloaded", 9, wait=7.0)) > 20.0


def test_what_is_hidden_and_shown() -> None:
    url = "https://me:pass%20word@api.example:8443/v1/chat?key=abcdefgh&api-version=2024-01-01#x"
    assert shown_url(url) == "https://api.example:8443/v1/chat"
    headers = {"Authorization": "Bearer tokentoken", "anthropic-version": "2023-06-01"}
    secrets = Secrets(headers, url, "http://x.example?sig=a%2Fb+cdef")
    said = (
        "tokentoken pass word pass%20word abcdefgh 2024-01-01 2023-06-01 hf-internal-testing/x sk-abc***xyz"
    )
    assert secrets.hide(said) == "*** *** *** *** 2024-01-01 2023-06-01 hf-internal-testing/x ***"
    assert secrets.hide("?sig=a%2Fb+cdef, sent as a/b+cdef, is a/b cdef") == "?sig=***, sent as ***, is ***"


def test_the_proxy_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "no_proxy", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("https_proxy", "http://proxy.example:3128")
    assert proxy_of("https://api.example/v1") == "http://proxy.example:3128"
    assert proxy_of("http://api.example/v1") is None
    assert proxy_of("https://localhost:8000/v1") is None
    assert proxy_of("https://127.0.0.1:8000/v1") is None
    monkeypatch.setenv("https_proxy", "proxy.example:3128")
    assert proxy_of("https://api.example/v1") == "http://proxy.example:3128"
    monkeypatch.setenv("https_proxy", "socks5://me:hidden@proxy.example:3128")
    with pytest.raises(ModelError, match=r"https_proxy is 'socks5://proxy.example:3128', expected"):
        proxy_of("https://api.example/v1")
    monkeypatch.setenv("no_proxy", "api.example")
    assert proxy_of("https://api.example/v1") is None
