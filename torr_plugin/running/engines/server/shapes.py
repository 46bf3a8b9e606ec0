"""Replies put into the shape that lm-eval's parsers expect: one choice, with a text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Malformed(Exception):  # noqa: N818 - what a reply is, not an error of ours
    """A reply that is no answer; asked again it may be one."""


class Missing(Exception):  # noqa: N818
    """A sound reply without a text."""


def first_choice(outputs: Any) -> Mapping[str, Any] | None:
    """The choice of the lowest index; None for replies of a kind without choices.

    Raises:
        Malformed: choices of another type, or none.
    """
    if not isinstance(outputs, dict):
        raise Malformed(f"expected an answer as a JSON object, found {type(outputs).__name__}")
    if "choices" not in outputs:
        return None
    choices = outputs["choices"]
    if not isinstance(choices, list) or not choices or not all(isinstance(each, dict) for each in choices):
        raise Malformed("expected at least one choice in the reply")
    indexed = [
        (index if isinstance(index := each.get("index"), int) else place, place, each)
        for place, each in enumerate(choices)
    ]
    found: Mapping[str, Any] = min(indexed, key=lambda each: each[:2])[2]
    return found


def shaped(outputs: Mapping[str, Any]) -> Mapping[str, Any]:
    """The reply with its first choice alone, and texts that come in parts joined.

    Raises:
        Malformed: something else than a text stands where the text is expected.
        Missing: no text at all (null).
    """
    choice = first_choice(outputs)
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
        raise Malformed(f"expected a message in the choice, found {type(message).__name__}")
    content = message.get("content")
    if isinstance(content, list):
        content = joined(content)
    elif content is None and message.get("tool_calls"):
        raise Missing("the model called a tool in place of an answer")
    return {"message": {**message, "content": _checked(content, present=bool(message))}}


def _checked(text: Any, *, present: bool) -> str:
    if text is None and present:
        raise Missing("the server gave null for a text")
    if not isinstance(text, str):
        raise Malformed(f"expected a text in the choice, found {type(text).__name__}")
    return text


def joined(parts: list[Any]) -> str:
    """The text of a content in parts; what the model thought is none of it.

    Raises:
        Missing: there are parts, and none is a text.
    """
    texts = [part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)]
    if parts and not texts:
        raise Missing("the answer has no part that is a text")
    return "".join(texts)
