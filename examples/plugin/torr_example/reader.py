"""A notation of tables, read."""

from __future__ import annotations

import re
from collections.abc import Sequence

from torr_plugin.tables import Table, TableError

_LINE = re.compile(r"(?P<name>.*?\S)\s*\.{2,}\s*(?P<value>\S.*)")


def dotted(text: str, *, title: str = "", notes: Sequence[str] = ()) -> Table:
    """The table of lines like ``Soup ..... 4.50``.

    Raises:
        TableError: a line that has no dots.
    """
    rows = []
    for number, line in enumerate(filter(str.strip, text.splitlines()), start=1):
        found = _LINE.fullmatch(line.strip())
        if found is None:
            raise TableError(f"dotted: line {number}: found {line[:40]!r}; expected NAME ..... VALUE")
        rows.append([found["name"], found["value"]])
    return Table.flat(["name", "value"], rows, title=title, notes=notes)
