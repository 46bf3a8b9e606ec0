"""``torr data pull``: a mirror that reads as the hub does, made whole, resumed, and shared between cards."""

from __future__ import annotations

import json
from pathlib import Path

import datasets
import pyarrow.parquet as pq
import pytest

from torr_plugin.catalog import load_card, read_examples
from torr_plugin.catalog.mirroring import MANIFEST, checksum, mirrored, pull, read_manifest, wanted_files
from torr_plugin.core.errors import CardError, DataError

from ...conftest import Torr
from .. import tiny
from ..conftest import Changed
from .stand_in import WIKITQ_ESCAPED, Hub, all_splits

TAB_FACT, WIKITQ = "wenhu/tab_fact", "stanfordnlp/wikitablequestions"
TABLEBENCH, HCTQA = "Multilingual-Multimodal-NLP/TableBench", "qcri-ai/HCTQA"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Hub:
    return Hub(
        monkeypatch,
        {
            TAB_FACT: all_splits(tiny.TAB_FACT),
            WIKITQ: all_splits(WIKITQ_ESCAPED),
            TABLEBENCH: {"test": tiny.TABLEBENCH},
            HCTQA: all_splits(()) | {"train": [*tiny.HCTQA, *tiny.HCTQA_MADE], "test": tiny.HCTQA[1:]},
        },
    )


def examples(name: str, monkeypatch: pytest.MonkeyPatch, mirror: Path | None) -> list[object]:
    monkeypatch.setattr("torr_plugin.catalog.examples._read", {})
    if mirror is None:
        monkeypatch.delenv("TORR_DATA", raising=False)
    else:
        monkeypatch.setenv("TORR_DATA", str(mirror))
    return [example for split in load_card(name).splits for example in read_examples(load_card(name), split)]


@pytest.mark.full
@pytest.mark.parametrize("name", ["tab_fact", "wikitq", "tablebench_data_analysis"])
def test_a_mirror_reads_as_the_hub_does(
    torr: Torr, hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    from_hub = examples(name, monkeypatch, None)
    done = torr("data", "pull", name, "--to", tmp_path / "m")
    assert done.returncode == 0, done.stderr
    assert from_hub
    assert examples(name, monkeypatch, tmp_path / "m") == from_hub


@pytest.mark.full
def test_a_folder_that_cards_share_is_pulled_once_and_serves_all(
    torr: Torr, hub: Hub, tmp_path: Path
) -> None:
    names = ["tablebench_data_analysis", "tablebench_fact_checking", "tablebench_numerical_reasoning"]
    one = json.loads(torr("data", "pull", names[1], "--to", tmp_path, "--json").stdout)
    assert [row["file"] for row in one["files"]] == ["tablebench/test.parquet"]
    again = json.loads(torr("data", "pull", *names, "--to", tmp_path, "--json").stdout)
    assert [(row["state"], row["rows"]) for row in again["files"]] == [("there", one["files"][0]["rows"])]
    assert hub.asked == [(TABLEBENCH, "test")]
    assert torr("data", "verify", *names, "--to", tmp_path).returncode == 0


def test_the_manifest_says_where_a_file_is_from(torr: Torr, hub: Hub, tmp_path: Path) -> None:
    torr("data", "pull", "tab_fact", "--to", tmp_path)
    path = tmp_path / "tab_fact" / "test.parquet"
    known = read_manifest(path.parent)
    assert sorted(known) == ["test.parquet", "train.parquet", "validation.parquet"]
    entry = known["test.parquet"]
    assert entry["origin"]["hub"]["path"] == TAB_FACT
    assert entry["origin"]["hub"]["revision"] == "refs/convert/parquet"
    assert (entry["rows"], entry["bytes"]) == (len(tiny.TAB_FACT), path.stat().st_size)
    assert (entry["sha256"], entry["licence"]) == (checksum(path), "CC-BY-4.0")
    assert [each.name for each in path.parent.iterdir() if each.name.startswith(".")] == []


@pytest.mark.full
def test_what_failed_costs_nothing_else_and_is_pulled_by_the_same_command(
    monkeypatch: pytest.MonkeyPatch, torr: Torr, hub: Hub, tmp_path: Path
) -> None:
    monkeypatch.setattr("torr_plugin.catalog.hub._out_of_reach", lambda: "")
    hub.failing[TAB_FACT] = datasets.exceptions.DatasetNotFoundError("'x' is a gated dataset\nand more")
    done = torr("data", "pull", "tab_fact", "wikitq", "--to", tmp_path)
    assert done.returncode == 1
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("torr: ")]
    assert line.startswith(
        "torr: cards.tab_fact: wenhu/tab_fact (split 'train') cannot be read from the hub: 'x' is"
    )
    assert not (tmp_path / "tab_fact").exists()
    hub.failing.clear()
    hub.asked.clear()
    again = torr("data", "pull", "tab_fact", "wikitq", "--to", tmp_path, "--json")
    assert again.returncode == 0
    states = {row["file"].split("/")[0]: row["state"] for row in json.loads(again.stdout)["files"]}
    assert states == {"tab_fact": "pulled", "wikitq": "there"}
    assert {path for path, _ in hub.asked} == {TAB_FACT}


