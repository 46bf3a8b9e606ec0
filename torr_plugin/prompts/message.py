"""Prompts: chat messages and the pictures in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from ..core.errors import RecipeError
from ..tables import serializers
from ..tables.serializers.base import PictureSerializer

if TYPE_CHECKING:
    from ..catalog import Example
    from .design import Configuration, Shown

Role: TypeAlias = Literal["system", "user", "assistant"]

IMAGE = "<image>"
"""Marks the place of a picture in a text; lm-eval's models insert the picture there."""

_BROKEN_IMAGE = "<image >"


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a chat.

    ``images`` are PNG files, one for each :data:`IMAGE` in ``content``, in order.
    """

    role: Role
    content: str
    images: tuple[bytes, ...] = ()


Prompt: TypeAlias = "tuple[Message, ...]"


def check_prompt(prompt: object) -> None:
    """Refuse a design's result that is not a sequence of messages.

    Raises:
        TypeError: not a sequence, empty, or with an item that is not a :class:`Message`.
    """
    if not isinstance(prompt, tuple | list):
        raise TypeError(f"it gave {type(prompt).__name__}, expected a tuple of messages")
    if not prompt:
        raise TypeError("it gave no message, expected at least one")
    for each in prompt:
        if not isinstance(each, Message):
            raise TypeError(f"it gave {type(each).__name__} among its messages, expected Message alone")


def images_of(prompt: Prompt) -> tuple[bytes, ...]:
    """All pictures of a prompt, in order."""
    return tuple(image for message in prompt for image in message.images)


def text_of(prompt: Prompt) -> str:
    """The texts of a prompt's turns, joined by line breaks."""
    return prompt[0].content if len(prompt) == 1 else "\n".join(message.content for message in prompt)


def weight_of(prompt: Prompt) -> int:
    """How much a prompt takes: its characters, and the bytes of its pictures."""
    return sum([len(message.content) + sum(map(len, message.images)) for message in prompt])


def turns(prompt: Prompt) -> list[dict[str, str]]:
    """The turns as chat templates and servers take them, without pictures."""
    return [{"role": message.role, "content": message.content} for message in prompt]


def plain_text(prompt: Prompt) -> str:
    """A prompt as one text: the turns, a blank line between two."""
    return "\n\n".join(turn.content for turn in prompt)


def spoil(text: str) -> str:
    """Break every :data:`IMAGE` in a text, as ``<image >``, so that it does not mark a picture."""
    return text.replace(IMAGE, _BROKEN_IMAGE)


def spoilt(prompt: Prompt) -> Prompt:
    """The prompt without pictures and without marks for any."""
    return tuple(Message(message.role, spoil(message.content)) for message in prompt)


def merged(prompt: Prompt) -> Prompt:
    """The prompt without system turns: their text goes before that of the next user turn.

    For models without system turns (HCT-QA, appendix D.3). A system turn with no user turn after it becomes
    a user turn.
    """
    held: list[str] = []
    turns: list[Message] = []
    for message in prompt:
        if message.role == "system":
            held.append(message.content)
        elif message.role == "user" and held:
            turns.append(Message("user", "\n\n".join([*held, message.content]), message.images))
            held = []
        else:
            turns.append(message)
    return (*turns, Message("user", "\n\n".join(held))) if held else tuple(turns)


def is_picture(serializer: str) -> bool:
    """Whether a serializer draws pictures of tables, with text beside them or without.

    Raises:
        UnknownNameError: the serializer is not registered.
    """
    return isinstance(serializers.get(serializer), PictureSerializer)


def text_format(serializer: str) -> str:
    """The format in which a serializer shows a table's text: its own name, or empty where it shows none.

    Raises:
        UnknownNameError: the serializer is not registered.
    """
    found = serializers.get(serializer)
    return found.text_format if isinstance(found, PictureSerializer) else serializer


def without_places(example: Example) -> Example:
    """The example with every ``<image>`` in its texts broken, so that only ours mark pictures."""
    return replace(
        example,
        fields={name: spoil(text) for name, text in example.fields.items()},
        target=spoil(example.target),
    )


def check_pictures(
    prompt: Prompt, shown: Sequence[Shown], configuration: Configuration, *, some: bool = False
) -> Prompt:
    """Check that a prompt has the pictures of all shown examples and one mark for each; return it.

    With ``some``, for a step of a strategy, the pictures of the last (asked) example alone, or none, will do.

    Raises:
        RecipeError: the design lost a picture, or the card's template does not show the table.
    """
    expected = tuple([image for each in shown if each.images for image in each.images])
    if some and images_of(prompt) in (shown[-1].images, ()):
        expected = images_of(prompt)
    if not expected:
        return prompt
    places = sum(message.content.count(IMAGE) for message in prompt)
    if images_of(prompt) != expected or places != len(expected):
        raise RecipeError(
            f"configuration {configuration.id}: the design {configuration.design!r} gives "
            f"{len(images_of(prompt))} pictures and {places} places for them ({IMAGE}); "
            f"expected {len(expected)} of each, as the examples are shown"
        )
    return prompt
