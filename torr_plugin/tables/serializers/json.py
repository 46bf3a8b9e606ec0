"""One content, a list of records or an object of header and rows, as JSON, JSON lines, YAML and TOON."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

import toon_format
import yaml

from ...core.errors import ParseError
from ..table import Cell, Scalar, Table
from .base import Serializer
from .structure import Structure, assemble, bare, checked, laid_out, merged_ranges, read_range

_KEYS = ("title", "header", "header_columns", "rows", "merged", "notes")
_dump = partial(json.dumps, ensure_ascii=False)
_OBJECT = (
    "Where that is not enough, it is an object that has the rows beside what else there is: a "
    "title, the header, and merged cells, each as the range that it covers in a spreadsheet, where "
    "A1 is the cell at the top left."
)
_TOON = (
    "The table is TOON: the number of rows in square brackets and the columns' names in braces, then "
    f"a line for each row, with {{}} between its cells. {_OBJECT}"
)
_RECORDS = "each row is an object with the columns' names as keys. "


class Json(Serializer):
    """A list of records for a flat table whose column names differ; else an object of header and rows.

    The object has ``rows`` and, where not empty, ``title``, ``header`` (a list of names; of lists with
    several or no header rows), ``header_columns``, ``merged`` (ranges as in a spreadsheet) and ``notes``.
    Cells made of numbers are written as numbers.
    """

    name = "json"
    lossless = True
    _language = "JSON"
    explanation = f"The table is a JSON list of its rows; {_RECORDS}{_OBJECT}"

    def serialize(self, table: Table) -> str:  # noqa: D102
        return checked(self._written(_content(table)), table, self.name)

    def _written(self, content: Mapping[str, Any]) -> str:
        rows = "[\n" + ",\n".join(map(_dump, content["rows"])) + "\n]"
        if list(content) == ["rows"]:
            return rows
        parts = [f"{_dump(key)}: {rows if key == 'rows' else _dump(content[key])}" for key in content]
        return "{" + ",\n".join(parts) + "}"

    def parse(self, text: str) -> Table:  # noqa: D102
        try:
            data = self._read(text)
        except (ValueError, RecursionError) as error:
            reason = str(error).partition("\n")[0]
            raise ParseError(f"{self.name}: the text is no {self._language}: {reason}") from None
        return _table(data, text, self.name)

    def _read(self, text: str) -> object:
        """The content of a text; ValueError where it has none."""
        return json.loads(text)


class JsonRecords(Json):
    """The content of ``json`` without blanks, as ``to_json(orient="records")`` of pandas, or indented."""

    name = "json_records"
    _layout: ClassVar[Mapping[str, Any]] = {"separators": (",", ":")}

    def _written(self, content: Mapping[str, Any]) -> str:
        return _dump(content["rows"] if list(content) == ["rows"] else content, **self._layout)


class JsonRecordsIndented(JsonRecords):
    """``json_records``, indented by two blanks."""

    name = "json_records_indented"
    _layout: ClassVar[Mapping[str, Any]] = {"indent": 2}


class JsonColumns(Json):
    """``{"Name": ["Sophia", "Bo"], "Age": [26, 31]}``; else ``json``'s object, with ``columns`` for rows."""

    name = "json_columns"
    explanation = (
        "The table is a JSON object with a list for each column, of its values from the first row to the "
        "last, by the column's name. Where that is not enough, it is an object that has the columns beside "
        "what else there is: a title, the header, and merged cells, each as the range that it covers in a "
        "spreadsheet, where A1 is the cell at the top left."
    )

    def _written(self, content: Mapping[str, Any]) -> str:
        rows = content["rows"]
        if list(content) == ["rows"]:
            columns = [f"{_dump(name)}: {_dump([row[name] for row in rows])}" for name in rows[0]]
            return "{" + ",\n".join(columns) + "}"
        lines = [[*row.values()] if isinstance(row, dict) else row for row in rows]
        turned = ",\n".join([_dump(list(column)) for column in zip(*lines, strict=True)])
        header = {} if "header" in content else {"header": list(rows[0])}
        parts = [
            f'"columns": [\n{turned}\n]' if key == "rows" else f"{_dump(key)}: {_dump(value)}"
            for key, value in {**header, **content}.items()
        ]
        return "{" + ",\n".join(parts) + "}"

    def _read(self, text: str) -> object:
        data = json.loads(text)
        if not isinstance(data, dict) or not data:
            raise ValueError("expected an object of columns")
        lists = data.get("columns")
        if isinstance(lists, list) and lists and all(isinstance(each, list) for each in lists):
            rest = {key: value for key, value in data.items() if key != "columns"}
            return {**rest, "rows": _turned(lists)}
        if not all(isinstance(values, list) for values in data.values()):
            raise ValueError("expected a list for each column")
        return [dict(zip(data, row, strict=True)) for row in _turned([*data.values()])]


