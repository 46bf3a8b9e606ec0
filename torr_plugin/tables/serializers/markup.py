"""HTML and XML, in full and at their shortest."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ...core.errors import ParseError, SerializationError, TableError
from ..table import Cell, Table
from .base import Serializer
from .html_layout import infer_header
from .html_reading import read
from .structure import check_places, checked, column_names, distinct, most_places

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


def escape(text: str) -> str:
    """Text for the content of an element: a newline is ``<br>``, white space at the edges a reference."""
    return _ESCAPES.sub(lambda match: _AS[match[0][0]] * len(match[0]), text) if _special(text) else text


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
        check_places(table, self.name)
        depth = 0 if _crosses_header(table) else table.header_rows
        rows = [f"    <tr>{''.join(cells)}</tr>" for cells in self._rows(table)]
        head = ["  <thead>", *rows[:depth], "  </thead>"] if depth else []
        lines = [
            f"<table{_header_depth(table, depth)}>",
            *([f"  <caption>{escape(table.title)}</caption>"] if table.title else []),
            *head,
            *["  <tbody>", *rows[depth:], "  </tbody>", "</table>"],
            *[f'<p class="note">{escape(note)}</p>' for note in table.notes],
        ]
        return checked("\n".join(lines), table, self.name, nul=False)

    def _rows(self, table: Table) -> list[list[str]]:
        for r, row in enumerate(table.placed_rows if table.has_spans else []):
            for c, cell in row:
                if cell.colspan > _MOST_COLUMNS or cell.rowspan > _MOST_ROWS:
                    raise SerializationError(
                        f"{self.name}: the cell in row {r}, column {c} covers {cell.rowspan} x "
                        f"{cell.colspan} places; HTML allows {_MOST_ROWS} x {_MOST_COLUMNS}"
                    )
        return [
            [self._cell("th" if _is_header(table, (r, c)) else "td", cell) for c, cell in row]
            for r, row in enumerate(table.placed_rows)
        ]

    def _cell(self, tag: str, cell: Cell) -> str:
        return f"<{tag}{_spans(cell)}>{escape(cell.text)}</{tag}>"

    def parse(self, text: str) -> Table:
        """Read the first table of any HTML text, real-world ones included (see ``html_reading``)."""
        return read(text, self.name)


class HtmlMinimal(Html):
    """HTML without the tags and quotation marks that may be left out: a line a row, ``<tr><td>a<td>b``."""

    name = "html_minimal"
    explanation = (
        "The element table holds the table, tr begins a row, th a cell of the header and td any other cell; "
        "rowspan and colspan say over how many rows and columns a merged cell reaches."
    )

    def serialize(self, table: Table) -> str:  # noqa: D102
        check_places(table, self.name)
        title = f"<caption>{escape(table.title)}</caption>" if table.title else ""
        lines = [
            f"<table{_header_depth(table, 0)}>{title}",
            *[f"<tr>{''.join(cells)}" for cells in self._rows(table)],
            "</table>",
            *[f"<p class=note>{escape(note)}" for note in table.notes],
        ]
        return checked("\n".join(lines), table, self.name, nul=False)

    def _cell(self, tag: str, cell: Cell) -> str:
        return f"<{tag}{_spans(cell).replace(chr(34), '')}>{escape(cell.text)}"


def _spans(cell: Cell) -> str:
    return _attributes({"rowspan": (cell.rowspan, 1), "colspan": (cell.colspan, 1)})


def _attributes(values: Mapping[str, tuple[int, int]]) -> str:
    """The attributes whose value is not the usual one."""
    return "".join([f' {name}="{value}"' for name, (value, usual) in values.items() if value != usual])


def _is_header(table: Table, origin: tuple[int, int]) -> bool:
    return origin[0] < table.header_rows or origin[1] < table.header_columns


def _crosses_header(table: Table) -> bool:
    """Whether a merged cell begins in the header and ends in the body, which ``thead`` would cut."""
    depth = table.header_rows
    return any(r + cell.rowspan > depth for r in range(depth) for cell in table.rows[r])


def _header_depth(table: Table, in_head: int) -> str:
    """Attributes for the header's depth, where the tags do not show it."""
    is_header = [[_is_header(table, origin) for origin in line] for line in table.origins]
    rows, columns = infer_header(is_header, in_head)
    found = "" if rows == table.header_rows else f' data-header-rows="{table.header_rows}"'
    if (rows, columns) != (table.header_rows, table.header_columns):
        found += f' data-header-columns="{table.header_columns}"'
    return found


# white space is written as it is but for line breaks and tabs, which readers of XML may change
_XML_SPECIAL = re.compile(r"[&<>\x01-\x1f\x7f-\x9f]")
_NAMED = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_REFERENCE = re.compile(r"&(?:#([0-9]{1,7})|(amp|lt|gt|quot|apos));")
_CHARACTERS = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}

_NO_NAME = re.compile(
    r"[^A-Za-z0-9_.\u00b7\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u037d\u037f-\u1fff\u200c\u200d\u203f\u2040"
    r"\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff-]+"
)
"""What the name of an attribute may not have."""
_NUMBERS = r'((?: [a-z_]+="[0-9]{1,9}")*)'
_TABLE = re.compile(rf"\s*<table{_NUMBERS}>(.*)</table>\s*", re.DOTALL)
_PART = re.compile(r"\s*<(title|row|note)>((?:(?!</?(?:title|row|note)>).)*)</\1>\s*", re.DOTALL)
_CELL = re.compile(rf"\s*<(head|cell){_NUMBERS}>([^<]*)</\1>\s*")
_NUMBER = re.compile(r'([a-z_]+)="([0-9]+)"')


