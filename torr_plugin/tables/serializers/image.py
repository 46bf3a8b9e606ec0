"""The table as a picture, for models that see."""

from __future__ import annotations

from ..images import png
from ..table import Table
from .base import PictureSerializer


class Image(PictureSerializer):
    """``image``: the table as a person sees it, ruled, as PNG; needs the extra ``image`` (typst)."""

    name = "image"

    def draw(self, table: Table) -> bytes:
        """See :func:`torr_plugin.tables.images.png`."""
        return png(table)
