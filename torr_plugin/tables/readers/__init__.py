"""Readers: from raw values of a data set's row to a :class:`~torr_plugin.tables.Table`.

A reader is a pure function ``reader(**values) -> Table``; all take ``title`` and ``notes`` beside their own
values and raise :class:`~torr_plugin.tables.TableError` on malformed input.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from ...core.registry import Registry
from ..table import Table

Reader: TypeAlias = Callable[..., Table]

registry: Registry[Reader] = Registry(
    "reader",
    hook="torr_readers",
    package=__name__,
    lazy={
        "columns": ".flat:columns",
        "delimited": ".flat:delimited",
        "document": ".documents:document",
        "grid": ".flat:grid",
        "hitab": ".hitab:hitab",
        "html": ".documents:html",
        "json_split": ".flat:json_split",
        "linked_cells": ".flat:linked_cells",
        "listed_cells": ".flat:listed_cells",
        "literal": ".flat:literal",
        "spanned": ".spanned:spanned",
        "xlsx": ".documents:xlsx",
    },
)

get, names, origin, register = registry.get, registry.names, registry.origin, registry.add
