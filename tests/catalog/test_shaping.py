"""Rows made of rows: an element each, splits dealt out, constants, files of the hub."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.catalog import load_card, read_examples
from torr_plugin.catalog.hub import file_rows
from torr_plugin.catalog.reading import read_rows
from torr_plugin.catalog.rows import constant_inputs, dealt, row_of_each
from torr_plugin.catalog.schema.loaders import HubFile, Mix, TableLoader
from torr_plugin.catalog.schema.reading import ConstantOf
from torr_plugin.core.errors import DataError

from . import tiny
from .conftest import Changed


def test_a_row_of_each_element_keeps_the_others_and_the_order() -> None:
    rows = [{"t": 1, "names": ["a", "b"], "kinds": [["x"], []]}, {"t": 2, "names": [], "kinds": []}]
    made = row_of_each(rows, {"name": "names", "kind": "kinds"}, "card")
    assert made == [{**rows[0], "name": "a", "kind": ["x"]}, {**rows[0], "name": "b", "kind": []}]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            {"names": ["a"], "kinds": []},
            r"^c, row 0: lists of different lengths: 'names' has 1, 'kinds' has 0 elements",
        ),
        ({"names": "a", "kinds": []}, r"^c, row 0: column 'names' has 'a', expected a list"),
        ({"names": None, "kinds": []}, r"^c, row 0: column 'names' has 'None', expected a list"),
    ],
)
def test_lists_that_do_not_fit_are_said(row: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        row_of_each([row], {"name": "names", "kind": "kinds"}, "c")


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


HTML = "<table><tr><th>a</th></tr><tr><td>1</td></tr></table>"


def test_bytes_alone_are_written_in_base64() -> None:
    step = load_card("realhitbench.chart_generation").reading
    plain = {"inputs": {}, "references": step.references[:1], "groups": {}, "measured": [], "target": None}
    step = step.model_copy(update=plain | {"facts": {"workbook": step.facts["workbook"]}})
    rows = [{"id": "1", "ProcessedAnswer": "[1]", "file": HTML}]
    with pytest.raises(DataError, match=r"column 'file': found '<table>.*', expected bytes"):
        list(read_rows(step, rows, split="test", card="c"))


def constant(**changes: str) -> dict[str, ConstantOf]:
    said = {"unitxt": "cards.turl_col_type", "at": "preprocess_steps.0.fields.vocab", "join": ", "}
    return {"types": ConstantOf(**{**said, **changes})}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"unitxt": "cards.none"}, "unitxt's catalog has no 'cards.none'; expected unitxt 1.26.10 or later"),
        ({"at": "preprocess_steps.9"}, "column 'preprocess_steps.9': found a list of"),
        ({"at": "preprocess_steps.fields"}, "expected an element fields"),
        ({"at": "preprocess_steps.0.fields.vocab.0.x"}, "expected a struct with 'x'"),
        ({"at": "__description__"}, "expected a list of texts"),
        ({"at": "preprocess_steps"}, "expected a list of texts"),
    ],
)
def test_a_constant_that_is_not_there_is_said(changes: dict[str, str], message: str) -> None:
    with pytest.raises(DataError) as caught:
        constant_inputs(constant(**changes), "cards.mine")
    assert str(caught.value).startswith("cards.mine: constant 'types': ")
    assert message in str(caught.value)


def test_a_constant_is_one_text() -> None:
    types = constant_inputs(constant(join=" | "), "cards.mine")["types"].split(" | ")
    assert len(types) == 255
    assert "people.person" in types


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
        ("[[1]]", "c: t.json, row 0: has 1 values, expected 2"),
        ("[3]", "c: t.json, row 0: found '3', expected a list"),
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
        r"helm-scenarios \(split 'dev'\) cannot be read from the hub: no route; without a network, set TORR"
    )
    with pytest.raises(DataError, match=message):
        read_examples(load_card("turl_col_type"), "validation")


def test_a_card_of_ones_own_can_take_rows_apart(tiny_mirror: Path, changed_card: Changed) -> None:
    changes = {
        "loader.each": {"answer": "answers"},
        "preprocess_steps.0.references": ["answer"],
        "preprocess_steps.0.id": {"with_split": True},
    }
    examples = read_examples(load_card(changed_card("wikitq", changes)), "test")
    assert [(each.id, each.target) for each in examples] == [
        ("test-0", "Tern"),
        ("test-1", "Tern"),
        ("test-2", "Gull"),
    ]
