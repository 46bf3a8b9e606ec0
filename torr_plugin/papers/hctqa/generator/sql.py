"""A question as SQL, run on the relational table in memory, and its answer: ``{a | b} || {c | d}``."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

from ....core.errors import InputError
from .instance import NUM_DECIMAL_DIGITS_REAL_FORMAT, Path
from .layout.relational import Relational
from .parameters.loading import VALUE
from .parameters.models import sql_name
from .question_kinds import Comparison, QuestionPlan
from .question_selection import SelectedPart

TABLE = "DBdata"
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# SQLite's keywords, which cannot be names without quotation marks
_KEYWORDS = frozenset(
    # a text is read more easily than seventy quoted words
    "add all alter and as autoincrement between case check collate commit constraint create default "  # noqa: SIM905
    "deferrable delete distinct drop else escape except exists foreign from group having if in index insert "
    "intersect into is isnull join limit not notnull null on or order primary references returning select "
    "set table then to transaction union unique update using values when where".split()
)


def write_sql(plan: QuestionPlan) -> str:
    """The query that gives a question's answer: columns' conditions, then rows', then the rest."""
    if plan.comparison is not None and plan.kind == 14:
        return _compared(plan.comparison, _columns(plan.reported))
    conditions = [_condition(plan.columns, plan.kind)]
    if plan.comparison is not None:
        names = _columns(plan.reported)
        conditions.append(f"({names}) IN ({_compared(plan.comparison, names)})")
    if plan.rows is not None:
        conditions.append(_condition(plan.rows))
    where = " AND ".join(conditions)
    return f"SELECT {_selected(plan)} FROM {TABLE} WHERE {where}{_ending(plan)}"  # noqa: S608 (texts are quoted)


@lru_cache(maxsize=4096)
def identifier(name: str) -> str:
    """A column's name, quoted only where SQL needs it."""
    if _PLAIN.fullmatch(name) and name.lower() not in _KEYWORDS:
        return name
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def _column(attribute: str) -> str:
    return identifier(sql_name(attribute))


def _columns(attributes: tuple[str, ...]) -> str:
    return ",".join([_column(attribute) for attribute in attributes])


def _condition(part: SelectedPart, kind: int = 0) -> str:
    if len(part.attributes) == 1:
        return f"({_in(part.attributes[0], part.paths)})"
    if kind == 5:
        # an aggregate's values: one prefix, and all the values below it
        fixed = [_equals(name, part.paths[0][index]) for index, name in enumerate(part.attributes[:-1])]
        return " AND ".join([*fixed, f"({_in(part.attributes[-1], part.paths)})"])
    names = [_column(attribute) for attribute in part.attributes]
    terms = [
        "("
        + " AND ".join([f"{name} = {literal(value)}" for name, value in zip(names, path, strict=True)])
        + ")"
        for path in part.paths
    ]
    return f"({' OR '.join(terms)})"


def _equals(attribute: str, value: str) -> str:
    return f"{_column(attribute)} = {literal(value)}"


def _in(attribute: str, paths: tuple[Path, ...]) -> str:
    return f"{_column(attribute)} IN ({','.join([literal(path[-1]) for path in paths])})"


def _selected(plan: QuestionPlan) -> str:
    computed = [f"{function}({VALUE})" for function in plan.functions] or [VALUE]
    return ",".join([_column(name) for name in plan.reported] + computed)


def _ending(plan: QuestionPlan) -> str:
    grouped = f" GROUP BY {_columns(plan.grouped)}" if plan.grouped else ""
    ordered = f" ORDER BY {VALUE} {plan.direction}" if plan.direction else ""
    limited = f" LIMIT {plan.limit}" if plan.limit is not None else ""
    return grouped + ordered + limited


def _compared(comparison: Comparison, names: str) -> str:
    column = _condition(comparison.within)
    where = f"{column} AND {VALUE} {comparison.operator} {comparison.threshold:f}"
    return f"SELECT {names} FROM {TABLE} WHERE {where}"  # noqa: S608 (texts are quoted)


_UNIT = Decimal(1).scaleb(-NUM_DECIMAL_DIGITS_REAL_FORMAT)


