"""A question as SQL, run on the relational table in memory, and its answer: ``{a | b} || {c | d}``."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from functools import lru_cache, partial
from types import TracebackType
from typing import Any

from ...core.errors import InputError
from .instance import NUM_DECIMAL_DIGITS_REAL_FORMAT, Path
from .layout.relational import Relational
from .parameters.loading import VALUE
from .parameters.models import sql_name
from .question_kinds import Comparison, QuestionPlan
from .question_selection import SelectedPart

TABLE = "DBdata"
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# SQLite's words that cannot stand as a name
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
    """A column's name, quoted only where SQL would not read it else."""
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


_MOST_ROWS = 100_000
_MOST_STEPS = 50_000_000
_STEPS_A_CHECK = 100_000
_FUNCTIONS = frozenset(
    {"sum", "avg", "min", "max", "count", "total", "abs", "round", "lower", "upper", "like"}
)
_UNIT = Decimal(1).scaleb(-NUM_DECIMAL_DIGITS_REAL_FORMAT)


class SqlError(InputError):
    """SQL that cannot be run on this table."""


class SqlEngine:
    """SQL on one relational table, as ``DBdata``; a context manager, for many queries on one table.

    It reads that table and calls a few of SQL's functions, no more: no other statement, no file, no pragma.
    ``avg`` is exact and rounded half to even to two decimals, as the tables' aggregates are; a sum of reals
    is exact.

    Attributes:
        has_tie: whether an average of the last query lies exactly half way between two values of its last
            decimal, so that its answer depends on how one rounds.

    Raises:
        SqlError: two columns with one name.
    """

    has_tie: bool = False

    def __init__(self, relational: Relational) -> None:

        self._connection = sqlite3.connect(":memory:", isolation_level=None)
        self._errors = (sqlite3.Error, sqlite3.Warning, ValueError)
        try:
            self._fill(relational)
        except sqlite3.Error as error:
            self._connection.close()
            raise SqlError(f"relational table: {error}; expected columns of different names") from error
        self._connection.set_authorizer(_authorizer())
        self._steps = 0

    def _fill(self, relational: Relational) -> None:
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
        self._connection.set_progress_handler(self._tick, _STEPS_A_CHECK)

    def rows(self, sql: str) -> list[tuple[Value, ...]]:
        """What a SELECT gives, in the order of the relational table where the SQL asks for none.

        Raises:
            SqlError: SQL that is wrong, or anything but a SELECT, or one that runs or returns without end.
        """
        self._steps, self.has_tie = 0, False
        try:
            found = self._connection.execute(sql).fetchmany(_MOST_ROWS + 1)
        except self._errors as error:
            raise SqlError(f"SQL {sql[:120]!r}: {error}; expected a SELECT on {TABLE}") from error
        if len(found) > _MOST_ROWS:
            raise SqlError(f"SQL {sql[:120]!r}: more than {_MOST_ROWS:,} rows; expected fewer")
        return found

    def answer(self, sql: str) -> str:
        """The answer in the benchmark's notation; raises as :meth:`rows`."""
        return write_answer(self.rows(sql), NUM_DECIMAL_DIGITS_REAL_FORMAT)

    def close(self) -> None:
        """Drops the table."""
        self._connection.close()

    def __enter__(self) -> SqlEngine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _note_tie(self) -> None:
        self.has_tie = True

    def _tick(self) -> int:
        self._steps += _STEPS_A_CHECK
        return int(self._steps > _MOST_STEPS)


def run_sql(relational: Relational, sql: str) -> str:
    """The answer that a query on the table gives, ``{a | b} || {c | d}``.

    Raises:
        SqlError: as :class:`SqlEngine`.
    """
    with SqlEngine(relational) as engine:
        return engine.answer(sql)


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
    """SQL's ``avg``, rounded; tells of a mean that lies half way between two values of the last decimal."""

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


def _authorizer() -> Callable[..., int]:

    allowed = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION}

    def authorize(action: int, first: str | None, second: str | None, *_origin: object) -> int:
        if action == sqlite3.SQLITE_FUNCTION and second not in _FUNCTIONS:
            return sqlite3.SQLITE_DENY
        return sqlite3.SQLITE_OK if action in allowed else sqlite3.SQLITE_DENY

    return authorize


Value = str | int | float | None
_NOT_HELD = "{}|"


def write_answer(rows: Iterable[Sequence[Value]], digits: int = 2) -> str:
    """Rows of values in the benchmark's notation; numbers rounded, without zeros at the end of a fraction."""
    return " || ".join("{" + " | ".join([_text(value, digits) for value in row]) + "}" for row in rows)


def read_answer(text: str) -> list[list[str]]:
    """The rows and values of an answer; one without braces is one value.

    Raises:
        InputError: braces that do not match.
    """
    if "{" not in text and "}" not in text:
        return [[text.strip()]]
    return [_row(row.strip(), text) for row in text.split("||")]


def holds(label: str) -> bool:
    """Whether the notation can hold a text: it knows no escape for its own marks."""
    return not any(mark in label for mark in _NOT_HELD)


def _row(row: str, text: str) -> list[str]:
    if not (row.startswith("{") and row.endswith("}")) or "{" in row[1:] or "}" in row[:-1]:
        raise InputError(f"answer {text[:60]!r}: found {row[:40]!r}; expected {{a | b}} || {{c | d}}")
    return [value.strip() for value in row[1:-1].split("|")]


def _text(value: Value, digits: int) -> str:
    if isinstance(value, float):
        written = f"{value:.{digits}f}"
        trimmed = written.rstrip("0").rstrip(".") if "." in written else written
        return "0" if trimmed == "-0" else trimmed
    return "" if value is None else str(value)
