from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import datasets
import huggingface_hub
import pytest

from torr_plugin.catalog import load_card, read_examples
from torr_plugin.core.errors import DataError

from . import tiny


class Hub:
    """Stands where ``datasets.load_dataset`` is; notes what is asked for."""

    def __init__(self, rows: dict[str, tiny.Rows]) -> None:
        self.rows, self.asked = rows, []  # type: ignore[var-annotated]

    def __call__(self, path: str, **options: Any) -> datasets.Dataset:
        self.asked.append((path, options))
        return datasets.Dataset.from_list([dict(row) for row in self.rows[options["split"]]])


def connect(monkeypatch: pytest.MonkeyPatch, rows: dict[str, tiny.Rows], card: str) -> Hub:
    hub = Hub(rows)
    monkeypatch.delenv("TORR_DATA", raising=False)
    monkeypatch.setattr("datasets.load_dataset", hub)
    monkeypatch.setattr("torr_plugin.catalog.examples._read", {})
    assert load_card(card)
    return hub


def test_without_a_mirror_a_card_loads_from_the_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    hub = connect(monkeypatch, {"test": tiny.TAB_FACT}, "tab_fact")
    examples = read_examples(load_card("tab_fact"), "test")
    assert [each.target for each in examples] == ["entailed", "refuted"]
    options = {"data_dir": "tab_fact", "revision": "refs/convert/parquet", "split": "test"}
    assert hub.asked == [("wenhu/tab_fact", options)]


def test_of_a_card_whose_data_are_in_a_mirror_alone_the_hub_is_not_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hub = connect(monkeypatch, {}, "tablequest.extraction")
    said = re.escape(
        "cards.tablequest.extraction: its data are not on the Hugging Face hub, and TORR_DATA is not set; "
        "expected 'export TORR_DATA=DIR', where DIR is the folder with tablequest/ in it"
    )
    with pytest.raises(DataError, match=said):
        read_examples(load_card("tablequest.extraction"), "test")

    assert hub.asked == []


def test_a_mirror_that_lacks_what_no_hub_has_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORR_DATA", str(tmp_path))
    with pytest.raises(DataError, match=r"questions\.parquet, which no hub has; the folder"):
        read_examples(load_card("tablequest.extraction"), "test")


def test_the_hubs_escapes_are_undone(monkeypatch: pytest.MonkeyPatch) -> None:
    table = {"header": ["a\\nb", "c"], "rows": [["1\\p2", "3"]], "name": "n"}
    row = {"id": "q", "question": "a\\nb?", "answers": ["1\\p2"], "table": table}
    connect(monkeypatch, {"test": [row]}, "wikitq")
    (example,) = read_examples(load_card("wikitq"), "test")
    assert example.table.to_unitxt() == {"header": ["a\nb", "c"], "rows": [["1|2", "3"]]}
    assert (example.fields["question"], example.target) == ("a\nb?", "1|2")


def test_a_split_that_the_hub_has_in_parts_is_put_together(monkeypatch: pytest.MonkeyPatch) -> None:
    def named(number: int) -> dict[str, Any]:
        return {**tiny.HCTQA[0], "question_id": f"q{number}"}

    hub = connect(
        monkeypatch,
        {"train": [named(1), tiny.HCTQA[1]], "validation": [named(2)], "test": [named(3)]},
        "hctqa.real",
    )
    assert [each.id for each in read_examples(load_card("hctqa.real"), "test")] == ["q1", "q2", "q3"]
    assert [options["split"] for _, options in hub.asked] == ["train", "validation", "test"]


@pytest.mark.full
@pytest.mark.parametrize("as_text", [True, False])
def test_properties_and_subsets_from_the_hub(monkeypatch: pytest.MonkeyPatch, as_text: bool) -> None:
    """As JSON text, and as a struct, whose rows all have every field, null where it is unknown."""

    def row(name: str, **known: bool) -> dict[str, Any]:
        told = json.dumps(known) if as_text else known
        own = {"question_id": name, "table_id": f"{name}--1--1", "table_properties": told}
        return {**tiny.HCTQA[0], **own, "question_properties": told}

    rows = {
        "train": [row("psa", Flat=True), row("pak", Flat=False, Nested=True)],
        "validation": [row("census", Nested=False)],
        "test": [row("arxiv", Flat=True)],
    }
    connect(monkeypatch, rows, "hctqa.real")
    whole = {each.groups["source"]: each for each in read_examples(load_card("hctqa.real"), "test")}
    assert list(whole) == ["psa", "pak", "census", "arxiv"]
    assert whole["pak"].properties["table"] == {"Flat": False, "Nested": True}
    assert whole["psa"].properties["question"] == {"Flat": True}
    assert whole["census"].properties["table"] == {"Nested": False}
    for name, source in {"qnpc": "psa", "pak": "pak", "census": "census", "arxiv": "arxiv"}.items():
        assert read_examples(load_card(f"hctqa.real.{name}"), "test") == [whole[source]]


def test_a_column_that_the_hub_lacks_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    connect(monkeypatch, {"test": [{"paper_id": "1", "text": "x"}]}, "scigen")
    with pytest.raises(
        DataError, match=r"cards\.scigen: kasnerz/scigen \(split 'test'\) has no column 'table_caption'"
    ):
        read_examples(load_card("scigen"), "test")


@pytest.mark.parametrize(
    "error",
    [
        ConnectionError("no route to the hub\nand more"),
        ValueError("no route to the hub"),
        datasets.exceptions.DatasetNotFoundError("no route to the hub"),
    ],
)
def test_what_the_hub_refuses_is_said_with_the_remedy(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    connect(monkeypatch, {}, "scigen")
    monkeypatch.setattr("datasets.load_dataset", fail)
    monkeypatch.setattr("torr_plugin.catalog.hub._out_of_reach", lambda: "")
    message = (
        r"^cards\.scigen: kasnerz/scigen \(split 'test'\) cannot be read from the hub: no route to the hub; "
    )
    with pytest.raises(DataError, match=message + "where the data asks for consent, give it on its page and"):
        read_examples(load_card("scigen"), "test")


@pytest.mark.parametrize(
    ("offline", "why"),
    [
        (False, r"http://127.0.0.1:1 cannot be reached \(.*refused.*\)"),
        (True, "HF_HUB_OFFLINE is set"),
    ],
)
def test_without_a_network_the_hubs_libraries_do_not_try_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, offline: bool, why: str
) -> None:
    monkeypatch.delenv("TORR_DATA", raising=False)
    monkeypatch.setattr("torr_plugin.catalog.examples._read", {})
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:1")
    for switch in ("huggingface_hub.constants.HF_HUB_OFFLINE", "datasets.config.HF_HUB_OFFLINE"):
        monkeypatch.setattr(switch, offline)
    message = (
        rf"^cards.scigen: its data \(kasnerz/scigen, split 'test'\) are not on this machine, and {why}; "
        "where there is a network, run 'torr data pull cards.scigen --to DIR', copy DIR here, and "
        "'export TORR_DATA=DIR'$"
    )
    with pytest.raises(DataError, match=message):
        read_examples(load_card("scigen"), "test")
    assert not [record for record in caplog.records if "Retry" in record.getMessage()]
    assert datasets.config.HF_HUB_OFFLINE is huggingface_hub.constants.HF_HUB_OFFLINE is offline