class SqlEngine:
    """SQL on one relational table, as ``DBdata``; a context manager, for many queries on one table.

    ``avg`` is exact and rounded half to even to two decimals, as the tables' aggregates are; a sum of reals
    is exact.

    Attributes:
        has_tie: whether an average of the last query lies exactly half way between two values of its last
            decimal, so that its answer depends on how one rounds.
    """

    has_tie: bool = False

    def __init__(self, relational: Relational) -> None:
        self._connection = sqlite3.connect(":memory:", isolation_level=None)
        names = relational.sql_names
        whole = all(_is_whole(row[-1]) for row in relational.rows)
        types = [*["TEXT"] * (len(names) - 1), "INTEGER" if whole else "REAL"]
        columns = ", ".join(f"{identifier(name)} {type_}" for name, type_ in zip(names, types, strict=True))
        number: Callable[[Any], int | float] = int if whole else float
        self._connection.execute(f"CREATE TABLE {TABLE} ({columns})")
        self._connection.executemany(
            f"INSERT INTO {TABLE} VALUES ({', '.join('?' * len(names))})",  # noqa: S608 (no text of a user)
            [(*row[:-1], number(row[-1])) for row in relational.rows],
        )
        # the type of what sqlite3 expects is a protocol whose methods type checkers see as any
        self._connection.create_aggregate("avg", 1, partial(_Mean, self._note_tie))  # type: ignore[arg-type]
        if not whole:
            self._connection.create_aggregate("sum", 1, _Sum)  # type: ignore[arg-type]

    def answer(self, sql: str) -> str:
        """The answer of a query in the benchmark's notation.

        Without an ``ORDER BY``, rows come in the order of the relational table.
        """
        self.has_tie = False
        return write_answer(self._connection.execute(sql))

    def close(self) -> None:
        """Drop the table."""
        self._connection.close()

    def __enter__(self) -> SqlEngine:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _note_tie(self) -> None:
        self.has_tie = True


class _Sum:
    """SQL's ``sum`` on decimals, without the error of binary fractions; NULL over no rows."""

    def __init__(self) -> None:
        self.total = Decimal(0)
        self.count = 0

    def step(self, value: int | float | str | None) -> None:
        if value is not None:
            self.total += value if isinstance(value, int) else Decimal(repr(value))
            self.count += 1

    def finalize(self) -> float | None:
        return float(self.total) if self.count else None


class _Mean(_Sum):
    """SQL's ``avg``, rounded; calls ``on_tie`` for a mean half way between two values of the last decimal."""

    def __init__(self, on_tie: Callable[[], None]) -> None:
        super().__init__()
        self._on_tie = on_tie

    def finalize(self) -> float | None:
        if not self.count:
            return None
        if (Fraction(self.total) / self.count / Fraction(_UNIT)).denominator == 2:
            self._on_tie()
        return float((self.total / self.count).quantize(_UNIT, ROUND_HALF_EVEN))


def _is_whole(value: object) -> bool:
    return isinstance(value, int) or (isinstance(value, Decimal) and value == value.to_integral_value())


Value = str | int | float | None


def write_answer(rows: Iterable[Sequence[Value]]) -> str:
    """Rows of values in the benchmark's notation; numbers rounded, without zeros at the end of a fraction."""
    return " || ".join("{" + " | ".join([_text(value) for value in row]) + "}" for row in rows)


def read_answer(text: str) -> list[list[str]]:
    """The rows and values of an answer; one without braces is one value.

    Raises:
        InputError: braces that do not match.
    """
    if "{" not in text and "}" not in text:
        return [[text.strip()]]
    return [_row(row.strip(), text) for row in text.split("||")]


def _row(row: str, text: str) -> list[str]:
    if not (row.startswith("{") and row.endswith("}")) or "{" in row[1:] or "}" in row[:-1]:
        raise InputError(f"answer {text[:60]!r}: found {row[:40]!r}; expected {{a | b}} || {{c | d}}")
    return [value.strip() for value in row[1:-1].split("|")]


def _text(value: Value) -> str:
    if isinstance(value, float):
        written = f"{value:.{NUM_DECIMAL_DIGITS_REAL_FORMAT}f}"
        trimmed = written.rstrip("0").rstrip(".")
        return "0" if trimmed == "-0" else trimmed
    return "" if value is None else str(value)
