"""Documents as canonical HTML."""

from __future__ import annotations

from ..serializers.markup import Html, escape
from .document import Block, Document, TextBlock

_HTML = Html()


def to_html(document: Document) -> str:
    """Canonical HTML: ``h1`` to ``h6``, ``p``, notes as ``<p class="note">``, tables as the format ``html``.

    Reading it back makes notes that follow a table as blocks the table's own.
    """
    return "\n".join(
        [
            "<!DOCTYPE html>",
            f'<html><head><meta charset="utf-8"><title>{escape(document.title)}</title></head><body>',
            *map(_block, document.blocks),
            "</body></html>\n",
        ]
    )


def _block(block: Block) -> str:
    if not isinstance(block, TextBlock):
        return _HTML.serialize(block)
    if block.kind == "heading":
        level = min(max(block.level, 1), 6)
        return f"<h{level}>{escape(block.text)}</h{level}>"
    mark = ' class="note"' if block.kind == "note" else ""
    return f"<p{mark}>{escape(block.text)}</p>"
