"""Requests: a prompt of a study and the cell of the score cube that its answer fills."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from json.encoder import encode_basestring
from typing import Any

from ..catalog.cuts import Cut
from ..prompts.design import Configuration
from ..prompts.message import Prompt


@dataclass(frozen=True, slots=True)
class ScoreCell:
    """A cell of the score cube, for any model: an example in a configuration.

    ``replicate`` is 0 for the first answer and 1, 2, ... for those to the same prompt asked again.
    """

    dataset: str
    example: str
    config: Configuration
    replicate: int = 0

    @property
    def id(self) -> str:
        """A unique text for the cell."""
        again = f"replicate {self.replicate} " if self.replicate else ""
        return f"{again}{self.config.id} {len(self.dataset)} {self.dataset} {self.example}"


@dataclass(frozen=True, slots=True)
class Request:
    """One row of ``requests/*.parquet``.

    ``key`` is the hash of the prompt, the generation parameters and, if it is asked again, the number of the
    replicate; requests with equal keys, even of different data sets, are asked once per model. ``model`` is
    null unless the prompt contains an earlier answer of that model. ``facts`` are what the metric needs
    beside the references (:attr:`Example.facts <torr_plugin.catalog.Example.facts>`). ``cut`` says how much
    of the example's document, or how many rows of its table, are shown, where that is not all, and
    ``demonstrations`` how many fit, where the study shows those that fit.
    """

    key: str
    model: str | None
    dataset: str
    example: str
    config: Configuration
    stage: int
    prompt: Prompt
    references: tuple[str, ...]
    facts: Mapping[str, str] = field(default_factory=dict)
    replicate: int = 0
    cut: Cut | None = None
    demonstrations: int | None = None


def request_key(prompt: Prompt, generation: Mapping[str, Any]) -> str:
    """SHA-256 (first 32 hex digits) of the messages and the generation parameters, in canonical JSON.

    A message with pictures adds the list of their SHA-256; keys of other messages are as in earlier versions.
    """
    return keys_under(generation)(prompt)


def keys_under(generation: Mapping[str, Any]) -> Callable[[Prompt], str]:
    """:func:`request_key` for many prompts with the same generation parameters."""
    parameters = json.dumps(dict(generation), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    end = _bytes(parameters)

    def key(prompt: Prompt) -> str:
        # what json.dumps writes for [[[role, content], ...], parameters] with the separators "," and ":";
        # a message with pictures is [role, content, [digest, ...]]
        turns = [
            b'["%b",%b%b]' % (message.role.encode(), _json_text(message.content), _digests(message.images))
            for message in prompt
        ]
        return hashlib.sha256(b"[[%b],%b]" % (b",".join(turns), end)).hexdigest()[:32]

    return key


def _digests(images: tuple[bytes, ...]) -> bytes:
    """The pictures' part of a message's JSON, empty without pictures."""
    if not images:
        return b""
    digests = [hashlib.sha256(image).hexdigest().encode() for image in images]
    return b",[%b]" % b",".join(b'"%b"' % digest for digest in digests)


_RARE = bytes(set(range(32)) - {ord("\n")})  # control characters, which JSON escapes; line breaks are common


def _json_text(text: str) -> bytes:
    """A text as ``json.dumps(text, ensure_ascii=False)`` writes it, with a fast path for common texts."""
    plain = _bytes(text)
    if len(plain.translate(None, _RARE)) != len(plain):
        return _bytes(encode_basestring(text))
    escaped = plain.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"%b"' % escaped


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
