"""Formats: write a table as text, and read it back where the format allows.

Most formats have two dialects. ``torr.<name>`` writes the bytes of unitxt 1.26.10 and may lose structure.
``<name>`` escapes and loses nothing: ``parse(serialize(t)) == t`` for every table (``concat`` alone cannot be
read back). ``image`` draws a picture instead of text. A format is one object, which also explains itself in
prompts and finds its tables in a text; to add one, write a class and register it below.
"""

from __future__ import annotations

from ...core.registry import Registry
from .base import FoundTable, PictureSerializer, Serializer

__all__ = [
    "FoundTable",
    "PictureSerializer",
    "Serializer",
    "find",
    "get",
    "names",
    "origin",
    "register",
    "registry",
    "text_names",
]

registry: Registry[Serializer] = Registry(
    "serializer",
    package=__name__,
    lazy={
        "canonical_csv": ".csv:CanonicalCsv",
        "concat": ".plain:Concat",
        "csv": ".csv:Csv",
        "df": ".df:Df",
        "html": ".html:Html",
        "image": "..images:Image",
        "indexed_row_major": ".plain:IndexedRowMajor",
        "json": ".json:Json",
        "json_nested": ".json_nested:JsonNested",
        "latex": ".latex:Latex",
        "markdown": ".markdown:Markdown",
        "markdown_paths": ".markdown:MarkdownPaths",
        "nl_sep": ".plain:NlSep",
        "torr.concat": ".plain:TorrConcat",
        "torr.csv": ".csv:TorrCsv",
        "torr.df": ".df:TorrDf",
        "torr.html": ".html:TorrHtml",
        "torr.indexed_row_major": ".plain:TorrIndexedRowMajor",
        "torr.json": ".json:TorrJson",
        "torr.markdown": ".markdown:TorrMarkdown",
        "xml": ".xml:Xml",
    },
)

get, names, origin, register = registry.get, registry.names, registry.origin, registry.add


def text_names() -> list[str]:
    """The names of the serializers that write text, sorted: all but those that draw."""
    return [name for name in names() if not isinstance(get(name), PictureSerializer)]


def find(text: str) -> FoundTable | None:
    """The table that a text holds, in the registered format that accounts for most of it.

    Formats with marks of their own come first; the first of them that reads all of the text to the letter
    is taken at once. None where no format finds a table, as in a text of ``concat``.
    """
    readable = [serializer for serializer in map(get, names()) if serializer.is_readable]
    readable.sort(key=lambda each: each.searches_blocks)
    best: FoundTable | None = None
    for each in readable:
        found = each.find(text)
        is_whole = found is not None and found.is_exact and found.stop - found.start == len(text.strip())
        if is_whole and not each.searches_blocks:
            return found
        if found and (best is None or found.explained > best.explained):
            best = found
    return best
