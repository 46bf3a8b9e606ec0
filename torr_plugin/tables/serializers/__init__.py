"""Tables as text: in goes a table, out comes a string, and back where the format allows.

Two dialects a format: ``torr.<name>`` writes what unitxt 1.26.10 writes, byte for byte, and is lossy to read
back; ``<name>`` escapes and loses nothing, ``parse(serialize(t)) == t`` for every table (``concat`` alone has
no inverse). ``image`` draws the table instead; ``text_names`` are the others.
"""

from __future__ import annotations

from ...core.registry import Registry
from . import (
    canonical_csv,
    concat,
    csv,
    df,
    html,
    image,
    indexed_row_major,
    json,
    json_nested,
    latex,
    markdown,
    markdown_paths,
    nl_sep,
    xml,
)
from .base import PictureSerializer, Serializer

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

registry: Registry[Serializer] = Registry("serializer")

get, names, origin, register = registry.get, registry.names, registry.origin, registry.add


def text_names() -> list[str]:
    """The names of the serializers that write text, sorted: all but those that draw."""
    return [name for name in names() if not isinstance(get(name), PictureSerializer)]


for _module in (
    html,
    image,
    csv,
    canonical_csv,
    json,
    json_nested,
    markdown,
    markdown_paths,
    latex,
    indexed_row_major,
    df,
    concat,
    nl_sep,
    xml,
):
    for _serializer in _module.SERIALIZERS:
        register(_serializer)
