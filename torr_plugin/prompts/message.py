"""A prompt: chat messages, as every model is asked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

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
