"""A table as the baselines see it: column names above rows of texts, turned back if it was transposed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...tables import Table


@dataclass(frozen=True)
class Grid:
    """Column names (the path of a header of several rows, joined) and the rows below that hold any text.

    ``depth`` leading columns are known to be headers.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    depth: int = 0
    title: str = ""


def grid_of(table: Table) -> Grid:
    """The grid of a table; one that was transposed has its names in a column, and is turned back."""
    body = [[cell.text for cell in row] for row in table.body]
    if not table.header_rows and table.header_columns:
        return _turned(body, table.header_columns, table.title)
    names = [" ".join(path).strip() for path in table.column_paths]
    if _is_numbered(names):
        return _turned(body, 1, table.title)
    return Grid(tuple(names), _filled(body), table.header_columns, table.title)


def _is_numbered(names: Sequence[str]) -> bool:
    """Whether they are those of unitxt's transposition: the header `` ``, ``0``, ``1``, ``2``, ..."""
    return (
        len(names) > 1 and not names[0].strip() and list(names[1:]) == [str(n) for n in range(len(names) - 1)]
    )


def _turned(body: Sequence[Sequence[str]], depth: int, title: str) -> Grid:
    names = [" ".join(dict.fromkeys(row[:depth])).strip() for row in body]
    rows = list(zip(*(row[depth:] for row in body), strict=True))
    # a column without a name and without any text is a row that was inserted before the table was turned
    kept = [c for c, name in enumerate(names) if name or any(row[c].strip() for row in rows)]
    return Grid(tuple(names[c] for c in kept), _filled([[row[c] for c in kept] for row in rows]), 0, title)


def _filled(rows: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(row) for row in rows if any(cell.strip() for cell in row))
