"""Many small shards become few: never a row lost, never one doubled, wherever a kill falls."""

from __future__ import annotations

import dataclasses
import errno
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.core.errors import RunError
from torr_plugin.running.answer import Answer, answer_schema
from torr_plugin.running.store import merging
from torr_plugin.running.store.merging import due, merged
from torr_plugin.running.store.predictions import AnswerStore, read_answers
from torr_plugin.running.store.shard_reading import fail_on_damage, stream
from torr_plugin.running.store.shards import (
    PLANNED,
    Shard,
    add_shard,
    in_order,
    list_folder,
    name_of,
    parquet_bytes,
    parse,
    without_merged,
)


def rows(*keys: str, error: str | None = None) -> pa.Table:
    answers = [Answer(key, None if error else f"to {key}", error=error) for key in keys]
    return pa.table(
        {name: [getattr(answer, name) for answer in answers] for name in answer_schema().names},
        schema=answer_schema(),
    )


def fill(folder: Path, count: int, start: int = 0) -> None:
    folder.mkdir(exist_ok=True)
    for n in range(start, start + count):
        add_shard(folder, n, parquet_bytes(rows(f"{n}a", f"{n}b")))


def keys(folder: Path) -> list[str]:
    tables = stream(folder, answer_schema(), fail_on_damage("!"), columns=["key"])
    return [key for table in tables for key in table["key"].to_pylist()]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@given(
    st.sampled_from(["part", "later-m", "later-m-000001", "later-a.b_c-000001-000002", "later-part-000003"]),
    st.integers(0, 10**7),
    st.integers(0, 10**7),
)
def test_names_say_what_they_are(series: str, first: int, more: int) -> None:
    shard = parse(Path(name_of(series, first, first + more)))
    assert shard is not None
    assert (shard.series, shard.first, shard.last) == (series, first, first + more)


@pytest.mark.parametrize(
    "name",
    ["part-1.parquet", "part-000001.parquet.damaged", "part-000005+000003.parquet", "x-000001.parquet"],
)
def test_other_names_are_none(name: str) -> None:
    assert parse(Path(name)) is None


@settings(deadline=None)
@given(st.integers(2, 5), st.lists(st.integers(1, 4), max_size=60))
def test_merging_keeps_every_number_once(count: int, sizes: list[int]) -> None:
    """The plan alone, without files: numbers stay in order, each stands for once, and files stay few."""
    shards: list[Shard] = []
    for number, size in enumerate(sizes):
        shards.append(Shard(Path(str(number)), PLANNED, number, number, size))
        while few := due(shards, count=count):
            whole = Shard(few[0].path, PLANNED, few[0].first, few[-1].last, sum(each.size for each in few))
            shards = in_order([*(each for each in shards if each not in few), whole])
    covered = [n for shard in shards for n in range(shard.first, shard.last + 1)]
    assert covered == list(range(len(sizes)))
    levels = 1
    while count**levels <= max(1, len(sizes)):
        levels += 1
    assert len(shards) <= (count - 1) * levels


def test_large_ones_stay_as_they_are() -> None:
    shards = [Shard(Path(str(n)), PLANNED, n, n, 10) for n in range(8)]
    assert due(shards, count=4, most_bytes=39) == ()
    assert [shard.first for shard in due(shards, count=4, most_bytes=40)] == [0, 1, 2, 3]


def test_a_long_run_has_few_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merging, "SHARDS", 4)
    monkeypatch.setattr(due, "__kwdefaults__", {**due.__kwdefaults__, "count": 4})
    monkeypatch.setattr(merged, "__kwdefaults__", {"count": 4})
    store = AnswerStore.resume(tmp_path / "m")
    for n in range(70):
        store.append([Answer(f"{n}", f"to {n}")])
    assert names(tmp_path / "m") == [
        "part-000000+000063.parquet",
        "part-000064+000067.parquet",
        "part-000068.parquet",
        "part-000069.parquet",
    ]
    assert keys(tmp_path / "m") == [str(n) for n in range(70)]
    assert read_answers(tmp_path / "m")["prediction"].to_pylist() == [f"to {n}" for n in range(70)]
    again = AnswerStore.resume(tmp_path / "m")
    again.append([Answer("new", "x")])
    assert (len(again.answered), names(tmp_path / "m")[-1]) == (71, "part-000070.parquet")


@pytest.mark.full
def test_many_shards_of_an_earlier_run_are_merged_on_resuming(tmp_path: Path) -> None:
    fill(tmp_path / "m", merging.SHARDS + 4)
    before = keys(tmp_path / "m")
    store = AnswerStore.resume(tmp_path / "m")
    assert len(names(tmp_path / "m")) == 5
    assert len(store.answered) == len(before)
    assert keys(tmp_path / "m") == before


KILLS = ["before the rename", "after the rename", "after one removal", "after all"]


@pytest.mark.parametrize("moment", KILLS)
def test_a_kill_at_any_step_loses_and_doubles_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    folder, calls = tmp_path / "m", []
    fill(folder, 4)
    before = keys(folder)
    replace, remove = os.replace, merging.remove

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
        patched.setattr(merging, "remove", removed)
        with pytest.raises(KilledError):
            merged(folder, list_folder(folder).files, answer_schema(), count=4)
    assert keys(folder) == before
    assert read_answers(folder)["key"].to_pylist() == before
    assert len(AnswerStore.resume(folder).answered) == len(before)
    assert keys(folder) == before
    assert len(names(folder)) == (4 if moment == KILLS[0] else 1)


def test_a_full_disk_leaves_the_small_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "m"
    fill(folder, 4)
    before = names(folder)

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    shards = merged(folder, list_folder(folder).files, answer_schema(), count=4)
    assert len(shards) == 4
    assert names(folder) == before


