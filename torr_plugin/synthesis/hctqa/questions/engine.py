"""Runs a question's SQL on the relational table, in memory, with nothing else within its reach."""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Decimal
from types import TracebackType
from typing import Any

from ....core.errors import InputError
from ..instance import NUM_DECIMAL_DIGITS_REAL_FORMAT
from ..layout.relational import Relational
from .answers import Value, write_answer
from .sql import TABLE, identifier

_MOST_ROWS = 100_000
_MOST_STEPS = 50_000_000
_STEPS_A_CHECK = 100_000
_FUNCTIONS = frozenset(
    {"sum", "avg", "min", "max", "count", "total", "abs", "round", "lower", "upper", "like"}
)
_UNIT = Decimal(1).scaleb(-NUM_DECIMAL_DIGITS_REAL_FORMAT)


class SqlError(InputError):
    """SQL that cannot be run on this table."""


class Engine:
    """SQL on one relational table, as ``DBdata``; a context manager, for many queries on one table.

    It reads that table and calls a few of SQL's functions, no more: no other statement, no file, no pragma.
    ``avg`` is exact and rounded half to even to two decimals, as the tables' aggregates are; a sum of reals
    is exact.

    Raises:
        SqlError: two columns with one name.
    """

    def __init__(self, relational: Relational) -> None:
        import sqlite3

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
        self._connection.create_aggregate("avg", 1, _Mean)  # type: ignore[arg-type]
        if not whole:
            self._connection.create_aggregate("sum", 1, _Sum)  # type: ignore[arg-type]
        self._connection.set_progress_handler(self._tick, _STEPS_A_CHECK)

    def rows(self, sql: str) -> list[tuple[Value, ...]]:
        """What a SELECT gives, in the order of the relational table where the SQL asks for none.

        Raises:
            SqlError: SQL that is wrong, or anything but a SELECT, or one that runs or returns without end.
        """
        self._steps = 0
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

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _tick(self) -> int:
        self._steps += _STEPS_A_CHECK
        return int(self._steps > _MOST_STEPS)


def run_sql(relational: Relational, sql: str) -> str:
    """The answer that a query on the table gives, ``{a | b} || {c | d}``.

    Raises:
        SqlError: as :class:`Engine`.
    """
    with Engine(relational) as engine:
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
    def finalize(self) -> float | None:
        if not self.count:
            return None
        return float((self.total / self.count).quantize(_UNIT, ROUND_HALF_EVEN))


def _is_whole(value: object) -> bool:
    return isinstance(value, int) or (isinstance(value, Decimal) and value == value.to_integral_value())


def _authorizer() -> Callable[..., int]:
    import sqlite3

    allowed = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION}

    def authorize(action: int, first: str | None, second: str | None, *_origin: object) -> int:
        if action == sqlite3.SQLITE_FUNCTION and second not in _FUNCTIONS:
            return sqlite3.SQLITE_DENY
        return sqlite3.SQLITE_OK if action in allowed else sqlite3.SQLITE_DENY

    return authorize
