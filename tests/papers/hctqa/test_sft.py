"""Fine-tuning sets: no table in two splits, every question once, answers as a model is to write them."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.papers.hctqa.generator.output.fine_tuning import (
    LAYOUTS,
    sft_rows,
    split_of,
    write_sft,
    written_answer,
)
from torr_plugin.tables import InputError, Table, UnknownNameError, serializers


@dataclass(frozen=True)
class Example:
    id: str
    table: Table
    fields: dict[str, str]
    target: str
    groups: dict[str, str] = field(default_factory=dict)


def examples(tables: int = 200, named: bool = True) -> list[Example]:
    made = []
    for number in range(tables):
        table = Table.flat(["Boat", "Seats"], [["Tern", str(number)], ["Gull \u2013 two", "7"]])
        groups = {"table": f"t-{number}"} if named else {}
        made += [
            Example(f"{number}-{n}", table, {"question": f"How many {n}?"}, str(n), groups) for n in (1, 2)
        ]
    return made


def read(folder: Path, layout: str, split: str) -> list[dict]:
    if layout == "alpaca":
        return json.loads((folder / f"{split}.json").read_text(encoding="utf-8"))
    return [json.loads(line) for line in (folder / f"{split}.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("named", [True, False])
def test_no_table_is_in_two_splits_and_every_question_is_there_once(
    layout: str, named: bool, tmp_path: Path
) -> None:
    made = examples(named=named)
    counts = write_sft(sft_rows(made, layout), layout, tmp_path)
    rows = {split: read(tmp_path, layout, split) for split in counts}
    assert {split: len(found) for split, found in rows.items()} == counts
    assert sorted(row["id"] for found in rows.values() for row in found) == sorted(each.id for each in made)
    where = defaultdict(set)
    for split, found in rows.items():
        for row in found:
            where[row["id"].split("-")[0]].add(split)
    assert len(where) == 200
    assert all(len(splits) == 1 for splits in where.values())
    assert 280 <= counts["train"] <= 360
    assert min(counts.values()) >= 16


def test_what_the_rows_say() -> None:
    (example, *_) = examples(1)
    table = serializers.get("csv").serialize(example.table)
    ((_, alpaca),) = sft_rows([example], "alpaca", serializer="csv", instruction="Answer.")
    assert alpaca == {
        "id": "0-1",
        "table_id": "t-0",
        "instruction": "Answer.",
        "input": f"Table:\n{table}\n\nQuestion: How many 1?",
        "output": "1",
    }
    ((_, chat),) = sft_rows([example], "chat", serializer="csv", instruction="Answer.")
    assert [(each["role"], each["content"]) for each in chat["messages"]] == [
        ("system", "Answer."),
        ("user", alpaca["input"]),
        ("assistant", "1"),
    ]


def test_a_split_does_not_depend_on_the_other_tables() -> None:
    alone = {row["id"]: split for example in examples(40) for split, row in sft_rows([example], "chat")}
    assert alone == {row["id"]: split for split, row in sft_rows(examples(200), "chat") if row["id"] in alone}


def test_shares() -> None:
    found = [split_of(f"table {number}") for number in range(20_000)]
    assert [round(found.count(split) / 20_000, 2) for split in ("train", "validation", "test")] == [
        0.8,
        0.1,
        0.1,
    ]


@given(
    st.lists(st.lists(st.text("abc 1.2-", min_size=1).map(str.strip).filter(bool), min_size=1), min_size=1)
)
def test_answers_keep_all_values_in_order(rows: list[list[str]]) -> None:
    answer = " || ".join("{" + " | ".join(row) + "}" for row in rows)
    assert written_answer(answer).split(" || ") == [value for row in rows for value in row]


def test_unknown_names_are_refused() -> None:
    with pytest.raises(InputError, match="no layout 'alpacca' of fine-tuning sets; did you mean 'alpaca'"):
        next(sft_rows(examples(1), "alpacca"))
    with pytest.raises(UnknownNameError, match="unknown serializer 'htlm'"):
        next(sft_rows(examples(1), "chat", serializer="htlm"))


def test_equal_tables_are_in_one_split_whatever_they_are_called() -> None:
    table = Table.flat(["Boat"], [["Tern"]])
    names = [f"t-{number}" for number in range(40)]
    assert len({split_of(name) for name in names}) == 3
    made = [Example(name, table, {"question": "?"}, "1", {"table": name}) for name in names]
    assert len({split for split, _ in sft_rows(made, "chat")}) == 1


def test_one_table_s_variants_are_in_one_split() -> None:
    made = [
        Example(str(number), Table.flat(["Boat"], [[str(number)]]), {"question": "?"}, "1", {"table": "t"})
        for number in range(40)
    ]
    assert len({split for split, _ in sft_rows(made, "chat")}) == 1
