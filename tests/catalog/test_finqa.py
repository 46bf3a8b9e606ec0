"""FinQA's card: what it reads, from mirror, hub and unitxt alike, and how its facts reach the metric."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from torr_plugin.catalog import data_fingerprint, load_card, read_examples
from torr_plugin.core.errors import CardError, DataError
from torr_plugin.integrations.unitxt import register
from torr_plugin.recipes import Recipe, plan, request_key
from torr_plugin.scoring import score_example
from torr_plugin.tables import Table

from . import tiny
from .conftest import Changed
from .test_hub import connect


@pytest.mark.usefixtures("tiny_mirror")
def test_rows_become_examples_and_headers_alone_are_left_out() -> None:
    growth, average, better = read_examples(load_card("finqa"), "test")
    assert growth.id == "BOAT/2020/page_7.pdf-1"
    assert growth.table == Table.flat(tiny.FINQA_TABLE[0], tiny.FINQA_TABLE[1:])
    assert growth.fields == {
        "pre_text": "The year was calm.",
        "post_text": "( a ) without the captains.",
        "question": "How did sales grow?",
    }
    assert growth.references == (growth.target,) == ("subtract(1250, 1000), divide(#0, 1000)",)
    assert growth.groups == average.groups == {"table": "BOAT/2020/page_7"}
    assert better.groups == {"table": "BOAT/2020/page_9"}
    assert growth.facts == {"answer": "0.25", "table": json.dumps(tiny.FINQA_TABLE)}


@pytest.mark.usefixtures("tiny_mirror")
def test_gold_programs_are_right_by_both_accuracies() -> None:
    card = load_card("finqa")
    for example in read_examples(card, "test"):
        scores = score_example(card, example.target, example.references, example.facts)
        names = ("program_accuracy", "execution_accuracy", "program_accuracy.lenient")
        assert scores == dict.fromkeys(names, 1.0)


def test_the_hub_gives_the_same(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    hub = connect(monkeypatch, {"test": tiny.FINQA}, "finqa")
    from_hub = read_examples(load_card("finqa"), "test")
    assert [path for path, _ in hub.asked] == ["rootsautomation/FinQA"]
    monkeypatch.setenv("TORR_DATA", str(tiny.write(tmp_path, {"finqa/test": tiny.FINQA})))
    assert read_examples(load_card("finqa"), "test") == from_hub


@pytest.mark.usefixtures("tiny_mirror")
def test_unitxt_runs_programs_over_the_table_too() -> None:
    from unitxt import evaluate, load_dataset

    register()
    stream = load_dataset(
        card="cards.finqa",
        template_card_index=0,
        split="test",
        num_demos=0,
        streaming=True,
        serializer="serializers.table.html",
        augmentor="augmentors.table.shuffle_rows",
    )
    instances = [dict(each) for each in stream]
    answers = [
        "subtract(1250, 1000), divide(#0, 1000)",
        "add(10, 0.5)",  # the right result by other steps
        "greater(1000, 1250)",
    ]
    scored = evaluate(predictions=answers, data=instances)
    got = [each["score"]["instance"] for each in scored]
    assert [each["program_accuracy"] for each in got] == [1.0, 0.0, 0.0]
    assert [each["execution_accuracy"] for each in got] == [1.0, 1.0, 0.0]
    average = evaluate(predictions=["table_average(staff, none)"] * 3, data=instances)
    assert [each["score"]["instance"]["execution_accuracy"] for each in average] == [0.0, 1.0, 0.0]


def test_a_bad_row_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for change, message in [
        ({"pre_text": []}, "column 'pre_text.0': found a list of 0, expected an element 0"),
        ({"pre_text": None}, "column 'pre_text.0' is empty, expected a value"),
        ({"program": None}, "column 'program' is empty, expected a value"),
        ({"exe_ans": None}, "column 'exe_ans' is empty, expected a value"),
    ]:
        rows = [{**tiny.FINQA[0], **change}, tiny.FINQA[1]]
        monkeypatch.setenv("TORR_DATA", str(tiny.write(tmp_path / str(hash(message)), {"finqa/test": rows})))
        with pytest.raises(DataError) as caught:
            read_examples(load_card("finqa"), "test")
        assert str(caught.value) == f"cards.finqa: split 'test', example 'BOAT/2020/page_7.pdf-1': {message}"


def test_short_rows_are_filled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = {**tiny.FINQA[0], "table": [["a"], ["b", "c"], []]}
    monkeypatch.setenv("TORR_DATA", str(tiny.write(tmp_path, {"finqa/test": [row]})))
    (example,) = read_examples(load_card("finqa"), "test")
    assert example.table.to_unitxt() == {"header": ["a", ""], "rows": [["b", "c"], ["", ""]]}
    assert json.loads(example.facts["table"]) == [["a"], ["b", "c"], []]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"preprocess_steps.0.facts.table.as_jsn": True},
            "preprocess_steps.0.facts.table.as_jsn: unknown key; did you mean 'as_json'",
        ),
    ],
)
def test_wrong_facts_are_said(changed_card: Changed, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(CardError) as caught:
        load_card(changed_card("finqa", changes))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_task_without_the_field_refuses_facts(changed_card: Changed) -> None:
    path = changed_card("scigen", {"preprocess_steps.0.facts": {"all": "text"}})
    message = r"facts: expected none, for tasks\.torr\.table_to_text has no"
    with pytest.raises(CardError, match=message):
        load_card(path)


@pytest.mark.usefixtures("tiny_mirror")
def test_a_metric_whose_facts_the_card_lacks_is_refused(changed_card: Changed) -> None:
    card = load_card(changed_card("finqa", {"preprocess_steps.0.facts": {"answer": "exe_ans"}}))
    example = read_examples(card, "test")[0]
    message = r"metric 'finqa' needs the fact 'table'; found: answer \(see 'facts' of read_example\)$"
    with pytest.raises(CardError, match=message):
        score_example(card, "add(1, 2)", example.references, example.facts)


def test_the_fingerprint_holds_the_facts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def of(name: str, change: dict[str, Any]) -> str:
        place = tiny.write(tmp_path / name, {"finqa/test": [{**tiny.FINQA[0], **change}]})
        monkeypatch.setenv("TORR_DATA", str(place))
        return data_fingerprint(load_card("finqa"), "test")

    assert of("one", {}) == of("two", {"answer": "a quarter"})
    assert of("three", {}) != of("four", {"exe_ans": "0.26"})


@pytest.mark.usefixtures("tiny_mirror")
def test_a_plan_carries_facts_of_the_original_table_and_its_keys_do_not_know_them() -> None:
    recipe = Recipe.model_validate(
        {
            "name": "small",
            "cards": ["cards.finqa"],
            "configurations": {"serializers": ["torr.csv"], "perturbations": ["none", "shuffle_rows"]},
        }
    )
    requests = list(plan(recipe).requests())
    assert len(requests) == 6
    assert {json.loads(request.facts["table"])[0][0] for request in requests} == {""}
    keys = {request_key(request.prompt, {}) for request in requests}
    without = {request_key(replace(request, facts={}).prompt, {}) for request in requests}
    assert keys == without
