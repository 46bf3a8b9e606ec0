"""SQL on the relational table: the benchmark's sample, exact numbers, and nothing else within reach."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.core.errors import InputError
from torr_plugin.synthesis.hctqa.layout.relational import Relational
from torr_plugin.synthesis.hctqa.sql import SqlEngine, SqlError, read_answer, run_sql, write_answer

from ..benchmark_sample import sampled


def _relational(text: str) -> Relational:
    names, sql_names, *rows = [row for row in csv.reader(io.StringIO(text)) if row]
    return Relational(tuple(names), tuple(sql_names), tuple((*row[:-1], Decimal(row[-1])) for row in rows))


@pytest.mark.parametrize("version", ["", "_nonsem"])
def test_the_samples_sql_gives_the_published_answers(shared_data: Path, version: str) -> None:
    """1,733 questions; no exception.

    The published nonsensical answers are the others with their words replaced, so their groups stand in the
    order of the words before: there the rows are compared in any order.
    """
    import pandas as pd

    sample = pd.read_parquet(shared_data / "hctqa" / "synthetic_sample.parquet")
    asked, wrong = 0, []
    for _, questions in sample.groupby("table_id"):
        with SqlEngine(_relational(questions[f"relational_csv{version}"].iloc[0])) as engine:
            for row in questions.itertuples():
                asked += 1
                found, published = (
                    engine.answer(getattr(row, f"sql{version}")),
                    getattr(row, f"answer{version}"),
                )
                if version and "GROUP BY" in row.sql:
                    found, published = sorted(read_answer(found)), sorted(read_answer(published))
                if found != published:
                    wrong.append(row.question_id)
    assert asked == 1733
    assert wrong == []


def _table(*values: str, names: tuple[str, ...] = ("Key", "Value")) -> Relational:
    return Relational(
        names, names, tuple((f"k{index}", Decimal(value)) for index, value in enumerate(values))
    )


@pytest.mark.parametrize(
    ("values", "sql", "expected"),
    [
        (["0.1", "0.2"], "sum(Value)", "{0.3}"),
        (
            ["0.01", "0.02"],
            "avg(Value)",
            "{0.02}",
        ),  # a tie goes to the even neighbour, which binary floats miss
        (["0.02", "0.03"], "avg(Value)", "{0.02}"),
        (["49", "49", "49", "49", "49", "49", "49", "52"], "avg(Value)", "{49.38}"),
        (["1", "2", "2"], "avg(Value)", "{1.67}"),
        (["-0.01", "0.01"], "sum(Value)", "{0}"),
        (["28.50", "3.10"], "Value", "{28.5} || {3.1}"),
        (["100", "20"], "max(Value),min(Value)", "{100 | 20}"),
    ],
)
def test_numbers_are_exact(values: list[str], sql: str, expected: str) -> None:
    assert run_sql(_table(*values), f"SELECT {sql} FROM DBdata") == expected


@pytest.mark.parametrize(
    "sql",
    [
        "DROP TABLE DBdata",
        "SELECT Nothing FROM DBdata",
        "ATTACH '/tmp/x.db' AS other",
        "PRAGMA writable_schema = 1",
        "SELECT Value FROM DBdata; SELECT 1",
        "SELECT load_extension('x')",
        "SELECT randomblob(1000000000)",
        "not SQL",
        "SELECT '\0'",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n",
    ],
)
def test_anything_but_a_select_on_the_table_is_refused(sql: str) -> None:
    with pytest.raises(SqlError) as raised:
        run_sql(_table("1"), sql)
    assert len(str(raised.value)) < 300


def test_an_endless_select_is_stopped() -> None:
    joins = ", ".join(f"DBdata AS t{index}" for index in range(9))
    with SqlEngine(_table(*map(str, range(30)))) as engine, pytest.raises(SqlError, match="interrupted"):
        engine.rows(f"SELECT count(*) FROM {joins}")


def test_two_columns_of_one_name_are_refused() -> None:
    with pytest.raises(SqlError, match="different names"):
        SqlEngine(_table("1", names=("Value", "Value")))


_LABEL = st.text(st.characters(exclude_categories=["C"], exclude_characters="{}|"), max_size=8).map(str.strip)


@given(st.lists(st.lists(_LABEL, min_size=1, max_size=3), min_size=1, max_size=4))
def test_an_answer_is_read_as_it_was_written(rows: list[list[str]]) -> None:
    assert read_answer(write_answer(rows)) == rows


@pytest.mark.parametrize("text", ["{a", "a}", "{a} || b", "{a {b}}", "}a{"])
def test_braces_that_do_not_match_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="expected"):
        read_answer(text)


def test_the_tables_rebuilt_from_the_grid_answer_too(shared_data: Path) -> None:
    """The published tables as HTML, read back into relational rows, of which none may stand twice.

    In four of the 120 the reference wrote every row twice (one level of rows, indented).
    """
    import pandas as pd

    from torr_plugin.synthesis.hctqa.layout.relational import unpivot

    sample = pd.read_parquet(shared_data / "hctqa" / "synthetic_sample.parquet")
    asked, twice, wrong = 0, 0, []
    for one in sampled(shared_data):
        questions = sample[sample.table_id == one.instance.table_id]
        rebuilt = unpivot(one.table, one.values)
        rows = tuple(dict.fromkeys(rebuilt.rows))
        twice += len(rows) < len(rebuilt.rows)
        with SqlEngine(replace(rebuilt, rows=rows)) as engine:
            for row in questions.itertuples():
                asked += 1
                found, published = read_answer(engine.answer(row.sql)), read_answer(row.answer)
                ordered = "ORDER BY" in row.sql or "GROUP BY" in row.sql
                if (found if ordered else sorted(found)) != (published if ordered else sorted(published)):
                    wrong.append(row.question_id)
    assert asked == 1733
    assert wrong == []
    assert twice == 4
