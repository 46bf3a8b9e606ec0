"""Parquet of others is read within bounds."""

from __future__ import annotations

import io
import threading
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from torr_plugin.running.answer import MOST_CHARACTERS
from torr_plugin.running.store import shard_reading
from torr_plugin.running.store.shard_reading import read_parts
from torr_plugin.running.store.shards import DamagedShardError

TEXT = pa.schema([("text", pa.large_string())])


def written(path: Path, columns: object, **options: object) -> Path:
    table = columns if isinstance(columns, pa.Table) else pa.table(columns)
    pq.write_table(table, path / "part-000000.parquet", compression="zstd", **options)
    return path / "part-000000.parquet"


def read(path: Path, schema: pa.Schema = TEXT) -> list[pa.Table]:
    return list(read_parts(path, schema, bounded=True))


def texts(tables: list[pa.Table]) -> list[str]:
    return [text for table in tables for text in table["text"].to_pylist()]


@pytest.mark.full
@pytest.mark.parametrize("dictionary", [False, True])
def test_the_longest_answers_are_read(tmp_path: Path, dictionary: bool) -> None:
    """Of four bytes a character."""
    longest = "\U0001d11e" * MOST_CHARACTERS
    values = [f"{n}{longest}"[:MOST_CHARACTERS] for n in range(30)]
    path = written(tmp_path, {"text": values}, row_group_size=7, use_dictionary=dictionary)
    assert texts(read(path)) == values


def test_few_rows_are_read_at_a_time(tmp_path: Path) -> None:
    values = [f"text {n}" for n in range(5000)]
    found = read(written(tmp_path, {"text": values}))
    assert max(table.num_rows for table in found) == shard_reading.ROWS_A_BATCH
    assert texts(found) == values


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ("MOST_FILE_BYTES", r"has [\d,]+ bytes; expected at most 2"),
        ("MOST_ROWS", "has 3 rows; expected at most 2"),
        ("MOST_COLUMNS", "has 3 columns; expected at most 2"),
        ("MOST_ROW_GROUP_BYTES", r"has [\d,]+ bytes in a row group; expected at most 2"),
    ],
)
def test_a_file_has_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, message: str) -> None:
    path = written(tmp_path, dict.fromkeys(("text", "b", "c"), ["x"] * 3))
    assert len(texts(read(path))) == 3
    monkeypatch.setattr(shard_reading, limit, 2)
    with pytest.raises(DamagedShardError, match=message):
        read(path)


@pytest.mark.parametrize("values", [[["x"]], [{"a": 1}], [1.5]], ids=str)
def test_a_column_of_another_kind_is_damage(tmp_path: Path, values: list[object]) -> None:
    path = written(tmp_path, {"text": ["a"], "number": pa.array(values)})
    with pytest.raises(DamagedShardError):
        read(path, pa.schema([*TEXT, ("number", pa.int64())]))


def test_two_columns_of_one_name_are_damage(tmp_path: Path) -> None:
    table = pa.Table.from_arrays([pa.array(["a"]), pa.array(["b"])], names=["text", "text"])
    with pytest.raises(DamagedShardError):
        read(written(tmp_path, table))


@pytest.mark.parametrize("bounded", [False, True])
def test_no_other_thread_ever_holds_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bounded: bool
) -> None:
    """One of Arrow's own threads may still hold it when the process ends, which then aborts with 134."""
    threads = set()

    def opened(path: Path, mode: str) -> io.FileIO:
        return Recorded(path, mode)

    class Recorded(io.FileIO):
        def read(self, *size: int) -> bytes:
            threads.add(threading.get_native_id())
            return super().read(*size)

    columns = {name: ["x" * 50] * 5000 for name in "abcdef"}
    path = written(tmp_path, columns, row_group_size=1000)
    monkeypatch.setattr(Path, "open", opened)
    schema = pa.schema([(name, pa.large_string()) for name in columns])
    assert sum(table.num_rows for table in read_parts(path, schema, bounded=bounded)) == 5000
    assert threads == {threading.get_native_id()}
