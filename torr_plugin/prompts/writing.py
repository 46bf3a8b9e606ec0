"""Write perturbed examples in a configuration's format: tables and documents, each once, in the template."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from ..catalog.documents import unpacked
from ..core.caches import BoundedCache, IdentityCache
from ..core.errors import CardError, InputError, blamed
from ..tables import Table, perturbations, serializers
from ..tables.documents.document import BETWEEN_BLOCKS
from ..tables.serializers import PictureSerializer
from ..tables.serializers.base import with_text
from .design import Configuration, Design, Shown
from .message import IMAGE, spoil
from .rendering import is_shared, table_text

if TYPE_CHECKING:
    from ..catalog import Card, Example

MOST_PICTURES = 50_000_000
"""Bytes of the pictures that are kept."""


class Written(NamedTuple):
    """A table or document as it stands in a prompt: its text with marks for pictures, and these."""

    text: str
    images: tuple[bytes, ...] = ()

    def weight(self) -> int:
        """Characters and bytes."""
        return len(self.text) + sum(map(len, self.images))


class ContextWriter:
    """Writes tables and documents; what several examples share is written once.

    Args:
        most: characters of documents that are kept; of tables, a tenth of that.
    """

    def __init__(self, most: int) -> None:
        self.texts: IdentityCache[str] = IdentityCache(most // 10, len)
        self.documents: IdentityCache[Written] = IdentityCache(most, Written.weight)
        # keyed by table, not by example: drawing is slow, and many questions may share one table
        self._pictures: BoundedCache[tuple[str, Table], bytes] = BoundedCache(MOST_PICTURES, len)

    def forget(self) -> None:
        """Clear the caches."""
        for cache in (self.texts, self.documents, self._pictures):
            cache.clear()

    def document(self, perturbed: Example, configuration: Configuration, design: Design) -> Written:
        """The document of a perturbed example, written once for all examples that share it so.

        Raises:
            InputError: a table of it cannot be written so (the table's number, reason).
        """

        def made() -> Written:
            blocks = list(self.blocks(perturbed, configuration, design))
            images = tuple([image for block in blocks for image in block.images])
            return Written(BETWEEN_BLOCKS.join([block.text for block in blocks]), images)

        if not is_shared(perturbed, perturbations.get(configuration.perturbation)):
            return made()
        marks = design.name if type(design).marked is not Design.marked else ""
        return self.documents.made_of(perturbed.document, f"{configuration.serializer} {marks}", made)

    def blocks(self, perturbed: Example, configuration: Configuration, design: Design) -> Iterator[Written]:
        """Its blocks one by one; raises as :meth:`document`."""
        spoils, numbers = isinstance(serializers.get(configuration.serializer), PictureSerializer), count(1)
        for block in unpacked(perturbed.document).blocks if perturbed.document is not None else ():
            if not isinstance(block, Table):
                yield Written(spoil(block.text) if spoils else block.text)
                continue
            number = next(numbers)
            try:
                written = self.table(replace(perturbed, table=block, document=None), configuration)
            except InputError as refusal:
                raise InputError(f"table {number} of its document: {refusal}") from refusal
            yield Written(design.marked(written.text), written.images)

    def table(self, perturbed: Example, configuration: Configuration) -> Written:
        """The table as text; or as a picture, and as text where the serializer shows both.

        Raises:
            InputError: the table cannot be written so.
        """
        serializer = serializers.get(configuration.serializer)
        if not isinstance(serializer, PictureSerializer):
            return Written(self._text(perturbed, configuration))
        picture = self._draw(perturbed.table, serializer)
        name = serializer.text_format
        text = spoil(self._text(perturbed, replace(configuration, serializer=name))) if name else ""
        return Written(with_text(IMAGE, text), (picture,))

    def _text(self, perturbed: Example, configuration: Configuration) -> str:
        name = configuration.serializer
        with blamed("serializer", name, serializers.origin(name)):
            if is_shared(perturbed, perturbations.get(configuration.perturbation)):
                return self.texts.made_of(perturbed.table, name, lambda: table_text(perturbed, name))
            return table_text(perturbed, name)

    def _draw(self, table: Table, serializer: PictureSerializer) -> bytes:
        name = serializer.name.removesuffix(f"+{serializer.text_format}")  # a text beside changes no picture
        with blamed("serializer", name, serializers.origin(name)):
            return self._pictures.get((name, table), lambda: serializer.draw(table))


def write_example(
    example: Example, written: Mapping[str, Written], card: Card, design: Design, serializer: str
) -> Shown:
    """Fill the card's template with an example's fields and what was written, its ``table`` and ``document``.

    Raises:
        CardError: the template names a field that the example lacks, or is not a format string (card, field).
    """
    template = design.template(card)
    table, document = (written[name].text if name in written else "" for name in ("table", "document"))
    fields = example.fields if example.document is None else {**example.fields, "document": document}
    try:
        return Shown(
            instruction=_filled(template.instruction, fields, table),
            source=design.source(template, table, fields),
            target_prefix=_filled(template.target_prefix, fields, table),
            target=example.target,
            images=tuple([image for each in written.values() for image in each.images]),
            serializer=serializer,
            written=document or table,
            table=example.table,
        )
    except KeyError as missing:
        known = ", ".join(["table", *fields])
        raise CardError(
            f"{card.name}: the template asks for field {missing}; its examples have {known}"
        ) from missing
    except (IndexError, ValueError, AttributeError) as wrong:
        raise CardError(
            f"{card.name}: the template cannot be filled: {wrong}; expected places like {{table}}"
        ) from wrong


def _filled(text: str, fields: Mapping[str, str], table: str) -> str:
    return text.format(**fields, table=table) if "{" in text or "}" in text else text
