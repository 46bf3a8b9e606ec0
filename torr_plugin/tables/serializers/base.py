"""The interface of a serializer, which writes, reads and explains one format, and of one that draws."""

from __future__ import annotations

from abc import ABC, abstractmethod

from ...core.errors import SerializationError
from ..table import Table


class Serializer(ABC):
    """Writes a table as text, and reads it back where the format allows.

    Attributes:
        name: its name in configuration ids.
        lossless: promises ``parse(serialize(t)) == t`` for every table of texts. Numbers and styles of cells
            (``Cell.value``, ``Cell.style``) come back where the format has them, else
            ``parse(serialize(t)) == t.texts_only``.
        loses: what a format that is not lossless does not say.
        explanation: one or two sentences for prompts that explain the format. Designs that explain formats
            refuse one without.
    """

    name: str
    lossless: bool = False
    loses: str = ""
    explanation: str = ""

    @abstractmethod
    def serialize(self, table: Table) -> str:
        """Write the table as text.

        Raises:
            SerializationError: the format cannot hold this table; nothing is dropped silently.
        """

    def parse(self, text: str) -> Table:
        """Read a table from text.

        Raises:
            ParseError: the text is not a table in this format.
            SerializationError: the format has no inverse.
        """
        raise SerializationError(
            f"{self.name!r} cannot be read back: the format has no inverse; use 'csv' or 'html'"
        )


class PictureSerializer(Serializer):
    """Draws a table, for models with vision.

    Studies name it like any other format; prompts show the picture instead of text, and with a
    ``text_format`` the table in that format after it.
    """

    text_format: str = ""

    @abstractmethod
    def draw(self, table: Table) -> bytes:
        """Draw the table as one PNG file; equal tables give equal bytes.

        Raises:
            InputError: the table cannot be drawn, or the library that draws is not installed (with the
                command that installs it).
        """

    def serialize(self, table: Table) -> str:
        """Refuse: a picture has no text.

        Raises:
            SerializationError: always.
        """
        raise SerializationError(f"{self.name!r} draws the table: it is a picture and has no text")


class PictureAndText(PictureSerializer):
    """``image+latex``: what ``image`` draws, then the text of ``latex``; likewise of any other two formats.

    Args:
        drawing: draws the table.
        text: writes it; its explanation is the pair's.
    """

    def __init__(self, drawing: PictureSerializer, text: Serializer) -> None:
        self.drawing = drawing
        self.name = f"{drawing.name}+{text.name}"
        self.text_format = text.name
        self.explanation = text.explanation

    def draw(self, table: Table) -> bytes:
        """As the format that draws."""
        return self.drawing.draw(table)


def with_text(mark: str, text: str) -> str:
    """What stands in a prompt where a table is shown as a picture: its mark, and the table's text if any."""
    return f"{mark}\nThe same table as text:\n{text}" if text else mark
