"""Flat tables from what data sets hold: lists, lines of text, JSON, Python literals, linked cells."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias, cast

from ...core.errors import ParseError, TableError
from ..table import Scalar, Table

LONGEST = 5_000_000
WRONG = (SyntaxError, ValueError, TypeError, MemoryError, RecursionError)
_FIELD = re.compile('(?:"([^"]*(?:""[^"]*)*)"|([^,"\n\r][^,\n\r]*|))(,|\r\n|\n|\r|\\Z)')
_JSON = ("JSON text", "JSON")
_PLAIN = {str, int, float, bool, type(None)}
_MOST_ROWS = 100_000
Column: TypeAlias = "dict[int, str]"


_UNNAMED = re.compile(r"Unnamed: \d{1,9}")
_REPEATED = re.compile(r"(.*)\.\d{1,9}", re.S)


def columns(
    header: Sequence[Scalar],
    rows: Sequence[Sequence[Scalar]],
    *,
    by_pandas: bool = False,
    title: str = "",
    notes: Sequence[str] = (),
) -> Table:
    """A flat table from a list of names and a list of rows (WikiTableQuestions' ``header`` and ``rows``).

    Arrays are taken as lists; numbers stay numbers.

    Args:
        header: the names.
        rows: the body.
        by_pandas: pandas read the table from CSV and made texts of it, as in SQA's hub version: the text
            ``nan`` is an empty cell, a header ``Unnamed: 3`` is empty, and ``Name.1`` a second ``Name``.
        title: the table's title.
        notes: remarks below it.

    Raises:
        TableError: no header, no rows, a row longer or shorter than the header, a value that is no scalar.
    """
    head = _values(header, "the header")
    lines = [_values(row, f"row {index}") for index, row in enumerate(sequence(rows, "the table's rows"))]
    if by_pandas:
        head = [_own_name(name, head) for name in head]
        lines = [["" if value == "nan" else value for value in line] for line in lines]
    return Table.flat(head, lines, title=title, notes=notes)


def _own_name(name: Scalar, names: Sequence[Scalar]) -> Scalar:
    """A column's name as the file has it."""
    if not isinstance(name, str):
        return name
    repeated = _REPEATED.fullmatch(name)
    own = repeated[1] if repeated and repeated[1] in names else name
    return "" if _UNNAMED.fullmatch(own) else own


def listed_cells(
    header: Sequence[Scalar],
    cells: Sequence[Mapping[str, Any]],
    *,
    title: str = "",
    notes: Sequence[str] = (),
) -> Table:
    """A flat table from a list of names and one list of all cells, row by row (HybridQA's ``table.data``).

    Each cell is an object with its text under ``value``.

    Raises:
        TableError: no header, a cell without ``value``, or a last row that is not full.
    """
    head, listed = _values(header, "the header"), sequence(cells, "the list of the table's cells")
    texts = [_cell_value(cell, index) for index, cell in enumerate(listed)]
    if not head or len(texts) % len(head):
        raise TableError(
            f"the table has {len(texts)} cells below a header of {len(head)}; expected full rows"
        )
    rows = [texts[start : start + len(head)] for start in range(0, len(texts), len(head))]
    return columns(head, rows, title=title, notes=notes)


def _cell_value(cell: object, index: int) -> Scalar:
    if not isinstance(cell, Mapping) or "value" not in cell:
        raise TableError(f"cell {index} of the table is {str(cell)[:40]!r}; expected an object with 'value'")
    return cast("Scalar", cell["value"])


def _values(row: object, where: str) -> list[Scalar]:
    values = sequence(row, where)
    if set(map(type, values)) <= _PLAIN:
        return values
    return [_value(value, f"{where} of the table", column) for column, value in enumerate(values)]


def _value(value: object, where: str, column: int) -> Scalar:
    item = getattr(value, "item", None)  # NumPy's scalars
    plain = item() if callable(item) else value
    if plain is None or isinstance(plain, str | int | float):
        return plain
    raise TableError(f"{where} has {str(plain)[:40]!r} in column {column}; expected a text or a number")


def sequence(value: object, where: str) -> list[Any]:
    """The elements of a list or an array.

    Raises:
        TableError: anything else, called ``where``.
    """
    if type(value) is list:
        return value
    if isinstance(value, str | bytes) or not hasattr(value, "__iter__") or isinstance(value, dict):
        raise TableError(f"{where} is {str(value)[:40]!r}; expected a list")
    return list(value)


def grid(
    rows: Sequence[Sequence[Scalar]], *, fill: bool = False, title: str = "", notes: Sequence[str] = ()
) -> Table:
    """A flat table from a list of rows whose first is the header (FinQA's ``table``).

    Args:
        rows: the header, then the body.
        fill: whether rows shorter than the longest are filled with empty cells; else they are refused.
        title: the table's title.
        notes: remarks below it.

    Raises:
        TableError: not a list, no rows, or an invalid table (see :func:`columns`).
    """
    lines = sequence(rows, "the table")
    if not lines:
        raise TableError("the table has no rows; expected a header at least")
    if fill:
        lists = [sequence(line, f"row {index} of the table") for index, line in enumerate(lines)]
        width = max(map(len, lists))
        lines = [line + [""] * (width - len(line)) for line in lists]
    header, *body = lines
    return columns(header, body, title=title, notes=notes)


def delimited(
    text: str, separator: str = "#", newline: str = "\n", *, title: str = "", notes: Sequence[str] = ()
) -> Table:
    """A flat table from lines of cells, the first being the header (TabFact's ``table_text``).

    Nothing is quoted, and a newline at the end starts no row.

    Raises:
        TableError: no text, no rows, or a line with more or fewer cells than the header.
    """
    if not isinstance(text, str) or not text:
        raise TableError(f"the table's text is {text!r}; expected lines of cells separated by {separator!r}")
    head, *rows = [line.split(separator) for line in text.removesuffix(newline).split(newline)]
    return Table.flat(head, rows, title=title, notes=notes)


def json_split(text: str | Mapping[str, Any], *, title: str = "", notes: Sequence[str] = ()) -> Table:
    """A flat table from ``{"columns": [...], "data": [[...], ...]}``, as JSON text (TableBench's ``table``).

    The object itself is taken too, as the data set's repository has it.
    Numbers stay numbers, ``null`` is an empty cell. Control characters inside texts are put up with.

    Raises:
        TableError: no JSON, no object with these keys, or a table that cannot be (see :func:`columns`).
    """
    value: object = text
    if not isinstance(text, Mapping):
        value = parsed(text, partial(json.loads, strict=False), "the table", expected=_JSON)
    if not isinstance(value, Mapping) or not {"columns", "data"} <= value.keys():
        raise TableError(f"the table is {str(text)[:40]}; expected a JSON object with 'columns' and 'data'")
    return columns(value["columns"], value["data"], title=title, notes=notes)


def literal(header: str, rows: str, *, title: str = "", notes: Sequence[str] = ()) -> Table:
    """A flat table from ``"['a', 'b']"`` and ``"[['1', '2'], ...]"`` (SciGen's columns); nothing is run.

    Raises:
        TableError: a text that is no list literal, or a table that cannot be (see :func:`columns`).
    """
    return columns(_literal(header, "header"), _literal(rows, "rows"), title=title, notes=notes)


def _literal(text: str, field: str) -> list[Any]:
    value = parsed(
        text, ast.literal_eval, f"the table's {field}", expected=("a Python literal", "a list literal")
    )
    if not isinstance(value, list | tuple):
        raise TableError(f"the table's {field} is {text[:40]!r}; expected a list literal")
    return list(value)


def linked_cells(header: Sequence[str], cells: str, *, title: str = "", notes: Sequence[str] = ()) -> Table:
    """A flat table from ``header`` and ``cells``, JSON text of the cells with a link in each column.

    ``cells`` has for each column a list of ``[[row, column], [entity, text]]``. A place without a link is
    empty, the first of several links at one place counts, and rows without any link are left out.

    Raises:
        TableError: no such JSON text, more or fewer columns than the header has, or no cell at all.
    """
    head = list(header)
    listed = _listed(cells)
    if len(listed) != len(head):
        raise TableError(
            f"the table has cells for {len(listed)} columns, expected {len(head)} as in the header"
        )
    body = [_column(column, index) for index, column in enumerate(listed)]
    last = max((max(column) for column in body if column), default=-1)
    rows = [[column.get(row, "") for column in body] for row in range(last + 1)]
    return columns(head, [row for row in rows if any(row)], title=title, notes=notes)


def _listed(cells: str) -> list[object]:
    listed = parsed(cells, json.loads, "the list of the table's cells", expected=_JSON)
    if not isinstance(listed, list):
        raise TableError(f"the table's cells are {cells[:40]!r}; expected a list of columns")
    return listed


def _column(column: object, index: int) -> Column:
    texts: Column = {}
    for row, text in _cells(column, index):
        if type(row) is not int or not 0 <= row < _MOST_ROWS:
            raise TableError(
                f"column {index} of the table has a cell in row {row!r}; expected 0 to {_MOST_ROWS - 1}"
            )
        texts.setdefault(row, text)
    return texts


def _cells(column: object, index: int) -> list[tuple[object, str]]:
    try:
        return [(row, str(text)) for (row, _), (_, text) in column]  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        raise TableError(
            f"column {index} of the table is {str(column)[:40]!r}; "
            "expected [[row, column], [entity, text]] for each cell"
        ) from None


def parsed(
    text: object,
    parse: Callable[[str], Any],
    what: str,
    *,
    expected: tuple[str, str],
) -> Any:
    """Parse a text and report errors in one line.

    Args:
        text: at most ``LONGEST`` characters.
        parse: raises one of ``WRONG`` on what it cannot read.
        what: names the text in messages.
        expected: the kind of text, as it is called alone and where its beginning was shown.

    Raises:
        TableError: not a text, too long, or not readable by ``parse``.
    """
    if not isinstance(text, str) or len(text) > LONGEST:
        found = f"{len(text)} characters" if isinstance(text, str) else type(text).__name__
        raise TableError(f"{what} is {found}; expected {expected[0]} of at most {LONGEST} characters")
    try:
        return parse(text)
    except WRONG as error:
        reason = str(error).splitlines()[0][:80] if str(error) else type(error).__name__
        raise TableError(f"{what} starts with {text[:40]!r}; expected {expected[1]} ({reason})") from None


def csv_records(text: str, name: str, start: int = 0) -> Iterator[list[str]]:
    """The records of a CSV text from ``start`` on; blank lines are none.

    Raises:
        ParseError: a quotation mark that is not closed, or text behind a closed one.
    """
    record: list[str] = []
    while start < len(text) or record:
        match = _FIELD.match(text, start)
        if match is None:
            line = text.count("\n", 0, start) + 1
            raise ParseError(f"{name}: line {line} has a field with an unmatched quotation mark")
        quoted, plain, end = match.groups()
        record.append(plain if quoted is None else quoted.replace('""', '"'))
        start = match.end()
        if end == ",":
            continue
        if record != [""] or quoted is not None:
            yield record
        record = []
