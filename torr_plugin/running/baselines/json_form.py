"""Answers as JSON with steps, where a prompt asks for them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace

from .reading import PromptParts

_ASKED = re.compile(r"\bJSON\b.*\"answer\"", re.DOTALL)


@dataclass(frozen=True)
class WorkedAnswer:
    """An answer, and how it was found."""

    answer: str
    steps: str = ""

    @property
    def as_json(self) -> str:
        """``{"steps": ..., "answer": ...}``."""
        return json.dumps({"steps": self.steps, "answer": self.answer}, ensure_ascii=False)


def asks_for_json(parts: PromptParts) -> bool:
    """Whether a prompt asks for ``{"steps": ..., "answer": ...}``.

    The worked example shows it, else the instruction says it.
    """
    if parts.answers:
        return all(_answer_in(answer) is not None for answer in parts.answers)
    return bool(_ASKED.search(parts.instruction))


def with_plain_answers(parts: PromptParts) -> PromptParts:
    """The prompt with the demonstrations' answers without the JSON around them."""
    return replace(parts, answers=tuple(_answer_in(answer) or "" for answer in parts.answers))


def _answer_in(text: str) -> str | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return str(found["answer"]) if isinstance(found, dict) and "answer" in found else None
