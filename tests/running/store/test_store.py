"""The run directory: what is in it, what is refused, what is mended."""

from __future__ import annotations

import dataclasses
import errno
import json
import os
import shutil
import sys
from contextlib import nullcontext
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest
import yaml

from torr_plugin.core.errors import ModelError, RunError
from torr_plugin.recipes import request_schema
from torr_plugin.running import Run, exclusive, execute
from torr_plugin.running.answer import answer_schema
from torr_plugin.running.engines.lm_eval import LmEvalEngine
from torr_plugin.running.progress import ModelProgress, Progress
from torr_plugin.running.store import shards
from torr_plugin.running.store.manifest import model_difference, model_record

from ..asked_models import Plan
from ..made import answers, entry, stored_keys

ECHO = entry("test-echo")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("finished") / "run"
    execute(Plan(), [ECHO], folder)
    return folder


@pytest.fixture
def run(finished: Path, tmp_path: Path) -> Path:
    """A finished run of the plan, to be changed."""
    return shutil.copytree(finished, tmp_path / "run")


def shard_of(run: Path) -> Path:
    return min((run / "predictions" / "test-echo").iterdir())


def test_layout_is_the_designs(run: Path) -> None:
    files = {str(path.relative_to(run).parent) for path in run.rglob("*") if path.is_file()}
    assert files == {".", "requests", "predictions/test-echo"}
    frame = pd.read_parquet(run / "requests")
    assert list(frame.columns) == request_schema().names
    assert len(frame) == 300
    predictions = pd.read_parquet(run / "predictions" / "test-echo")
    assert list(predictions.columns) == answer_schema().names
    assert predictions["prediction"].str.match(r"W\d+").all()
    assert predictions["seconds"].gt(0).all()


def test_study_says_what_was_run(run: Path) -> None:
    study = yaml.safe_load((run / "study.yaml").read_text())
    assert study["format"] == 1
    assert study["fingerprint"] == Plan().fingerprint
    assert study["written"] == {"rows": 300, "unique": 300}
    assert study["requests"] == 300
    (model,) = study["models"]
    assert model.pop("answered_by")["lm-eval"] == study["versions"]["lm-eval"]
    assert model == {
        "label": "test-echo",
        "folder": "test-echo",
        "model": "test-echo",
        "args": {},
        "chat": "by template",
        "sent": {
            "max_gen_toks": 5,
            "temperature": 0.0,
            "do_sample": False,
            "until": ["\n"],
            "apply_chat_template": False,
        },
    }
    assert {"python", "torr-plugin", "lm-eval", "typst"} <= study["versions"].keys()
    assert Run.open(run).models() == ["test-echo"]


def test_no_key_of_an_api_is_recorded(tmp_path: Path) -> None:
    execute(Plan(["x"]), [entry("test-echo", auth_token="SECRET", eos_token="</s>")], tmp_path / "run")
    text = (tmp_path / "run" / "study.yaml").read_text()
    assert "SECRET" not in text
    assert "</s>" in text
    # another token is the same model
    execute(Plan(["x"]), [entry("test-echo", auth_token="OTHER", eos_token="</s>")], tmp_path / "run")


@pytest.mark.parametrize(
    "name", ["a: b", "!!python/object/apply:os.system [ls]", "x\n- y", "# no", "'\"", "Ünï\0"]
)
def test_study_survives_any_name(tmp_path: Path, name: str) -> None:
    execute(Plan(["x"], name=name), [entry("test-echo", name=name)], tmp_path / "run")
    opened = Run.open(tmp_path / "run")
    assert opened.study["name"] == name
    assert opened.models() == [name]
    assert opened.predictions(name).num_rows == 1


def test_a_model_can_be_added_later(run: Path) -> None:
    before = shard_of(run).stat().st_mtime_ns
    summary = execute(Plan(), [entry("torr-constant", answer="x")], run)
    assert (summary.requests, summary.answered) == (300, 300)
    assert Run.open(run).models() == ["test-echo", "torr-constant"]
    assert shard_of(run).stat().st_mtime_ns == before


def test_requests_of_other_models_are_not_asked(run: Path) -> None:
    later = [dataclasses.replace(each, model="another", stage=1) for each in Plan(["x"]).requests()]
    shards.append_requests(run / "requests", later)
    summary = execute(Plan(), [ECHO], run)
    assert summary.requests == 300
    assert Run.open(run).requests().num_rows == 301


