"""A parameter that a server refuses by its name is sent no more; one that its words mention still is."""

from __future__ import annotations

from typing import Any

import pytest

from torr_plugin.running.engines.base import Failure, ModelOutput
from torr_plugin.running.engines.server.payloads import RefusedParameter, refused_parameter

from ...misbehaving import Reply, Request, chat, error, misbehaving
from .helpers import engine, finished, said, tasks

FINE = ModelOutput("fine", "stop")
UNSUPPORTED = "Unsupported parameter: 'max_tokens' is not supported with this model. "
POLICY = "This input is not allowed by our policy: "


@pytest.mark.parametrize(
    ("words", "reply", "name", "instead"),
    [
        (f"{UNSUPPORTED}Use 'max_completion_tokens' instead.", {}, "max_tokens", "max_completion_tokens"),
        ("'temperature' does not support 0.0 with this model.", {}, "temperature", None),
        ("`temperature` is deprecated for this model.", {}, "temperature", None),
        ("`temperature` and `top_p` cannot both be specified for this model.", {}, "temperature", None),
        ("Extra inputs are not permitted", {"detail": [{"loc": ["body", "seed"]}]}, "seed", None),
        (
            "[{'type': 'extra_forbidden', 'loc': ('body', 'top_k'), 'msg': 'Extra inputs are not permitted',",
            {},
            "top_k",
            None,
        ),
        ("Unsupported value", {"error": {"param": "stop"}}, "stop", None),
        ("Unrecognized request argument supplied: stop", {"error": {"param": None}}, "stop", None),
        ("openai does not support parameters: ['stop']", {"error": {"param": "None"}}, "stop", None),
        ("Value error, unexpected `seed`", {"detail": [{"loc": ["body"]}]}, "seed", None),
        ("Unrecognized request arguments supplied: stop, seed", {}, "stop", None),
        ("Argument not supported on this model: stop", {}, "stop", None),
        ("This model does not support the temperature parameter.", {}, "temperature", None),
        ("top_k: Extra inputs are not permitted", {}, "top_k", None),
        ("extraneous key [top_p] is not permitted", {}, "top_p", None),
        ("stop sequences are not supported", {}, "stop", None),
        ("temperature, top_p and top_k are not supported", {}, "temperature", None),
        ("Unsupported sampling parameter(s): top_p=0.5", {}, "top_p", None),
        ("unknown field `seed`, expected one of `model`, `messages`", {}, "seed", None),
        (UNSUPPORTED, {}, None, None),
        ("'messages' is not supported", {}, None, None),
        ("The temperature of the city is 7.", {}, None, None),
        (f"{POLICY}'what was the temperature in July?'", {}, None, None),
        (f"{POLICY}'which stop comes before seed street?'", {}, None, None),
        ("Unsupported content: {'name': 'temperature'}", {"error": {"param": "messages"}}, None, None),
        ("unexpected 'seed'", {"detail": [{"loc": ["body", "messages"]}]}, None, None),
    ],
)
def test_which_parameter_is_refused(words: str, reply: Any, name: str | None, instead: str | None) -> None:
    found = refused_parameter(400, f"HTTP 400: {words}", words, reply)
    assert found == (None if name is None else RefusedParameter(name, instead, f"HTTP 400: {words}"))
    assert refused_parameter(413, "", words, reply) is None


def _warned(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records]


def test_words_that_only_quote_a_name_change_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """The same words come back without the parameter, so they did not mean it."""

    def script(request: Request) -> Reply:
        return error(400, f"{POLICY}the column 'temperature'") if request.text == "7" else chat("fine")

    with misbehaving(script) as server:
        asking = engine(server.url, num_concurrent=1)
        found = finished(asking, tasks(asking._lm, [str(number) for number in range(20)]))
        sent = asking.sent
        asking.close()
    assert found.pop(7) == Failure(f"HTTP 400 Bad Request: {POLICY}the column 'temperature'")
    assert set(found.values()) == {FINE}
    assert [request.text for request in server.asked if "temperature" not in request.body] == ["7"]
    assert "temperature" in sent
    assert _warned(caplog) == []


def test_requests_in_flight_at_once_are_each_revised(caplog: pytest.LogCaptureFixture) -> None:
    def script(request: Request) -> Reply:
        for name in ("temperature", "stop"):
            if name in request.body:
                return error(400, f"Unsupported parameter: '{name}' is not supported.")
        # some fail in between, and are revised once more
        return error(500, "busy") if request.number in (40, 41) else chat("fine", delay=0.02)

    with misbehaving(script) as server:
        asking = engine(server.url, num_concurrent=16)
        given = tasks(asking._lm, [str(number) for number in range(60)], until=["END"])
        assert set(finished(asking, given).values()) == {FINE}
        sent = asking.sent
        asking.close()
    assert not {"temperature", "stop"} & server.asked[-1].body.keys()
    assert "temperature" not in sent
    assert _warned(caplog) == [
        "the server refuses 'temperature': it is sent no more",
        "the server refuses 'stop': it is sent no more",
    ]


def test_a_server_that_wants_each_in_place_of_the_other_is_asked_no_further() -> None:
    names = ("max_tokens", "max_completion_tokens")

    def script(request: Request) -> Reply:
        wrong, right = names if names[0] in request.body else names[::-1]
        return error(400, f"Unsupported parameter: '{wrong}'. Use '{right}' instead.")

    with misbehaving(script) as server:
        (found,) = said(server.url)
    assert isinstance(found, Failure)
    assert len(server.asked) == 3
