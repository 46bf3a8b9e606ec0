"""JSON nested like a table's headers.

Column labels are the keys of a row, row labels the keys of the table. ``rows`` is the layout of row labels
that are not in columns side by side: ``indent`` (a parent's own values are under the key ``""``) or
``labels`` (a parent is a row of one cell over the whole table).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from ...core.errors import ParseError, TableError
from ..header_tree import label_rows
from ..table import Cell, Table
from .json import Json
from .texts import bare, checked

_KEYS = ("title", "header_rows", "header_columns", "corner", "rows", "table", "notes")


class JsonNested(Json):
    """``{"table": {"Doha": {"2019": {"Male": 1, "Female": 2}}}}``: labels are keys, on both axes.

    Other keys, where needed: ``title``, ``header_rows`` and ``header_columns`` (1 each by default),
    ``corner`` (its text, or one a header column), ``rows`` (``indent`` or ``labels``, see the module) and
    ``notes``. A table without header columns is a list of rows. A table whose labels form no tree (two
    columns of one name, merged values) is written in the format ``json``.
    """

    name = "json_nested"
    lossless = True
    explanation = "The table is JSON in which headings are keys, those of a lower level within those above."

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
    content = nested(table) if table.header_rows else None
    how, label = layout(table), corner(table)
    if content is None or (how == "labels" and _has_labels_of_two_kinds(table)):
        return None
    keys: dict[str, Any] = {"title": table.title} if table.title else {}
    if table.header_rows != 1:
        keys["header_rows"] = table.header_rows
    if table.header_columns != 1:
        keys["header_columns"] = table.header_columns
    if label:
        keys["corner"] = label
    if how != "nested" and table.header_columns:
        keys["rows"] = how
    parts = [f"{_dump(key)}: {_dump(value)}" for key, value in keys.items()]
    parts.append(f'"table": {_block(content)}')
    if table.notes:
        parts.append(f'"notes": {_dump(list(table.notes))}')
    return "{" + ",\n".join(parts) + "}"


def _has_labels_of_two_kinds(table: Table) -> bool:
    """Whether some groups have merged labels, and others a label with blanks, which looks like a row."""
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


Nested: TypeAlias = "dict[str, Any]"
Path: TypeAlias = "tuple[str, ...]"

LAYOUTS = ("nested", "indent", "labels")


class _NoTreeError(Exception):
    """The labels form no tree: two places have one path, or a value takes a label's place."""


def layout(table: Table) -> str:
    """The layout of the row labels."""
    body = range(table.header_rows, table.n_rows)
    if any(table.rows[r] and table.rows[r][0].colspan == table.n_columns for r in body):
        return "labels"
    blank = any(table.header_columns and not table.grid[r][0].text for r in body)
    return "indent" if blank else "nested"


def nested(table: Table) -> Nested | list[Nested] | None:
    """The body's values by their labels; None where labels form no tree."""
    try:
        return _by_labels(table)
    except _NoTreeError:
        return None


def _by_labels(table: Table) -> Nested | list[Nested]:
    rows = [(r, _row(table, r)) for r in range(table.header_rows, table.n_rows)]
    if not table.header_columns:
        return [values for _, values in rows]
    found: Nested = {}
    for path, values in _with_paths(table, rows):
        _put(found, path, values)
    return found


def _row(table: Table, r: int) -> Nested:
    found: Nested = {}
    for c in range(table.header_columns, table.n_columns):
        _put(found, table.column_paths[c], bare(table.grid[r][c]))
    return found


def _put(target: Nested, path: Path, value: Any) -> None:
    for label in path[:-1]:
        target = target.setdefault(label, {})
        if not isinstance(target, dict):
            raise _NoTreeError
    if not path or path[-1] in target:
        raise _NoTreeError
    target[path[-1]] = value


def _with_paths(table: Table, rows: list[tuple[int, Nested]]) -> Iterator[tuple[Path, Nested]]:
    how = layout(table)
    if how == "nested":
        yield from ((_labels(table, r), values) for r, values in rows)
        return
    paths: list[Path] = []
    group: Path = ()
    for r, _ in rows:
        above = paths[-1] if paths else ()
        if how == "indent":
            labels = _labels(table, r)
            blanks = next((i for i, label in enumerate(labels) if label), len(labels))
            paths.append((*above[:blanks], *labels[blanks:]))
        elif table.origins[r][0] == table.origins[r][-1]:
            group = (table.grid[r][0].text,)
            paths.append(())
        else:
            paths.append((*group, *_labels(table, r)))
    parents = {path[:i] for path in paths for i in range(1, len(path))}
    for path, (_, values) in zip(paths, rows, strict=True):
        if path:
            yield ((*path, "") if path in parents else path), values


