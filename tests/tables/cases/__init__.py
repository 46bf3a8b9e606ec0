"""Tables of cases: what a file says, and what is read of it, to read and to add to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from torr_plugin.tables import Table

_HERE = Path(__file__).parent


def cases(name: str) -> Iterator[tuple[str, str, str]]:
    """Of each case in a file its name, its text and what is expected."""
    for part in ("\n" + (_HERE / name).read_text(encoding="utf-8")).split("\n== ")[1:]:
        title, _, rest = part.partition("\n")
        text, _, expected = rest.partition("\n---\n")
        yield title, text, expected.strip("\n")


def lines(name: str) -> Iterator[list[str]]:
    """The fields of each line of a file, with `` ; `` between them; blank lines and ``#`` lines are none."""
    for line in (_HERE / name).read_text(encoding="utf-8").split("\n"):
        if line and not line.startswith("#"):
            yield line.split(" ; ")


def drawn(table: Table) -> str:
    """The texts of a table between bars, covered places as ``^``, and dashes below the header."""
    lines = [
        " | ".join(
            [cell.text if table.origins[r][c] == (r, c) else "^" for c, cell in enumerate(row)]
        ).rstrip()
        for r, row in enumerate(table.grid)
    ]
    lines[table.header_rows : table.header_rows] = ["-----"]
    return "\n".join(lines)
