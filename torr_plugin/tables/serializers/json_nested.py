"""JSON nested as a table's headers nest."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ...core.errors import ParseError, TableError
from ..table import Table
from ._checks import checked
from .base import Serializer
from .json import Json

_KEYS = ("title", "header_rows", "header_columns", "corner", "rows", "table", "notes")


class JsonNested(Json):
    """``{"table": {"Doha": {"2019": {"Male": 1, "Female": 2}}}}``: labels are keys, on both axes.

    Beside ``table`` stand, where they say something: ``title``, ``header_rows`` and ``header_columns`` (1
    each unless said), ``corner`` (its text, or one a header column), ``rows`` (``indent`` or ``labels``, see
    ``_nested``) and ``notes``. A table without header columns is a list of rows. One whose labels are no tree
    (two columns of one name, merged values) is written as the format ``json`` does.
    """

    name = "json_nested"
    lossless = True

    def serialize(self, table: Table) -> str:  # noqa: D102
        text = _written(table)
        if text is not None and _is_read_back(text, table, self.name):
            return checked(text, table, self.name)
        return super().serialize(table)

    def parse(self, text: str) -> Table:  # noqa: D102
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            data = None
        if not isinstance(data, dict) or "table" not in data:
            return super().parse(text)
        return _read(data, self.name)


def _written(table: Table) -> str | None:
    from ._nested import corner, layout, nested

    content = nested(table) if table.header_rows else None
    how, label = layout(table), corner(table)
    if content is None or (how == "labels" and _has_labels_of_two_kinds(table)):
        return None
    told: dict[str, Any] = {"title": table.title} if table.title else {}
    if table.header_rows != 1:
        told["header_rows"] = table.header_rows
    if table.header_columns != 1:
        told["header_columns"] = table.header_columns
    if label:
        told["corner"] = label
    if how != "nested" and table.header_columns:
        told["rows"] = how
    parts = [f"{_dump(key)}: {_dump(value)}" for key, value in told.items()]
    parts.append(f'"table": {_block(content)}')
    if table.notes:
        parts.append(f'"notes": {_dump(list(table.notes))}')
    return "{" + ",\n".join(parts) + "}"


def _has_labels_of_two_kinds(table: Table) -> bool:
    """Whether rows stand below merged labels and others below a label with blanks, which seems a row."""
    from ..header_tree import label_rows

    return any(table.grid[r][0].colspan < table.n_columns for r in label_rows(table))


def _block(content: Mapping[str, Any] | list[Any]) -> str:
    """A line a row, or a group of rows."""
    if isinstance(content, list):
        return "[\n" + ",\n".join(map(_dump, content)) + "\n]"
    return "{\n" + ",\n".join([f"{_dump(key)}: {_dump(value)}" for key, value in content.items()]) + "\n}"


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _is_read_back(text: str, table: Table, name: str) -> bool:
    try:
        return _read(json.loads(text), name) == table
    except TableError:
        return False


def _read(data: Mapping[str, Any], name: str) -> Table:
    from ._nested import rebuilt

    for key in data:
        if key not in _KEYS:
            raise ParseError(f"{name}: unknown key {key[:40]!r}; expected {', '.join(_KEYS)}")
    rows, columns = (_count(data.get(key, 1), key, name) for key in ("header_rows", "header_columns"))
    how, title, notes = data.get("rows", "nested"), data.get("title", ""), data.get("notes", [])
    if (
        not isinstance(title, str)
        or not isinstance(notes, list)
        or not all(isinstance(n, str) for n in notes)
    ):
        raise ParseError(f"{name}: expected a text in 'title' and a list of texts in 'notes'")
    if how not in ("nested", "indent", "labels"):
        raise ParseError(f"{name}: 'rows' is {str(how)[:40]!r}; expected nested, indent or labels")
    try:
        cells = rebuilt(data["table"], rows, columns, data.get("corner", ""), how)
        return Table(cells, header_rows=rows, header_columns=columns, title=title, notes=tuple(notes))
    except TableError as error:
        raise ParseError(f"{name}: {error}") from None
    except RecursionError:
        raise ParseError(f"{name}: 'table' is nested too deeply") from None


def _count(value: object, key: str, name: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 1000:
        return value
    raise ParseError(f"{name}: {key!r} is {str(value)[:40]!r}; expected a number such as 2")


SERIALIZERS: tuple[Serializer, ...] = (JsonNested(),)
