"""Instances of unitxt's: prompts as their ``source``, there and back, and what stands beside it."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

from ...core.errors import InputError
from ...prompts import IMAGE, Message, Prompt

STUDY = "torr_study"
"""The field of an instance by which its study is found again; the record has the study's own name."""


def task_data(instance: Mapping[str, Any]) -> dict[str, Any]:
    """What unitxt keeps beside an instance's prompt, there as JSON."""
    data = instance.get("task_data") or {}
    return dict(json.loads(data) if isinstance(data, str) else data)


_PNG = "data:image/png;base64,"


def source_of(prompt: Prompt, *, chat: bool) -> str | list[dict[str, Any]]:
    """A prompt as unitxt's engines take it.

    One user message of text is that text, or a chat of one turn where ``chat`` is wished. A prompt with
    other turns or with pictures is a chat either way, for no text holds it without loss.
    """
    if not chat and len(prompt) == 1 and prompt[0].role == "user" and not prompt[0].images:
        return prompt[0].content
    return [{"role": message.role, "content": _content(message)} for message in prompt]


def prompt_of(source: object) -> Prompt:
    """The prompt that a ``source`` holds; the inverse of :func:`source_of`.

    Raises:
        InputError: neither a text nor a chat of texts and pictures.
    """
    if isinstance(source, str):
        return (Message("user", source),)
    if not isinstance(source, Sequence) or not all(isinstance(turn, Mapping) for turn in source):
        raise InputError(f"source: found {type(source).__name__}; expected a text or a chat")
    return tuple(_message(turn) for turn in source)


def _content(message: Message) -> str | list[dict[str, Any]]:
    """The text, or its pieces with a picture wherever one belongs."""
    if not message.images:
        return message.content
    pieces: list[dict[str, Any]] = []
    for text, image in zip_longest(message.content.split(IMAGE), message.images):
        if text:
            pieces.append({"type": "text", "text": text})
        if image is not None:
            url = _PNG + base64.b64encode(image).decode()
            pieces.append({"type": "image_url", "image_url": {"url": url}})
    return pieces


def _message(turn: Mapping[str, Any]) -> Message:
    role, content = turn.get("role"), turn.get("content")
    if role not in ("system", "user", "assistant"):
        raise InputError(f"source: role: found {role!r}; expected system, user or assistant")
    if isinstance(content, str):
        return Message(role, content)
    if not isinstance(content, Sequence):
        raise InputError(f"source: content: found {type(content).__name__}; expected texts and pictures")
    images = tuple(_image(piece) for piece in content if piece.get("type") == "image_url")
    texts = [IMAGE if piece.get("type") == "image_url" else str(piece.get("text", "")) for piece in content]
    return Message(role, "".join(texts), images)


def _image(piece: Mapping[str, Any]) -> bytes:
    url = str(piece["image_url"]["url"])
    if not url.startswith(_PNG):
        raise InputError(f"source: image_url: found {url[:40]!r}; expected a PNG as {_PNG}...")
    return base64.b64decode(url.removeprefix(_PNG))
