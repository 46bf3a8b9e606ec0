"""Answers a question's SQL from the cells of the human-centric table: no SQLite, no relational table.

A hand parser of the few forms that the questions use, and a reader of the grid that knows the names of the
header's levels and that of the aggregate. Shares no code with the generator but the table's value.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import ROUND_HALF_EVEN, Decimal

from torr_plugin.tables import Table

Cell = dict[str, "str | Decimal"]
Condition = Callable[[Cell], bool]
_TOKEN = re.compile(r"\s*('(?:[^']|'')*'|\"[^\"]*\"|-?\d+(?:\.\d+)?|[A-Za-z_]\w*|[(),=<>])")


def cells(table: Table, columns: tuple[str, ...], rows: tuple[str, ...], aggregate: str | None) -> list[Cell]:
    """Every cell that is no aggregate: the SQL names of the levels with its labels, and ``Value``."""
    above = [
        [table.grid[level][column].text for level in range(len(columns))] for column in range(table.n_columns)
    ]
    found: list[Cell] = []
    parent = ""
    for row in range(len(columns), table.n_rows):
        labels = [table.grid[row][level].text for level in range(len(rows))]
        origins = [table.origins[row][level] for level in range(len(rows))]
        below = table.grid[row + 1][0].text if row + 1 < table.n_rows else "-"
        if len(rows) > 1 and len(set(origins)) == 1 and below == "":
            parent = labels[0]  # an indented group's own row: a label over the whole row header
            continue
        if labels[0] == "":
            labels[0] = parent
        for column in range(len(rows), table.n_columns):
            if aggregate in labels or aggregate in above[column]:
                continue
            names = [re.sub(r"[^A-Za-z0-9]", "_", name) for name in (*columns, *rows)]
            cell: Cell = dict(zip(names, [*above[column], *labels], strict=True))
            found.append({**cell, "Value": Decimal(table.grid[row][column].text)})
    return found


@dataclass
class Query:
    """One SELECT, read."""

    selected: list[tuple[str, str]]
    where: list[Condition] = field(default_factory=list)
    grouped: list[str] = field(default_factory=list)
    direction: str = ""
    limit: int | None = None


def answer(sql: str, table: list[Cell]) -> tuple[list[list[str]], bool]:
    """The rows of the answer, and whether their order means something."""
    query = Reader(sql, table).query()
    kept = [cell for cell in table if all(condition(cell) for condition in query.where)]
    return _result(query, kept), bool(query.grouped or query.direction)


def selected_cells(sql: str, table: list[Cell]) -> list[Cell]:
    """The cells that the conditions of a query leave."""
    query = Reader(sql, table).query()
    return [cell for cell in table if all(condition(cell) for condition in query.where)]


def _result(query: Query, kept: list[Cell]) -> list[list[str]]:
    if query.grouped:
        groups: dict[tuple[str, ...], list[Cell]] = {}
        for cell in kept:
            groups.setdefault(tuple(str(cell[name]) for name in query.grouped), []).append(cell)
        lines = [
            _line(query, groups[key])
            for key in sorted(groups, key=lambda key: [part.encode() for part in key])
        ]
    elif any(function for function, _ in query.selected):
        lines = [_line(query, kept)]
    else:
        if query.direction:
            kept = sorted(kept, key=lambda cell: cell["Value"], reverse=query.direction == "DESC")
        lines = [_line(query, [cell]) for cell in kept]
    return lines[: query.limit]


def _line(query: Query, group: list[Cell]) -> list[str]:
    return [_value(function, name, group) for function, name in query.selected]


def _value(function: str, name: str, group: list[Cell]) -> str:
    found = [cell[name] for cell in group]
    if isinstance(found[0], str):
        return found[0]
    numbers = [Decimal(value) for value in found]
    results = {
        "": lambda: numbers[0],
        "sum": lambda: sum(numbers, Decimal(0)),
        "min": lambda: min(numbers),
        "max": lambda: max(numbers),
        "avg": lambda: (sum(numbers, Decimal(0)) / len(numbers)).quantize(Decimal("0.01"), ROUND_HALF_EVEN),
    }
    text = f"{results[function]():f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


class Reader:
    """Reads the SQL of the questions, token by token."""

    def __init__(self, sql: str, table: list[Cell]) -> None:
        self.tokens = _TOKEN.findall(sql)
        assert "".join(self.tokens) == re.sub(r"\s+(?=(?:[^']*'[^']*')*[^']*$)", "", sql), sql
        self.table = table

    def query(self) -> Query:
        self.take("SELECT")
        query = Query(self.list(self.output))
        self.take("FROM")
        self.take("DBdata")
        self.take("WHERE")
        query.where = [self.conjunction()]
        if self.maybe("GROUP"):
            self.take("BY")
            query.grouped = self.list(self.name)
        if self.maybe("ORDER"):
            self.take("BY")
            assert self.name() == "Value"
            query.direction = self.tokens.pop(0)
        if self.maybe("LIMIT"):
            query.limit = int(self.tokens.pop(0))
        return query

    def output(self) -> tuple[str, str]:
        if self.tokens[1] == "(":
            function = self.tokens.pop(0)
            self.take("(")
            name = self.name()
            self.take(")")
            return function, name
        return "", self.name()

    def disjunction(self) -> Condition:
        parts = [self.conjunction()]
        while self.maybe("OR"):
            parts.append(self.conjunction())
        return lambda cell: any(part(cell) for part in parts)

    def conjunction(self) -> Condition:
        parts = [self.term()]
        while self.maybe("AND"):
            parts.append(self.term())
        return lambda cell: all(part(cell) for part in parts)

    def term(self) -> Condition:
        if self.tokens[0] == "(" and self.is_tuple():
            self.take("(")
            names = self.list(self.name)
            self.take(")")
            return self.nested(names)
        if self.maybe("("):
            inner = self.disjunction()
            self.take(")")
            return inner
        return self.comparison(self.name())

    def comparison(self, name: str) -> Condition:
        sign = self.tokens.pop(0)
        if sign == "=":
            wanted = self.text()
            return lambda cell: cell[name] == wanted
        if sign == "IN":
            self.take("(")
            values = set(self.list(self.text))
            self.take(")")
            return lambda cell: cell[name] in values
        bound = Decimal(self.tokens.pop(0))
        above = {"<": False, ">": True}[sign]
        return lambda cell: Decimal(cell[name]) > bound if above else Decimal(cell[name]) < bound

    def nested(self, names: list[str]) -> Condition:
        self.take("IN")
        self.take("(")
        query = self.query()
        self.take(")")
        inner = [cell for cell in self.table if all(condition(cell) for condition in query.where)]
        found = {tuple(cell[name] for _, name in query.selected) for cell in inner}
        return lambda cell: tuple(cell[name] for name in names) in found

    def is_tuple(self) -> bool:
        """``(A,B) IN (`` or ``(A) IN (`` against ``(A IN (`` and ``((A = ``."""
        close = self.tokens.index(")")
        inside = self.tokens[1:close]
        return self.tokens[close + 1 : close + 2] == ["IN"] and "(" not in inside and "=" not in inside

    def list(self, one: Callable[[], object]) -> list:
        found = [one()]
        while self.maybe(","):
            found.append(one())
        return found

    def name(self) -> str:
        return self.tokens.pop(0).strip('"')

    def text(self) -> str:
        return self.tokens.pop(0)[1:-1].replace("''", "'")

    def take(self, token: str) -> None:
        found = self.tokens.pop(0)
        assert found == token, f"{found} for {token}"

    def maybe(self, token: str) -> bool:
        if self.tokens[:1] == [token]:
            del self.tokens[0]
            return True
        return False
