"""The engine against a real server that misbehaves on purpose."""

from __future__ import annotations

import gzip
import json
import re
import socket
import threading
import time
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from torr_plugin.core.errors import EngineBrokenError
from torr_plugin.running.engines.base import Failure, ModelOutput
from torr_plugin.running.engines.server.client import Clock
from torr_plugin.running.engines.server.engine import ServerEngine, settings_of
from torr_plugin.running.engines.server.replies import RetryLater

from ....timing import PATIENCE
from ...misbehaving import Reply, Request, Script, as_json, chat, error, in_turn, misbehaving
from .helpers import KEY, Leaping, engine, finished, loaded, said, tasks

FINE = chat("fine")


def _one(script: Script, **more: Any) -> tuple[ModelOutput | Failure, int]:
    """What one request comes to, and how often it arrived."""
    with misbehaving(script) as server:
        found = said(server.url, **more)[0]
        return found, len(server.asked)


def _reason(script: Script, **more: Any) -> tuple[str, int]:
    found, count = _one(script, **more)
    assert isinstance(found, Failure), found
    return found.reason, count


def _broken(script: Script, **more: Any) -> tuple[str, int]:
    with misbehaving(script) as server, pytest.raises(EngineBrokenError) as raised:
        said(server.url, **more)
    assert server.url in str(raised.value)
    return str(raised.value).replace(server.url, "URL"), len(server.asked)


TROUBLES = (
    *(
        error(500, "boom"),
        error(502, "bad gateway"),
        error(503, "loading"),
        error(429, "slow down"),
        error(529, "overloaded"),
        error(408, "too late"),
        error(409, "busy"),
        error(425, "too early"),
        Reply(204),
        Reply(body=b""),
        Reply(body=b"{"),
        Reply(body=b"null"),
        Reply(body=b"[1]"),
        Reply(body=b"<html><body>Welcome</body></html>", headers={"Content-Type": "text/html"}),
        Reply(body=b'{"choices": [{"message"'),
        Reply(body=b"[" * 200_000),
        Reply(body=b'{"choices": ' + b"9" * 10_000 + b"}"),
        Reply(body=FINE.body, cut=20),
        Reply(body=FINE.body, cut=0),
        Reply(drop=True),
        Reply(raw=b"SSH-2.0-OpenSSH\r\n"),
        Reply(raw=b"HTTP/1.1 200 OK\r\nX-Long: " + b"a" * 100_000 + b"\r\n\r\n"),
        Reply(body=gzip.compress(FINE.body, mtime=0)[:-9], headers={"Content-Encoding": "gzip"}),
        Reply(body=b"not packed", headers={"Content-Encoding": "gzip"}),
        Reply(body=FINE.body, headers={"Content-Encoding": "br"}),
        as_json({"choices": []}),
        as_json({"choices": "none"}),
        as_json({"choices": [None]}),
        as_json({"choices": [{"index": 0}]}),
        as_json({"choices": [{"index": 0, "message": {}}]}),
        as_json({"choices": [{"index": 0, "message": {"content": 7}}]}),
        as_json({"id": "x"}),
        as_json({"error": {"message": "upstream", "code": 502}}),
        as_json({"error": "upstream"}),
        chat("", "error"),
    ),
)


def test_asked_again_until_it_is_answered() -> None:
    """Request number *n* meets trouble number *n* twice."""
    met = Counter[str]()

    def script(request: Request) -> Reply:
        met[request.text] += 1
        return FINE if met[request.text] > 2 else TROUBLES[int(request.text)]

    texts = [str(number) for number in range(len(TROUBLES))]
    with misbehaving(script) as server:
        found = said(server.url, texts)
    assert dict(zip(texts, found, strict=True)) == dict.fromkeys(texts, ModelOutput("fine", "stop"))
    assert met == dict.fromkeys(texts, 3)


def test_a_server_that_fails_for_ever_is_an_error_with_its_words() -> None:
    assert _reason(in_turn(error(500, "boom"))) == ("HTTP 500 Internal Server Error: boom (asked 5 times)", 5)


