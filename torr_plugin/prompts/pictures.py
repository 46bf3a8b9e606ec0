"""Tables that are shown as pictures: the places they take in a text, and that none is lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..core.errors import RecipeError
from ..tables import Table, serializers
from ..tables.serializers.base import PictureSerializer
from .message import IMAGE, Prompt, images_of, spoil

if TYPE_CHECKING:
    from ..catalog import Example
    from .configured import Configured
    from .design import Shown


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
