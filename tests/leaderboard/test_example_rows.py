"""A bucket's rows by example, beside the plainest way to look answers up."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.leaderboard.examples.rows import rows_by_example
from torr_plugin.recipes import request_schema
from torr_plugin.running.answer import answer_schema

LABELS = {"one": 0, "two": 1, "three": 2}
KEYS = st.sampled_from("abcde")
REQUEST = st.fixed_dictionaries(
    {
        "number": st.integers(3, 5),
        "key": KEYS,
        "stage": st.integers(0, 2),
        "model": st.none() | st.sampled_from(["one", "two", "from elsewhere"]),
        "prompt": st.text(max_size=3),
    }
)
ANSWER = st.tuples(
    st.none() | st.text("xy", max_size=2),
    st.none() | st.just("timeout"),
    st.none() | st.just("length"),
    st.none() | st.integers(0, 2),
    st.none() | st.integers(0, 2),
)
ANSWERS = st.dictionaries(st.tuples(KEYS, st.integers(0, 2)), ANSWER)
ANSWER_NAMES = ("prediction", "error", "finish_reason", "prompt_tokens", "completion_tokens")


def requests_table(rows: Sequence[dict[str, Any]]) -> pa.Table:
    schema = pa.schema([*request_schema(), pa.field("number", pa.int64()), pa.field("gaps", pa.string())])
    return pa.Table.from_pylist([{"references": [row["key"]], **row} for row in rows], schema)


def answers_table(answers: dict[tuple[str, int], tuple[Any, ...]]) -> pa.Table:
    fields = [answer_schema().field(name) for name in ("key", *ANSWER_NAMES)]
    schema = pa.schema([*fields, pa.field("model", pa.int16())])
    rows = [
        {"key": key, "model": model, **dict(zip(ANSWER_NAMES, answer, strict=True))}
        for (key, model), answer in answers.items()
    ]
    return pa.Table.from_pylist(rows, schema)


@pytest.mark.full
@given(st.lists(REQUEST, max_size=8), ANSWERS)
def test_each_request_has_every_models_answer(
    rows: list[dict[str, Any]], answers: dict[tuple[str, int], tuple[Any, ...]]
) -> None:
    asked = {row["key"] for row in rows}
    answers = {of: answer for of, answer in answers.items() if of[0] in asked}
    found = dict(rows_by_example(range(3, 6), requests_table(rows), answers_table(answers), LABELS))
    assert list(found) == [3, 4, 5]
    for number, own in found.items():
        expected = sorted((row for row in rows if row["number"] == number), key=lambda row: row["stage"])
        shown = ("stage", "model", "prompt")
        assert [[row[name] for name in shown] for row in own.requests] == [
            [row[name] for name in shown] for row in expected
        ]
        assert list(own.references) == [row["key"] for row in expected[:1]]
        assert [prompt[0].content for prompt in own.prompts] == [row["prompt"] for row in expected]
        assert [row["model_number"] for row in own.requests] == [
            LABELS.get(row["model"], -2) for row in expected
        ]
        assert [
            [None if answer < 0 else own.different[answer] for answer in of_request]
            for of_request in own.answers
        ] == [[answers.get((row["key"], model)) for model in LABELS.values()] for row in expected]
        assert len(set(own.different)) == len(own.different) == len(set(answers.values()))
