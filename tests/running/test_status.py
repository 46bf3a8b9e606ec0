"""The status of a run, from its files while they grow, are merged and damaged; rates by a fake clock."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.core.errors import RunError
from torr_plugin.recipes import ModelEntry, Recipe, plan
from torr_plugin.running import Answer, RecordedProgress, Run, RunWatch, exclusive, run_status, status
from torr_plugin.running.answer import answer_schema
from torr_plugin.running.progress import (
    PROGRESS_FILE,
    ModelProgress,
    Progress,
    ProgressRecord,
    Throughput,
    read_progress,
)
from torr_plugin.running.status import count_answers
from torr_plugin.running.store.lock import this_process
from torr_plugin.running.store.manifest import write_study
from torr_plugin.running.store.shards import AnswerStore, compact, list_shards, read_parts
from torr_plugin.running.study_source import cut_answers

from ..recipes.made import CARD
from .store.test_lock import forge

MODELS = [ModelEntry(model="torr-constant", name=name) for name in ("one", "two")]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """A run of eight requests, asked of nobody yet."""
    recipe = {
        "name": "small",
        "cards": [CARD],
        "configurations": {"serializers": ["html", "csv"]},
        "examples": {"count": 4},
    }
    return Run.create_or_resume(tmp_path / "run", plan(Recipe.model_validate(recipe)), MODELS)


def keys(run: Run) -> list[str]:
    return run.requests()["key"].to_pylist()


def answered(key: str, **more: object) -> Answer:
    return replace(Answer(key, "x"), **more)  # type: ignore[arg-type]


def failed(key: str, error: str) -> Answer:
    return Answer(key, None, error=error)


def test_nothing_is_asked_yet(run: Run) -> None:
    found = run_status(run.path)
    assert (found.name, found.state, found.step, found.writer) == ("small", "stopped", "asking", None)
    assert [(model.model, model.requests, model.waiting) for model in found.models] == [
        ("one", 8, 8),
        ("two", 8, 8),
    ]
    assert found.errors == found.notes == ()


def test_answers_are_counted(run: Run) -> None:
    first, second, third, fourth, *_ = keys(run)
    store = run.answers("one")
    store.append(
        [
            answered(first, finish_reason="stop", prompt_tokens=100, completion_tokens=7, cached_tokens=64),
            answered(second, finish_reason="length", prompt_tokens=50, completion_tokens=20),
        ]
    )
    store.append([failed(third, "TimeoutError: no answer in 30 s"), answered(fourth)])
    one, two = run_status(run.path).models
    counts = one.counts
    assert (counts.answered, counts.failed, counts.cut, one.waiting) == (3, 1, 1, 4)
    assert (counts.prompt_tokens, counts.completion_tokens, counts.cached_tokens) == (150, 27, 64)
    assert counts.last is not None
    assert (two.counts.answered, two.counts.last) == (0, None)


def test_errors_are_told_by_kind_with_an_example(run: Run) -> None:
    errors = [
        "HTTP 503 after 3 attempts",
        "HTTP 503 after 12 attempts",
        "the prompt has 9,000 tokens, the model takes 8192",
        "HTTP 503 after 5 attempts",
    ]
    for label in ("one", "two"):
        run.answers(label).append([failed(*pair) for pair in zip(keys(run), errors, strict=False)])
    found = run_status(run.path).errors
    assert [(each.kind, each.count) for each in found] == [
        ("HTTP 503 after N attempts", 6),
        ("the prompt has N tokens, the model takes N", 2),
    ]
    assert (found[0].model, found[0].key, found[0].error) == ("one", keys(run)[0], errors[0])
    assert found[1].key == keys(run)[2]


def test_a_cut_answer_that_fails_when_asked_again_stays_one_answer(run: Run) -> None:
    first, second, third, *_ = keys(run)
    store = run.answers("one")
    store.append([answered(key, finish_reason="length") for key in (first, second, third)])
    assert run_status(run.path).models[0].counts.cut == 3
    store.append([failed(first, "no"), answered(second, finish_reason="length"), answered(third)])
    found = run_status(run.path)
    counts = found.models[0].counts
    assert (counts.answered, counts.failed, counts.cut, found.errors) == (3, 0, 2, ())


def test_marks_of_thoughts_are_applied_as_where_answers_are_scored(run: Run) -> None:
    first, second, third, fourth, *_ = keys(run)
    run.answers("one").append(
        [
            Answer(first, "still at it", finish_reason="length"),
            Answer(second, "so it is 5 </hm> ", finish_reason="stop"),
            Answer(third, "so it is 5 </hm> 5", finish_reason="length"),
            Answer(fourth, "5", finish_reason="stop"),
        ]
    )
    watch = RunWatch(run.path)
    counts = watch.look().models[0].counts
    assert (counts.answered, counts.cut, counts.unfinished) == (4, 2, 0)
    one, two = run.study["models"]
    write_study(run.path, {**run.study, "models": [{**one, "think_end": "</hm>"}, two]})
    counts = watch.look().models[0].counts
    assert (counts.answered, counts.cut, counts.unfinished) == (4, 1, 2)


def test_shards_that_become_one_while_they_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = AnswerStore.resume(tmp_path / "m")
    for number in range(3):
        store.append([answered(f"{number:032x}", completion_tokens=1)])

    def compacted(path: Path, *arguments: object) -> Iterator[pa.Table]:
        compact(tmp_path / "m", answer_schema())
        return read_parts(path, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(status, "read_parts", compacted)
    counts, _ = count_answers(tmp_path / "m")
    assert (counts.answered, counts.completion_tokens) == (3, 3)


def test_damaged_shards_are_said_and_left(run: Run) -> None:
    store = run.answers("one")
    for key in keys(run)[:3]:
        store.append([answered(key)])
    shards = [shard.path for shard in list_shards(run.folder("one"))]
    shards[0].write_bytes(b"")
    shards[1].write_bytes(shards[1].read_bytes()[:100])
    before = sorted(os.listdir(run.folder("one")))
    found = run_status(run.path)
    assert found.models[0].counts.answered == 1
    assert [str(path) in note for path, note in zip(shards, found.notes, strict=False)] == [True, True]
    assert sorted(os.listdir(run.folder("one"))) == before


@settings(max_examples=20, deadline=None)
@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 30), st.sampled_from(["stop", "length", "error"])), max_size=6),
        max_size=8,
    ),
)
def test_any_history_is_counted_as_the_store_counts_it(batches: Sequence[Sequence[tuple[int, str]]]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        store = AnswerStore.resume(Path(folder))
        for batch in batches:
            once = {f"{number:032x}": end for number, end in batch}
            cut = cut_answers(Path(folder), None)
            store.append(
                [
                    failed(key, "no") if end == "error" else answered(key, finish_reason=end, max_tokens=5)
                    for key, end in once.items()
                    if key not in store.answered or key in cut
                ]
            )
        (counts, _), cut = count_answers(Path(folder)), cut_answers(Path(folder), None)
        found = (counts.answered, counts.failed, counts.cut)
        assert found == (len(store.answered), len(store.failed), len(cut))


def test_who_writes_is_said(run: Run) -> None:
    with exclusive(run.path):
        found = run_status(run.path)
        assert (found.state, found.step) == ("running", "asking")
        assert found.writer is not None
        assert (found.writer.pid, found.writer.host, found.writer.alive) == (
            os.getpid(),
            this_process().host,
            True,
        )
    assert run_status(run.path).state == "stopped"


def test_a_folder_that_is_being_made(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    with exclusive(tmp_path / "new"):
        found = run_status(tmp_path / "new")
        assert (found.state, found.step, found.models) == ("running", "planning", ())
    with pytest.raises(RunError, match="is not a run"):
        run_status(tmp_path / "new")


def test_one_that_was_killed_while_it_was_planned(tmp_path: Path) -> None:
    process = subprocess.Popen(["true"])
    process.wait()
    forge(tmp_path, replace(this_process(), pid=process.pid))
    found = run_status(tmp_path)
    assert (found.state, found.step, found.writer) == ("stopped", "planning", None)
    assert found.last_writer == (this_process().name, process.pid)


def test_no_run(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for name, message in (("gone", "gone: is not there"), ("file", "file: is a file")):
        with pytest.raises(RunError, match=f"{message}; expected a run directory"):
            run_status(tmp_path / name)


def advance(
    progress: Progress, label: str, state: ModelProgress, requests: int, failed: int, tokens: int = 0
) -> None:
    state.add(requests, failed, tokens)
    progress.show(label, state)


def test_progress_is_told_to_others(run: Run) -> None:
    progress = RecordedProgress(run.path, Progress(), seconds=0)
    with exclusive(run.path):
        first, second = ModelProgress(8, 0), ModelProgress(8, 8)
        progress.show("one", first)
        progress.show("two", second)
        advance(progress, "one", first, 2, 1, 30)
        first.total += 3
        advance(progress, "one", first, 2, 0, 30)
        one, two = run_status(run.path).models
        assert one.requests == 11
        assert one.rate is not None
        assert one.rate > 0
        assert one.token_rate == pytest.approx(15 * one.rate, rel=0.01)
        assert one.seconds_left is not None
        assert two.seconds_left is None
        second.unloaded = "model 'two' cannot be loaded"
        progress.show("two", second)
        progress.report(["a note"])
        progress.step("scoring")
        found = run_status(run.path)
        assert (found.step, found.notes, found.models[1].unloaded) == (
            "scoring",
            ("a note",),
            "model 'two' cannot be loaded",
        )
    stopped = run_status(run.path)
    assert (stopped.state, stopped.step, stopped.models[0].rate) == ("stopped", "scoring", None)
    assert stopped.last_writer == (this_process().name, os.getpid())
    progress.step("done")
    assert run_status(run.path).state == "done"


def test_what_an_earlier_process_told_does_not_count_while_another_writes(run: Run) -> None:
    progress = RecordedProgress(run.path, Progress(), seconds=0)
    progress.show("one", ModelProgress(8, 0))
    progress.step("done")
    told = json.loads((run.path / PROGRESS_FILE).read_text())
    (run.path / PROGRESS_FILE).write_text(json.dumps({**told, "pid": told["pid"] + 1}))
    assert run_status(run.path).state == "done"
    with exclusive(run.path):
        found = run_status(run.path)
        assert (found.state, found.step) == ("running", "asking")


@pytest.mark.parametrize(
    "text", ["", "{", "[1]", '{"models": 3, "step": 7, "notes": "x", "unloaded": [], "pid": "1"}']
)
def test_a_damaged_progress_file_is_as_none(run: Run, text: str) -> None:
    (run.path / PROGRESS_FILE).write_text(text)
    found = run_status(run.path)
    assert (found.step, found.notes, found.last_writer) == ("asking", (), None)


@pytest.mark.parametrize("number", [float("inf"), -1, 1e300, True, "7"], ids=str)
def test_numbers_that_make_no_sense_are_none(run: Run, number: object) -> None:
    said = dict.fromkeys(("total", "rate", "token_rate", "seconds_left"), number)
    (run.path / PROGRESS_FILE).write_text(json.dumps({"models": {"one": said, "two": number}}))
    with exclusive(run.path):
        one, two = run_status(run.path).models
    assert (one.requests, one.rate, one.seconds_left) == (8, None, None)
    assert two.requests == 8


def test_without_a_progress_file_the_files_tell_the_step(run: Run) -> None:
    assert read_progress(run.path) == ProgressRecord()
    for label in ("one", "two"):
        run.answers(label).append([answered(key) for key in keys(run)])
    assert run_status(run.path).step == "scoring"
    newest = max(path.stat().st_mtime for path in run.path.rglob("part-*"))
    for seconds, name, step in ((1, "scores.parquet", "analysing"), (2, "analysis.json", "done")):
        (run.path / name).write_bytes(b"")
        os.utime(run.path / name, (newest + seconds, newest + seconds))
        assert run_status(run.path).step == step
    os.utime(run.path / "scores.parquet", (newest - 9, newest - 9))  # a model was asked since
    assert run_status(run.path).step == "scoring"


def test_a_full_disk_does_not_stop_a_run(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from torr_plugin.running import progress as progress_file

    def full(path: Path, data: bytes) -> None:
        raise RunError(f"{path}: cannot be written: No space left on device")

    monkeypatch.setattr(progress_file, "write_atomically", full)
    progress = RecordedProgress(run.path, Progress(), seconds=0)
    advance(progress, "one", ModelProgress(8, 0), 8, 0)
    assert not (run.path / PROGRESS_FILE).exists()


class Clock:
    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


def test_a_rate_needs_two_batches_and_does_not_count_the_first() -> None:
    clock = Clock()
    rate = Throughput(clock)
    assert rate.a_second() == (0, 0)
    clock.seconds += 500  # waited for another model
    rate.add(64, 640)
    assert rate.a_second() == (0, 0)
    clock.seconds += 4
    rate.add(100, 2000)
    assert rate.a_second() == (25, 500)
    clock.seconds += 4  # nothing came since
    assert rate.a_second() == (12.5, 250)


def test_what_is_long_ago_does_not_count() -> None:
    clock = Clock()
    rate = Throughput(clock, window=60)
    for batch in range(100):
        clock.seconds += 10
        rate.add(1000 if batch < 50 else 10, 0)
    assert rate.a_second()[0] == pytest.approx(1)


def test_batches_further_apart_than_the_window_still_have_a_rate() -> None:
    clock = Clock()
    rate = Throughput(clock, window=60)
    for _ in range(5):
        clock.seconds += 600
        rate.add(30, 60)
    assert rate.a_second() == (pytest.approx(0.05), pytest.approx(0.1))


def test_the_time_that_is_left() -> None:
    clock = Clock()
    each = ModelProgress(total=100, done=20, rate=Throughput(clock))
    assert each.seconds_left is None
    for _ in range(2):
        clock.seconds += 5
        each.add(10, 1, 40)
    assert (each.done, each.failed) == (40, 2)
    assert each.seconds_left == pytest.approx(30)
    each.total = 40
    assert each.seconds_left is None
