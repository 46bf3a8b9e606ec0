"""Markdown of a table with nested headers, for a reader of flat tables."""

from __future__ import annotations

from ..flattening import flattened
from ..table import Table
from .base import Serializer
from .markdown import Markdown


class MarkdownPaths(Markdown):
    """One header row of joined paths (``2019 / Male``), and every row with all of its labels.

    What ``markdown`` tells by empty places and a comment, this says in words; so the layout is lost, no text
    is, and it is read back as the flat table that it shows.
    """

    name = "markdown_paths"
    lossless = False

    def serialize(self, table: Table) -> str:  # noqa: D102
        return super().serialize(flattened(table))


SERIALIZERS: tuple[Serializer, ...] = (MarkdownPaths(),)
