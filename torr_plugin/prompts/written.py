"""An example as a prompt shows it: the template's places filled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..core.errors import CardError
from .design import Design, Shown

if TYPE_CHECKING:
    from ..catalog import Card, Example


def write_example(
    example: Example,
    table: str,
    card: Card,
    design: Design,
    *,
    images: tuple[bytes, ...] = (),
    serializer: str = "",
) -> Shown:
    """The card's template filled with an example's fields and its serialized table.

    Where the table is a picture, ``table`` is what stands for it in the text and ``images`` holds it.

    Raises:
        CardError: the template names a field that the example lacks, or is no format string (card and field
            are said).
    """
    template = design.template(card)
    try:
        return Shown(
            instruction=_filled(template.instruction, example.fields, table),
            source=design.source(template, table, example.fields),
            target_prefix=_filled(template.target_prefix, example.fields, table),
            target=example.target,
            images=images,
            serializer=serializer,
        )
    except KeyError as missing:
        known = ", ".join(["table", *example.fields])
        raise CardError(
            f"{card.name}: the template asks for field {missing}; its examples have {known}"
        ) from missing
    except (IndexError, ValueError, AttributeError) as wrong:
        raise CardError(
            f"{card.name}: the template cannot be filled: {wrong}; expected places like {{table}}"
        ) from wrong


def _filled(text: str, fields: Mapping[str, str], table: str) -> str:
    return text.format(**fields, table=table) if "{" in text or "}" in text else text