def _turned(columns: Sequence[Sequence[object]]) -> list[list[object]]:
    lengths = {len(column) for column in columns}
    if len(lengths) != 1:
        raise ValueError(f"the columns have {sorted(lengths)} values; expected as many in each")
    return [list(row) for row in zip(*columns, strict=True)]


class JsonLines(Json):
    """A record a line; else an object of all but the rows, then each row as a list in a line of its own."""

    name = "jsonl"
    explanation = (
        f"Each line is a row of the table in JSON; {_RECORDS}Where that is not enough, the first line is an "
        "object with what else there is, a title, the header, and merged cells, each as the range that it "
        "covers in a spreadsheet, where A1 is the cell at the top left; the lines below it are lists."
    )

    def _written(self, content: Mapping[str, Any]) -> str:
        rows = content["rows"]
        if list(content) == ["rows"]:
            return "\n".join(map(_dump, rows))
        rest = {key: value for key, value in content.items() if key != "rows"}
        if "header" not in rest:
            rest["header"], rows = list(rows[0]), [[*row.values()] for row in rows]
        return "\n".join(map(_dump, [rest, *rows]))

    def _read(self, text: str) -> object:
        first, *rows = [json.loads(line) for line in text.split("\n") if line.strip()] or [None]
        if isinstance(first, dict) and isinstance(first.get("header"), list):
            return {**first, "rows": rows}
        return [first, *rows]


class Toon(Json):
    """The content of ``json`` as TOON (token-oriented object notation), with one of its delimiters.

    A flat table whose column names differ is TOON's own tabular form. A text that looks like a number is
    quoted, a number is not.
    """

    _language = "TOON"

    name = "toon"
    _delimiter: ClassVar[str] = ","
    explanation = _TOON.format("commas")

    def serialize(self, table: Table) -> str:  # noqa: D102
        checked(_dump(_content(table)), table, self.name)  # the library's refusal names no cell
        return super().serialize(table)

    def _written(self, content: Mapping[str, Any]) -> str:
        data = content["rows"] if list(content) == ["rows"] else content
        return toon_format.dumps(_as_toon(data), delimiter=self._delimiter)

    def _read(self, text: str) -> object:
        return toon_format.loads(text)


class ToonTab(Toon):
    """``toon`` with tabs between cells."""

    name = "toon_tab"
    _delimiter: ClassVar[str] = "\t"
    explanation = _TOON.format("tabs")


class ToonPipe(Toon):
    """``toon`` with bars between cells."""

    name = "toon_pipe"
    _delimiter: ClassVar[str] = "|"
    explanation = _TOON.format("bars")


def _as_toon(value: Any) -> Any:
    """The value, with texts for numbers that TOON would write in another way (``1`` for ``1.0``)."""
    if isinstance(value, list):
        return list(map(_as_toon, value))
    if isinstance(value, dict):
        return {key: _as_toon(each) for key, each in value.items()}
    return str(value) if isinstance(value, float) and value.is_integer() else value


class Yaml(Json):
    """The content of ``json`` as YAML: a mapping a row; with a header of its own rows are lists.

    A text stands bare if no YAML, 1.1 or 1.2, takes it for anything else: ``no``, ``012``, ``1e3`` and
    ``12:30`` are quoted.
    """

    name = "yaml"
    _language = "YAML"
    explanation = f"The table is a YAML list of its rows; {_RECORDS}{_OBJECT}"

    def _written(self, content: Mapping[str, Any]) -> str:
        if list(content) == ["rows"]:
            return "\n".join(map(_yaml_row, content["rows"]))
        lines = []
        for key, value in content.items():
            lists = value if isinstance(value, list) and key in ("rows", "header") else []
            if lists and not isinstance(lists[0], str):
                rows = [f"  {line}" for row in lists for line in _yaml_row(row).split("\n")]
                lines += [f"{key}:", *rows]
            else:
                lines.append(f"{key}: {_yaml(value)}")
        return "\n".join(lines)

    def _read(self, text: str) -> object:
        try:
            return yaml.safe_load(text)
        except yaml.YAMLError as error:
            raise ValueError(str(error)) from None


