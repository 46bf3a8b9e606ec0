"""Take text that stands in a table, but in none of its cells, out of it, as browsers do."""

from __future__ import annotations

from typing import Any

_PARTS = frozenset(
    {"tr", "td", "th", "thead", "tbody", "tfoot", "caption", "colgroup", "col", "script", "style"}
)
_PARTS_OF_ROWS = ("tbody", "thead", "tfoot", "tr")


def put_strays_behind(root: Any) -> None:
    """Move what is out of place in each table of a tree behind it, so that one that never ends takes no text.

    A tag around rows stays, as its rows are read.
    """
    for table in list(root.iter("table")):
        strays = [stray for holder in _holders(table) for stray in _strays(holder)]
        for stray in reversed(strays):
            table.addnext(stray)


def _holders(table: Any) -> list[Any]:
    """The table, its parts and its rows."""
    parts = list(table.iterchildren(*_PARTS_OF_ROWS))
    rows = [row for part in parts if part.tag != "tr" for row in part.iterchildren("tr")]
    return [table, *parts, *rows]


def _strays(holder: Any) -> list[Any]:
    """The elements in a table, a part or a row that neither are of it nor hold any of it."""
    found = []
    for child in holder.iterchildren():
        if not isinstance(child.tag, str) or child.tag in _PARTS or child.tag == "table":
            continue
        if next(child.iter("tr", "td", "th", "table"), None) is None:
            found.append(child)
    return found
