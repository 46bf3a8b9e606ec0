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
        "canonical_csv": ".canonical:canonical_csv",
        **{name: f".documents:{name}" for name in ("document", "html", "xlsx")},
        **{name: f".flat:{name}" for name in ("columns", "delimited", "grid", "json_split")},
        **{name: f".flat:{name}" for name in ("linked_cells", "listed_cells", "literal")},
        "hitab": ".hitab:hitab",
        "spanned": ".spanned:spanned",
    },
)

get, names, origin, register = registry.get, registry.names, registry.origin, registry.add
