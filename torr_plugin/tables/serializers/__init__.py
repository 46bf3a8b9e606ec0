"""Formats: write a table as text, and read it back where the format allows.

A ``lossless`` format escapes and loses nothing: ``parse(serialize(t)) == t`` for every table; each other
one says what it ``loses``. ``image`` draws pictures instead of text, and ``image+<text format>`` shows both.
A format is one object, which also explains itself in prompts; to add one, write a class and register it
below. Those of one paper come from its room.
"""

from __future__ import annotations

from ...core.errors import InputError
from ...core.registry import Registry
from .base import PictureAndText, PictureSerializer, Serializer

__all__ = [
    "PictureSerializer",
    "Serializer",
    "get",
    "names",
    "origin",
    "register",
    "registry",
    "text_names",
]

_LISTED_PAIRS = ("image+csv", "image+html", "image+latex", "image+markdown")


class _Serializers(Registry[Serializer]):
    """Makes pairs of a format that draws and one that writes, such as ``image+xml``, when they are named."""

    def _unlisted(self, name: str) -> Serializer:
        first, joined, second = name.partition("+")
        if not joined:
            return super()._unlisted(name)
        drawing, text = self.get(first), self.get(second)
        if not isinstance(drawing, PictureSerializer) or isinstance(text, PictureSerializer):
            raise InputError(
                f"serializer {name!r}: expected a format that draws, '+' and a text format, as in image+latex"
            )
        return PictureAndText(drawing, text)

    def names(self) -> list[str]:
        """All names, sorted; of the pairs, those of ``image`` with the commonest text formats."""
        return sorted({*super().names(), *_LISTED_PAIRS})


registry: Registry[Serializer] = _Serializers(
    "serializer",
    hook="torr_serializers",
    package=__name__,
    lazy={
        "csv": ".delimited:Csv",
        "html": ".markup:Html",
        "html_minimal": ".markup:HtmlMinimal",
        "image": "..pictures:Image",
        "json": ".json:Json",
        "json_columns": ".json:JsonColumns",
        "json_records": ".json:JsonRecords",
        "json_records_indented": ".json:JsonRecordsIndented",
        "jsonl": ".json:JsonLines",
        "key_value": ".records:KeyValue",
        "latex": ".latex:Latex",
        "latex_booktabs": ".latex:LatexBooktabs",
        "markdown": ".drawn:Markdown",
        "markdown_kv": ".records:MarkdownKv",
        "markdown_padded": ".drawn:MarkdownPadded",
        "nl_sep": ".delimited:NL_SEP",
        "psql": ".drawn:Psql",
        "sentences": ".records:Sentences",
        "sql_insert": ".records:SqlInsert",
        "toon": ".json:Toon",
        "toon_pipe": ".json:ToonPipe",
        "toon_tab": ".json:ToonTab",
        "tsv": ".delimited:TSV",
        "xml": ".markup:Xml",
        "xml_attributes": ".markup:XmlAttributes",
        "yaml": ".json:Yaml",
    },
)

get, names, origin, register = registry.get, registry.names, registry.origin, registry.add


def text_names() -> list[str]:
    """The names of the serializers that write text, sorted: all but those that draw."""
    return [name for name in names() if not isinstance(get(name), PictureSerializer)]