# what may stand without quotation marks in a line of its own, and in a list within brackets
_BARE = re.compile(r"[\w(](?:[\w ()/.%+&'|;!?$=*<>@\",-]*[\w)/.%+'!?\"])?")
_BARE_IN_LIST = re.compile(r"[\w(](?:[\w ()/.%+&'|;!$=*<>@\"-]*[\w)/.%+'!\"])?")
_LIKE_A_NUMBER = re.compile(r"[0-9][0-9a-fA-FxXoO_.:+\-TtZz, ]*")  # or a date, or an hour
_WORDS = frozenset("y yes n no on off true false null nan inf".split())  # noqa: SIM905
_NOT_PRINTED = re.compile(r"[^\n\t -~\xa0-\u2027\u202a-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")


def _yaml_row(row: Mapping[str, Scalar] | Sequence[Scalar]) -> str:
    if not isinstance(row, dict):
        return f"- {_yaml(row)}"
    return "- " + "\n  ".join([f"{_yaml_key(name)}: {_yaml(value)}" for name, value in row.items()])


def _yaml_key(name: str) -> str:
    key = _yaml(name)
    return key if len(key) < 1000 else f"? {key}\n  "  # YAML looks no further for a key's colon


def _yaml(value: object, allowed: re.Pattern[str] = _BARE) -> str:
    if isinstance(value, list):
        return f"[{', '.join([_yaml(each, _BARE_IN_LIST) for each in value])}]"
    if isinstance(value, float) and "e" in str(value) and "." not in str(value):
        return str(value).replace("e", ".0e")  # YAML 1.1 wants a point
    if not isinstance(value, str):
        return _dump(value)
    if allowed.fullmatch(value) and not _LIKE_A_NUMBER.fullmatch(value) and value.casefold() not in _WORDS:
        return value
    return _NOT_PRINTED.sub(_yaml_escape, _dump(value))


def _yaml_escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"


def _content(table: Table) -> dict[str, Any]:
    """What all formats of this module write: ``rows`` alone for a flat table whose column names differ."""
    content: dict[str, Any] = {"title": table.title} if table.title else {}
    names = [cell.text for cell in table.rows[0]]
    lines = [[bare(cell) for cell in row] for row in laid_out(table)]
    if table.is_flat and len(set(names)) == len(names):
        content["rows"] = [dict(zip(names, line, strict=True)) for line in lines[1:]]
    else:
        depth = table.header_rows
        content["header"] = lines[0] if depth == 1 else lines[:depth]
        if table.header_columns:
            content["header_columns"] = table.header_columns
        content["rows"] = lines[depth:]
        if table.has_spans:
            content["merged"] = merged_ranges(table)
    if table.notes:
        content["notes"] = list(table.notes)
    return content


def _table(data: object, text: str, name: str) -> Table:
    """The table of such content."""
    content = {"rows": data} if isinstance(data, list) else data
    if not isinstance(content, dict) or not isinstance(content.get("rows"), list):
        raise ParseError(f"{name}: expected a list of records or an object with 'rows', found {text[:40]!r}")
    for key in content:
        if key not in _KEYS:
            raise ParseError(f"{name}: unknown key {str(key)[:40]!r}; expected {', '.join(_KEYS)}")
    heads, rows = _lines(content, name)
    title, notes = content.get("title", ""), content.get("notes", [])
    side, merged = content.get("header_columns", 0), content.get("merged", [])
    if not isinstance(title, str) or type(side) is not int or not _is_texts(notes) or not _is_texts(merged):
        raise ParseError(
            f"{name}: expected a text in 'title', a number in 'header_columns', texts in 'notes' and 'merged'"
        )
    areas = tuple([read_range(area, name) for area in merged])
    grid = [[_cell(value, name) for value in row] for row in (*heads, *rows)]
    return assemble(grid, Structure(len(heads), side, areas, title, tuple(notes)), name)


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _cell(value: object, name: str) -> Cell:
    if value is None or isinstance(value, str | int | float | bool):
        return Cell.of(value)
    raise ParseError(
        f"{name}: a cell is {str(value)[:40]!r}; expected a text, a number, a boolean or nothing"
    )


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
