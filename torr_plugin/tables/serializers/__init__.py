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


def register(serializer: Serializer, *, origin: str = "torr-plugin") -> Serializer:
    """Add a serializer under its own name; ``origin`` says which plugin brought it.

    Raises:
        InputError: the name is taken by another serializer.
    """
    return registry.register(serializer.name, serializer, origin=origin)


def get(name: str) -> Serializer:
    """The serializer called ``name``.

    Raises:
        UnknownNameError: there is none; the message gives the nearest names.
    """
    return registry.get(name)


def names() -> list[str]:
    """All names, sorted."""
    return registry.names()


def origin(name: str) -> str:
    """The plugin that brought ``name``."""
    return registry.origin(name)


for _module in (html, csv, json, markdown, indexed_row_major, df, concat):
    for _serializer in _module.SERIALIZERS:
        register(_serializer)