def _labels(table: Table, r: int) -> Path:
    origins = table.origins[r]
    columns = [c for c in range(table.header_columns) if not c or origins[c] != origins[c - 1]]
    return tuple([table.grid[r][c].text for c in columns])


def rebuilt(
    content: object, header_rows: int, header_columns: int, corner: object, how: str
) -> tuple[tuple[Cell, ...], ...]:
    """The rows of the table that is written as such objects.

    Raises:
        ParseError: the objects are no table.
    """
    side = header_columns
    shape = _shape_of_row(content, header_rows, side)
    lines = [[*cells] for cells in _body(content, shape, side, how)]
    head = _head(shape, header_rows)
    if side:
        head[0][:0] = _corner(corner, header_rows, side)
    return tuple(map(tuple, [*head, *lines]))


def _depth(value: object) -> int:
    return 1 + max(map(_depth, value.values()), default=0) if isinstance(value, dict) else 0


def _shape_of_row(content: object, depth: int, side: int) -> Nested:
    node = content
    if not side:
        node = content[0] if isinstance(content, list) and content else None
    while isinstance(node, dict) and node and (_depth(node) > depth or (side and node is content)):
        node = next(iter(node.values()))
    if not isinstance(node, dict) or _depth(node) != depth:
        raise ParseError(f"no row of 'table' has column labels of {depth} level(s), as 'header_rows' says")
    return node


def _is_row(value: object, shape: object) -> bool:
    if not isinstance(shape, dict) or not isinstance(value, dict):
        return isinstance(shape, dict) == isinstance(value, dict)
    return list(value) == list(shape) and all(_is_row(value[key], shape[key]) for key in shape)


def _values(value: object) -> Iterator[Cell]:
    if isinstance(value, dict):
        for each in value.values():
            yield from _values(each)
    elif value is None or isinstance(value, str | int | float | bool):
        yield Cell.of(value)
    else:
        raise ParseError(f"a value is {str(value)[:40]!r}; expected a text, a number, true, false or null")


def _body(content: object, shape: Nested, side: int, how: str) -> Iterator[list[Cell]]:
    if side and isinstance(content, dict):
        yield from _beside(content, shape, side, how)
        return
    for row in content if isinstance(content, list) and not side else [None]:
        if not _is_row(row, shape):
            raise ParseError(f"a row of 'table' is {str(row)[:40]!r}; expected the labels of the first")
        yield list(_values(row))


def _beside(node: Mapping[str, Any], shape: Nested, width: int, how: str) -> Iterator[list[Cell]]:
    for label, value in node.items():
        if width and _is_row(value, shape):
            yield [Cell(label, 1, width), *_values(value)]
        elif how == "labels" and isinstance(value, dict) and width == 1:
            yield [Cell(label, 1, 1 + len(list(_values(shape))))]
            yield from _beside(value, shape, 1, "nested")
        elif not isinstance(value, dict) or not value or width < 2:
            raise ParseError(f"{label[:40]!r} in 'table' holds no row, nor rows below it")
        elif how == "indent":
            own = value.get("")
            if not _is_row(own, shape):
                raise ParseError(f"{label[:40]!r} in 'table' has no values of its own under ''")
            yield [Cell(label, 1, width), *_values(own)]
            below = {key: each for key, each in value.items() if key}
            yield from ([Cell(""), *line] for line in _beside(below, shape, width - 1, how))
        else:
            lines = list(_beside(value, shape, width - 1, how))
            yield from [[Cell(label, len(lines)), *lines[0]], *lines[1:]]


def _head(shape: Nested, height: int) -> list[list[Cell]]:
    lines: list[list[Cell]] = [[] for _ in range(height)]

    def place(node: Nested, level: int) -> None:
        for label, below in node.items():
            is_parent = isinstance(below, dict)
            width = len(list(_values(below))) if is_parent else 1
            lines[level].append(Cell(label, 1 if is_parent else height - level, width))
            if is_parent:
                place(below, level + 1)

    place(shape, 0)
    return lines


def _corner(corner: object, height: int, side: int) -> list[Cell]:
    if isinstance(corner, str):
        return [Cell(corner, height, side)]
    if isinstance(corner, list) and len(corner) == side and all(isinstance(each, str) for each in corner):
        return [Cell(each, height) for each in corner]
    raise TableError(f"'corner' is {str(corner)[:40]!r}; expected a text, or one a header column")


def corner(table: Table) -> str | list[str]:
    """The corner's text, or the texts of its first row where it has several cells."""
    first = [cell.text for cell in table.grid[0][: table.header_columns]]
    return first[0] if first and table.grid[0][0].colspan == table.header_columns else first