def test_as_many_attempts_as_lm_eval_is_told() -> None:
    assert _reason(in_turn(error(500, "boom")), max_retries=1) == (
        "HTTP 500 Internal Server Error: boom (asked once)",
        1,
    )
    assert _reason(in_turn(error(429, "slow down")), max_retries=2) == (
        "HTTP 429 Too Many Requests: slow down (asked 2 times)",
        2,
    )


def test_no_reply_in_time() -> None:
    found, count = _one(in_turn(Reply(delay=PATIENCE), FINE), timeout=0.5)
    assert (found, count) == (ModelOutput("fine", "stop"), 2)
    reason, count = _reason(in_turn(Reply(delay=PATIENCE)), timeout=0.05, max_retries=2)
    assert (reason, count) == ("no whole reply within 0.05 s (asked 2 times)", 2)


def test_a_reply_that_drips_is_no_reply_in_time() -> None:
    reason, _ = _reason(in_turn(Reply(body=FINE.body, drip=0.02)), timeout=0.2, max_retries=1)
    assert reason == "no whole reply within 0.2 s (asked once)"


def test_a_rate_limit_is_waited_out() -> None:
    clock = Leaping()
    started = clock.now()
    found, count = _one(in_turn(error(429, "slow down", {"Retry-After": "37"}), FINE), clock=clock)
    assert (found, count) == (ModelOutput("fine", "stop"), 2)
    assert 37 <= clock.now() - started < 47


def test_a_server_that_always_says_now() -> None:
    """It says that the next moment will do, and refuses again: each pause is longer all the same."""
    clock = Leaping()
    script = in_turn(*[error(429, "slow down", {"Retry-After": "0"})] * 9, FINE)
    started = clock.now()
    found, count = _one(script, clock=clock)
    assert (found, count) == (ModelOutput("fine", "stop"), 10)
    assert clock.now() - started > 5


def test_a_stray_rate_limit_delays_its_own_request_only() -> None:
    refused = error(429, "slow down", {"Retry-After": "50"})
    with misbehaving(
        lambda request: refused if request.number == 9 else chat("fine", delay=0.0005)
    ) as server:
        found = said(server.url, [str(number) for number in range(60)])
    assert found == [ModelOutput("fine", "stop")] * 60
    texts = [request.text for request in server.asked]
    assert len(texts) == 61
    assert texts.index(texts[9], 10) > 10, "the others went on"


def test_requests_that_wait_for_long_leave_room_for_others() -> None:
    """A quarter is told to come back in five minutes; all others are answered now."""

    def script(request: Any) -> Reply:
        late = int(request.text) % 4 == 3
        return error(429, "slow down", {"Retry-After": "300"}) if late else FINE

    with misbehaving(script) as server:
        asking = engine(server.url, clock=Clock(), num_concurrent=4)
        waiting, found = tasks(asking._lm, [str(number) for number in range(80)]), list[int]()
        deadline = time.monotonic() + PATIENCE
        while len(found) + asking.client.delayed < 80 and time.monotonic() < deadline:
            room = asking.room()
            asking.add(waiting[:room])
            waiting = waiting[room:]
            found += [number for number, _ in asking.step()]
        assert sorted(found) == [number for number in range(80) if number % 4 != 3]
        assert asking.client.delayed == 20
        asking.abandon()
        asking.close()


def test_a_server_that_refuses_most_requests_is_left_alone_as_long_as_it_says() -> None:
    heard: list[float] = []
    clock = Leaping()

    def script(request: Any) -> Reply:
        heard.append(clock.now())
        return error(429, "slow down", {"Retry-After": "50"}) if request.number < 3 else FINE

    with misbehaving(script) as server:
        found = said(server.url, [str(number) for number in range(20)], clock=clock, num_concurrent=2)
    assert found == [ModelOutput("fine", "stop")] * 20
    assert len(heard) == 23
    assert max(after - before for before, after in pairwise(heard)) >= 49


