"""A table as JSON lines: one array a row; merged cells and header depth are said where they are needed."""

from __future__ import annotations

import json

from torr_plugin.tables import Cell, ParseError, SerializationError, Table, TableError
from torr_plugin.tables.serializers import Serializer

_FLAT = {"header_rows": 1, "header_columns": 0, "title": "", "notes": []}


class JsonLines(Serializer):
    """``["Name", "Age"]`` and a line like it a row. What a flat table has not stands in an object before."""

    name = "json_lines"
    lossless = True

    def serialize(self, table: Table) -> str:
        """One line a row, after a line about header depth, title and notes where there is any to tell."""
        told = {
            "header_rows": table.header_rows,
            "header_columns": table.header_columns,
            "title": table.title,
            "notes": list(table.notes),
        }
        head = {name: value for name, value in told.items() if value != _FLAT[name]}
        lines = [head] if head else []
        lines += [[_written(cell) for cell in row] for row in table.rows]
        text = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise SerializationError(
                f"{self.name}: half a character, U+{ord(text[error.start]):04X}"
            ) from None
        return text

    def parse(self, text: str) -> Table:
        """The table again."""
        try:
            lines = [json.loads(line) for line in text.split("\n") if line.strip()]
            told = lines.pop(0) if lines and isinstance(lines[0], dict) else {}
            rows = [[_read(cell) for cell in line] for line in lines]
            return Table(tuple(map(tuple, rows)), **{**_FLAT, **told})
        except TableError:
            raise
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise ParseError(f"{self.name}: found no table: {error}") from error


def _written(cell: Cell) -> str | dict[str, object]:
    if cell.rowspan == cell.colspan == 1:
        return cell.text
    return {"text": cell.text, "rowspan": cell.rowspan, "colspan": cell.colspan}


def _read(cell: object) -> Cell:
    if isinstance(cell, str):
        return Cell(cell)
    if isinstance(cell, dict) and isinstance(cell["text"], str):
        return Cell(cell["text"], int(cell["rowspan"]), int(cell["colspan"]))
    raise ParseError(f"found the cell {str(cell)[:40]!r}; expected text or an object with text and spans")