class Xml(Serializer):
    """``table``, ``row``, ``head`` and ``cell`` with ``rowspan`` and ``colspan``, ``title`` and ``note``.

    One of the formats of Sui et al. (WSDM 2024). The table has the attributes ``header_rows`` and
    ``header_columns`` where they are not 1 and 0. Control characters are character references, as in XML 1.1.
    The reader knows this form of XML and no other.
    """

    name = "xml"
    lossless = True
    explanation = (
        "The element table holds the table and row each of its rows; head is a cell of the header and "
        "cell any other one; rowspan and colspan say over how many rows and columns a merged cell "
        "reaches."
    )

    def serialize(self, table: Table) -> str:  # noqa: D102
        check_places(table, self.name)
        depth = {"header_rows": (table.header_rows, 1), "header_columns": (table.header_columns, 0)}
        lines = [f"<table{_attributes(depth)}>"]
        lines += [f"  <title>{_escaped(table.title)}</title>"] if table.title else []
        for r, row in enumerate(table.placed_rows):
            cells = [_xml_cell("head" if _is_header(table, (r, c)) else "cell", cell) for c, cell in row]
            lines.append(f"  <row>{''.join(cells)}</row>")
        lines += [f"  <note>{_escaped(note)}</note>" for note in table.notes]
        return checked("\n".join([*lines, "</table>"]), table, self.name, nul=False)

    def parse(self, text: str) -> Table:  # noqa: D102
        whole = _TABLE.fullmatch(text)
        if whole is None:
            raise ParseError(f"xml: found {text.strip()[:40]!r}; expected one element <table>")
        depth = _numbers(whole[1])
        parts = _all(_PART, whole[2], "<title>, <row> or <note>")
        rows = [_cells(part[2]) for part in parts if part[1] == "row"]
        most = most_places(sum(map(len, rows)))
        if sum(cell.rowspan * cell.colspan for row in rows for cell in row) > most:
            raise ParseError(f"xml: the cells cover more than {most} places")
        try:
            return Table(
                tuple(map(tuple, rows)),
                header_rows=depth.get("header_rows", 1),
                header_columns=depth.get("header_columns", 0),
                title=next((_unescaped(part[2]) for part in parts if part[1] == "title"), ""),
                notes=tuple(_unescaped(part[2]) for part in parts if part[1] == "note"),
            )
        except TableError as error:
            raise ParseError(f"xml: {error}") from None


def _xml_cell(tag: str, cell: Cell) -> str:
    return f"<{tag}{_spans(cell)}>{_escaped(cell.text)}</{tag}>"


def _numbers(attributes: str) -> dict[str, int]:
    return {name: int(value) for name, value in _NUMBER.findall(attributes)}


def _all(pattern: re.Pattern[str], text: str, expected: str) -> list[re.Match[str]]:
    """The matches that follow one another from a text's beginning to its end."""
    found, at = [], 0
    while at < len(text.rstrip()):
        match = pattern.match(text, at)
        if match is None:
            raise ParseError(f"xml: found {text[at:].strip()[:40]!r}; expected {expected}")
        found.append(match)
        at = match.end()
    return found


def _cells(text: str) -> list[Cell]:
    cells = []
    for match in _all(_CELL, text, "<head> or <cell>"):
        spans = _numbers(match[2])
        cells.append(Cell(_unescaped(match[3]), spans.get("rowspan", 1), spans.get("colspan", 1)))
    return cells


def _escaped(text: str) -> str:
    return _XML_SPECIAL.sub(lambda match: _NAMED.get(match[0]) or f"&#{ord(match[0])};", text)


def _unescaped(text: str) -> str:
    return _REFERENCE.sub(_character, text)


def _character(match: re.Match[str]) -> str:
    if match[2]:
        return _CHARACTERS[match[2]]
    code = int(match[1])
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        raise ParseError(f"xml: found {match[0]!r}, which is no character")
    return chr(code)


class XmlAttributes(Serializer):
    """An element a row, ``<row Name="Sophia" Age="26"/>``: cells are attributes, named by their columns.

    Signs that a name may not have become ``_``. Headings are joined, merged cells say their text in every
    row and column that they cover. A line break is ``&#10;``.
    """

    name = "xml_attributes"
    loses = "signs of column names, which cells are merged, how headings are nested"
    explanation = (
        "The element table holds an element row for each row of the table; its attributes are the cells, by "
        "the names of their columns."
    )

    def serialize(self, table: Table) -> str:  # noqa: D102
        names = distinct([_attribute_name(name) for name in column_names(table)], "_{}")
        title = f" {_attribute('title', table.title)}" if table.title else ""
        rows = [
            " ".join([_attribute(name, cell.text) for name, cell in zip(names, row, strict=True)])
            for row in table.body
        ]
        lines = [f"<table{title}>", *[f"  <row {row}/>" for row in rows]]
        lines += [f"  <note>{_escaped(note)}</note>" for note in table.notes]
        return checked("\n".join([*lines, "</table>"]), table, self.name, nul=False)


def _attribute(name: str, text: str) -> str:
    value = _escaped(text).replace('"', "&quot;")
    return f'{name}="{value}"'


def _attribute_name(text: str) -> str:
    name = _NO_NAME.sub("_", text).strip("_.-")
    return name if name[:1].isalpha() else f"_{name}"
