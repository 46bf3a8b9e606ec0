"""The record that harnesses carry: made of a request, written as JSON, read back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.core.errors import InputError
from torr_plugin.integrations.importing.study import StudyRecords
from torr_plugin.integrations.lm_eval.requests import RequestBuilder
from torr_plugin.integrations.logs.log import Result
from torr_plugin.integrations.record import RequestRecord, read_record, record_of
from torr_plugin.integrations.studies import plan_of
from torr_plugin.prompts import Step, designs
from torr_plugin.prompts.design import DefaultDesign
from torr_plugin.recipes import request_key

NAMES = st.text(min_size=1)
PARTS = st.text(st.characters(exclude_characters="/\\\0", codec="utf-8"), min_size=1)
RECORDS = st.builds(
    RequestRecord,
    study=PARTS.filter(lambda name: not name.endswith((".yaml", ".yml", ".json"))),
    card=PARTS.filter(lambda name: not name.endswith((".yaml", ".yml", ".json"))),
    dataset=NAMES,
    example=NAMES,
    config=st.builds("{}/{}/{}".format, PARTS, PARTS, PARTS),
    key=NAMES,
    references=st.lists(st.text()).map(tuple),
    facts=st.dictionaries(st.text(), st.text()),
    generation=st.dictionaries(st.text(), st.integers() | st.text() | st.none()),
    fingerprint=st.text(),
)


@given(RECORDS)
def test_what_is_written_is_read(record: RequestRecord) -> None:
    assert read_record(json.loads(json.dumps(record.as_dict())), "here") == record


def test_it_says_which_request_it_is_of() -> None:
    planned = plan_of("quickstart", "bundled.cell_lookup", 1)
    request = next(planned.requests())
    record = record_of(planned, request)
    assert (record.study, record.card) == ("quickstart", "cards.bundled.cell_lookup")
    assert (record.example, record.config, record.key) == (request.example, request.config.id, request.key)
    assert record.references == request.references
    assert record.fingerprint == planned.fingerprint


def test_a_design_that_generates_in_its_own_way_says_how(tmp_path: Path) -> None:
    with _thoughtful():
        path = tmp_path / "two.yaml"
        path.write_text(TWO_DESIGNS)
        planned = plan_of(str(path), "bundled.cell_lookup", 1)
        requests = list(planned.requests())
        records = [record_of(planned, request) for request in requests]
        asked = [RequestBuilder(planned).made(request) for request in requests]
    assert [record.generation["max_tokens"] for record in records] == [8, 512]
    assert [each.record for each in asked] == records
    assert [each.arguments["max_gen_toks"] for each in asked] == [8, 512]
    for record, request in zip(records, requests, strict=True):
        assert record.key == request_key(request.prompt, record.generation)

    def result(record: RequestRecord, line: int) -> Result:
        return Result.of_record(record, answer=None, prompt=(), where=f"line {line}")

    together = StudyRecords()
    for place, record in enumerate(records):
        together.add(result(record, place))
    with pytest.raises(InputError, match=r"generation is .*expected results of one plan"):
        together.add(result(records[1].model_copy(update={"generation": records[0].generation}), 2))


@contextmanager
def _thoughtful() -> Iterator[None]:
    class Thoughtful(DefaultDesign):
        name = "thoughtful"
        steps = (Step("answer", max_tokens=512),)

    designs.register("thoughtful", Thoughtful())
    try:
        yield
    finally:
        designs.remove("thoughtful")


TWO_DESIGNS = """
name: two
cards: [cards.bundled.cell_lookup]
configurations: {serializers: [csv], perturbations: [none], designs: [default, thoughtful]}
demonstrations: {shots: 0}
generation: {max_tokens: 8}
examples: {count: 2}
models: []
"""


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": 2}, "here: torr.format: found 2; expected 1"),
        ({"key": ""}, "here: torr.key: found ''; expected text that is not empty"),
        ({"dataset": 3}, "here: torr.dataset: found 3; expected text"),
        ({"references": "a"}, "here: torr.references: found 'a'; expected a list"),
        ({"facts": {"a": 1}}, "here: torr.facts.a: found 1; expected text"),
        ({"generation": None}, None),
        ({"generation": [1]}, "here: torr.generation: found [1]; expected an object"),
    ],
)
def test_what_is_no_record(change: dict[str, Any], said: str | None) -> None:
    good = RequestRecord(
        study="s", card="c", dataset="d", example="e", config="a/b/c", key="k", references=("r",)
    ).as_dict()
    if said is None:
        assert read_record(good | change, "here").generation == {}
        return
    with pytest.raises(InputError) as caught:
        read_record(good | change, "here")
    assert str(caught.value) == said


def test_something_else_is_no_record() -> None:
    with pytest.raises(InputError, match=r"here: torr: found \[\]; expected an object"):
        read_record([], "here")
