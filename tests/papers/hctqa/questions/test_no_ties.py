"""No question has an answer that depends on how one rounds an average."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from decimal import Decimal
from fractions import Fraction

import pytest

from torr_plugin.papers.hctqa.generator.dataset import GeneratedTable
from torr_plugin.papers.hctqa.generator.layout.relational import relational
from torr_plugin.papers.hctqa.generator.sql import SqlEngine

from .subjects import instance

AVERAGED = (4, 5, 7, 8, 9, 10, 11)


def averages(generated: GeneratedTable, sql: str) -> Iterator[Fraction]:
    """Every average that a query takes, exactly: sqlite gives the values alone."""
    with closing(sqlite3.connect(":memory:")) as connection:
        names = [f'"{name}"' for name in generated.relational.sql_names]
        connection.execute(f"CREATE TABLE DBdata ({', '.join(names)})")
        marks = ", ".join("?" * len(names))
        rows = [tuple(map(str, row)) for row in generated.relational.rows]
        connection.executemany(f"INSERT INTO DBdata VALUES ({marks})", rows)
        found = connection.execute(sql.replace("avg(Value)", "'=' || group_concat(Value, '+')")).fetchall()
    for value in (value for row in found for value in row):
        if isinstance(value, str) and value.startswith("="):
            values = [Fraction(Decimal(text)) for text in value[1:].split("+")]
            yield sum(values, Fraction(0)) / len(values)


@pytest.mark.full
def test_no_average_lies_half_way_between_two_values(made: list[GeneratedTable]) -> None:
    taken = [
        average
        for generated in made
        for question in generated.questions
        if question.template in AVERAGED
        for average in averages(generated, question.sql)
    ]
    assert len(taken) > 300
    assert [average for average in taken if (100 * average).denominator == 2] == []


def test_the_engine_tells_of_a_tie_of_the_last_query_alone() -> None:
    values = ((Decimal("0.01"), Decimal("0.02"), Decimal("0.04"), Decimal("0.5")),)
    subject = instance(values=values * 3, decimals=2)
    with SqlEngine(relational(subject)) as engine:
        where = "WHERE Import_Export = 'Import' AND Item = 'Tea'"
        assert engine.answer(f"SELECT avg(Value) FROM DBdata {where}") == "{0.02}"  # 0.015
        assert engine.has_tie
        assert engine.answer(f"SELECT sum(Value) FROM DBdata {where}") == "{0.03}"
        assert not engine.has_tie
