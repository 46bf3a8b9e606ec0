"""JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...core.errors import ParseError
from ..table import TEXT, Cell, Scalar, Table
from .base import Serializer
from .structure import Structure, assemble, laid_out, merged_ranges, read_range
from .texts import bare, cells_of, checked, json_lists, json_records, unitxt_plain_texts, unitxt_values

_KEYS = ("title", "header", "header_columns", "rows", "merged", "notes")


class Json(Serializer):
    """A list of records for a flat table whose column names differ; else an object of header and rows.

    The object has ``rows`` and, where not empty, ``title``, ``header`` (a list of names; of lists with
    several or no header rows), ``header_columns``, ``merged`` (ranges as in a spreadsheet) and ``notes``.
    Cells made of numbers are written as numbers.
    """

    name = "json"
    lossless = True
    explanation = (
        "The table is a JSON list of its rows; each row is an object with the columns' names as keys. "
        "Where that is not enough, it is an object that has the rows beside what else there is: a "
        "title, the header, and merged cells, each as the range that it covers in a spreadsheet, where "
        "A1 is the cell at the top left."
    )

    def serialize(self, table: Table) -> str:  # noqa: D102
        texts = table.texts
        names = texts[0] if texts else [cell.text for cell in table.rows[0]]
        content: dict[str, str]
        if table.is_flat and len(set(names)) == len(names):
            content = {"rows": _block(_records(table, names))}
        else:
            content = self._structured(table)
        if table.title:
            content = {"title": _dump(table.title), **content}
        if table.notes:
            content["notes"] = _dump(list(table.notes))
        if list(content) == ["rows"]:
            text = content["rows"]
        else:
            text = "{" + ",\n".join(f"{_dump(key)}: {value}" for key, value in content.items()) + "}"
        return checked(text, table, self.name)

    def _structured(self, table: Table) -> dict[str, str]:
        texts = table.texts
        if texts is not None:
            lines = json_lists(texts, ascii_only=False)
        else:
            lines = [_dump(_values(row)) for row in laid_out(table)]
        heads, body = lines[: table.header_rows], lines[table.header_rows :]
        content = {"header": heads[0] if len(heads) == 1 else "[" + ", ".join(heads) + "]"}
        if table.header_columns:
            content["header_columns"] = str(table.header_columns)
        content["rows"] = _block(body)
        if table.has_spans:
            content["merged"] = _dump(merged_ranges(table))
        return content

    def parse(self, text: str) -> Table:  # noqa: D102
        data = _load(text, self.name)
        content = {"rows": data} if isinstance(data, list) else data
        if not isinstance(content, dict) or not isinstance(content.get("rows"), list):
            raise ParseError(
                f"{self.name}: expected a list of records or an object with 'rows', found {text[:40]!r}"
            )
        for key in content:
            if key not in _KEYS:
                raise ParseError(f"{self.name}: unknown key {key[:40]!r}; expected {', '.join(_KEYS)}")
        heads, rows = _lines(content, self.name)
        structure = _structure(content, len(heads), self.name)
        return assemble(cells_of([*heads, *rows], self.name), structure, self.name)


class TorrJson(Json):
    """As unitxt's ``SerializeTableAsJson``: records by row number; of columns with one name only the last."""

    name = "torr.json"
    lossless = False
    explanation = (
        "The table is a JSON object with an object for each row, by its number, which begins at 0; its "
        "keys are the columns' names."
    )

    def serialize(self, table: Table) -> str:  # noqa: D102
        plain = unitxt_plain_texts(table)
        if plain is not None and len(set(plain[0])) == len(plain[0]):
            records = json_records(*plain, ascii_only=True)
            return "{" + ", ".join([f'"{number}": {record}' for number, record in enumerate(records)]) + "}"
        header, rows = unitxt_values(table, self.name)
        return json.dumps({number: dict(zip(header, row, strict=True)) for number, row in enumerate(rows)})

    def parse(self, text: str) -> Table:
        """Read the records; columns that shared a name with a later one are lost."""
        data = _load(text, self.name)
        records = list(data.values()) if isinstance(data, dict) else None
        if not records or not all(isinstance(record, dict) for record in records):
            raise ParseError(f"{self.name}: expected records by row number, found {text[:40]!r}")
        heads, rows = _from_records(records, self.name)
        return assemble(cells_of([*heads, *rows], self.name), Structure(), self.name)


def _records(table: Table, names: Sequence[str]) -> list[str]:
    texts = table.texts
    if texts is not None:
        return json_records(names, texts[1:], ascii_only=False)
    return [_dump(dict(zip(names, _values(row), strict=True))) for row in table.rows[1:]]


def _values(row: Sequence[Cell]) -> list[Scalar]:
    return [cell.text if cell.value is TEXT else bare(cell) for cell in row]


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _block(lines: Sequence[str]) -> str:
    return "[\n" + ",\n".join(lines) + "\n]"


def _load(text: str, name: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ParseError(f"{name}: the text is no JSON: {error}") from None


def _lines(content: Mapping[str, Any], name: str) -> tuple[list[list[Any]], list[list[Any]]]:
    rows = content["rows"]
    if "header" not in content:
        return _from_records(rows, name)
    header = content["header"]
    if not isinstance(header, list) or not all(isinstance(row, list) for row in rows):
        raise ParseError(f"{name}: expected lists in 'header' and 'rows'")
    is_deep = not header or all(isinstance(row, list) for row in header)
    return (header if is_deep else [header]), rows


def _from_records(records: list[Any], name: str) -> tuple[list[list[Any]], list[list[Any]]]:
    keys = list(records[0]) if records and isinstance(records[0], dict) else []
    for number, record in enumerate(records):
        if not isinstance(record, dict) or list(record) != keys:
            raise ParseError(
                f"{name}: record {number} is no object with the columns of the first, {keys[:8]}"
            )
    if not keys:
        raise ParseError(f"{name}: there are no records; expected at least one")
    return [keys], [list(record.values()) for record in records]


def _structure(content: Mapping[str, Any], depth: int, name: str) -> Structure:
    structure = Structure(
        header_rows=depth,
        header_columns=_typed(content, "header_columns", 0, name, lambda value: type(value) is int),
        title=_typed(content, "title", "", name, lambda value: isinstance(value, str)),
        notes=tuple(_typed(content, "notes", [], name, _is_texts)),
    )
    structure.merged = tuple(
        read_range(area, name) for area in _typed(content, "merged", [], name, _is_texts)
    )
    return structure


def _typed(content: Mapping[str, Any], key: str, absent: Any, name: str, fits: Callable[[Any], bool]) -> Any:
    value = content.get(key, absent)
    if not fits(value):
        raise ParseError(f"{name}: {key!r} is {str(value)[:40]!r}; expected something like {absent!r}")
    return value


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