def test_another_study_is_refused(run: Path) -> None:
    with pytest.raises(
        RunError,
        match=r"run: holds the run of another study \(seed: 0 there, 8 here\); ask as before, or "
        r"choose another --out, with --reuse .*run for its answers",
    ):
        execute(Plan(seed=8), [ECHO], run)
    with pytest.raises(RunError, match=r"datasets\.d\.examples: 300 there, 2 here"):
        execute(Plan(["a", "b"]), [ECHO], run)


def test_a_new_name_is_the_same_study(run: Path) -> None:
    execute(Plan(name="renamed"), [ECHO], run)
    assert Run.open(run).study["name"] == "renamed"


def test_other_arguments_under_the_same_label_are_refused(tmp_path: Path) -> None:
    execute(Plan(["x"]), [entry("torr-constant", answer="a")], tmp_path / "run")
    with pytest.raises(
        RunError, match=r"'torr-constant' was asked otherwise before \(args.answer: 'a' there, 'b' here\)"
    ):
        execute(Plan(["x"]), [entry("torr-constant", answer="b")], tmp_path / "run")


def test_how_many_are_asked_at_once_is_no_other_model() -> None:
    one, other = (
        model_record(entry("local-chat-completions", model="m", base_url="http://here/v1", **given), "")
        for given in ({"num_concurrent": 1, "timeout": 5}, {"num_concurrent": 64, "max_retries": 9})
    )
    assert model_difference(one, other) is None


def test_a_model_that_never_answered_may_come_back_with_other_arguments(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="answr"):
        execute(Plan(["x"]), [entry("torr-constant", answr="a")], tmp_path / "run")
    execute(Plan(["x"]), [entry("torr-constant", answer="a")], tmp_path / "run")
    assert [model["args"] for model in Run.open(tmp_path / "run").study["models"]] == [{"answer": "a"}]
    assert set(answers(tmp_path / "run", "torr-constant").values()) == {"a"}


@pytest.mark.skipif(sys.platform != "linux", reason="other systems take no such name")
def test_a_directory_whose_name_is_not_utf8(tmp_path: Path) -> None:
    run = tmp_path / "run-\udcff"
    assert [execute(Plan(["x"]), [ECHO], run).answered for _ in range(2)] == [1, 1]
    Run.open(run).write_scores(pd.DataFrame({"score": [1.0]}))
    assert Run.open(run).scores().score.tolist() == [1.0]


def test_a_directory_that_is_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(RunError, match=r"is not empty and not a run \(it holds 'notes.txt'\)"):
        execute(Plan(["x"]), [ECHO], tmp_path)
    with pytest.raises(RunError, match=r"is a file; expected a directory"):
        execute(Plan(["x"]), [ECHO], tmp_path / "notes.txt")
    with pytest.raises(RunError, match=r"is not a run"):
        Run.open(tmp_path)
    with pytest.raises(RunError, match=r"notes.txt: is not a run"):
        Run.open(tmp_path / "notes.txt")
    assert (tmp_path / "notes.txt").read_text() == "mine"


MODEL = "label: a, model: m, args: {}, chat: null"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [", "not YAML"),
        ("just words", "has no number 'format'"),
        ("format: 99", "format 99 is newer"),
        ("format: 1\nmodels: [1]", r"models\.0: found 1; expected an object"),
        ("format: 1\nversions: 5", "versions: found 5; expected an object"),
        ("format: 1\nwritten: [3]", r"written: found \[3\]; expected an object"),
        ("format: 1\nwritten: {unique: .nan}", r"written\.unique: found nan; expected a whole number"),
        ("format: 1\nwritten: {unique: -1}", r"written\.unique: found -1; expected a number of at least 0"),
        ("format: 1\nreused: x", "reused: found 'x'; expected a list"),
        ("format: 1\nresumed: [{versions: [1]}]", r"resumed\.0\.versions: found \[1\]; expected an object"),
        ("format: 1\nimported: x", "imported: found 'x'; expected an object"),
        ("format: 1\ndatasets: {d: 5}", r"datasets\.d: found 5; expected an object"),
        (f"format: 1\nmodels: [{{{MODEL}, folder: ../../b}}]", r"models\.0: found .*; expected a plain name"),
        (f"format: 1\nmodels: [{{{MODEL}, folder: 1}}]", r"models\.0\.folder: found 1; expected text"),
        (f"format: 1\nmodels: [{{{MODEL}}}]", r"models\.0: the key 'folder' is missing"),
        (
            f"format: 1\nmodels: [{{{MODEL}, folder: a, price: 3}}]",
            r"models\.0\.price: found 3; expected an obj",
        ),
        (
            f"format: 1\nmodels: [{{{MODEL}, folder: a, answered_by: 3}}]",
            r"models\.0\.answered_by: found 3; exp",
        ),
        ("!!python/object/apply:os.system [ls]", "not YAML"),
        ("a: 2026-99-99", "not YAML"),
        ("a: !!timestamp x", "not YAML"),
        ("a: " + "9" * 5000, "a number of more than 1,000 characters"),
        ("[" * 600, "nested more than 50 deep"),
    ],
)
def test_a_damaged_study_is_said(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "study.yaml").write_text(text)
    with pytest.raises(RunError, match=message):
        Run.open(tmp_path)