def test_columns_of_a_newer_version_are_not_dropped(tmp_path: Path) -> None:
    folder = tmp_path / "m"
    fill(folder, 3)
    newer = rows("x").append_column("logprob", pa.array([0.5]))
    pq.write_table(newer, folder / "part-000003.parquet")
    merged(folder, list_folder(folder).files, answer_schema(), count=4)
    assert pq.read_table(folder / "part-000003.parquet")["logprob"].to_pylist() == [0.5]
    assert read_answers(folder)["key"].to_pylist()[-1] == "x"


def test_shards_of_earlier_versions_are_merged(tmp_path: Path) -> None:
    folder = tmp_path / "m"
    fill(folder, 3)
    pq.write_table(rows("x").drop_columns(["finish_reason", "cached_tokens"]), folder / "part-000003.parquet")
    merged(folder, list_folder(folder).files, answer_schema(), count=4)
    assert names(folder) == ["part-000000+000003.parquet"]
    assert read_answers(folder)["key"].to_pylist()[-1] == "x"


def test_a_damaged_merged_shard_brings_back_what_it_was_made_of(tmp_path: Path) -> None:
    folder = tmp_path / "m"
    fill(folder, 4)
    before = keys(folder)
    copies = {path: path.read_bytes() for path in folder.iterdir()}
    merged(folder, list_folder(folder).files, answer_schema(), count=4)
    for path, data in copies.items():  # as after a kill before they were removed
        path.write_bytes(data)
    assert keys(folder) == before
    (folder / "part-000000+000003.parquet").write_bytes(b"")
    store = AnswerStore.resume(folder)
    assert len(store.answered) == len(before)
    assert ["set aside" in note for note in store.notes] == [True]
    assert keys(folder) == before


def test_a_reader_goes_on_where_shards_are_merged_away(tmp_path: Path) -> None:
    folder = tmp_path / "m"
    fill(folder, 8)
    before, read = keys(folder), []
    for number, table in enumerate(stream(folder, answer_schema(), fail_on_damage("!"), columns=["key"])):
        read += table["key"].to_pylist()
        if number == 1:
            merged(folder, list_folder(folder).files, answer_schema(), count=4)
    assert read == before


def test_a_listing_made_in_the_midst_of_merging_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may lack the new shard, which came behind where it was, and the old ones, which went before it."""
    folder = tmp_path / "m"
    fill(folder, 4)
    before, whole = keys(folder), list_folder(folder)
    listings = iter([dataclasses.replace(whole, files=whole.files[3:])])
    monkeypatch.setattr(
        "torr_plugin.running.store.shard_reading.list_folder", lambda _: next(listings, whole)
    )
    assert keys(folder) == before


def test_a_merged_shard_is_read_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merging, "_ROW_GROUP_ROWS", 4)
    folder = tmp_path / "m"
    fill(folder, 4)
    merged(folder, list_folder(folder).files, answer_schema(), count=4)
    tables = list(stream(folder, answer_schema(), fail_on_damage("!")))
    assert [table.num_rows for table in tables] == [4, 4]


def test_of_a_shard_with_a_damaged_part_nothing_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merging, "_ROW_GROUP_ROWS", 4)
    folder = tmp_path / "m"
    fill(folder, 4)
    merged(folder, list_folder(folder).files, answer_schema(), count=4)
    (path,) = folder.iterdir()
    place = pq.read_metadata(path).row_group(1).column(0).data_page_offset
    data = bytearray(path.read_bytes())
    data[place + 40] ^= 0xFF
    path.write_bytes(data)
    store = AnswerStore.resume(folder)
    assert len(store.answered) == 0
    assert ["set aside" in note for note in store.notes] == [True]


def test_what_is_gone_for_good_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "m"
    fill(folder, 2)
    listing = list_folder(folder)
    (folder / "part-000001.parquet").unlink()
    monkeypatch.setattr("torr_plugin.running.store.shard_reading.list_folder", lambda _: listing)
    with pytest.raises(RunError, match=r"part-000001.parquet: cannot be read: No such file"):
        keys(folder)


def test_what_is_there_is_never_replaced(tmp_path: Path) -> None:
    """Two writers, where the lock fails them: each keeps what it wrote."""
    one, other = AnswerStore.resume(tmp_path), AnswerStore.resume(tmp_path)
    for n in range(3):
        one.append([Answer(f"a{n}", "x")])
        other.append([Answer(f"b{n}", "x")])
    assert sorted(keys(tmp_path)) == ["a0", "a1", "a2", "b0", "b1", "b2"]


def test_a_directory_named_like_a_shard(tmp_path: Path) -> None:
    (tmp_path / "part-000000.parquet").mkdir()
    store = AnswerStore.resume(tmp_path)
    assert store.notes == [f"{tmp_path / 'part-000000.parquet'}: is not part of the run; left alone"]
    store.append([Answer("a", "x")])
    assert keys(tmp_path) == ["a"]


def test_merged_ones_come_first_and_hide_theirs() -> None:
    found = [
        Shard(Path(), "part", 0, 0),
        Shard(Path(), "part", 0, 3),
        Shard(Path(), "part", 3, 3),
        Shard(Path(), "part", 4, 4),
        Shard(Path(), "later-m", 0, 0),
    ]
    counting, hidden = without_merged(found)
    assert [(shard.series, shard.first, shard.last) for shard in counting] == [
        ("part", 0, 3),
        ("part", 4, 4),
        ("later-m", 0, 0),
    ]
    assert [(shard.first, shard.last) for shard in hidden] == [(0, 0), (3, 3)]


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
        assert {key for key in "abcdef" if key in reader.answered} == {k for k, v in wanted.items() if v[0]}
        assert {key for key in "abcdef" if key in reader.failed} == {k for k, v in wanted.items() if v[1]}