@pytest.mark.parametrize(
    ("wait", "shown"), [("601", "601"), ("7200", "7200"), ("1e308", "1e+308"), ("inf",) * 2]
)
def test_a_limit_of_hours_stops_the_run(wait: str, shown: str) -> None:
    told, count = _broken(in_turn(error(429, "daily limit", {"Retry-After": wait})))
    assert told == f"the server at URL asks to wait {shown} s: HTTP 429 Too Many Requests: daily limit"
    assert count == 1


def test_a_limit_without_end_is_an_error_of_the_request() -> None:
    reason, count = _reason(in_turn(error(429, "slow down")))
    assert (reason, count) == ("HTTP 429 Too Many Requests: slow down (asked 12 times)", 12)


def test_a_server_without_tls() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            with listening.accept()[0] as caller:
                caller.recv(1000)
                caller.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(EngineBrokenError, match=r"refuses all requests: no secure connection \(Client"):
            said(f"https://127.0.0.1:{listening.getsockname()[1]}/v1")
        thread.join(10)


def test_a_server_that_nobody_serves() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1/chat/completions"
    for seconds in (600, 60):
        with pytest.raises(EngineBrokenError, match=r"cannot be reached for \d+ s \(ClientConn") as raised:
            said(url, wait_for_server=seconds)
        waited = int(re.search(r"for (\d+) s", str(raised.value))[1])  # type: ignore[index]
        assert seconds <= waited < seconds + 20


@pytest.mark.parametrize("status", [502, 503, 504])
def test_a_server_that_loads_its_weights_is_waited_for(status: int) -> None:
    """For minutes, and whatever ``max_retries`` says."""
    loading = error(status, "Loading model")
    script = in_turn(*[loading] * 40, FINE)
    clock = Leaping()
    started = clock.now()
    found, count = _one(script, clock=clock, max_retries=2)
    assert (found, count) == (ModelOutput("fine", "stop"), 41)
    assert 30 < clock.now() - started < 300
    told, _ = _broken(in_turn(loading), wait_for_server=120)
    assert "has answered nothing for 12" in told
    assert "Loading model); wait_for_server allows more" in told


def test_a_server_that_is_started_anew_is_waited_for() -> None:
    """It answers, is gone, and says that it loads; no request is to blame."""
    with misbehaving(in_turn(FINE)) as server:
        asking = engine(server.url, num_concurrent=1, max_retries=1)
        given = tasks(asking._lm, [str(number) for number in range(3)])
        lost, posted = iter([False, True, True, *[False] * 99]), asking.client._post

        async def post(body: bytes) -> Any:
            return RetryLater("unreachable", "gone") if next(lost) else await posted(body)

        asking.client._post = post
        server.script = in_turn(FINE, *[error(503, "Loading model")] * 9, FINE)
        assert finished(asking, given) == {number: ModelOutput("fine", "stop") for number in range(3)}
        asking.close()


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (error(401, "Incorrect API key"), "HTTP 401 Unauthorized: Incorrect API key"),
        (error(403, "no access"), "HTTP 403 Forbidden: no access"),
        (error(402, "pay"), "HTTP 402 Payment Required: pay"),
        (
            error(404, "The model `served` does not exist."),
            "HTTP 404 Not Found: The model `served` does not exist.",
        ),
        (
            error(429, "You exceeded your quota", code="insufficient_quota"),
            "HTTP 429 Too Many Requests: You exceeded your quota",
        ),
        (
            Reply(302, headers={"Location": "https://elsewhere.example/v1?key=hidden"}),
            "HTTP 302 Found; it redirects to 'https://elsewhere.example/v1', which is not followed",
        ),
    ],
)
def test_what_would_meet_every_request_stops_the_run(reply: Reply, expected: str) -> None:
    with misbehaving(in_turn(reply)) as server, pytest.raises(EngineBrokenError) as raised:
        said(server.url, [str(number) for number in range(500)])
    assert str(raised.value) == f"the server at {server.url} refuses all requests: {expected}"
    assert len(server.asked) <= 8


def test_one_refusal_among_answers_is_an_error_of_its_own() -> None:
    """Some gateways forbid single prompts, in which they see an attack."""
    with misbehaving(lambda request: error(403, "blocked") if request.text == "0" else FINE) as server:
        found = said(server.url, [str(number) for number in range(40)])
    assert found == [Failure("HTTP 403 Forbidden: blocked"), *[ModelOutput("fine", "stop")] * 39]
    assert len(server.asked) == 40


