"""The files that the examples page loads: every prompt, answer and score of a run, whole, each text once."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from torr_plugin.leaderboard import build_site, building
from torr_plugin.leaderboard.examples import buckets as spill
from torr_plugin.leaderboard.examples import index, packing
from torr_plugin.leaderboard.pages import examples
from torr_plugin.leaderboard.text import visible
from torr_plugin.recipes import request_schema
from torr_plugin.running import Run

from .conftest import Only
from .made import make_run, with_analysis
from .pages import read, read_script
from .published import Published

pytestmark = pytest.mark.full

HOSTILE = "</script><img src=x onerror=alert(1)>\u2028'\"\\ \ud7ff \U0001f600 {{ 7 * 7 }} \x00\x1b[31m"
PNG = b"\x89PNG\r\n\x1a\n and more"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = make_run(
        tmp_path_factory.mktemp("examples") / "run",
        failing={"gamma": f"ValueError: {HOSTILE}"},
        predict=lambda model, example: f"{model} {HOSTILE} {example}",
        prompt=lambda config, example: f"{config}\n{HOSTILE}\nWhere is {example} now?\nAnswer:",
    )
    with_analysis(path, resamples=20)
    return path


def cells(published: Published, run: Path) -> Any:
    """(model, data set, example, configuration) -> prompt, answer, error as published."""
    found = {}
    for (dataset, example), shown in published.examples.items():
        texts = shown["texts"]
        for label in Run.open(run).models():
            for config in published.known.configs:
                place = published.place(config.name)
                record = shown["records"][shown["answers"][published.model(label)][place]]
                said = [None if number < 0 else texts[number] for number in record[:2]]
                prompt = texts[shown["prompts"][str(place)][0][1]]
                found[label, dataset, example, config.name] = (prompt, *said)
    return found


def stored(run: Path) -> Any:
    """The same as in the run's files."""
    opened = Run.open(run)
    requests = opened.requests().to_pylist()
    found = {}
    for label in opened.models():
        answers = {row["key"]: row for row in opened.predictions(label).to_pylist()}
        for row in requests:
            said = answers[row["key"]]
            texts = (row["prompt"], said["prediction"], said["error"])
            found[label, row["dataset"], row["example"], row["config"]] = tuple(map(visible, texts))
    return found


def test_every_prompt_and_answer_is_published_whole(run: Path) -> None:
    assert cells(Published(run), run) == stored(run)


def test_every_score_is_published(run: Path) -> None:
    published = Published(run)
    scores = Run.open(run).scores()
    shown = {}
    for (dataset, example), detail in published.examples.items():
        for label in Run.open(run).models():
            for config in published.known.configs:
                value = detail["scores"][published.model(label)][published.place(config.name)]
                if value is not None:
                    shown[label, dataset, config.name, example] = value
    expected = {
        (row.model, row.dataset, row.config, row.example): row.score for row in scores.itertuples(index=False)
    }
    assert shown == pytest.approx(expected, abs=1e-4)