def damage_truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def damage_empty(path: Path) -> None:
    path.write_bytes(b"")


def damage_garbage(path: Path) -> None:
    path.write_bytes(os.urandom(500))


def damage_columns(path: Path) -> None:
    pd.DataFrame({"key": ["a"], "answer": ["b"]}).to_parquet(path)


def damage_types(path: Path) -> None:
    table = pq.read_table(path)
    frame = table.to_pandas()
    frame["seconds"] = "fast"
    frame.to_parquet(path)


def damage_byte(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[400] ^= 0xFF  # within the keys; the few bytes of a page header are under no checksum
    path.write_bytes(bytes(data))


@pytest.mark.parametrize(
    "damage", [damage_truncate, damage_empty, damage_garbage, damage_columns, damage_types, damage_byte]
)
def test_a_damaged_shard_is_set_aside_and_asked_again(
    run: Path, damage, caplog: pytest.LogCaptureFixture
) -> None:
    before, shard = answers(run, "test-echo"), shard_of(run)
    damage(shard)
    with pytest.raises(RunError, match=r"damaged .* same command"):
        Run.open(run).predictions("test-echo")
    summary = execute(Plan(), [ECHO], run)
    assert summary.answered == 300
    assert len(summary.notes) == 1
    assert f"set aside as {shard.name}.damaged" in summary.notes[0]
    assert summary.notes[0] in caplog.text
    assert shard.with_name(shard.name + ".damaged").exists()
    assert answers(run, "test-echo") == before
    assert len(stored_keys(shard.parent)) == 300
    assert execute(Plan(), [ECHO], run).notes == ()


def test_damaged_requests_are_written_again(run: Path) -> None:
    before = Run.open(run).requests()
    shard = next((run / "requests").iterdir())
    damage_truncate(shard)
    with pytest.raises(RunError, match=r"same command"):
        Run.open(run).requests()
    summary = execute(Plan(), [ECHO], run)
    assert "written again" in summary.notes[0]
    assert Run.open(run).requests().equals(before)
    shard.unlink()
    assert "holds 0 requests, expected 300" in execute(Plan(), [ECHO], run).notes[0]
    assert Run.open(run).requests().equals(before)


def test_requests_of_earlier_versions_have_no_facts_and_are_read(run: Path) -> None:
    before = Run.open(run).requests()
    for shard in (run / "requests").iterdir():
        pq.write_table(pq.read_table(shard).drop_columns(["facts", "replicate", "cut"]), shard)
    found = Run.open(run).requests()
    assert found["replicate"].null_count == found.num_rows
    assert found.drop_columns("replicate").equals(before.drop_columns("replicate"))
    (table,) = Run.open(run).request_tables(["facts", "key"])
    assert table.column_names == ["facts", "key"]
    assert table["facts"].null_count == table.num_rows == 300
    assert execute(Plan(), [ECHO], run).notes == ()
    for shard in (run / "requests").iterdir():
        pq.write_table(pq.read_table(shard).drop_columns(["references"]), shard)
    with pytest.raises(RunError, match=r"has no column 'references'"):
        Run.open(run).requests()


def test_requests_half_written_are_completed(run: Path) -> None:
    study = yaml.safe_load((run / "study.yaml").read_text())
    del study["written"]
    (run / "study.yaml").write_text(yaml.safe_dump(study))
    (run / "requests" / ".part-000001.parquet.tmp").write_bytes(b"half")
    (run / "requests" / "part-000009.parquet").write_bytes(
        (run / "requests" / "part-000000.parquet").read_bytes()
    )
    with pytest.raises(RunError, match=r"killed before all requests were written"):
        Run.open(run).requests()
    execute(Plan(), [ECHO], run)
    assert [path.name for path in (run / "requests").iterdir()] == ["part-000000.parquet"]
    assert Run.open(run).requests().num_rows == 300


def test_foreign_files_are_left_alone(run: Path) -> None:
    (run / "predictions" / "test-echo" / "notes.csv").write_text("mine")
    (run / "predictions" / "test-echo" / ".part-000007.parquet.tmp").write_bytes(b"half")
    summary = execute(Plan(), [ECHO], run)
    assert summary.notes == ()
    assert (run / "predictions" / "test-echo" / "notes.csv").exists()
    assert not (run / "predictions" / "test-echo" / ".part-000007.parquet.tmp").exists()
    assert answers(run, "test-echo")


@pytest.fixture
def few_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run stores its answers in several shards."""
    monkeypatch.setattr("torr_plugin.running.runner.MOST_A_BATCH", 50)


class Removes(Progress):
    """Removes a folder once some answers are stored."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def show(self, model: str, each: ModelProgress) -> None:
        if each.asked:
            shutil.rmtree(self.folder, ignore_errors=True)


@pytest.mark.usefixtures("few_a_batch")
@pytest.mark.parametrize("held", [True, False])
def test_of_a_directory_that_was_removed_meanwhile_it_says_that_the_answers_are_gone(
    tmp_path: Path, held: bool
) -> None:
    run = tmp_path / "run"
    with (
        pytest.raises(RunError, match=r"run: was removed .*, and the answers in it are gone; run the same"),
        exclusive(run) if held else nullcontext(),
    ):
        execute(Plan(), [ECHO], run, progress=Removes(run))
    assert not run.exists()
    folder = run / "predictions" / "test-echo"
    with pytest.raises(RunError, match=r"part-\d+.parquet: cannot be written: its folder is gone, and what "):
        execute(Plan(), [ECHO], run, progress=Removes(folder))
    assert execute(Plan(), [ECHO], run).answered == 300


@pytest.mark.parametrize("how", [KeyboardInterrupt, RuntimeError])
def test_nor_does_an_interruption_or_a_broken_engine_say_that_they_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: type[BaseException]
) -> None:
    run, step = tmp_path / "run", LmEvalEngine.step

    def removed(self: LmEvalEngine) -> object:
        if self._requests[0].number:
            shutil.rmtree(run)
            raise how
        return step(self)

    monkeypatch.setattr(LmEvalEngine, "step", removed)
    with pytest.raises(RunError, match=r"run: was removed .*, and the answers in it are gone; run the same"):
        execute(Plan(), [ECHO], run)
    assert not run.exists()


