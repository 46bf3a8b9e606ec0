"""Python code that makes a pandas data frame; neither writing nor reading it needs pandas."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Sequence
from itertools import takewhile
from typing import Any, cast

from ...core.errors import ParseError
from ..table import TEXT, Cell, Scalar, Table
from .base import Serializer
from .structure import Structure, assemble, comments, describe, laid_out, leading_comments, understand
from .texts import bare, cells_of, checked, json_lists, unitxt_values

_FRAME = re.compile(r"pd\.DataFrame\(\{\n(.*)\},\nindex=\[[0-9, ]*\]\)", re.DOTALL)
_LEVELS = "pd.MultiIndex.from_arrays"
_WORDS = {True: "True", False: "False", None: "None"}


class Df(Serializer):
    """``pd.DataFrame({"name": [...], ...})``; a list of rows where names repeat or headers have other depths.

    Several header rows become a ``MultiIndex``. Merged cells repeat their text; leading ``#`` comments hold
    the rest of the structure.
    """

    name = "df"
    lossless = True
    explanation = (
        "The table is built by Python code: a data frame of pandas, made of lists of the values of its "
        "columns or its rows."
    )

    def serialize(self, table: Table) -> str:  # noqa: D102
        depth = table.header_rows
        grid = laid_out(table, repeat=True)
        heads, body = grid[:depth], grid[depth:]
        names = [cell.text for cell in grid[0]]
        if depth == 1 and len(set(names)) == len(names):
            columns = zip(*body, strict=True)
            items = [
                f"    {_literal(name)}: {_list(cells)},\n" for name, cells in zip(names, columns, strict=True)
            ]
            code = "pd.DataFrame({\n" + "".join(items) + "})"
        else:
            code = (
                "pd.DataFrame([\n" + "".join(f"    {_list(row)},\n" for row in body) + f"]{_columns(heads)})"
            )
        preamble = comments(describe(table, shown_header_rows=depth))
        return checked(preamble + code, table, self.name)

    def parse(self, text: str) -> Table:  # noqa: D102
        preamble, start = leading_comments(text)
        heads, body = _read_code(text[start:], self.name)
        structure = understand(preamble, self.name, shown_header_rows=len(heads))
        return assemble(cells_of([*heads, *body], self.name), structure, self.name)


class TorrDf(Df):
    """As unitxt's ``SerializeTableAsDFLoader``: columns as JSON, repeated names numbered.

    pandas decides there what a column of mixed values is; as with pandas 2, which the published numbers rest
    on, an absent value is ``null`` in a column of texts (pandas 3 would make it ``NaN``).
    """

    name = "torr.df"
    lossless = False

    def serialize(self, table: Table) -> str:  # noqa: D102
        header, rows = unitxt_values(table, self.name)
        names, columns = _numbered(header), list(zip(*rows, strict=True))
        if table.unitxt_texts is not None:
            texts = json_lists(cast("list[tuple[str, ...]]", columns), ascii_only=True)
            body = ", ".join(
                [f"{json.dumps(name)}: {text}" for name, text in dict(zip(names, texts, strict=True)).items()]
            )
        else:
            body = json.dumps(dict(zip(names, map(_as_pandas, columns), strict=True)))[1:-1]
        return f"pd.DataFrame({{\n{body}}},\nindex={list(range(len(rows)))})"

    def parse(self, text: str) -> Table:
        """Read the columns; the numbers added to repeated names stay."""
        match = _FRAME.fullmatch(text.strip())
        try:
            columns = json.loads("{" + match[1] + "}") if match else None
        except (ValueError, RecursionError) as error:
            raise ParseError(f"{self.name}: the columns are no JSON: {error}") from None
        if not columns or not all(isinstance(values, list) for values in columns.values()):
            raise ParseError(
                f"{self.name}: the text starts with {text[:40]!r}; "
                "expected pd.DataFrame({...}, index=[...])"
            )
        rows = [list(columns), *_turned(columns, self.name)]
        return assemble(cells_of(rows, self.name), Structure(), self.name)


def _numbered(header: Sequence[str]) -> list[str]:
    if len(set(header)) == len(header):
        return list(header)
    seen: dict[str, int] = {}
    names = []
    for label in header:
        count = seen.get(label, 0)
        names.append(f"{label}_{count}" if count else label)
        seen[label] = count + 1
    return names


def _as_pandas(values: Sequence[Scalar]) -> list[Any]:
    """A column as it comes out of a data frame: numbers beside a float or beside nothing become floats."""
    kinds = set(map(type, values))
    mixed = kinds == {int, type(None)} or (float in kinds and kinds <= {int, float, type(None)})
    if mixed and _has_one_type(values):
        return [float("nan") if value is None else float(value) for value in values]
    return list(values)


def _has_one_type(values: Sequence[Scalar]) -> bool:
    """Whether 64 bits hold the whole numbers before the first None; if not, pandas changes nothing."""
    whole = [value for value in takewhile(lambda value: value is not None, values) if type(value) is int]
    lowest, highest = min(whole, default=0), max(whole, default=0)
    return lowest >= -(2**63) and highest < (2**63 if lowest < 0 else 2**64)


def _literal(value: Scalar) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return _WORDS[value] if value is None or isinstance(value, bool) else repr(value)


def _list(cells: Sequence[Cell]) -> str:
    return (
        "[" + ", ".join([_literal(cell.text if cell.value is TEXT else bare(cell)) for cell in cells]) + "]"
    )


def _columns(heads: Sequence[Sequence[Cell]]) -> str:
    if not heads:
        return ""
    lists = [_list(row) for row in heads]
    return f", columns={lists[0]}" if len(lists) == 1 else f", columns={_LEVELS}([{', '.join(lists)}])"


def _read_code(text: str, name: str) -> tuple[list[list[Any]], list[list[Any]]]:
    """Header rows and body rows of the one call that the code may be; nothing is run."""
    try:
        call = _call(ast.parse(text.strip(), mode="eval").body, "pd.DataFrame")
        data = ast.literal_eval(call.args[0])
        columns = [keyword.value for keyword in call.keywords if keyword.arg == "columns"]
        heads = [row for node in columns for row in _heads(node)]
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError) as error:
        raise ParseError(f"{name}: the text is no data frame of plain values: {error}") from None
    if isinstance(data, dict) and data and all(isinstance(values, list) for values in data.values()):
        return [list(data)], _turned(data, name)
    if isinstance(data, list) and all(isinstance(row, list) for row in [*heads, *data]):
        return heads, data
    raise ParseError(f"{name}: expected a dict of columns or a list of rows in pd.DataFrame(...)")


def _call(node: ast.expr, function: str) -> ast.Call:
    if isinstance(node, ast.Call) and ast.unparse(node.func) == function and len(node.args) == 1:
        return node
    raise ValueError(f"expected a call of {function} with one argument")


def _heads(node: ast.expr) -> list[list[Any]]:
    if isinstance(node, ast.Call):
        return list(ast.literal_eval(_call(node, _LEVELS).args[0]))
    return [ast.literal_eval(node)]


def _turned(columns: dict[str, list[Any]], name: str) -> list[list[Any]]:
    lengths = {len(values) for values in columns.values()}
    if len(lengths) != 1:
        raise ParseError(f"{name}: the columns have {sorted(lengths)} values; expected as many in each")
    return [list(row) for row in zip(*columns.values(), strict=True)]
