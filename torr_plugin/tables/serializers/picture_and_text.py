"""A table as pictures and as text in one prompt: ``image+latex`` and every other pair."""

from __future__ import annotations

from ..table import Table
from .base import Picture, PictureSerializer, Serializer


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

    def pictures(self, table: Table) -> tuple[Picture, ...]:
        """As the format that draws."""
        return self.drawing.pictures(table)
