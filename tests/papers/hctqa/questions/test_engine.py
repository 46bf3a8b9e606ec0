"""SQL on the relational table: the benchmark's sample, and exact numbers."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.core.errors import InputError
from torr_plugin.papers.hctqa.generator.layout.relational import Relational
from torr_plugin.papers.hctqa.generator.sql import SqlEngine, read_answer, write_answer

from ..benchmark_sample import relational_of


@pytest.mark.full
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
        with SqlEngine(relational_of(questions[f"relational_csv{version}"].iloc[0])) as engine:
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


def _table(*values: str) -> Relational:
    names = ("Key", "Value")
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
    with SqlEngine(_table(*values)) as engine:
        assert engine.answer(f"SELECT {sql} FROM DBdata") == expected


_LABEL = st.text(st.characters(exclude_categories=["C"], exclude_characters="{}|"), max_size=8).map(str.strip)


@given(st.lists(st.lists(_LABEL, min_size=1, max_size=3), min_size=1, max_size=4))
def test_an_answer_is_read_as_it_was_written(rows: list[list[str]]) -> None:
    assert read_answer(write_answer(rows)) == rows


@pytest.mark.parametrize("text", ["{a", "a}", "{a} || b", "{a {b}}", "}a{"])
def test_braces_that_do_not_match_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="expected"):
        read_answer(text)
