"""What a serializer is."""

from __future__ import annotations

from abc import ABC, abstractmethod

from ...core.errors import SerializationError
from ..table import Table


class Serializer(ABC):
    """Writes a table as text, and reads it back where the format allows.

    ``name`` is the one in configuration ids, ``lossless`` promises ``parse(serialize(t)) == t`` for every
    table.
    """

    name: str
    lossless: bool = False

    @abstractmethod
    def serialize(self, table: Table) -> str:
        """The table as text.

        Raises:
            SerializationError: the format cannot hold this table; nothing is dropped.
        """

    def parse(self, text: str) -> Table:
        """The table a text stands for.

        Raises:
            ParseError: the text is not a table in this format.
            SerializationError: the format has no inverse.
        """
        raise SerializationError(f"{self.name!r} cannot be read back: the format has no inverse")


class PictureSerializer(Serializer):
    """Draws a table as a picture, for models that see.

    It stands among the serializers, so that studies name it as they name any format; prompts show what
    :meth:`draw` gives, and no text.
    """

    @abstractmethod
    def draw(self, table: Table) -> bytes:
        """The table as a PNG file, the same bytes for the same table.

        Raises:
            InputError: the table cannot be drawn, or what draws it is not installed (how to install it is
                said).
        """

    def serialize(self, table: Table) -> str:
        """A picture is no text.

        Raises:
            SerializationError: always.
        """
        raise SerializationError(f"{self.name!r} draws the table: it is a picture and has no text")
