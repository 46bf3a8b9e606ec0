"""Prompts of a system message and a user's, which show no picture."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..prompts import Message
from ..prompts.message import spoilt

if TYPE_CHECKING:
    from ..prompts import Prompt


def as_prompt(system: str, user: str) -> Prompt:
    """The two messages, without marks for pictures."""
    return spoilt((Message("system", system), Message("user", user)))


def listed(lines: Iterable[str]) -> str:
    """A numbered list."""
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, start=1))
