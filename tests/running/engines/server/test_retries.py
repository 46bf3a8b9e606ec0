"""Back-off, concurrency, circuit breaker and secrets, each by itself."""

from __future__ import annotations

from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st
from multidict import CIMultiDict
from tenacity import AsyncRetrying, RetryCallState

from torr_plugin.core.errors import ModelError
from torr_plugin.running.contexts import Failure
from torr_plugin.running.engines.server.backoff import (
    RetryLater,
    ServerTrouble,
    retry_after,
    seconds_before_retry,
)
from torr_plugin.running.engines.server.flow_control import AdaptiveConcurrency, CircuitBreaker, UsualSeconds
from torr_plugin.running.engines.server.settings import RetryLimits, Secrets, proxy_of, shown_url

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
    assert retry_after(CIMultiDict(headers), NOW) == (None if seconds is None else pytest.approx(seconds))


@given(st.text(max_size=40))
def test_no_header_is_too_strange(text: str) -> None:
    found = retry_after(CIMultiDict({"retry-after": text, "date": text}), NOW)
    assert found is None or 0 <= found < 1e15


def _waits(attempts: int, result: RetryLater, count: int = 500) -> list[float]:
    state = RetryCallState(AsyncRetrying(), None, (), {})
    state.attempt_number = attempts
    state.set_result(result)
    return [seconds_before_retry(state) for _ in range(count)]


def test_backoff_doubles_up_to_a_bound_and_jitters() -> None:
    faulty = RetryLater(ServerTrouble.FAULTY, "HTTP 500")
    for tries, most in ((1, 0.5), (2, 1.0), (3, 2.0), (50, 30.0), (10**9, 30.0)):
        drawn = _waits(tries, faulty)
        assert 0 <= min(drawn) < most * 0.05
        assert most * 0.95 < max(drawn) <= most
    assert max(_waits(50, RetryLater(ServerTrouble.UNREACHABLE, "gone"))) <= 5.0


def test_a_wait_that_the_server_asks_for_is_kept_and_not_trusted_twice() -> None:
    told = RetryLater(ServerTrouble.OVERLOADED, "HTTP 429", wait=7.0)
    assert set(_waits(1, told)) == {7.0}
    assert min(_waits(9, told)) == 7.0
    assert max(_waits(9, told)) > 20.0


def test_more_at_once_while_answers_come() -> None:
    found = AdaptiveConcurrency(None, 300.0)
    assert found.limit == 8
    for _ in range(1000):
        found.answered(0.0, 1.0, found.limit - 1)
    assert found.limit == 128


def test_no_more_where_fewer_are_used_or_answers_are_late() -> None:
    found = AdaptiveConcurrency(None, 300.0)
    for _ in range(1000):
        found.answered(0.0, 1.0, 2)
        found.answered(0.0, 100.0, found.limit)
    assert found.limit == 8


def test_half_once_a_round_and_never_none() -> None:
    found, now = AdaptiveConcurrency(64, 300.0), 0.0
    for expected in (32, 16, 8, 4, 2, 1, 1):
        cuts = [found.overloaded(sent=now, now=now + 1) for _ in range(64)]  # all are refused
        assert (cuts.count(True), found.limit) == (1, expected)
        now += 2
    for _ in range(100_000):
        found.answered(now, now + 1, found.limit)
    assert found.limit == 64


@given(st.lists(st.integers(0, 2), max_size=200), st.integers(2, 100))
def test_refusals_among_answers_slow_nothing_down(places: list[int], most: int) -> None:
    """One of three is refused, the first, second or third."""
    found = AdaptiveConcurrency(most, 300.0)
    for refused in places:
        for place in range(3):
            if place == refused:
                assert not found.overloaded(0.0, 0.02)
            else:
                found.answered(0.0, 0.02, most)
        assert found.limit == most


@given(st.none() | st.integers(1, 500), st.lists(st.sampled_from(["answered", "refused"]), max_size=300))
def test_the_limit_stays_between_one_and_the_most(most: int | None, replies: list[str]) -> None:
    found = AdaptiveConcurrency(most, 300.0)
    for now, reply in enumerate(replies):
        before = found.limit
        if reply == "answered":
            found.answered(now, now + 1.0, found.limit)
            assert before <= found.limit <= (most or 128)
        else:
            assert found.overloaded(now, now + 1.0) in (True, False)
            assert 1 <= found.limit <= before


@pytest.mark.parametrize(("most", "expected"), [(8, 8), (None, 4)])
def test_the_number_that_nobody_chose_falls_sooner(most: int | None, expected: int) -> None:
    found = AdaptiveConcurrency(most, 300.0)
    for _ in range(4):
        found.overloaded(0.0, 1.0)
        found.answered(0.0, 1.0, 0)
        found.answered(0.0, 1.0, 0)
    assert found.limit == expected


def test_answers_are_slow_beside_the_usual() -> None:
    usual = UsualSeconds()
    assert [usual.is_slow(seconds) for seconds in (0.02, 0.03, 1.0, 0.02, 0.45, 0.6)] == [
        *(False, False, True),
        *(False, False, True),
    ]
    assert not any([usual.is_slow(5.0) for _ in range(200)][150:])


def test_a_server_out_of_reach() -> None:
    breaker = CircuitBreaker(RetryLimits(), "URL")
    for now in (0.0, 10.0, 29.0):
        breaker.unreachable(now, "refused")
        assert not breaker.broken
    breaker.unreachable(31.0, "refused")
    assert breaker.broken == "the server at URL cannot be reached for 31 s (refused)"


def test_a_server_that_was_reached_gets_more_time() -> None:
    breaker = CircuitBreaker(RetryLimits(), "URL")
    breaker.reached()
    for now in range(1000, 1300, 10):
        breaker.unreachable(float(now), "refused")
        assert not breaker.broken
    breaker.reached()  # it came back
    for now in range(1300, 1600, 10):
        breaker.unreachable(float(now), "refused")
        assert not breaker.broken
    breaker.unreachable(1600.0, "refused")
    assert breaker.broken


def test_a_server_that_answers_nothing_any_more() -> None:
    breaker = CircuitBreaker(RetryLimits(), "URL")
    breaker.failed(0.0, "HTTP 503")
    breaker.failed(899.0, "HTTP 503")
    breaker.answered()
    breaker.failed(1000.0, "HTTP 503")
    breaker.failed(1899.0, "HTTP 503")
    assert not breaker.broken
    breaker.failed(1900.0, "HTTP 500")
    assert breaker.broken == "the server at URL has answered nothing for 900 s; at last: HTTP 500"


def test_refusals_are_held_back_until_it_is_known_what_they_are() -> None:
    breaker = CircuitBreaker(RetryLimits(), "URL")
    breaker.denied(3, "HTTP 403")
    assert breaker.in_doubt
    assert breaker.answered() == [(3, Failure("HTTP 403"))]
    assert not breaker.in_doubt
    breaker.denied(5, "HTTP 403")
    assert not breaker.in_doubt
    assert breaker.drained() == [(5, Failure("HTTP 403"))]
    other = CircuitBreaker(RetryLimits(), "URL")
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
