"""A table as files that people and their tools open: HTML, CSV, LaTeX, a workbook, a picture."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from .....core.errors import InputError, nearest
from .....tables import Table, serializers

TEXTS: Mapping[str, str] = {"html": "html", "csv": "canonical_csv", "latex": "latex"}
"""The text formats and their serializers."""


def format_table(table: Table, name: str) -> str:
    """The table in a format of :data:`TEXTS`. The benchmark's CSV is the grid alone, without a title."""
    shown = table.replace(title="") if name == "csv" else table
    return str(serializers.get(TEXTS[name]).serialize(shown))


TableWriter = Callable[[Table, bool], bytes]
"""Makes a table's file; the flag says whether a picture has lines between cells."""

_UNSAFE = re.compile(r"[^\w.-]+")


def _text(name: str) -> TableWriter:
    return lambda table, borders: (format_table(table, name) + "\n").encode()


def _xlsx(table: Table, borders: bool) -> bytes:
    from .....tables.workbooks import to_bytes  # an optional extra

    return to_bytes(table)


def _png(table: Table, borders: bool) -> bytes:
    from .....tables.pictures import png  # an optional extra

    return png(table, borders=borders)


FORMATS: Mapping[str, TableWriter] = {
    **{name: _text(name) for name in TEXTS},
    "xlsx": _xlsx,
    "png": _png,
}
_ENDINGS = {"latex": "tex"}


def checked_formats(names: Sequence[str]) -> tuple[str, ...]:
    """Check the names; returns each once.

    Raises:
        InputError: one is unknown, or a picture is wanted and the library that draws it is not installed.
    """
    for name in names:
        if name not in FORMATS:
            raise InputError(f"--formats: unknown format {name!r}; {nearest(name, FORMATS)}")
    if "png" in names:
        FORMATS["png"](Table.flat(["a"], [["b"]]), True)  # fail now, not after an hour
    return tuple(dict.fromkeys(names))


def table_files(table: Table, name: str, formats: Sequence[str], *, borders: bool = True) -> dict[str, bytes]:
    """The files of a table by name, ``<format>/<name>.<ending>``, one for each of the formats."""
    safe = _UNSAFE.sub("_", name)
    return {
        f"{chosen}/{safe}.{_ENDINGS.get(chosen, chosen)}": FORMATS[chosen](table, borders)
        for chosen in formats
    }
