"""One request as a model is asked it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ..prompts.message import Prompt


class Asked(NamedTuple):
    """A request's key and prompt.

    ``generation`` are the parameters in which a step of a strategy differs from the study, e.g. its
    ``max_tokens``; None where it has the study's.
    """

    key: str
    prompt: Prompt
    generation: Mapping[str, Any] | None = None
