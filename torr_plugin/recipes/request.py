"""Requests: a prompt of a study and the cell of the score cube that its answer fills."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..catalog.cuts import Cut
from ..core.seeds import seed
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
    turns = [
        [message.role, message.content, *([_digests(message.images)] if message.images else [])]
        for message in prompt
    ]
    text = json.dumps([turns, dict(generation)], sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _digests(images: Sequence[bytes]) -> list[str]:
    return [hashlib.sha256(image).hexdigest() for image in images]


def replicate_seed(study_seed: int, replicate: int) -> int:
    """The seed with which a model is asked again, another one for each replicate.

    So an engine that honours seeds draws another answer. It is below 2**31, which every engine takes.
    """
    return seed(study_seed, "replicates", str(replicate)) % 2**31


def replicate_key(key: str, replicate: int) -> str:
    """The key of a request: that of its prompt for a first answer (0), another one for each replicate."""
    if not replicate:
        return key
    return hashlib.sha256(f"replicate {replicate} {key}".encode()).hexdigest()[:32]
