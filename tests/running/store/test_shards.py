"""Shards: written once, read as they grow, many made one; never a row lost, never one doubled."""

from __future__ import annotations

import errno
import io
import os
import threading
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.running.answer import Answer, answer_schema
from torr_plugin.running.store import shards
from torr_plugin.running.store.shards import (
    AnswerStore,
    DamagedShardError,
    add_shard,
    compact,
    list_shards,
    parquet_bytes,
    read_answers,
    read_parts,
    series_in,
    stream,
    tidy,
)


def rows(*keys: str) -> pa.Table:
    answers = [Answer(key, f"to {key}") for key in keys]
    columns = {name: [getattr(answer, name) for answer in answers] for name in answer_schema().names}
    return pa.table(columns, schema=answer_schema())


def fill(folder: Path, count: int) -> list[str]:
    folder.mkdir(exist_ok=True)
    for n in range(count):
        add_shard(folder, rows(f"{n}a", f"{n}b"))
    return keys(folder)


def keys(folder: Path) -> list[str]:
    tables = stream(folder, answer_schema(), columns=["key"])
    return [key for table in tables for key in table["key"].to_pylist()]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def compacted(folder: Path) -> None:
    compact(folder, answer_schema())


def test_names_say_what_they_are(tmp_path: Path) -> None:
    """Of those of 0.1, too, which merged its shards level by level."""
    for name in (
        *("part-000000.parquet", "part-000000+000063.parquet", "part-000064.parquet", "part-1234567.parquet"),
        *("later-m-000001-000002.parquet", "later-a.b_c-000003.parquet"),
        *("part-1.parquet", "part-000001.parquet.damaged", "x-000001.parquet"),
    ):
        (tmp_path / name).touch()
    assert series_in(tmp_path) == ["part", "later-a.b_c", "later-m-000001"]
    found = [(shard.first, shard.last) for shard in list_shards(tmp_path)]
    assert found == [(0, 63), (64, 64), (1234567, 1234567)]
    tidy(tmp_path)
    assert "part-000000.parquet" not in names(tmp_path)
    assert len(names(tmp_path)) == 8


def test_a_long_run_has_few_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shards, "SHARDS", 4)
    store = AnswerStore.resume(tmp_path / "m")
    for n in range(30):
        store.append([Answer(f"{n}", f"to {n}")])
        assert len(names(tmp_path / "m")) < 4
    assert keys(tmp_path / "m") == [str(n) for n in range(30)]
    assert read_answers(tmp_path / "m")["prediction"].to_pylist() == [f"to {n}" for n in range(30)]
    again = AnswerStore.resume(tmp_path / "m")
    again.append([Answer("new", "x")])
    assert (len(again.answered), keys(tmp_path / "m")[-1]) == (31, "new")


def test_large_ones_stay_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = fill(tmp_path / "m", 3)
    compacted(tmp_path / "m")
    for n in (3, 4):
        add_shard(tmp_path / "m", rows(f"{n}"))
    monkeypatch.setattr(shards, "MOST_BYTES", sum(shard.size for shard in list_shards(tmp_path / "m")) - 1)
    compacted(tmp_path / "m")
    assert names(tmp_path / "m") == ["part-000000+000002.parquet", "part-000003+000004.parquet"]
    assert keys(tmp_path / "m") == [*before, "3", "4"]


KILLS = ["before the rename", "after the rename", "after one removal", "after all"]


@pytest.mark.parametrize("moment", KILLS)
def test_a_kill_at_any_step_loses_and_doubles_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    folder, calls = tmp_path / "m", []
    before = fill(folder, 4)
    replace, remove = os.replace, shards.remove

    class KilledError(BaseException):
        pass

    def replaced(source: Path, target: Path) -> None:
        if moment == KILLS[0]:
            raise KilledError
        replace(source, target)
        if moment == KILLS[1]:
            raise KilledError

    def removed(path: Path) -> None:
        remove(path)
        calls.append(path)
        if moment == KILLS[2] or len(calls) == 4:
            raise KilledError

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", replaced)
        patched.setattr(shards, "remove", removed)
        with pytest.raises(KilledError):
            compacted(folder)
    assert keys(folder) == before
    assert read_answers(folder)["key"].to_pylist() == before
    assert len(AnswerStore.resume(folder).answered) == len(before)
    assert keys(folder) == before
    assert len(names(folder)) == (4 if moment == KILLS[0] else 1)


def test_a_full_disk_leaves_the_small_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path / "m", 4)
    before = names(tmp_path / "m")

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    compacted(tmp_path / "m")
    assert names(tmp_path / "m") == before


def test_shards_of_earlier_versions_are_made_one(tmp_path: Path) -> None:
    folder = tmp_path / "m"
    fill(folder, 3)
    pq.write_table(rows("x").drop_columns(["finish_reason", "cached_tokens"]), folder / "part-000003.parquet")
    compacted(folder)
    assert names(folder) == ["part-000000+000003.parquet"]
    assert read_answers(folder)["key"].to_pylist()[-1] == "x"


