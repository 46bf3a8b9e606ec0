"""Tables as text: in goes a table, out comes a string, and back where the format allows.

Two dialects a format: ``torr.<name>`` writes what unitxt 1.26.10 writes, byte for byte, and is lossy to read
back; ``<name>`` escapes and loses nothing, ``parse(serialize(t)) == t`` for every table (``concat`` alone has
no inverse).
"""

from __future__ import annotations

from ..registry import Registry
from . import concat, csv, df, html, indexed_row_major, json, markdown
from .base import Serializer

__all__ = ["Serializer", "get", "names", "origin", "register", "registry"]

registry: Registry[Serializer] = Registry("serializer")

get, names, origin, register = registry.get, registry.names, registry.origin, registry.add

for _module in (html, csv, json, markdown, indexed_row_major, df, concat):
    for _serializer in _module.SERIALIZERS:
        register(_serializer)
