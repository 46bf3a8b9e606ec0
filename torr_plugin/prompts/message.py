"""A prompt: chat messages, as every model is asked, and the pictures in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from ..core.errors import RecipeError
from ..tables import Table, serializers
from ..tables.serializers.base import PictureSerializer

if TYPE_CHECKING:
    from ..catalog import Example
    from .design import Configured, Shown

Role: TypeAlias = Literal["system", "user", "assistant"]

IMAGE = "<image>"
"""What stands in a text where a picture belongs; lm-eval's models put it there."""

_SPOILT = "<image >"


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a chat.

    ``images`` are PNG files, in the order in which :data:`IMAGE` stands for them in ``content``.
    """

    role: Role
    content: str
    images: tuple[bytes, ...] = ()


Prompt: TypeAlias = "tuple[Message, ...]"


def check_prompt(prompt: object) -> None:
    """Refuse what a design gives instead of messages.

    Raises:
        TypeError: no sequence of messages, or one that holds something else or nothing.
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


def spoil(text: str) -> str:
    """A text in which no :data:`IMAGE` of its own stands for a picture: ``<image >``."""
    return text.replace(IMAGE, _SPOILT)


def spoilt(prompt: Prompt) -> Prompt:
    """A prompt without pictures, whose texts name no place for one."""
    return tuple(Message(message.role, spoil(message.content)) for message in prompt)


def merged(prompt: Prompt) -> Prompt:
    """The prompt without system turns: their text stands before that of the next user turn.

    For models that take no system turn (HCT-QA, appendix D.3). A system turn that no user turn follows
    becomes one.
    """
    held: list[str] = []
    turns: list[Message] = []
    for message in prompt:
        if message.role == "system":
            held.append(message.content)
        elif message.role == "user" and held:
            turns.append(Message("user", _joined([*held, message.content]), message.images))
            held = []
        else:
            turns.append(message)
    return (*turns, Message("user", _joined(held))) if held else tuple(turns)


def _joined(texts: Iterable[str]) -> str:
    return "\n\n".join(texts)


def is_picture(serializer: str) -> bool:
    """Whether a serializer draws tables instead of writing them.

    Raises:
        UnknownNameError: no such serializer.
    """
    return isinstance(serializers.get(serializer), PictureSerializer)


def picture(table: Table, serializer: str) -> bytes:
    """The table drawn, as PNG.

    Raises:
        InputError: the table cannot be drawn, or what draws it is not installed.
    """
    drawing = serializers.get(serializer)
    if not isinstance(drawing, PictureSerializer):
        raise RecipeError(f"serializer {serializer!r} writes text; expected one that draws")
    return drawing.draw(table)


def without_places(example: Example) -> Example:
    """The example with every ``<image>`` in its own texts spoilt, so that only ours stand for a picture."""
    return replace(
        example,
        fields={name: spoil(text) for name, text in example.fields.items()},
        target=spoil(example.target),
    )


def check_pictures(
    prompt: Prompt, shown: Sequence[Shown], configuration: Configured, *, some: bool = False
) -> Prompt:
    """The prompt, which has the pictures of all that is shown, and a place in its text for each.

    With ``some``, for a step of several, those of the last alone will do, the example asked, or none.

    Raises:
        RecipeError: the design lost some, or the card's words do not show the table where a model looks.
    """
    wanted = tuple([image for each in shown if each.images for image in each.images])
    if some and images_of(prompt) in (shown[-1].images, ()):
        wanted = images_of(prompt)
    if not wanted:
        return prompt
    places = sum(message.content.count(IMAGE) for message in prompt)
    if images_of(prompt) != wanted or places != len(wanted):
        raise RecipeError(
            f"configuration {configuration.id}: the design {configuration.design!r} gives "
            f"{len(images_of(prompt))} pictures and {places} places for them ({IMAGE}); "
            f"expected {len(wanted)} of each, as the examples are shown"
        )
    return prompt
