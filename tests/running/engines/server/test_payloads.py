"""What a server is sent: what the study says, whatever the model is called, and nothing that it refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from torr_plugin.running.engines.server.payloads import Payloads, RefusedParameter

from .helpers import loaded, tasks

URL = "http://127.0.0.1:9/v1"


def _body(kind: str, name: str = "m", left_out: tuple[str, ...] = (), **generation: Any) -> dict[str, Any]:
    more = {"tokenizer_backend": "None"} if kind == "sglang-generate" else {}
    lm = loaded(URL, kind, model=name, **more)
    given = tasks(lm, ["?"], is_chat=kind != "sglang-generate", **generation)
    (body,) = Payloads(lm, left_out).of(given)
    assert isinstance(body, bytes)
    return dict(json.loads(body))


@pytest.mark.parametrize("name", ["qwen2.5-72b-instruct", "o3-mini", "gpt-4o"])
def test_a_name_decides_nothing(name: str) -> None:
    body = _body("openai-chat-completions", name, until=["\n"])
    assert (body["temperature"], body["stop"], body["max_completion_tokens"]) == (0.0, ["\n"], 64)


def test_anthropic_is_told_to_think() -> None:
    body = _body("anthropic-chat-completions", thinking_tokens=2000, max_gen_toks=2064, seed=7)
    assert body["thinking"] == {"type": "enabled", "budget_tokens": 2000}
    assert body["max_tokens"] == 2064
    assert not {"temperature", "seed", "thinking_tokens"} & body.keys()


@pytest.mark.parametrize("kind", ["local-chat-completions", "openai-chat-completions", "sglang-generate"])
def test_what_is_left_out_is_not_sent(kind: str) -> None:
    body = _body(kind, left_out=("temperature", "until", "max_tokens"), thinking_tokens=5, top_p=0.5)
    sent = body.get("sampling_params", body)
    gone = {"temperature", "stop", "max_tokens", "max_completion_tokens", "max_new_tokens", "thinking_tokens"}
    assert not gone & sent.keys()
    assert sent["top_p"] == 0.5


@pytest.mark.parametrize(("until", "stop"), [(["END"], ["END", "<eos>"]), (list("abcd"), list("abcd"))])
def test_eos_string_is_a_further_stop_text(until: list[str], stop: list[str]) -> None:
    lm = loaded(URL, eos_string="<eos>")
    (body,) = Payloads(lm).of(tasks(lm, ["?"], until=until))
    assert isinstance(body, bytes)
    assert json.loads(body)["stop"] == stop


def test_the_parameters_sent_are_those_of_the_first_answer() -> None:
    """Those that ask again have a seed of their own, and a step may have its own room."""
    lm = loaded(URL)
    payloads = Payloads(lm)
    payloads.of(tasks(lm, ["?", "!"]))
    first = payloads.sent
    assert (first["seed"], first["max_tokens"]) == (lm._seed, 64)
    payloads.of(tasks(lm, ["?"], seed=5, max_gen_toks=9))
    assert payloads.sent == first
    payloads.refuse([RefusedParameter("max_tokens", "max_completion_tokens", "no")])
    payloads.refuse([RefusedParameter("seed", None, "no")])
    rest = {name: value for name, value in first.items() if name not in ("max_tokens", "seed")}
    assert payloads.sent == {**rest, "max_completion_tokens": 64}
