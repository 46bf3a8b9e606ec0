"""Rows dealt out to splits, and files of rows on the hub."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.catalog import load_card, read_examples
from torr_plugin.catalog.hub import file_rows
from torr_plugin.catalog.loading import dealt
from torr_plugin.catalog.schema import HubFile, Mix, TableLoader
from torr_plugin.core.errors import DataError

from . import tiny


@given(
    st.integers(0, 200),
    st.lists(st.integers(1, 9), min_size=1, max_size=4).map(lambda parts: [p / sum(parts) for p in parts]),
)
def test_dealing_gives_every_row_to_one_split_in_order(count: int, shares: list[float]) -> None:
    mix = Mix(of="test", shares={f"s{number}": share for number, share in enumerate(shares)})
    rows = [{"n": number} for number in range(count)]
    parts = [dealt(rows, mix, split) for split in mix.shares]
    assert sorted(row["n"] for part in parts for row in part) == list(range(count))
    assert all(part == sorted(part, key=lambda row: int(row["n"])) for part in parts)


def test_rows_are_chosen_before_they_are_dealt_out(tiny_mirror: Path) -> None:
    card = load_card("tablebench_fact_checking")
    shown = {split: [each.id for each in read_examples(card, split)] for split in card.splits}
    assert sum(map(len, shown.values())) == 12
    assert all(
        name.startswith("FactChecking") and name.endswith("DP") for ids in shown.values() for name in ids
    )
    assert shown["train"]
    assert len(shown["test"]) > 3
    assert not set(shown["train"]) & set(shown["test"])


FILE = HubFile(path="x/{split}.json", fields=["id", "cells"], as_text=["cells"])


def test_a_hub_file_of_lists_or_objects(tmp_path: Path) -> None:
    path = tmp_path / "test.json"
    path.write_text(json.dumps([["a", [[1, "x"]]], {"id": "b", "cells": None, "more": 1}]))
    assert file_rows(path, FILE, ["id", "cells"], "c") == [
        {"id": "a", "cells": '[[1, "x"]]'},
        {"id": "b", "cells": "null"},
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "c: t.json: cannot be read as JSON"),
        ("{}", "c: t.json: found dict, expected a list of rows"),
        ("[[1]]", "c: t.json, row 0: no column 'cells'"),
        ("[3]", "c: t.json, row 0: found '3', expected an object"),
        ('[{"id": 1, "cell": 2}]', "c: t.json, row 0: no column 'cells'; did you mean 'cell'?"),
        ("[" * 100_000, "c: t.json: cannot be read as JSON"),
    ],
)
def test_a_hub_file_that_is_not_as_the_card_says(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "t.json"
    path.write_text(text)
    with pytest.raises(DataError) as caught:
        file_rows(path, FILE, ["id", "cells"], "c")
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_turl_from_the_hub_is_turl_from_the_mirror(
    tiny_mirror: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = load_card("turl_col_type")
    mirrored = read_examples(card, "test")
    asked: list[tuple[Any, ...]] = []
    path = tmp_path / "test.table_col_type.json"
    path.write_text(json.dumps([tiny.turl_list(row) for row in tiny.TURL]))

    def download(repository: str, **options: Any) -> str:
        asked.append((repository, options["filename"], options["repo_type"], options["revision"]))
        return str(path)

    monkeypatch.delenv("TORR_DATA")
    monkeypatch.setattr("huggingface_hub.hf_hub_download", download)
    assert read_examples(card, "test") == mirrored
    loader = card.loader
    assert isinstance(loader, TableLoader)
    assert asked == [
        (
            "stanford-crfm/helm-scenarios",
            "turl-column-type-annotation/test.table_col_type.json",
            "dataset",
            loader.hub.revision,
        )
    ]


def test_turl_out_of_reach_is_said_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ConnectionError("no route\nand more")

    monkeypatch.delenv("TORR_DATA", raising=False)
    monkeypatch.setattr("huggingface_hub.hf_hub_download", fail)
    message = (
        r"its data \(stanford-crfm/helm-scenarios, split 'dev'\) are not on this machine, and HF_HUB_OFFL"
    )
    with pytest.raises(DataError, match=message):
        read_examples(load_card("turl_col_type"), "validation")