def test_a_key_withdrawn_in_the_midst() -> None:
    script = in_turn(*[FINE] * 50, error(401, "revoked"))
    with misbehaving(script) as server, pytest.raises(EngineBrokenError, match="401 Unauthorized: revoked"):
        said(server.url, [str(number) for number in range(5000)])
    assert len(server.asked) < 200


def test_a_broken_server_does_not_burn_a_study() -> None:
    with misbehaving(in_turn(FINE, error(500, "boom"))) as server:
        asking = engine(server.url)
        with pytest.raises(EngineBrokenError, match="failed the last 100 requests; at last: HTTP 500"):
            finished(asking, tasks(asking._lm, [str(number) for number in range(5000)]))
        asking.close()
    assert len(server.asked) < 5 * 140


def test_a_filtered_prompt_is_a_refusal() -> None:
    found, count = _one(in_turn(error(400, "filtered", code="content_filter")))
    assert (found, count) == (ModelOutput("HTTP 400 Bad Request: filtered", "content_filter"), 1)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (
            error(400, "This model's maximum context length is 4096 tokens."),
            "HTTP 400 Bad Request: This model's maximum context length is 4096 tokens.",
        ),
        (error(413, "too large"), "HTTP 413 Request Entity Too Large: too large"),
        (
            Reply(422, b'{"detail": [{"loc": ["body"], "msg": "field required"}]}'),
            "HTTP 422 Unprocessable Entity: field required",
        ),
        (
            Reply(400, b"<html><p>No\n<b>way</b></p></html>"),
            "HTTP 400 Bad Request: No way",
        ),
    ],
)
def test_a_request_that_is_refused_is_asked_once(reply: Reply, expected: str) -> None:
    reason, count = _reason(in_turn(reply))
    assert (
        reason.replace("Content Too Large", "Request Entity Too Large").replace(
            "Unprocessable Content", "Unprocessable Entity"
        )
        == expected
    )
    assert count == 1


def test_bodies_without_end() -> None:
    big = b'"' + b"x" * (5 * 1024 * 1024)
    reason, _ = _reason(in_turn(Reply(body=big)), max_retries=1)
    assert reason == "the reply is larger than 4 MiB (asked once)"
    chunk = b"100000\r\n" + b"x" * 0x100000 + b"\r\n"
    endless = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk * 5
    assert _reason(in_turn(Reply(raw=endless)), max_retries=1)[0] == reason
    bomb = Reply(body=gzip.compress(b" " * (64 * 1024 * 1024)), headers={"Content-Encoding": "gzip"})
    assert _reason(in_turn(bomb), max_retries=1)[0] == reason


def test_packed_replies_are_unpacked() -> None:
    found, _ = _one(in_turn(Reply(body=gzip.compress(FINE.body), headers={"Content-Encoding": "gzip"})))
    assert found == ModelOutput("fine", "stop")


def test_bytes_that_are_no_utf8() -> None:
    body = json.dumps({"choices": [{"message": {"content": "a?b"}}]}).encode().replace(b"?", b"\xff")
    assert _one(in_turn(Reply(body=body)))[0] == ModelOutput("a\ufffdb")


