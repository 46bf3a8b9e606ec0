"""Requests as rows and files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.core.errors import InputError, RecipeError
from torr_plugin.core.texts import estimate_tokens
from torr_plugin.prompts import Message, Prompt
from torr_plugin.recipes import (
    Configuration,
    Plan,
    Recipe,
    Request,
    facts_of_column,
    outline,
    plan,
    prompt_of_row,
    request_batches,
    request_schema,
    write_prompts,
)
from torr_plugin.recipes.request import prompt_columns

from .made import CARD

COLUMNS = [
    "key",
    "model",
    "dataset",
    "example",
    "config",
    "serializer",
    "perturbation",
    "design",
    "stage",
    "prompt",
    "messages",
    "references",
    "facts",
    "images",
    "replicate",
    "cut",
]

prompts = st.lists(
    st.builds(
        Message,
        st.sampled_from(["system", "user", "assistant"]),
        st.text(max_size=8),
        st.lists(st.binary(max_size=4), max_size=2).map(tuple),
    ),
    min_size=1,
    max_size=3,
).map(tuple)


def request(prompt: Prompt, example: str = "e") -> Request:
    return Request("k", None, "d", example, Configuration("html", "none", "default"), 0, prompt, ("a", "b"))


def asked_of(row: dict[str, Any]) -> tuple[Any, ...]:
    """What a row says is asked."""
    return row["key"], row["dataset"], row["example"], row["config"], prompt_of_row(row), row["references"]


def asked_by(request: Request) -> tuple[Any, ...]:
    """The same of the request."""
    config, references = request.config.id, list(request.references)
    return request.key, request.dataset, request.example, config, request.prompt, references


@pytest.fixture(scope="module")
def small() -> Plan:
    return plan(
        Recipe.model_validate(
            {
                "name": "small",
                "cards": [CARD],
                "configurations": {
                    "serializers": ["torr.html", "torr.csv"],
                    "perturbations": ["none", "transpose"],
                },
                "demonstrations": {"shots": 1},
                "examples": {"count": 7},
            }
        )
    )


@settings(deadline=None)
@given(prompts)
def test_a_prompt_goes_into_a_row_and_back(prompt: Prompt) -> None:
    (batch,) = request_batches([request(prompt)])
    (row,) = batch.to_pylist()
    assert prompt_of_row(row) == prompt
    assert list(row) == COLUMNS


def test_facts_go_into_a_row_and_back_and_are_null_where_there_are_none() -> None:
    plain = request((Message("user", "x"),))
    facts = {"table": '[["a", "é"]]', "answer": "1"}
    (batch,) = request_batches([plain, replace(plain, facts=facts)])
    without, with_facts = batch.to_pylist()
    assert without["facts"] is None
    assert facts_of_column(without["facts"]) == {}
    assert facts_of_column(with_facts["facts"]) == facts
    others = [name for name in COLUMNS if name != "facts"]
    assert {name: without[name] for name in others} == {name: with_facts[name] for name in others}


def test_one_user_message_is_its_text_and_others_are_json() -> None:
    assert prompt_columns((Message("user", "Hé"),)) == ("Hé", None)
    text, messages = prompt_columns((Message("system", "Be brief."), Message("user", "Hé")))
    assert (
        text == messages == '[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hé"}]'
    )
    assert prompt_columns((Message("assistant", "x"),))[1] is not None
    assert prompt_of_row({"prompt": "[]"}) == (Message("user", "[]"),)


def test_batches_hold_at_most_their_size_and_all_rows(small: Plan) -> None:
    batches = list(request_batches(small.requests(), size=5))
    assert [batch.num_rows for batch in batches] == [5, 5, 5, 5, 5, 3]
    rows = pa.Table.from_batches(batches, schema=request_schema()).to_pylist()
    assert list(map(asked_of, rows)) == list(map(asked_by, small.requests()))


def test_batches_end_where_their_prompts_are_long(monkeypatch: pytest.MonkeyPatch) -> None:
    from torr_plugin.recipes import request as rows

    monkeypatch.setattr(rows, "PROMPT_BYTES", 100)
    sizes = [60, 30, 10, 0, 250, 98, 0]
    asked = [request((Message("user", "x", (b"p" * size,) if size else ()),)) for size in sizes]
    assert [batch.num_rows for batch in request_batches(asked)] == [3, 2, 2]
    found = [row for batch in request_batches(asked) for row in batch.to_pylist()]
    assert list(map(asked_of, found)) == list(map(asked_by, asked))
    long = [request((Message("user", "x" * size),)) for size in (60, 40, 1, 100)]
    assert [batch.num_rows for batch in request_batches(long)] == [2, 2]


def test_batches_are_built_as_they_are_asked_for() -> None:
    def stream():  # type: ignore[no-untyped-def]
        yield request((Message("user", "x"),))
        raise RuntimeError("asked too early")

    batches = request_batches(stream(), size=1)
    assert next(batches).num_rows == 1
    with pytest.raises(RuntimeError, match="too early"):
        next(batches)


def test_half_a_character_is_said() -> None:
    good, bad = request((Message("user", "x"),), "good"), request((Message("user", "a\ud800b"),), "bad")
    with pytest.raises(
        RecipeError, match=r"^data set 'd', example 'bad': the text holds '\\ud800', half of a character"
    ):
        list(request_batches([good, bad]))


def test_parquet_and_jsonl_hold_the_same(small: Plan, tmp_path: Path) -> None:
    import pandas as pd

    write_prompts(small, tmp_path / "p.parquet")
    write_prompts(small, tmp_path / "p.jsonl")
    rows = pq.read_table(tmp_path / "p.parquet").to_pylist()
    assert list(map(asked_of, rows)) == list(map(asked_by, small.requests()))
    lines = (tmp_path / "p.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == rows
    assert list(pd.read_parquet(tmp_path / "p.parquet").columns) == COLUMNS
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.jsonl", "p.parquet"]


def test_the_file_is_named_when_it_is_whole(
    tmp_path: Path, small: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    from torr_plugin.recipes import request as export

    def broken(requests: Iterator[Request]):  # type: ignore[no-untyped-def]
        yield next(request_batches(requests, size=2))
        raise KeyboardInterrupt

    (tmp_path / "p.jsonl").write_text("before")
    monkeypatch.setattr(export, "request_batches", broken)
    with pytest.raises(KeyboardInterrupt):
        write_prompts(small, tmp_path / "p.jsonl")
    assert [path.name for path in tmp_path.iterdir()] == ["p.jsonl"]
    assert (tmp_path / "p.jsonl").read_text() == "before"


def test_wrong_outputs(tmp_path: Path, small: Plan) -> None:
    with pytest.raises(InputError, match=r"p\.csv: the file ends in '\.csv'; expected \.parquet or \.jsonl"):
        write_prompts(small, tmp_path / "p.csv")
    with pytest.raises(InputError, match=r"the folder .* does not exist"):
        write_prompts(small, tmp_path / "none" / "p.jsonl")
    (tmp_path / "q.jsonl").mkdir()
    with pytest.raises(InputError, match=r"^.*/q\.jsonl: cannot be written: Is a directory"):
        write_prompts(small, tmp_path / "q.jsonl")


def test_the_summary_counts(small: Plan) -> None:
    (row,) = outline(small).datasets
    texts = {each.prompt[0].content for each in small.requests()}
    assert row["dataset"] == CARD.removeprefix("cards.")
    assert (row["configurations"], row["examples"], row["shots"], row["prompts"]) == (4, 7, 1, 28)
    assert row["unique prompts"] == len(texts)
    assert row["estimated tokens"] == sum(map(estimate_tokens, texts))
    assert row["longest prompt"] == max(map(estimate_tokens, texts))


def test_the_summary_has_a_total() -> None:
    recipe = {
        "name": "x",
        "cards": [CARD, "cards.bundled.aggregation"],
        "configurations": "html/none/default",
        "examples": {"count": 3},
    }
    *rows, total = outline(plan(Recipe.model_validate(recipe))).datasets
    assert total["dataset"] == "total"
    for column in ("examples", "prompts", "unique prompts", "estimated tokens"):
        assert total[column] == sum(row[column] for row in rows)
        assert total[column] > 0
    assert total["longest prompt"] == max(row["longest prompt"] for row in rows)
