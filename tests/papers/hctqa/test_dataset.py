"""Data sets: deterministic, streamed, written the same by any number of processes, no table twice."""

from __future__ import annotations

import csv
import hashlib
import io
import itertools
import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pandas as pd
import pytest

from torr_plugin.papers.hctqa.generator.combinations import PlannedTable, combinations, plan_tables
from torr_plugin.papers.hctqa.generator.dataset import (
    GeneratedTable,
    GenerationSettings,
    fingerprint,
    generate,
    generate_table,
)
from torr_plugin.papers.hctqa.generator.layout.pivot import hct_table
from torr_plugin.papers.hctqa.generator.layout.relational import relational
from torr_plugin.papers.hctqa.generator.output.writing import (
    OutputOptions,
    write_tables,
)
from torr_plugin.papers.hctqa.generator.parameters.loading import Parameters
from torr_plugin.papers.hctqa.generator.sampling import sample_instance
from torr_plugin.papers.hctqa.generator.sql import SqlEngine, read_answer
from torr_plugin.tables import serializers

from .small import parameters


def write(parameters: Parameters, folder: Path, tables: int, *, nonsense: bool = False) -> dict[str, int]:
    return write_tables(generate(parameters, tables=tables, seed=5), folder, OutputOptions(5, nonsense))


def test_equal_seeds_give_equal_data_sets_and_a_smaller_one_is_the_beginning(
    ours: Parameters, made: list[GeneratedTable]
) -> None:
    again = list(generate(ours, tables=12, seed=5))
    assert [(one.instance, one.table, one.questions) for one in again] == [
        (one.instance, one.table, one.questions) for one in made[:12]
    ]
    other = next(iter(generate(ours, tables=1, seed=6)))
    assert other.instance != made[0].instance


def test_chance_is_the_same_on_every_machine_and_python() -> None:
    known = parameters()
    texts = []
    for family in known.tables.tables:
        for combination in combinations(known.tables, family):
            table = hct_table(sample_instance(known, combination, 1, seed=9))
            texts.append([[cell.text for cell in row] for row in table.grid])
    digest = hashlib.sha256(json.dumps(texts).encode()).hexdigest()
    assert digest == "73b1e7fab79d8c862e4a04450f98ce37ee27933c65bf1741e625285939fb7080"


def test_the_types_wanted_do_not_change_the_others(ours: Parameters, made: list[GeneratedTable]) -> None:
    for one, few in zip(made, generate(ours, tables=20, seed=5, kinds=(1, 12)), strict=False):
        assert [asked for asked in one.questions if asked.template in (1, 12)] == list(few.questions)


def test_no_table_and_no_number_is_there_twice(made: list[GeneratedTable]) -> None:
    assert (
        len({fingerprint(one) for one in made}) == len({one.instance.table_id for one in made}) == len(made)
    )
    for one in made:
        numbers = list(itertools.chain.from_iterable(one.instance.values))
        assert len(set(numbers)) == len(numbers)


def test_families_take_turns(ours: Parameters, made: list[GeneratedTable]) -> None:
    counts = Counter(one.instance.family for one in made)
    assert set(counts) == set(ours.families)
    assert max(counts.values()) - min(counts.values()) <= 1


def test_answers_are_those_of_the_sql(made: list[GeneratedTable]) -> None:
    for one in made[:30]:
        assert one.questions
        with SqlEngine(one.relational) as engine:
            for asked in one.questions:
                assert engine.answer(asked.sql) == asked.answer != ""


def test_without_a_number_every_combination_comes_replica_times(ours: Parameters) -> None:
    plan = Counter(one.combination.name for one in plan_tables(ours, seed=1))
    assert set(plan.values()) == {ours.tables.replica}
    layouts = len(list(itertools.islice(plan_tables(ours, seed=1, tables=10**9), 10)))
    assert layouts == 10  # an endless plan is not made at once


@pytest.mark.parametrize("replica", [1, 2])
def test_the_benchmark_s_own_files_reach_all_their_combinations(theirs: Parameters, replica: int) -> None:
    first = list(plan_tables(theirs, seed=3, tables=7 * 360))
    assert len({one.combination.name for one in first}) == 7 * 360
    assert sum(1 for _ in plan_tables(theirs, seed=3)) == 7 * 360 * theirs.tables.replica
    for one in first[replica::9]:
        instance = sample_instance(theirs, one.combination, replica, seed=3)
        kept = (*one.combination.columns, *one.combination.rows)
        names = [name for code, _ in kept for name in theirs.attributes[code].names]
        assert list(instance.order) == names
        assert sorted(names) == sorted((*instance.columns.attributes, *instance.rows.attributes))
        assert len(relational(instance).rows) == len(instance.columns.leaves) * len(instance.rows.leaves)