def test_keys_are_nowhere(capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    header = {"Authorization": f"Bearer {KEY}"}
    echo = error(400, f"bad key {KEY}, sent as Bearer {KEY}")
    reason, _ = _reason(in_turn(echo), header=header)
    assert reason == "HTTP 400 Bad Request: bad key ***, sent as ***"
    told, _ = _broken(in_turn(error(401, f"bad key {KEY[:9]}***{KEY[-4:]}")), header=header)
    assert told.endswith("HTTP 401 Unauthorized: bad key ***")
    with misbehaving(in_turn(error(500, f"at /v1?api_key={KEY}"))) as server:
        found = said(f"{server.url}?api_key={KEY}", header=header, max_retries=2)
    assert found == [Failure("HTTP 500 Internal Server Error: at /v1?api_key=*** (asked 2 times)")]
    assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"
    refused, _ = _one(in_turn(chat(f"not with {KEY}", "content_filter")), header=header)
    assert refused == ModelOutput("not with ***", "content_filter")
    out = capfd.readouterr()
    assert KEY not in out.out + out.err + caplog.text


@pytest.mark.parametrize("status", [407, 502])
def test_a_proxy_that_refuses_the_connection(status: int) -> None:
    with misbehaving(in_turn(error(status, "no"))) as server:
        lm = loaded("https://api.example/v1")
        proxy = f"http://me:{KEY}@127.0.0.1:{server.port}"
        asking = ServerEngine(lm, replace(settings_of(lm, {}), proxy=proxy), clock=Leaping())
        said = "the proxy set in the environment refused the connection: HTTP "
        try:
            if status == 407:
                with pytest.raises(EngineBrokenError, match=f"refuses all requests: {said}407$"):
                    finished(asking, tasks(lm, ["?"]))
            else:
                assert finished(asking, tasks(lm, ["?"])) == {0: Failure(f"{said}502 (asked 5 times)")}
        finally:
            asking.close()


def test_connections_are_kept() -> None:
    with misbehaving(in_turn(FINE)) as server:
        said(server.url, [str(number) for number in range(100)], num_concurrent=4)
    assert len(server.asked) == 100
    assert server.connections == 4


@pytest.mark.parametrize("count", [1, 3, 24])
def test_num_concurrent_is_used_and_kept(count: int) -> None:
    """The server answers nobody before all that may ask at once have asked."""
    with misbehaving(in_turn(FINE)) as server:
        full = chat("fine", delay=PATIENCE, once=lambda: server.most_at_once >= count)
        server.script = in_turn(full)
        said(server.url, [str(number) for number in range(3 * count)], num_concurrent=count)
    assert server.most_at_once == count


def test_without_num_concurrent_it_grows() -> None:
    with misbehaving(in_turn(chat("fine", delay=0.1))) as server:
        said(server.url, [str(number) for number in range(200)])
    assert 16 < server.most_at_once <= 128  # it begins with eight


def test_fewer_at_once_where_the_server_takes_fewer() -> None:
    """A server that takes four at once: only now and then it is tried with more."""
    with misbehaving(lambda _: Reply()) as server:
        refused = []

        def script(request: Any) -> Reply:
            if server.at_once > 4:
                refused.append(request.number)
                return error(429, "slow down", {"Retry-After": "1"})
            return chat("fine", delay=0.003)

        server.script = script
        found = said(server.url, [str(number) for number in range(400)])
    assert found == [ModelOutput("fine", "stop")] * 400
    assert len(refused) < 200


def test_a_stop_does_not_wait_for_the_limit() -> None:
    """What waits for its turn is given back; what is under way is finished."""
    script = in_turn(*[error(429, "slow down", {"Retry-After": "500"})] * 4, FINE)
    with misbehaving(script) as server:
        asking = engine(server.url, clock=Clock(), num_concurrent=3)
        given = tasks(asking._lm, [str(number) for number in range(6)])
        asking.add(given)
        deadline = time.monotonic() + PATIENCE
        while len(server.asked) < 3 and time.monotonic() < deadline:
            asking.step()
        while len(asking._unfinished) and time.monotonic() < deadline:
            assert set(asking.recall()) <= {task.number for task in given}
            assert asking.step() == []
        assert not asking._unfinished
        assert asking.room() > 0
        asking.close()
    assert len(server.asked) in (3, 4)


def test_abandoned_requests_are_not_sent_any_more() -> None:
    with misbehaving(in_turn(chat("fine", delay=PATIENCE))) as server:
        asking = engine(server.url, num_concurrent=2)
        asking.add(tasks(asking._lm, ["a", "b", "c", "d"]))
        while len(server.asked) < 2:
            asking.step()
        started = time.monotonic()
        assert asking.abandon() == []
        asking.close()
        assert time.monotonic() - started < PATIENCE / 5
    assert len(server.asked) == 2
