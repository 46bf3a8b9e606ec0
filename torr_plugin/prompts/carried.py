"""The design ``carried``: send the prompt that the data set itself provides for an example."""

from __future__ import annotations

import ast
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, get_args

from ..core.errors import DataError, RecipeError
from .design import Configuration, Design, Shown
from .message import Message, Prompt, Role

if TYPE_CHECKING:
    from ..catalog import Card, Example

LONGEST = 5_000_000
MOST_TURNS = 1000
_WRONG = (SyntaxError, ValueError, TypeError, MemoryError, RecursionError)
_ROLES = get_args(Role)


class CarriedDesign(Design):
    """Send the data set's own prompt; serializer, demonstrations and the card's template have no effect.

    Perturbations are refused, since a finished prompt cannot be perturbed.
    """

    name = "carried"
    carries = True

    def check(self, card: Card, configuration: Configuration) -> None:
        """See :meth:`Design.check`."""
        if configuration.perturbation != "none":
            raise RecipeError(
                f"{card.name}: configuration {configuration.id}: the design 'carried' sends prompts as they "
                f"are written; found perturbation {configuration.perturbation!r}, expected 'none'"
            )
        if getattr(card.reading, "carried_prompt", None) is None:
            raise RecipeError(
                f"{card.name}: configuration {configuration.id}: the data set carries no prompts; "
                "expected a card with 'carried_prompt' in read_example, or another design"
            )

    def compose(self, asked: Shown, demonstrations: Sequence[Shown]) -> Prompt:
        """Refuse: the prompt comes from the example, see :func:`carried_prompt`.

        Raises:
            RecipeError: always.
        """
        raise RecipeError("the design 'carried' composes no prompt; it needs an example that carries one")


def carried_prompt(example: Example, card: Card) -> Prompt:
    """The prompt that the data set provides for an example.

    Raises:
        DataError: there is none, or it is not a list of messages (card, example, found, expected).
    """
    if example.carried is None:
        raise DataError(f"{card.name}: example {example.id!r} carries no prompt")
    try:
        return parse_prompt(example.carried)
    except DataError as wrong:
        raise DataError(f"{card.name}: example {example.id!r}: {wrong}") from wrong


def parse_prompt(text: str) -> Prompt:
    """Parse a list of messages, written as JSON or as a Python literal, without evaluating code.

    ``[{"role": "system", "content": "..."}, {"role": "user", "content": "..."}]``.

    Raises:
        DataError: not such a list, or longer than ``LONGEST`` characters or ``MOST_TURNS`` messages.
    """
    if len(text) > LONGEST:
        raise DataError(f"the carried prompt has {len(text)} characters; expected at most {LONGEST}")
    value = _parsed(text)
    if not isinstance(value, list | tuple) or not 0 < len(value) <= MOST_TURNS:
        found = f"{len(value)} items" if isinstance(value, list | tuple) else f"a {type(value).__name__}"
        raise DataError(f"the carried prompt is {found}; expected a list of 1 to {MOST_TURNS} messages")
    return tuple(_message(turn, at) for at, turn in enumerate(value))


def _parsed(text: str) -> Any:
    for parse in (json.loads, ast.literal_eval):
        try:
            return parse(text)
        except _WRONG:
            continue
    raise DataError(
        f"the carried prompt starts with {text[:40]!r}; expected a list of messages as JSON or Python literal"
    )


def _message(turn: Any, at: int) -> Message:
    if not isinstance(turn, dict) or not {"role", "content"} <= turn.keys():
        raise DataError(f"message {at} of the carried prompt is not an object with 'role' and 'content'")
    role, content = turn["role"], turn["content"]
    if role not in _ROLES:
        raise DataError(
            f"message {at} of the carried prompt has the role {str(role)[:40]!r}; "
            f"expected {', '.join(_ROLES)}"
        )
    if not isinstance(content, str):
        raise DataError(
            f"message {at} of the carried prompt: found {type(content).__name__}; expected content as text"
        )
    return Message(role, content)
