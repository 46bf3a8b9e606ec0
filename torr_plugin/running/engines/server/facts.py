"""What a reply tells besides its text: why the model ended, and its counts of tokens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .shapes import Missing, first_choice, joined

# the first is our word for all of them
REFUSED = (
    *("content_filter", "refusal", "safety", "recitation", "prohibited_content", "blocklist", "spii"),
    *("sensitive", "content_filtered", "guardrail_intervened"),
)
UNFINISHED = frozenset({"abort", "error", "insufficient_system_resource", "cancelled"})
_WORDS = {
    **dict.fromkeys(("end_turn", "stop_sequence", "eos_token", "eos", "completed"), "stop"),
    **dict.fromkeys(("max_tokens", "model_context_window_exceeded", "model_length"), "length"),
}
_LONGEST_WORD = 40
_MOST_TOKENS = 10**12


@dataclass(frozen=True, slots=True)
class Facts:
    """``refusal``: what a model says in a field of its own for that; ``text``: what there is of one."""

    reason: str | None = None
    refusal: str | None = None
    text: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None


def facts_of(outputs: Any) -> Facts:
    """The facts of a reply of OpenAI's, Anthropic's or SGLang's shape; what is not sensible is None.

    Raises:
        Malformed: the reply is no object, or its choices are none.
    """
    choice = first_choice(outputs)
    if choice is not None:
        message = _mapping(choice.get("message"))
        text = choice.get("text", message.get("content"))
        return Facts(
            _reason(choice.get("finish_reason")),
            _word(message.get("refusal")),
            text if isinstance(text, str) else None,
            *_openai_counts(_mapping(outputs.get("usage"))),
        )
    if "stop_reason" in outputs:
        text = _text_in_parts(outputs.get("content"))
        counts = _anthropic_counts(_mapping(outputs.get("usage")))
        return Facts(_reason(outputs["stop_reason"]), None, text, *counts)
    return _sglang_facts(_mapping(outputs.get("meta_info")))


def _openai_counts(usage: Mapping[str, Any]) -> tuple[int | None, int | None, int | None]:
    cached = _mapping(usage.get("prompt_tokens_details")).get("cached_tokens")
    return _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens")), _count(cached)


def _anthropic_counts(usage: Mapping[str, Any]) -> tuple[int | None, int | None, int | None]:
    """Anthropic counts the part of a prompt that was in its cache apart from the rest."""
    rest, cached = _count(usage.get("input_tokens")), _count(usage.get("cache_read_input_tokens"))
    written = _count(usage.get("cache_creation_input_tokens"))
    whole = None if rest is None else rest + (cached or 0) + (written or 0)
    return whole, _count(usage.get("output_tokens")), cached


def _sglang_facts(told: Mapping[str, Any]) -> Facts:
    reason = told.get("finish_reason")
    return Facts(
        _reason(_mapping(reason).get("type", reason)),
        prompt_tokens=_count(told.get("prompt_tokens")),
        completion_tokens=_count(told.get("completion_tokens")),
        cached_tokens=_count(told.get("cached_tokens")),
    )


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(value: Any) -> int | None:
    """A number of tokens; None for negative ones, NaN, texts, truths and what no prompt has."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= _MOST_TOKENS:
        return None
    return int(value) if value == int(value) else None


def _reason(value: Any) -> str | None:
    if not isinstance(value, str) or not value.strip():
        return None
    word = "".join(each for each in value.strip().lower() if each.isprintable())[:_LONGEST_WORD]
    return _WORDS.get(word, word)


def _word(value: Any) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def _text_in_parts(parts: Any) -> str | None:
    try:
        return joined(parts) if isinstance(parts, list) else None
    except Missing:
        return None
