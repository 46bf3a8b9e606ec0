"""Formats: write a table as text, and read it back where the format allows.

Most formats have two dialects. ``torr.<name>`` writes the bytes of unitxt 1.26.10 and may lose structure.
``<name>`` escapes and loses nothing: ``parse(serialize(t)) == t`` for every table (``concat`` alone cannot be
read back). ``image`` draws pictures instead of text, and ``image+<text format>`` shows both. A format is one
object, which also explains itself in prompts and finds its tables in a text; to add one, write a class and
register it below.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...core.errors import InputError
from ...core.registry import Registry
from .base import PARAGRAPH, FoundTable, Picture, PictureSerializer, Serializer
from .picture_and_text import PictureAndText

__all__ = [
    "FoundTable",
    "Picture",
    "PictureSerializer",
    "Serializer",
    "find",
    "find_all",
    "get",
    "names",
    "origin",
    "readable",
    "register",
    "registry",
    "text_names",
]

_LISTED_PAIRS = ("image+csv", "image+html", "image+latex", "image+markdown")


class _Serializers(Registry[Serializer]):
    """Makes pairs of a format that draws and one that writes, such as ``image+xml``, when they are named."""

    def get(self, name: str) -> Serializer:
        """The serializer called ``name``.

        Raises:
            UnknownNameError: no such serializer.
            InputError: a pair of other formats than one that draws and one that writes.
        """
        first, joined, second = name.partition("+")
        if not joined or super().__contains__(name):
            return super().get(name)
        drawing, text = super().get(first), self.get(second)
        if not isinstance(drawing, PictureSerializer) or isinstance(text, PictureSerializer):
            raise InputError(
                f"serializer {name!r}: expected a format that draws, '+' and a text format, as in image+latex"
            )
        return PictureAndText(drawing, text)

    def names(self) -> list[str]:
        """All names, sorted; of the pairs, those of ``image`` with the commonest text formats."""
        return sorted({*super().names(), *_LISTED_PAIRS})

    def __contains__(self, name: object) -> bool:
        if super().__contains__(name) or "+" not in str(name):
            return super().__contains__(name)
        try:
            return isinstance(self.get(str(name)), PictureSerializer)
        except InputError:
            return False


registry: Registry[Serializer] = _Serializers(
    "serializer",
    package=__name__,
    lazy={
        "canonical_csv": ".csv:CanonicalCsv",
        "concat": ".plain:Concat",
        "csv": ".csv:Csv",
        "df": ".df:Df",
        "html": ".html:Html",
        "image": "..pictures:Image",
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


def readable(name: str) -> Serializer | None:
    """The serializer of a name if it can be read back; None also where none has the name."""
    found = get(name) if name in registry else None
    return found if found is not None and found.is_readable else None


def find(text: str) -> FoundTable | None:
    """The table that a text holds, in the registered format that accounts for most of it.

    Formats with marks of their own come first; the first of them that reads all of the text to the letter
    is taken at once. None where no format finds a table, as in a text of ``concat``.
    """
    formats = [each for each in map(readable, names()) if each is not None]
    formats.sort(key=lambda each: each.searches_blocks)
    best: FoundTable | None = None
    for each in formats:
        found = each.find(text)
        is_whole = found is not None and found.is_exact and found.stop - found.start == len(text.strip())
        if is_whole and not each.searches_blocks:
            return found
        if found and (best is None or found.explained > best.explained):
            best = found
    return best


def find_all(text: str) -> list[FoundTable]:
    """The tables of a document's text in order, all in the registered format that accounts for most of them.

    A table is looked for in each paragraph (between blank lines), so that the time is linear in the text.
    Formats without marks of their own are tried only where no other reads a paragraph to the letter.
    """
    formats = [each for each in map(readable, names()) if each is not None]
    paragraphs = [match.span() for match in PARAGRAPH.finditer(text)]
    best: list[FoundTable] = []
    for searches_blocks in (False, True):
        for each in formats:
            if each.searches_blocks is searches_blocks:
                found = [*_tables_in(text, paragraphs, each)]
                best = max(best, found, key=lambda tables: sum(table.explained for table in tables))
        if any(table.is_exact for table in best):
            break
    return best


def _tables_in(text: str, paragraphs: list[tuple[int, int]], serializer: Serializer) -> Iterator[FoundTable]:
    """The tables of one format, at most one a paragraph; prose with commas is none."""
    for start, stop in paragraphs:
        found = serializer.find(text[start:stop])
        if found and found.table.n_rows > 1 and found.explained > _LEAST_SHARE * (found.stop - found.start):
            yield replace(found, start=start + found.start, stop=start + found.stop)


_LEAST_SHARE = 0.05
