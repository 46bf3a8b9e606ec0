"""Waits, back-off, concurrency, turns and health, each by itself."""

from __future__ import annotations

from email.utils import formatdate
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from multidict import CIMultiDict

from torr_plugin.core.errors import ModelError
from torr_plugin.running.contexts import Failure
from torr_plugin.running.engines.server.concurrency import FIRST, MOST, adaptive, at_most
from torr_plugin.running.engines.server.health import Health
from torr_plugin.running.engines.server.limits import Limits
from torr_plugin.running.engines.server.settings import Secrets, proxy_of, shown_url
from torr_plugin.running.engines.server.turns import Ask, Turns
from torr_plugin.running.engines.server.waiting import LONGEST_BACKOFF, asked_wait, backoff

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
        ({"x-ratelimit-reset-tokens": "1h2m3.5s"}, 3723.5),
        ({"x-ratelimit-reset-tokens": "20ms"}, 0.02),
        (
            {
                "x-ratelimit-reset-tokens": "1s",
                "x-ratelimit-remaining-tokens": "0",
                "x-ratelimit-reset-requests": "6m0s",
                "x-ratelimit-remaining-requests": "99",
            },
            1,
        ),
        ({"x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "7s"}, 7),
        ({"x-ratelimit-reset": str(int(NOW) + 44)}, 44),
        ({"x-ratelimit-reset": str(int(NOW + 44) * 1000)}, 44),
        ({"anthropic-ratelimit-tokens-reset": "2023-11-14T22:13:50Z"}, 30),
        ({"Retry-After": "-5"}, None),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "inf"}, None),
        ({"Retry-After": "9" * 400}, None),
        ({"Retry-After": "Thu, 99 Foo 2999 99:99:99 GMT"}, None),
        ({"Retry-After": "²"}, None),
    ],
)
def test_what_a_server_asks_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    assert asked_wait(CIMultiDict(headers), NOW) == (None if seconds is None else pytest.approx(seconds))


@given(st.text(max_size=40))
def test_no_header_is_too_strange(text: str) -> None:
    found = asked_wait(CIMultiDict({"retry-after": text, "date": text}), NOW)
    assert found is None or 0 <= found < 1e15


def test_backoff_doubles_up_to_a_bound_and_jitters() -> None:
    random = Random(1)
    for tries, most in ((1, 0.5), (2, 1.0), (3, 2.0), (50, LONGEST_BACKOFF), (10**9, LONGEST_BACKOFF)):
        drawn = [backoff(tries, random) for _ in range(500)]
        assert 0 <= min(drawn) < most * 0.05
        assert most * 0.95 < max(drawn) <= most
    assert max(backoff(50, random, 5.0) for _ in range(99)) <= 5.0


def test_more_at_once_while_answers_come() -> None:
    found = adaptive(300.0)
    assert found.limit == FIRST
    for _ in range(1000):
        found.answered(1.0, found.limit - 1)
    assert found.limit == MOST


def test_no_more_where_fewer_are_used_or_answers_are_late() -> None:
    found = adaptive(300.0)
    for _ in range(1000):
        found.answered(1.0, 2)
        found.answered(100.0, found.limit)
    assert found.limit == FIRST


def test_half_once_a_round_and_never_none() -> None:
    found = at_most(64, 300.0)
    for _ in range(64):
        found.overloaded(sent=1.0, now=2.0)  # all of them were sent before the first came back
    assert found.limit == 32
    found.overloaded(sent=3.0, now=4.0)
    assert found.limit == 16
    for moment in range(10, 100):
        found.overloaded(sent=moment, now=moment)
    assert found.limit == 1
    for _ in range(100_000):
        found.answered(1.0, found.limit)
    assert found.limit == 64


def test_turns_go_by_number_and_wait_together() -> None:
    turns = Turns()
    asks = [Ask(number, b"") for number in range(4)]
    turns.add([asks[3], asks[1]])
    turns.put_off(asks[0], 10.0)
    turns.put_off(asks[2], 50.0)
    assert turns.next(5.0) is asks[1]
    turns.close(20.0)
    turns.close(15.0)
    assert turns.next(19.9) is None
    assert turns.when() == 20.0
    assert turns.next(20.0) is asks[0]
    assert turns.next(20.0) is asks[3]
    assert turns.next(20.0) is None
    assert turns.when() == 50.0
    assert turns.clear() == [2]
    assert turns.when() is None


def test_a_server_out_of_reach() -> None:
    health = Health(Limits(), "URL")
    for now in (0.0, 10.0, 29.0):
        health.unreachable(now, "refused")
        assert not health.broken
    health.unreachable(31.0, "refused")
    assert health.broken == "the server at URL cannot be reached for 31 s (refused)"


def test_a_server_that_was_reached_gets_more_time() -> None:
    health = Health(Limits(), "URL")
    health.reached()
    for now in range(1000, 1300, 10):
        health.unreachable(float(now), "refused")
        assert not health.broken
    health.reached()  # it came back
    for now in range(1300, 1600, 10):
        health.unreachable(float(now), "refused")
        assert not health.broken
    health.unreachable(1600.0, "refused")
    assert health.broken


def test_a_server_that_answers_nothing_any_more() -> None:
    health = Health(Limits(), "URL")
    health.failed(0.0, "HTTP 503")
    health.failed(899.0, "HTTP 503")
    health.answered()
    health.failed(1000.0, "HTTP 503")
    health.failed(1899.0, "HTTP 503")
    assert not health.broken
    health.failed(1900.0, "HTTP 500")
    assert health.broken == "the server at URL has answered nothing for 900 s; at last: HTTP 500"


def test_refusals_are_held_back_until_it_is_known_what_they_are() -> None:
    health = Health(Limits(), "URL")
    health.denied(3, "HTTP 403")
    assert health.in_doubt
    assert health.answered() == [(3, Failure("HTTP 403"))]
    assert not health.in_doubt
    health.denied(5, "HTTP 403")
    assert not health.in_doubt
    assert health.drained() == [(5, Failure("HTTP 403"))]
    other = Health(Limits(), "URL")
    other.denied(0, "HTTP 401")
    assert other.drained() == []
    assert other.broken == "the server at URL refuses all requests: HTTP 401"


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
