"""Readers: from raw values of a data set's row to a :class:`~torr_plugin.tables.Table`.

A reader is a pure function ``reader(**values) -> Table``; all take ``title`` and ``notes`` beside their own
values and raise :class:`~torr_plugin.tables.TableError` on malformed input.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from ...core.registry import Registry
from ..table import Table
from .canonical import canonical_csv
from .documents import document, html, xlsx
from .flat import columns, delimited, grid, json_split, linked_cells, listed_cells, literal
from .hitab import hitab
from .spanned import spanned

__all__ = [
    "Reader",
    "canonical_csv",
    "columns",
    "delimited",
    "document",
    "get",
    "grid",
    "hitab",
    "html",
    "json_split",
    "linked_cells",
    "listed_cells",
    "literal",
    "names",
    "origin",
    "register",
    "registry",
    "spanned",
    "xlsx",
]

Reader: TypeAlias = Callable[..., Table]

registry: Registry[Reader] = Registry("reader", hook="torr_readers")

get, names, origin, register = registry.get, registry.names, registry.origin, registry.add

for _reader in (
    canonical_csv,
    columns,
    delimited,
    document,
    grid,
    hitab,
    html,
    json_split,
    linked_cells,
    listed_cells,
    literal,
    spanned,
    xlsx,
):
    register(_reader)