def test_another_draw_replaces_a_table_that_is_there_already(
    ours: Parameters, monkeypatch: pytest.MonkeyPatch
) -> None:
    same = [next(iter(plan_tables(ours, seed=1, tables=1)))] * 3
    monkeypatch.setattr("torr_plugin.papers.hctqa.generator.dataset.plan_tables", lambda *_, **__: same)
    assert len(set(map(fingerprint, generate(ours, tables=3, seed=1, kinds=(1,))))) == 3


@pytest.mark.full
def test_files_hold_what_was_generated(ours: Parameters, made: list[GeneratedTable], tmp_path: Path) -> None:
    alone = write(ours, tmp_path / "one", 16, nonsense=True)
    assert alone["tables"] == 16
    assert {path.name for path in (tmp_path / "one").iterdir()} == {"tables.parquet", "questions.parquet"}
    tables = pd.read_parquet(tmp_path / "one" / "tables.parquet")
    questions = pd.read_parquet(tmp_path / "one" / "questions.parquet")
    assert len(questions) == alone["questions"] == sum(len(one.questions) for one in made[:16])
    for row, one in zip(tables.itertuples(), made, strict=False):
        assert (row.table_id, row.topic) == (one.instance.table_id, one.instance.family)
        assert serializers.get("html").parse(str(row.html)) == one.table.texts_only
        assert serializers.get("latex").serialize(one.table) == row.latex
        read = list(csv.reader(io.StringIO(str(row.relational_csv))))
        assert read == [list(one.relational.sql_names), *([*map(str, line)] for line in one.relational.rows)]
        assert serializers.get("canonical_csv").serialize(one.table.replace(title="")) == row.csv
        assert json.loads(str(row.properties)) == one.properties
    flat = [asked for one in made[:16] for asked in one.questions]
    for row, asked in zip(questions.itertuples(), flat, strict=True):
        assert (row.question_id, row.template, row.question, row.sql, row.answer) == (
            asked.question_id, asked.template, asked.question, asked.sql, asked.answer
        )  # fmt: skip


def test_a_plan_of_no_tables_writes_empty_files(ours: Parameters, tmp_path: Path) -> None:
    assert write(ours, tmp_path, 0) == {"tables": 0, "questions": 0}
    assert list(pd.read_parquet(tmp_path / "questions.parquet").columns)[:2] == ["question_id", "table_id"]


def test_an_error_leaves_no_file(ours: Parameters, tmp_path: Path) -> None:
    options = OutputOptions(1)

    def broken() -> Iterator[GeneratedTable]:
        yield next(iter(generate(ours, tables=1, seed=1)))
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        write_tables(broken(), tmp_path, options)
    assert list(tmp_path.iterdir()) == []


def test_planned_tables_can_be_made_alone(ours: Parameters, made: list[GeneratedTable]) -> None:
    """A table does not depend on those before it."""
    plan = list(plan_tables(ours, seed=5, tables=90))
    assert isinstance(plan[77], PlannedTable)
    alone = generate_table(GenerationSettings(ours, 5), plan[77])
    assert (alone.table, alone.questions) == (made[77].table, made[77].questions)


@pytest.mark.full
def test_the_written_sql_runs_where_the_written_relational_table_is_loaded(
    ours: Parameters, tmp_path: Path
) -> None:
    """As a user would: pandas reads the CSV, SQLite runs the SQL, and the answers are those written."""
    write(ours, tmp_path / "set", 24)
    tables = pd.read_parquet(tmp_path / "set" / "tables.parquet").set_index("table_id")
    questions = pd.read_parquet(tmp_path / "set" / "questions.parquet")
    assert len(questions) > 200
    for table_id, asked in questions.groupby("table_id"):
        with closing(sqlite3.connect(":memory:")) as base:
            frame = pd.read_csv(io.StringIO(str(tables.relational_csv[table_id])), dtype=str)
            frame.assign(Value=pd.to_numeric(frame["Value"])).to_sql("DBdata", base, index=False)
            for row in asked.itertuples():
                found = base.execute(str(row.sql)).fetchall()
                written = read_answer(str(row.answer))
                assert len(found) == len(written), row
                for ours_, theirs in zip(written, found, strict=True):
                    assert all(map(_same, ours_, map(str, theirs))), row


def _same(written: str, found: str) -> bool:
    """Equal texts, or numbers that are equal as far as an answer prints them."""
    try:
        return abs(float(written) - float(found)) < 0.0051
    except ValueError:
        return written == found
