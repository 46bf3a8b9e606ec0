"""Texts, reasons and counts of replies, those of hostile servers too."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.timing import quickly
from torr_plugin.running.engines.base import Failure, ModelOutput
from torr_plugin.running.engines.server.replies import Denial, RetryLater, ServerReply, meaning


def answer(outputs: Any) -> Any:
    return meaning(ServerReply(200, {}, json.dumps(outputs).encode()), 0.0)


def _chat(content: Any, reason: Any = "stop", usage: Any = None, **message: Any) -> dict[str, Any]:
    told = {"role": "assistant", "content": content, **message}
    return {"choices": [{"index": 0, "message": told, "finish_reason": reason}], "usage": usage}


USAGE = {"prompt_tokens": 11, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 8}}


def test_text_reason_and_counts() -> None:
    assert answer(_chat("four", "stop", USAGE)) == ModelOutput("four", "stop", 11, 3, 8)
    assert answer(_chat("fo", "length", USAGE)) == ModelOutput("fo", "length", 11, 3, 8)
    assert answer(_chat("", "stop")) == ModelOutput("", "stop")
    assert answer(_chat([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], None)) == (
        ModelOutput("ab")
    )


@pytest.mark.parametrize(
    "message",
    [
        {"content": "four", "reasoning_content": "hm"},
        {"content": "four", "reasoning": "hm"},
        {"content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "four"}]},
        {
            "content": [
                {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
                {"type": "text", "text": "four"},
            ]
        },
    ],
)
def test_thoughts_beside_the_text(message: Any) -> None:
    reply = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    assert answer(reply) == ModelOutput("four", "stop", reasoning="hm")


def test_tokens_of_thoughts() -> None:
    details = {"completion_tokens_details": {"reasoning_tokens": 5}, "total_tokens": 19}
    within = answer(_chat("four", "stop", {"prompt_tokens": 11, "completion_tokens": 8, **details}))
    assert within == ModelOutput("four", "stop", 11, 8, reasoning_tokens=5)
    apart = answer(_chat("four", "stop", {"prompt_tokens": 11, "completion_tokens": 3, **details}))
    assert apart == within


@pytest.mark.parametrize(
    "reply",
    [
        _chat(None, "content_filter"),
        _chat("I can", "content_filter"),
        _chat(None, "stop", refusal="I cannot help with that."),
        {"choices": [{"index": 0, "finish_reason": "content_filter"}]},
    ],
)
def test_refusals(reply: Any) -> None:
    found = answer(reply)
    assert isinstance(found, ModelOutput)
    assert found.finish_reason == "content_filter"
    assert found.text in ("", "I can", "I cannot help with that.")


def test_null_is_an_answer_only_where_tokens_ran_out() -> None:
    assert answer(_chat(None, "length", USAGE)) == ModelOutput("", "length", 11, 3, 8)
    assert answer(_chat(None, reasoning_content="hm")) == ModelOutput("", "stop", reasoning="hm")
    assert answer(_chat(None)) == Failure("no answer: the server gave null for a text (finish reason stop)")
    assert answer(_chat(None, "tool_calls", tool_calls=[{}])) == Failure(
        "no answer: the model called a tool in place of an answer (finish reason tool_calls)"
    )


def test_anthropic() -> None:
    usage = {
        "input_tokens": 5,
        "cache_read_input_tokens": 90,
        "cache_creation_input_tokens": 7,
        "output_tokens": 2,
    }
    thought = {"type": "thinking", "thinking": "hm"}
    parts = [thought, {"type": "text", "text": "fo"}, {"type": "text", "text": "ur"}]

    def reply(content: Any, reason: str) -> Any:
        return answer({"content": content, "stop_reason": reason, "usage": usage})

    def said(text: str, reason: str, thoughts: str | None = "hm") -> ModelOutput:
        return ModelOutput(text, reason, 102, 2, 90, 7, reasoning=thoughts)

    assert reply(parts, "end_turn") == said("four", "stop")
    assert reply(parts, "max_tokens") == said("four", "length")
    assert reply([], "end_turn") == said("", "stop", None)
    assert reply(parts, "refusal") == said("four", "content_filter")
    assert reply([thought], "max_tokens") == said("", "length")


def test_sglang() -> None:
    told = {
        "finish_reason": {"type": "length", "length": 3},
        "prompt_tokens": 4,
        "completion_tokens": 3,
        "cached_tokens": 2,
    }
    assert answer({"text": "abc", "meta_info": told}) == ModelOutput("abc", "length", 4, 3, 2)


@pytest.mark.parametrize(
    "count", ["3", -1, True, None, 1.5, float("nan"), float("inf"), 10**30, [], {}, "NaN"], ids=repr
)
def test_counts_that_are_none(count: Any) -> None:
    usage = {
        "prompt_tokens": count,
        "completion_tokens": 2,
        "prompt_tokens_details": {"cached_tokens": count},
    }
    assert answer(_chat("x", "stop", usage)) == ModelOutput("x", "stop", None, 2, None)
    assert answer(_chat("x", "stop", [usage])) == ModelOutput("x", "stop")


@pytest.mark.parametrize(
    ("told", "reason"), [("EOS", "stop"), (" Length ", "length"), ("x" * 99, "x" * 40), (7, None)]
)
def test_reasons(told: Any, reason: str | None) -> None:
    assert answer(_chat("x", told)) == ModelOutput("x", reason)


@pytest.mark.parametrize("name", [7, None, "", "x" * 201, "a\nb", ["x"], {"a": 1}, "large-0806"])
def test_who_answered_is_a_name_or_unknown(name: Any) -> None:
    known = name if name == "large-0806" else None
    assert answer({**_chat("x"), "model": name}) == ModelOutput("x", "stop", served_by=known)


@pytest.mark.parametrize("piece", ["<script ", "<style", "<script></script ", "</script", "< "])
def test_pages_that_are_made_to_take_long(piece: str) -> None:
    body = (piece * 65_536)[:65_536].encode()
    found = quickly(lambda: meaning(ServerReply(500, {}, body), 0.0))
    assert isinstance(found, RetryLater)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                (
                    *("choices", "message", "content", "text", "index", "finish_reason", "usage", "error"),
                    *("stop_reason", "meta_info", "prompt_tokens", "type", "refusal", "innererror", "detail"),
                )
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=75)
@given(JSON, st.sampled_from([200, 201, 204, 302, 400, 401, 429, 500, 599, 999]), st.integers(0, 30))
def test_no_reply_is_too_strange(value: Any, status: int, cut: int) -> None:
    data = json.dumps(value).encode()
    for body in (data, data[: len(data) - cut]):
        found = meaning(ServerReply(status, {}, body), 0.0)
        assert isinstance(found, (ModelOutput, Failure, RetryLater, Denial))
        if isinstance(found, ModelOutput):
            assert isinstance(found.text, str)
            assert found.prompt_tokens is None or 0 <= found.prompt_tokens <= 10**12
        else:
            assert len(found.reason) < 500
            assert found.reason.isprintable()