def test_of_a_shard_with_a_damaged_part_nothing_counts(tmp_path: Path) -> None:
    folder = tmp_path / "m"
    fill(folder, 1)
    (path,) = folder.iterdir()
    pq.write_table(pq.read_table(path), path, row_group_size=1, write_page_checksum=True)
    assert pq.read_metadata(path).num_row_groups > 1
    place = pq.read_metadata(path).row_group(1).column(0).data_page_offset
    data = bytearray(path.read_bytes())
    data[place + 40] ^= 0xFF
    path.write_bytes(data)
    store = AnswerStore.resume(folder)
    assert len(store.answered) == 0
    assert ["set aside" in note for note in store.notes] == [True]


def test_a_flipped_byte_in_the_footer_loses_no_row_unseen(tmp_path: Path) -> None:
    """Pages have checksums, and the footer, with the numbers of rows, has none."""
    table, path = pa.table({"text": [f"{n}" for n in range(300)]}), tmp_path / "x"
    data, schema = parquet_bytes(table), pa.schema([("text", pa.string())])
    path.write_bytes(data)
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    damaged = 0
    for place in range(footer, len(data)):
        for flip in (0x10, 0x80):
            path.write_bytes(data[:place] + bytes([data[place] ^ flip]) + data[place + 1 :])
            try:
                found = pa.concat_tables(read_parts(path, schema))
            except DamagedShardError:
                damaged += 1
            else:
                assert found.equals(table), place
    assert damaged > 300


def test_what_is_there_is_never_replaced(tmp_path: Path) -> None:
    """Two writers, where the lock fails them: each keeps what it wrote, also what became one meanwhile."""
    one, other = AnswerStore.resume(tmp_path), AnswerStore.resume(tmp_path)
    for n in range(3):
        one.append([Answer(f"a{n}", "x")])
        other.append([Answer(f"b{n}", "x")])
        compacted(tmp_path)
    assert sorted(keys(tmp_path)) == ["a0", "a1", "a2", "b0", "b1", "b2"]


@pytest.mark.parametrize("values", [[["x"]], [{"a": 1}], [1.5]], ids=str)
def test_a_column_of_another_kind_is_damage(tmp_path: Path, values: list[object]) -> None:
    pq.write_table(pa.table({"text": ["a"], "number": pa.array(values)}), tmp_path / "x")
    with pytest.raises(DamagedShardError):
        list(read_parts(tmp_path / "x", pa.schema([("text", pa.large_string()), ("number", pa.int64())])))


def test_two_columns_of_one_name_are_damage(tmp_path: Path) -> None:
    pq.write_table(pa.Table.from_arrays([pa.array(["a"])] * 2, names=["text", "text"]), tmp_path / "x")
    with pytest.raises(DamagedShardError):
        list(read_parts(tmp_path / "x", pa.schema([("text", pa.large_string())])))


def test_no_other_thread_ever_holds_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of Arrow's own threads may still hold it when the process ends, which then aborts with 134."""
    threads = set()

    class Recorded(io.FileIO):
        def read(self, *size: int) -> bytes:
            threads.add(threading.get_native_id())
            return super().read(*size)

    columns = {name: ["x" * 50] * 5000 for name in "abcdef"}
    pq.write_table(pa.table(columns), tmp_path / "x", row_group_size=1000)

    def opened(path: Path, mode: str) -> Recorded:
        return Recorded(path, mode)

    monkeypatch.setattr(Path, "open", opened)
    schema = pa.schema([(name, pa.large_string()) for name in columns])
    assert sum(table.num_rows for table in read_parts(tmp_path / "x", schema)) == 5000
    assert threads == {threading.get_native_id()}


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.booleans()), max_size=30), st.integers(1, 7))
def test_one_answer_a_key(
    tmp_path_factory: pytest.TempPathFactory, given: list[tuple[str, bool]], size: int
) -> None:
    """The first answer of a key, else its last error, as a plain loop finds it."""
    folder = tmp_path_factory.mktemp("m")
    wanted: dict[str, tuple[str | None, str | None]] = {}
    answers = []
    for number, (key, failed) in enumerate(given):
        answer = (None, f"e{number}") if failed else (f"p{number}", None)
        if key not in wanted or wanted[key][0] is None:
            wanted[key] = answer
        answers.append(Answer(key, answer[0], error=answer[1]))
    store = AnswerStore.resume(folder)
    for start in range(0, len(answers), size):
        store.append(answers[start : start + size])
    found = read_answers(folder, ["key", "prediction", "error"]).to_pylist()
    assert [(row["key"], (row["prediction"], row["error"])) for row in found] == list(wanted.items())
    for reader in (store, AnswerStore.resume(folder)):
        assert reader.answered == {key for key, each in wanted.items() if each[0]}
        assert reader.failed == {key for key, each in wanted.items() if each[1]}