def test_a_text_that_is_there_twice_is_stored_once(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", predict=lambda model, example: "the same answer")
    examples = Published(path).examples
    assert examples
    for detail in examples.values():
        assert len(set(detail["texts"])) == len(detail["texts"])
        assert detail["texts"].count("the same answer") == 1
        assert len(detail["records"]) == 1


def test_what_prompts_share_is_in_a_file_once(tmp_path: Path) -> None:
    shown = "The demonstration of all.\n\n"
    path = make_run(tmp_path / "run", prompt=lambda config, example: f"{shown}{config} {example}\n\nAnswer:")
    published = Published(path)
    assert cells(published, path) == stored(path)
    (file,) = (read_script(file.content)[1] for at, file in published.files.items() if at.endswith("/0.js"))
    assert file["parts"].count(shown) == 1
    assert all(shown not in part for part in file["parts"] if part != shown)


def test_the_order_of_the_requests_changes_nothing(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = Published(run)
    for place in (run / "requests").glob("*.parquet"):
        rows = pq.read_table(place).to_pylist()
    random.Random(3).shuffle(rows)
    scattered = tmp_path / "run"
    scattered.mkdir()
    for entry in run.iterdir():
        (scattered / entry.name).symlink_to(entry) if entry.name != "requests" else (
            scattered / "requests"
        ).mkdir()
    for number in range(0, len(rows), 20):
        table = pa.Table.from_pylist(rows[number : number + 20], schema=request_schema())
        pq.write_table(table, scattered / "requests" / f"part-{number // 20:06d}.parquet")
    monkeypatch.setattr(spill, "ROWS_A_BUCKET", 18)
    found = Published(scattered)
    assert cells(found, scattered) == cells(expected, run)
    for key, detail in expected.examples.items():
        assert found.examples[key]["scores"] == detail["scores"]
        assert found.examples[key]["question"] == detail["question"]


def test_files_and_index_are_cut_where_they_grow_long(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "A_FILE", 1)
    monkeypatch.setattr(index, "A_CHUNK", 4)
    published = Published(run)
    assert {
        name: [len(chunk["examples"]) for chunk in chunks] for name, chunks in published.index.items()
    } == {
        "wikitq": [4, 2],
        "tab_fact": [4, 2],
    }
    assert sum("index-" not in path for path in published.files) == 12
    assert cells(published, run) == stored(run)


def test_the_list_has_the_question_and_the_references(run: Path) -> None:
    chunk = Published(run).index["wikitq"][0]
    assert chunk["questions"] == [f"Where is wikitq-{number} now?" for number in range(6)]
    assert set(chunk["references"]) == {"Harwich"}


def test_a_failed_request_is_published_with_its_error(run: Path) -> None:
    published = Published(run)
    errors = {
        detail["texts"][record[1]]
        for detail in published.examples.values()
        for record in detail["records"]
        if record[1] >= 0
    }
    assert errors == {visible(f"ValueError: {HOSTILE}")}


def test_beyond_the_budget_the_most_flipped_are_kept(run: Path, tmp_path: Path) -> None:
    whole = Published(run)
    size = sum(len(file.content) for file in whole.files.values())
    few = Published(run, budget=size // 3)
    rows = [
        (flipped, kept)
        for chunks in few.index.values()
        for chunk in chunks
        for flipped, kept in zip(chunk["flipped"], chunk["whole"], strict=True)
    ]
    kept, out = [each for each, inside in rows if inside], [each for each, inside in rows if not inside]
    assert kept
    assert out
    assert min(kept) >= max(out)
    assert few.known.left_out == len(out)
    assert sum(len(file.content) for file in few.files.values()) < size
    for key, detail in few.examples.items():
        assert detail["scores"] == whole.examples[key]["scores"]
        assert detail["whole"] == ("prompts" in detail)


def test_studies_of_one_site_share_its_budget(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, only: Only
) -> None:
    only(examples)
    small = make_run(tmp_path / "small", name="small", datasets=("wikitq",), examples=2, failing={})
    with_analysis(small, resamples=20)
    twin = tmp_path / "twin"
    shutil.copytree(run, twin)

    def bytes_within(budget: int) -> dict[str, int]:
        monkeypatch.setattr(building, "ROOM", budget)
        out = tmp_path / f"site-{budget}"
        build_site([run, twin, small], out, charts=False)
        return {
            folder.name: sum(file.stat().st_size for file in (folder / "pages" / "examples").rglob("*.js"))
            for folder in (out / "data").iterdir()
        }

    whole = bytes_within(building.ROOM)
    bare = sum(bytes_within(1).values())
    budget = sum(whole.values()) * 2 // 3
    found = bytes_within(budget)
    assert found["small"] == whole["small"]
    assert bare < sum(found.values()) < budget + bare


def test_the_page_says_what_is_left_out(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, only: Only
) -> None:
    only(examples)
    monkeypatch.setattr(building, "ROOM", 1)
    build_site([run], tmp_path / "site", charts=False)
    page = read(tmp_path / "site" / "a-small-study" / "examples.html")
    assert "12 examples are shown with their scores only" in page.text
    assert "torr prompts" in page.text


def test_a_scores_file_has_scores_alone_and_says_so(run: Path, tmp_path: Path, only: Only) -> None:
    only(examples)
    published = Published(run / "scores.parquet")
    assert not published.known.prompts
    assert len(published.examples) == 12
    assert all(not detail["whole"] and "texts" not in detail for detail in published.examples.values())
    build_site([run / "scores.parquet"], tmp_path / "site", charts=False)
    page = read(tmp_path / "site" / "scores" / "examples.html")
    assert "no prompts and no answers to show, only scores" in page.text


def test_pictures_are_files_and_equal_ones_are_one(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", datasets=("wikitq",), examples=2)
    (shard,) = (path / "requests").glob("*.parquet")
    rows = pq.read_table(shard).to_pylist()
    for row in rows:
        row["images"] = [PNG + row["example"].encode(), b"<svg onload='alert(1)'>"]
    pq.write_table(pa.Table.from_pylist(rows, schema=request_schema()), shard)
    published = Published(path)
    pictures = {name: file.content for name, file in published.files.items() if name.endswith(".png")}
    folder = f"{published.known.folder}/pictures"
    assert pictures == {
        f"{folder}/0.png": PNG + b"wikitq-0",
        f"{folder}/1.png": PNG + b"wikitq-1",
    }
    shown = published.examples["wikitq", "wikitq-1"]["prompts"]["0"]
    assert shown[0][2] == [f"{folder}/1.png"]


def test_chat_messages_keep_their_roles(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", datasets=("wikitq",), examples=1)
    (shard,) = (path / "requests").glob("*.parquet")
    rows = pq.read_table(shard).to_pylist()
    for row in rows:
        row["messages"] = '[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "1+1?"}]'
    pq.write_table(pa.Table.from_pylist(rows, schema=request_schema()), shard)
    detail = Published(path).examples["wikitq", "wikitq-0"]
    shown = [(role, detail["texts"][text]) for role, text, _ in detail["prompts"]["0"]]
    assert shown == [("system", "Be brief."), ("user", "1+1?")]


def test_names_of_files_are_ours(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", datasets=("../../<b>", "a b"), models=("../m",), examples=2)
    names = list(Published(path).files)
    assert names
    for name in names:
        assert "<" not in name
        assert ".." not in name
        assert " " not in name
