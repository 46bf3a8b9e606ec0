"""HTML tables."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...core.errors import SerializationError
from ..table import Cell, Table
from .base import Serializer
from .html_reading import infer_header, read
from .structure import most_places
from .texts import checked, plain_row, unitxt_texts

_any_special = re.compile(r"[&<>\t\n\f\r]").search
_special = re.compile(r"[&<>\t\n\f\r]|\A | \Z").search
_ESCAPES = re.compile(r"[&<>\t\n\f\r]|\A +| +\Z|(?<=\n) +| +(?=\n)")
_AS = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    "\n": "<br>",
    "\t": "&#9;",
    "\f": "&#12;",
    "\r": "&#13;",
    " ": "&#32;",
}
_MOST_COLUMNS, _MOST_ROWS = 1000, 65534  # what HTML lets a cell span


class Html(Serializer):
    """``caption``, ``thead``, ``tbody``, ``th`` and ``td`` with spans; notes follow as ``<p class="note">``.

    A newline is ``<br>``, and white space that a reader would strip is a character reference. Attributes
    ``data-header-rows`` and ``data-header-columns`` give the header depth where the tags do not show it, as
    with a merged cell across the header's edge.
    """

    name = "html"
    lossless = True
    explanation = (
        "The element table holds the table, tr a row, th a cell of the header and td any other cell; "
        "rowspan and colspan say over how many rows and columns a merged cell reaches."
    )

    def serialize(self, table: Table) -> str:  # noqa: D102
        if table.is_flat:
            lines = [
                "<table>",
                *_caption(table),
                "  <thead>",
                _flat_row("th", table.rows[0]),
                "  </thead>",
                "  <tbody>",
            ]
            lines += [_flat_row("td", row) for row in table.rows[1:]]
            lines += ["  </tbody>", "</table>"]
        else:
            lines = self._structured(table)
        lines += [f'<p class="note">{escape(note)}</p>' for note in table.notes]
        return checked("\n".join(lines), table, self.name, nul=False)

    def _structured(self, table: Table) -> list[str]:

        most = most_places(sum(map(len, table.rows)))
        if table.n_rows * table.n_columns > most:
            raise SerializationError(f"html: the table covers more than {most} places; use another format")
        depth = 0 if _crosses_header(table) else table.header_rows
        is_header = [[_is_header(table, origin) for origin in line] for line in table.origins]
        seen = infer_header(is_header, depth)
        lines = [f"<table{_attributes(table, seen)}>", *_caption(table)]
        rows = [_row(table, r, row) for r, row in enumerate(table.placed_rows)]
        if depth:
            lines += ["  <thead>", *rows[:depth], "  </thead>"]
        return [*lines, "  <tbody>", *rows[depth:], "  </tbody>", "</table>"]

    def parse(self, text: str) -> Table:
        """Read the first table of any HTML text, real-world ones included (see ``html_reading``)."""
        return read(text, self.name)


class TorrHtml(Html):
    """As unitxt's ``SerializeTableAsHTML``: nothing is escaped.

    Reading it back loses tags in a cell, white space at its ends and line breaks.
    """

    name = "torr.html"
    lossless = False
    explanation = (
        "The element table holds the table, tr a row, th a cell of the header and td any other cell."
    )

    def serialize(self, table: Table) -> str:  # noqa: D102
        header, rows = unitxt_texts(table, self.name)
        lines = [f"\n    <tr><td>{'</td><td>'.join(row)}</td></tr>" for row in rows]
        head = f"    <tr><th>{'</th><th>'.join(header)}</th></tr>"
        return f"<table>\n  <thead>\n{head}\n  </thead>\n  <tbody>{''.join(lines)}\n  </tbody>\n</table>"


def _flat_row(tag: str, row: Sequence[Cell]) -> str:
    between = f"</{tag}><{tag}>"
    inner = plain_row(row, _any_special, between)
    if inner is None:
        inner = between.join([escape(cell.text) for cell in row])
    return f"    <tr><{tag}>{inner}</{tag}></tr>"


def _caption(table: Table) -> list[str]:
    return [f"  <caption>{escape(table.title)}</caption>"] if table.title else []


def _row(table: Table, r: int, row: Sequence[tuple[int, Cell]]) -> str:
    cells = []
    for c, cell in row:
        if cell.colspan > _MOST_COLUMNS or cell.rowspan > _MOST_ROWS:
            raise SerializationError(
                f"html: the cell in row {r}, column {c} covers {cell.rowspan} x {cell.colspan} places; "
                f"HTML allows {_MOST_ROWS} x {_MOST_COLUMNS}"
            )
        tag = "th" if _is_header(table, (r, c)) else "td"
        spans = f' rowspan="{cell.rowspan}"' if cell.rowspan > 1 else ""
        spans += f' colspan="{cell.colspan}"' if cell.colspan > 1 else ""
        cells.append(f"<{tag}{spans}>{escape(cell.text)}</{tag}>")
    return f"    <tr>{''.join(cells)}</tr>"


def _is_header(table: Table, origin: tuple[int, int]) -> bool:
    return origin[0] < table.header_rows or origin[1] < table.header_columns


def _crosses_header(table: Table) -> bool:
    """Whether a merged cell begins in the header and ends in the body, which ``thead`` would cut."""
    depth = table.header_rows
    return any(r + cell.rowspan > depth for r in range(depth) for cell in table.rows[r])


def _attributes(table: Table, seen: tuple[int, int]) -> str:
    rows = "" if seen[0] == table.header_rows else f' data-header-rows="{table.header_rows}"'
    return rows + (
        ""
        if seen == (table.header_rows, table.header_columns)
        else f' data-header-columns="{table.header_columns}"'
    )


def escape(text: str) -> str:
    """Text for the content of an element: a newline is ``<br>``, white space at the edges a reference."""
    return _ESCAPES.sub(lambda match: _AS[match[0][0]] * len(match[0]), text) if _special(text) else text
