"""From the JSON of a reply to a text and what the server says about it. Nothing in a reply is trusted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from ...contexts import Failure
from ...model_class import model_class_of
from ..base import ModelOutput
from .backoff import RetryLater, ServerTrouble

if TYPE_CHECKING:
    from lm_eval.api.model import LM

_SHOWN = 80
# all of them are stored as the first
REFUSAL_REASONS = (
    *("content_filter", "refusal", "safety", "recitation", "prohibited_content", "blocklist", "spii"),
    *("sensitive", "content_filtered", "guardrail_intervened"),
)
BROKEN_OFF = frozenset({"abort", "error", "insufficient_system_resource", "cancelled"})
_WORDS = {
    **dict.fromkeys(("end_turn", "stop_sequence", "eos_token", "eos", "completed"), "stop"),
    **dict.fromkeys(("max_tokens", "model_context_window_exceeded", "model_length"), "length"),
}
# the types of parts that hold thoughts, and the fields of messages and parts
_THINKING = ("thinking", "reasoning", "redacted_thinking")
_THOUGHTS = ("reasoning_content", "reasoning", "thinking")
_LONGEST_WORD = 40
_MOST_TOKENS = 10**12


class MalformedReply(Exception):  # noqa: N818 - a kind of reply, no error of ours
    """A reply that is no answer; another attempt may bring one."""


class MissingText(Exception):  # noqa: N818
    """A sound reply without a text."""


class AnswerReader:
    """Reads the replies for one model; their texts are parsed by the lm-eval model itself."""

    def __init__(self, lm: LM) -> None:
        self._lm, self._chat_replies = lm, model_class_of(type(lm)).chat_replies

    def read(self, outputs: Any) -> ModelOutput | Failure | RetryLater:
        """What a reply's JSON means.

        A refusal keeps its reason ``content_filter`` and, as its text, the server's words for it.
        """
        try:
            choice = first_choice(outputs)
            known, refusal = facts_of(outputs, choice)
            if known.finish_reason in REFUSAL_REASONS or refusal:
                return replace(known, text=refusal or known.text, finish_reason=REFUSAL_REASONS[0])
            if known.finish_reason in BROKEN_OFF:
                problem = f"the server broke off the answer ({known.finish_reason})"
                return RetryLater(ServerTrouble.FAULTY, problem)
            return replace(known, text=self._text(single_choice(outputs, choice)))
        except MissingText as error:
            if known.finish_reason == "length" or known.reasoning:
                return replace(known, text="")
            return Failure(f"no answer: {error} (finish reason {known.finish_reason or 'not given'})")
        except MalformedReply as error:
            return RetryLater(ServerTrouble.FAULTY, str(error))

    def _text(self, outputs: Mapping[str, Any]) -> str:
        if self._chat_replies and not any("message" in choice for choice in outputs.get("choices", ())):
            raise MalformedReply("expected a choice with a message")  # lm-eval would read an empty answer
        try:
            text = self._lm.parse_generations(outputs=outputs)[0]
        except Exception as error:  # written for replies as they should be
            raise MalformedReply(
                f"the reply does not look like an answer ({type(error).__name__})"
            ) from error
        if not isinstance(text, str):
            raise MalformedReply(f"expected a text as the answer, found {type(text).__name__}")
        return text


def decoded(body: bytes) -> Any:
    """The JSON of a reply; invalid UTF-8 becomes U+FFFD.

    Raises:
        MalformedReply: no JSON, cut short, or nested too deeply.
    """
    text = body.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    try:
        return json.loads(text)
    except RecursionError:
        raise MalformedReply("expected an answer as JSON, found JSON that is nested too deeply") from None
    except ValueError:
        raise MalformedReply(f"expected an answer as JSON, found {_described(text)}") from None


def _described(text: str) -> str:
    if not text.strip():
        return "nothing"
    return repr(" ".join(text[: 4 * _SHOWN].split())[:_SHOWN])


def facts_of(outputs: Any, choice: Mapping[str, Any] | None) -> tuple[ModelOutput, str | None]:
    """What a reply of OpenAI's, Anthropic's or SGLang's shape says, and its refusal.

    The text may be partial; what makes no sense is None. ``choice`` is its :func:`first_choice`.
    """
    if choice is not None:
        message = _mapping(choice.get("message"))
        text, refusal = choice.get("text", message.get("content")), message.get("refusal")
        counts = _openai_counts(_mapping(outputs.get("usage")))
        known = ModelOutput(
            text if isinstance(text, str) else "",
            _reason(choice.get("finish_reason")),
            *counts,
            reasoning=_thoughts(message),
        )
        return known, refusal if isinstance(refusal, str) and refusal.strip() else None
    if "stop_reason" in outputs:
        text = _text_in_parts(outputs.get("content"))
        counts = _anthropic_counts(_mapping(outputs.get("usage")))
        return ModelOutput(text, _reason(outputs["stop_reason"]), *counts, reasoning=_thoughts(outputs)), None
    meta = _mapping(outputs.get("meta_info"))
    reason = meta.get("finish_reason")
    prompt, completion, cached = (
        _count(meta.get(name)) for name in ("prompt_tokens", "completion_tokens", "cached_tokens")
    )
    return ModelOutput("", _reason(_mapping(reason).get("type", reason)), prompt, completion, cached), None


_Counts: TypeAlias = "tuple[int | None, int | None, int | None, int | None, int | None]"


def _openai_counts(usage: Mapping[str, Any]) -> _Counts:
    """Tokens of the prompt, of the completion, and parts of them: cached, put into a cache, of thoughts."""
    details = _mapping(usage.get("prompt_tokens_details"))
    cached = _count(details.get("cached_tokens", usage.get("prompt_cache_hit_tokens")))  # as DeepSeek says it
    thoughts = _count(_mapping(usage.get("completion_tokens_details")).get("reasoning_tokens"))
    prompt, completion, total = (
        _count(usage.get(name)) for name in ("prompt_tokens", "completion_tokens", "total_tokens")
    )
    if None not in (prompt, completion, total, thoughts) and total == prompt + completion + thoughts:  # type: ignore[operator]
        completion += thoughts  # type: ignore[operator]  # some servers count these apart
    return prompt, completion, cached, _count(details.get("cache_write_tokens")), thoughts


def _anthropic_counts(usage: Mapping[str, Any]) -> _Counts:
    """Anthropic counts the parts of a prompt that a cache has or takes separately."""
    rest, cached = _count(usage.get("input_tokens")), _count(usage.get("cache_read_input_tokens"))
    written = _count(usage.get("cache_creation_input_tokens"))
    whole = None if rest is None else rest + (cached or 0) + (written or 0)
    return whole, _count(usage.get("output_tokens")), cached, written, None


def _thoughts(message: Mapping[str, Any]) -> str | None:
    """The thoughts that a message holds beside its text: in a field of their own, or in parts of it."""
    found = next((message[name] for name in _THOUGHTS if isinstance(message.get(name), str)), None)
    if found is None and isinstance(parts := message.get("content"), list):
        own = [part for part in parts if isinstance(part, dict) and part.get("type") in _THINKING]
        found = "\n".join(map(_thought, own))
    return found if found and found.strip() else None


def _thought(part: Mapping[str, Any]) -> str:
    text = part.get("thinking", part.get("text"))
    if isinstance(text, list):
        text = "".join(str(each.get("text", "")) for each in text if isinstance(each, dict))
    return text if isinstance(text, str) else "(not shown)"


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(value: Any) -> int | None:
    """A number of tokens; None for negative or absurd ones, NaN, texts and booleans."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= _MOST_TOKENS:
        return None
    return int(value) if value == int(value) else None