def test_nothing_at_all_is_wrong_input(torr: Torr, hub: Hub, tmp_path: Path) -> None:
    hub.failing[TAB_FACT] = ConnectionError("no route")
    assert torr("data", "pull", "tab_fact", "--to", tmp_path).returncode == 2


def test_an_error_half_way_leaves_no_file(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = wanted_files(mirrored(["tab_fact"]))[0]
    good = pull(wanted, tmp_path)

    def torn(*_: object) -> object:
        yield pq.read_table(tmp_path / wanted.place)
        raise DataError("the line went dead")

    monkeypatch.setattr("torr_plugin.catalog.mirroring.batches", torn)
    outcome = pull(wanted, tmp_path / "other")
    assert (good.state, outcome.state, outcome.problem) == ("pulled", "failed", "the line went dead")
    assert list((tmp_path / "other" / "tab_fact").iterdir()) == []


def test_a_damaged_file_is_pulled_again_and_ones_own_never_touched(
    torr: Torr, hub: Hub, tmp_path: Path
) -> None:
    own = tmp_path / "tab_fact" / "validation.parquet"
    own.parent.mkdir()
    own.write_bytes(b"my own")
    torr("data", "pull", "tab_fact", "--to", tmp_path)
    damaged = tmp_path / "tab_fact" / "test.parquet"
    damaged.write_bytes(damaged.read_bytes()[:-9])
    done = json.loads(torr("data", "pull", "tab_fact", "--to", tmp_path, "--json").stdout)
    assert {row["file"]: row["state"] for row in done["files"]} == {
        "tab_fact/train.parquet": "there",
        "tab_fact/validation.parquet": "kept",
        "tab_fact/test.parquet": "pulled",
    }
    assert own.read_bytes() == b"my own"
    assert pq.read_table(damaged).num_rows == len(tiny.TAB_FACT)


def test_two_sources_for_one_file_are_refused(changed_card: Changed) -> None:
    card = changed_card("tab_fact", {"loader.hub": {"path": "me/mine"}})
    with pytest.raises(CardError, match=r"has tab_fact/\w+\.parquet from elsewhere than cards\.changed"):
        wanted_files([load_card(card), load_card("tab_fact")])


def test_a_json_file_of_the_repository(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "source.json"
    source.write_text(json.dumps([tiny.turl_list(tiny.TURL[0])] * 3))
    monkeypatch.setattr("huggingface_hub.hf_hub_download", lambda *_, **__: str(source))
    for wanted in wanted_files(mirrored(["turl_col_type"])):
        assert pull(wanted, tmp_path / "m").rows == 3
    (first, *_) = examples("turl_col_type", monkeypatch, tmp_path / "m")
    assert first.references == ("boats.ship",)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("pull", "wikit", "--to", "m"), "unknown card 'wikit'"),
        (("pull", "wikitq"), "no mirror is named; expected --to DIR, or the variable TORR_DATA"),
        (("pull", "wikitq", "--to", "file"), "file: is a file; expected a folder"),
        (("verify", "--to", "nowhere"), "nowhere: no such folder; expected a mirror"),
    ],
)
def test_wrong_input(torr: Torr, tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    (tmp_path / "file").write_text("")
    done = torr("data", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert said in line


@pytest.mark.full
@pytest.mark.parametrize("text", ["[]", "{", '{"format": 9, "files": {}}', '{"format": 1, "files": [1]}'])
def test_another_versions_manifest_is_said_and_left(hub: Hub, tmp_path: Path, text: str) -> None:
    place = tmp_path / "tab_fact" / MANIFEST
    place.parent.mkdir()
    place.write_text(text)
    outcome = pull(wanted_files(mirrored(["tab_fact"]))[0], tmp_path)
    assert outcome.state == "failed"
    assert str(place) in outcome.problem
    assert place.read_text() == text


def test_of_a_card_whose_data_are_in_a_mirror_alone_nothing_is_pulled(
    torr: Torr, hub: Hub, tmp_path: Path
) -> None:
    done = torr("data", "pull", "tablequest.extraction", "tab_fact", "--to", str(tmp_path / "m"))
    assert done.returncode == 0
    assert (
        "cards.tablequest.extraction: nothing to pull: its data are not on the Hugging Face hub"
        in done.stderr
    )


def test_generated_cards_need_nothing(torr: Torr, hub: Hub, tmp_path: Path) -> None:
    done = torr("data", "pull", "bundled.aggregation", "--to", tmp_path)
    assert done.returncode == 0
    assert "cards.bundled.aggregation: nothing to pull" in done.stderr
    assert hub.asked == []