def test_a_place_where_nothing_can_be_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"/proc/.*cannot be written"):
        execute(Plan(["x"]), [ECHO], "/proc/nothing/run")

    def denied(source: object, target: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(os, "replace", denied)
    with pytest.raises(RunError, match=r"run/.*: cannot be written: Permission denied"):
        execute(Plan(["x"]), [ECHO], tmp_path / "run")


def test_scores_and_analysis_are_kept(run: Path) -> None:
    opened = Run.open(run)
    with pytest.raises(RunError, match=r"has no scores.parquet"):
        opened.scores()
    with pytest.raises(RunError, match=r"has no analysis.json"):
        opened.analysis()
    frame = pd.DataFrame({"model": ["m"], "score": [0.5], "main": [True]})
    opened.write_scores(frame)
    pd.testing.assert_frame_equal(opened.scores().astype({"model": frame["model"].dtype}), frame)
    opened.write_analysis({"w": None, "k": [0.5], "t": ("ä", None)})
    assert opened.analysis() == {"w": None, "k": [0.5], "t": ["ä", None]}
    assert json.loads((run / "analysis.json").read_text(encoding="utf-8")) == opened.analysis()
    (run / "scores.parquet").write_bytes(b"no")
    (run / "analysis.json").write_text("[")
    with pytest.raises(RunError, match=r"scores.parquet: damaged"):
        opened.scores()
    with pytest.raises(RunError, match=r"analysis.json: is not JSON"):
        opened.analysis()


def test_an_unknown_label_is_said_with_the_nearest(run: Path) -> None:
    with pytest.raises(RunError, match=r"has no model 'test-eco'; did you mean 'test-echo'"):
        Run.open(run).predictions("test-eco")


def test_no_model_and_an_unknown_executor(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"no model to ask"):
        execute(Plan(), [], tmp_path / "run")
    with pytest.raises(RunError, match=r"unknown executor 'rya'; did you mean 'ray'"):
        execute(Plan(), [ECHO], tmp_path / "run", executor="rya")
    with pytest.raises(ModelError, match=r"unknown model 'torr-lexicl'; did you mean 'torr-lexical'"):
        execute(Plan(), [entry("torr-lexicl")], tmp_path / "run")
    assert not (tmp_path / "run").exists()