def _reason(value: Any) -> str | None:
    if not isinstance(value, str) or not value.strip():
        return None
    word = "".join(each for each in value.strip().lower() if each.isprintable())[:_LONGEST_WORD]
    return _WORDS.get(word, word)


def _text_in_parts(parts: Any) -> str:
    try:
        return joined(parts) if isinstance(parts, list) else ""
    except MissingText:
        return ""


def first_choice(outputs: Any) -> Mapping[str, Any] | None:
    """The choice of the lowest index; None for replies of a kind without choices.

    Raises:
        MalformedReply: choices of another type, or none.
    """
    if not isinstance(outputs, dict):
        raise MalformedReply(f"expected an answer as a JSON object, found {type(outputs).__name__}")
    if "choices" not in outputs:
        return None
    choices = outputs["choices"]
    if not isinstance(choices, list) or not choices or not all(isinstance(each, dict) for each in choices):
        raise MalformedReply("expected at least one choice in the reply")
    if len(choices) == 1:
        return choices[0]  # type: ignore[no-any-return]
    indexed = [
        (index if isinstance(index := each.get("index"), int) else place, place, each)
        for place, each in enumerate(choices)
    ]
    found: Mapping[str, Any] = min(indexed, key=lambda each: each[:2])[2]
    return found


def single_choice(outputs: Mapping[str, Any], choice: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """The reply with this choice alone and texts in parts joined, as lm-eval's parsers expect it.

    Raises:
        MalformedReply: the reply has something else than text where the answer belongs.
        MissingText: no text at all (null).
    """
    if choice is not None:
        return {**outputs, "choices": [{**choice, "index": 0, **_text_of(choice)}]}
    if isinstance(outputs.get("content"), list):  # Anthropic's
        return {**outputs, "content": [{"type": "text", "text": joined(outputs["content"])}]}
    return outputs


def _text_of(choice: Mapping[str, Any]) -> dict[str, Any]:
    if "message" not in choice:
        return {"text": _checked(choice.get("text"), present="text" in choice)}
    message = choice["message"]
    if not isinstance(message, dict):
        raise MalformedReply(f"expected a message in the choice, found {type(message).__name__}")
    content = message.get("content")
    if isinstance(content, list):
        content = joined(content)
    elif content is None and message.get("tool_calls"):
        raise MissingText("the model called a tool in place of an answer")
    return {"message": {**message, "content": _checked(content, present=bool(message))}}


def _checked(text: Any, *, present: bool) -> str:
    if text is None and present:
        raise MissingText("the server gave null for a text")
    if not isinstance(text, str):
        raise MalformedReply(f"expected a text in the choice, found {type(text).__name__}")
    return text


def joined(parts: list[Any]) -> str:
    """The text of a content in parts, without the model's thoughts.

    Raises:
        MissingText: there are parts, and none is a text.
    """
    texts = [
        part["text"]
        for part in parts
        if isinstance(part, dict) and isinstance(part.get("text"), str) and part.get("type") not in _THINKING
    ]
    if parts and not texts:
        raise MissingText("the answer has no part that is a text")
    return "".join(texts)
