"""``torr data verify``: good, missing and broken files, on a small mirror and on the real one."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pyarrow.parquet as pq
import pytest

from torr_plugin.catalog import load_card
from torr_plugin.catalog.mirroring import verify
from torr_plugin.plugins import hookimpl, registered

from ...conftest import Torr
from .. import tiny
from .stand_in import Hub, all_splits


@pytest.fixture
def pulled(torr: Torr, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    Hub(monkeypatch, {"wenhu/tab_fact": all_splits(tiny.TAB_FACT)})
    assert torr("data", "pull", "tab_fact", "--to", tmp_path).returncode == 0
    return tmp_path


def test_a_pulled_mirror_is_good(torr: Torr, pulled: Path) -> None:
    done = torr("data", "verify", "tab_fact", "--to", pulled, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    splits = json.loads(done.stdout)["splits"]
    assert [(row["state"], row["examples"], row["manifest"]) for row in splits] == [("good", 2, True)] * 3


@pytest.mark.full
def test_a_card_of_a_plugin_that_cannot_be_read_is_said_and_the_rest_works(
    torr: Torr, pulled: Path, tmp_path_factory: pytest.TempPathFactory, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path_factory.mktemp("cards")
    (folder / "broken.json").write_text("{")
    with registered(SimpleNamespace(torr_card_folders=hookimpl(lambda: [folder])), "it"):
        assert torr("data", "pull", "tab_fact", "--to", pulled).returncode == 0
        done = torr("data", "verify", "--to", pulled)
    assert done.returncode == 1  # all other cards' data are missing
    assert caplog.text.count(f"torr: {folder}/broken.json: line 1: not JSON") == 1


def test_a_byte_that_changed_is_found(torr: Torr, pulled: Path) -> None:
    path = pulled / "tab_fact" / "test.parquet"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    done = torr("data", "verify", "--to", pulled)
    assert done.returncode == 1
    assert f"{path}: its checksum is not the manifest's" in done.stderr


def test_a_table_that_cannot_be_read_is_found_without_a_manifest(torr: Torr, tmp_path: Path) -> None:
    mirror = tiny.write(tmp_path)
    path = mirror / "numeric_nlg" / "test.parquet"
    table = pq.read_table(path)
    pq.write_table(table.drop_columns(["caption"]), path)
    done = torr("data", "verify", "numeric_nlg", data=mirror)
    assert done.returncode == 1
    assert "has no column 'caption'" in done.stderr
    path.write_bytes(path.read_bytes()[:100])
    (split,) = [each for each in verify(load_card("numeric_nlg"), mirror) if each.split == "test"]
    assert (split.state, split.examples, split.manifest) == ("broken", None, None)
    assert f"{path} cannot be read" in split.problem


def test_data_that_studies_need_and_a_mirror_lacks_are_said(torr: Torr, pulled: Path) -> None:
    done = torr("data", "verify", "tab_fact", "wikitq", "--to", pulled)
    assert done.returncode == 1
    said = " ".join(done.stderr.split())
    assert said.endswith("lacks data of 1 card: cards.wikitq; torr data pull fetches them")
    done = torr("data", "verify", "tab_fact", "tablequest.analysis", "--to", pulled)
    assert " ".join(done.stderr.split()).endswith(
        "lacks data of 1 card: cards.tablequest.analysis; no hub has them"
    )
    assert torr("data", "verify", "--to", pulled).returncode == 1
    (pulled / "tab_fact" / "validation.parquet").unlink()  # neither asked nor shown
    assert torr("data", "verify", "tab_fact", "--to", pulled).returncode == 0
    (pulled / "tab_fact" / "test.parquet").unlink()
    assert torr("data", "verify", "--to", pulled).returncode == 1


@pytest.mark.full
def test_the_real_mirror(torr: Torr, shared_data: Path) -> None:
    done = torr("data", "verify", "wikitq", data=shared_data)
    assert done.returncode == 0, done.stderr
    assert "3,593" in done.stdout
