"""How many tokens prompts have, and how many of them stand at the beginning of the prompt before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from .sharing import common_beginning

if TYPE_CHECKING:
    from ..prompts import Prompt
    from .tokenizing import Tokenizer

CHARACTERS_A_TOKEN = 4


class Measured(NamedTuple):
    """The tokens of a prompt, and how many of them the prompt before begins with too."""

    tokens: int
    common: int


class Meter(Protocol):
    """Measures prompts as they come, each against the one before."""

    exact: bool

    def measure(self, prompts: Sequence[Prompt]) -> list[Measured]:
        """The next prompts of a stream."""


def estimate_tokens(text: str) -> int:
    """About how many tokens a text is: a token for every four characters, rounded up.

    A rule of thumb for English in today's subword vocabularies; tables with many numbers take more (up to
    twice).
    """
    return -(-len(text) // CHARACTERS_A_TOKEN)


def text_of(prompt: Prompt) -> str:
    """The texts of a prompt's turns, a line break between two."""
    return prompt[0].content if len(prompt) == 1 else "\n".join(message.content for message in prompt)


class Estimating:
    """Counts four characters a token."""

    exact = False

    def __init__(self) -> None:
        self._before = ""

    def measure(self, prompts: Sequence[Prompt]) -> list[Measured]:
        """See :class:`Meter`."""
        found = []
        for text in map(text_of, prompts):
            common = common_beginning(self._before, text) // CHARACTERS_A_TOKEN
            found.append(Measured(estimate_tokens(text), common))
            self._before = text
        return found


class Counting:
    """Counts with a model's own tokenizer, through its chat template where the model is asked through it."""

    exact = True

    def __init__(self, tokenizer: Tokenizer, *, chat: bool) -> None:
        self._tokenizer, self._chat = tokenizer, chat
        self._before: Sequence[int] = ()

    def measure(self, prompts: Sequence[Prompt]) -> list[Measured]:
        """See :class:`Meter`."""
        found = []
        for tokens in self._tokenizer.encode(prompts, chat=self._chat):
            found.append(Measured(len(tokens), common_beginning(self._before, tokens)))
            self._before = tokens
        return found
