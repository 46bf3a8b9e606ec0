"""Answers of earlier runs: taken where model and request are the same, and only then."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from torr_plugin.core.errors import RunError
from torr_plugin.recipes import ModelEntry, Recipe, plan
from torr_plugin.recipes.model_entries import ModelGeneration
from torr_plugin.running import Run, execute
from torr_plugin.running.answer import Answer, answer_schema
from torr_plugin.running.store.joining import reuse
from torr_plugin.running.store.shards import list_shards
from torr_plugin.running.study_source import asked_again

from ...recipes.made import CARD
from ..asked_models import Plan
from ..made import answers, entry, prompts, stored_keys

ECHO = entry("test-echo")


def earlier(path: Path, texts: list[str], model: ModelEntry = ECHO, **settings: object) -> Path:
    execute(Plan(texts, **settings), [model], path)  # type: ignore[arg-type]
    return path


def begun(path: Path, texts: list[str], model: ModelEntry = ECHO) -> Run:
    return Run.create_or_resume(path, Plan(texts), [model])


def taken(run: Run, *folders: Path, model: ModelEntry = ECHO) -> tuple[int, list[str]]:
    return reuse(run, model, folders)


def test_what_was_answered_is_taken_and_recorded(tmp_path: Path) -> None:
    before = earlier(tmp_path / "before", ["say a", "say b", "say c"])
    run = begun(tmp_path / "run", ["say b", "say c", "say d"])
    found = taken(run, before)
    assert found[0] == 2
    assert found[1] == [f"{before}: 2 answers of 'test-echo' are reused"]
    assert sorted(answers(run, "test-echo").values()) == ["B", "C"]
    said = yaml.safe_load((run.path / "study.yaml").read_text())["reused"]
    assert said == [
        {
            "model": "test-echo",
            "run": str(before),
            "of": "test-echo",
            "answers": 2,
        }
    ]
    assert taken(run, before)[0] == 0
    assert yaml.safe_load((run.path / "study.yaml").read_text())["reused"] == said
    summary = execute(Plan(["say b", "say c", "say d"]), [ECHO], run.path)
    assert (summary.requests, summary.answered) == (3, 3)
    assert len(stored_keys(run.folder("test-echo"))) == 3
    assert yaml.safe_load((run.path / "study.yaml").read_text())["reused"] == said


def test_a_kill_while_answers_are_taken_loses_no_name_and_counts_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, run = earlier(tmp_path / "before", ["say a"]), begun(tmp_path / "run", ["say a"])
    study = yaml.safe_load((before / "study.yaml").read_text())
    study["models"][0]["answered_by"] = {"models": ["echo-2026"]}
    (before / "study.yaml").write_text(yaml.safe_dump(study))

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as kill:
        kill.setattr("torr_plugin.running.store.shards.add_shard", killed)
        with pytest.raises(KeyboardInterrupt):
            taken(run, before)
    assert not stored_keys(run.folder("test-echo"))
    assert taken(Run.open(run.path), before)[0] == 1
    said = yaml.safe_load((run.path / "study.yaml").read_text())
    assert said["models"][0]["answered_by"] == {"models": ["echo-2026"]}
    assert [each["answers"] for each in said["reused"]] == [1]


def test_errors_are_not_taken_and_what_failed_here_is_mended(tmp_path: Path) -> None:
    model = entry("test-failing")
    before = earlier(tmp_path / "before", ["say a", "say bad"], model)
    run = begun(tmp_path / "run", ["say a", "say bad"], model)
    key = next(key for key, prompt in prompts(run, "test-failing").items() if "bad" not in prompt[0].content)
    run.answers("test-failing").append([Answer(key, None, error="was away")])
    assert taken(run, before, model=model)[0] == 1
    store = run.answers("test-failing")
    assert (key in store.answered, len(store.answered), len(store.failed)) == (True, 1, 0)


@pytest.mark.parametrize(
    "other", [entry("test-echo", x=1), entry("test-short"), entry("test-echo", chat=False)]
)
def test_another_model_is_another(tmp_path: Path, other: ModelEntry) -> None:
    before = earlier(tmp_path / "before", ["say a", "say b"], other)
    found = taken(begun(tmp_path / "run", ["say a"]), before)
    assert found[0] == 0
    assert "has no model asked as 'test-echo' is; its models: test-" in found[1][0]


def test_labels_and_secrets_do_not_matter(tmp_path: Path) -> None:
    before = earlier(tmp_path / "before", ["say a"], entry("test-echo", name="old", api_key="one", x=1))
    now = entry("test-echo", name="new", x=1)
    run = begun(tmp_path / "run", ["say a"], now)
    assert taken(run, before, model=now)[0] == 1
    assert list(answers(run, "new").values()) == ["A"]
    assert "one" not in (run.path / "study.yaml").read_text().split("reused")[1]


def test_other_generation_parameters_are_other_requests(tmp_path: Path) -> None:
    before = earlier(tmp_path / "before", ["say a"])
    asks = Plan(["say a"])
    asks.generation = {**asks.generation, "temperature": 1.0}
    run = Run.create_or_resume(tmp_path / "run", asks, [ECHO])
    assert taken(run, before)[0] == 0


EARLIER_COLUMNS = answer_schema().names[:7]  # up to "finish_reason"


def as_an_earlier_version_stored(run: Path, *, reason: str = "stop") -> Path:
    for shard in list_shards(Run.open(run).folder("test-echo")):
        path = shard.path
        table = pq.read_table(path).select(EARLIER_COLUMNS)
        reasons = pa.array([reason] * len(table), pa.string())
        pq.write_table(table.set_column(6, "finish_reason", reasons), path)
    return run


@pytest.mark.parametrize(("most", "asked"), [(5, 0), (6, 2), (None, 2)])
def test_what_an_earlier_version_stored_as_cut_was_cut_at_the_study_s_limit(
    tmp_path: Path, most: int | None, asked: int
) -> None:
    run = as_an_earlier_version_stored(earlier(tmp_path / "run", ["say a", "say b"]), reason="length")
    now = ECHO.model_copy(update={"generation": ModelGeneration(max_tokens=most)})
    opened = begun(run, ["say a", "say b"], now)
    asks = Plan(["say a", "say b"])
    assert len(asked_again(opened, asks, now)) == asked
    other = begun(tmp_path / "other", ["say a", "say b"], now)
    assert taken(other, run, model=now)[0] == 2
    assert len(asked_again(other, asks, now)) == asked


def test_several_runs_the_first_before_the_others(tmp_path: Path) -> None:
    one = earlier(tmp_path / "one", ["say a", "say b"])
    two = earlier(tmp_path / "two", ["say b", "say c"])
    run = begun(tmp_path / "run", ["say a", "say b", "say c"])
    found = taken(run, one, two)
    assert found[0] == 3
    assert [note.split(": ")[1] for note in found[1]] == [
        "2 answers of 'test-echo' are reused",
        "1 answers of 'test-echo' are reused",
    ]
    assert len(stored_keys(run.folder("test-echo"))) == 3


def test_damage_there_is_said_and_left(tmp_path: Path) -> None:
    before = earlier(tmp_path / "before", ["say a"])
    (shard,) = Run.open(before).folder("test-echo").iterdir()
    shard.write_bytes(b"")
    with pytest.raises(RunError, match=rf"{shard}: damaged"):
        taken(begun(tmp_path / "run", ["say a"]), before)
    assert shard.exists()


@pytest.fixture(scope="module")
def two_answers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return earlier(tmp_path_factory.mktemp("two") / "before", ["say a", "say b"])


@pytest.mark.parametrize("name", ["prediction", "finish_reason"])
def test_a_text_that_is_none_is_damage(two_answers: Path, tmp_path: Path, name: str) -> None:
    """An earlier run may come from anywhere."""
    before = shutil.copytree(two_answers, tmp_path / "before")
    run = begun(tmp_path / "run", ["say a", "say b"])
    (shard,) = Run.open(before).folder("test-echo").iterdir()
    table = pq.read_table(shard)
    place, kind = table.schema.get_field_index(name), table.schema.field(name).type
    binary = pa.large_binary() if kind == pa.large_string() else pa.binary()
    column = pa.array([b"\xff\xfe", b"fine"], binary).view(kind)
    pq.write_table(table.set_column(place, table.schema.field(name), column), shard)
    with pytest.raises(RunError, match="damaged"):
        taken(run, before)
    assert not stored_keys(run.folder("test-echo"))


def test_what_has_no_text_is_not_taken(two_answers: Path, tmp_path: Path) -> None:
    before = shutil.copytree(two_answers, tmp_path / "before")
    (shard,) = Run.open(before).folder("test-echo").iterdir()
    table = pq.read_table(shard)
    place, field = table.schema.get_field_index("prediction"), table.schema.field("prediction")
    pq.write_table(table.set_column(place, field, pa.array([None, "fine"], field.type)), shard)
    run = begun(tmp_path / "run", ["say a", "say b"])
    assert taken(run, before)[0] == len(stored_keys(run.folder("test-echo"))) == 1


def test_the_run_itself_and_what_is_none(tmp_path: Path) -> None:
    run = begun(tmp_path / "run", ["say a"])
    assert taken(run, run.path)[1] == [f"{run.path}: is this run itself; it has nothing to reuse"]
    with pytest.raises(RunError, match=r"nowhere: is not a run"):
        taken(run, tmp_path / "nowhere")


def test_draws_and_other_versions_are_said(tmp_path: Path) -> None:
    before = earlier(tmp_path / "before", ["say a"])
    study = yaml.safe_load((before / "study.yaml").read_text())
    study["models"][0]["answered_by"]["sglang"] = "0.0.1"
    (before / "study.yaml").write_text(yaml.safe_dump(study))
    run = begun(tmp_path / "run", ["say a"])
    run.study["recipe"]["generation"] = {"temperature": 0.7}
    (note,) = taken(run, before)[1]
    assert note.endswith(
        "as drawn there at temperature 0.7; they were asked with other versions (sglang 0.0.1, now absent)"
    )


def test_a_run_that_another_program_has_written_anew(tmp_path: Path) -> None:
    """As pandas writes: with dictionaries, texts as strings, no checksums."""
    before = earlier(tmp_path / "before", [f"say w{n}" for n in range(5)])
    for shard in Run.open(before).folder("test-echo").glob("part-*"):
        pq.read_table(shard).to_pandas().to_parquet(shard)
    run = begun(tmp_path / "run", [f"say w{n}" for n in range(5)])
    assert taken(run, before)[0] == 5
    assert sorted(answers(run, "test-echo").values()) == [f"W{n}" for n in range(5)]


def test_where_the_study_allows_more_only_what_was_cut_is_asked(tmp_path: Path) -> None:
    def limited(most: int) -> object:
        parts = {
            "name": "small",
            "cards": [CARD],
            "configurations": "html/none/default",
            "examples": {"count": 4},
        }
        return plan(Recipe.model_validate({**parts, "generation": {"max_tokens": most}}))

    execute(limited(5), [ECHO], tmp_path / "before")  # type: ignore[arg-type]
    (shard,) = Run.open(tmp_path / "before").folder("test-echo").iterdir()
    table = pq.read_table(shard)
    ends = pa.array(["length", "stop", "stop", "stop"], pa.string())
    pq.write_table(
        table.set_column(table.schema.get_field_index("finish_reason"), "finish_reason", ends), shard
    )
    for path, reuse_of in (
        (tmp_path / "run", [tmp_path / "before"]),
        (tmp_path / "run", []),
        (tmp_path / "before", []),
    ):
        summary = execute(limited(9), [ECHO], path, reuse=reuse_of)  # type: ignore[arg-type]
        assert (summary.answered, summary.reused) == (4, len(reuse_of) * 4)
        assert len(stored_keys(Run.open(path).folder("test-echo"))) == 5
