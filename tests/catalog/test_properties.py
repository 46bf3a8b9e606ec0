"""What a data set says of its tables and questions, and subsets of a card."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.catalog import Example, card_names, load_card, read_examples
from torr_plugin.catalog.examples import properties_of
from torr_plugin.core.errors import CardError, DataError, UnknownNameError
from torr_plugin.core.versions import shipped_folder
from torr_plugin.papers.realhitbench.complexity import Complexity
from torr_plugin.running.store.run import examples_frame
from torr_plugin.tables import Table
from torr_plugin.tables.measures import measures

from .conftest import Changed

pytestmark = pytest.mark.full

REAL = json.loads((shipped_folder("cards") / "hctqa" / "real.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('{"a": true, "b": false, "c": "", "d": null, "e": "2", "f": 3, "g": " x "}',
         {"a": True, "b": False, "e": 2, "f": 3, "g": "x"}),
        ({"a": True, "b": None, "c": 2.0}, {"a": True, "c": 2}),
        ("", {}),
        (None, {}),
        ("{}", {}),
    ],
)  # fmt: skip
def test_properties(value: object, expected: dict[str, object]) -> None:
    found = properties_of({"p": value}, "p")
    assert found == expected
    assert [type(each) for each in found.values()] == [type(each) for each in expected.values()]


@pytest.mark.parametrize(
    "text", ["[1]", "nonsense", '"a"', "[" * 100_000, '{"a": [1]}', '{"a": 1.5}', '{"a": {}}']
)
def test_what_holds_no_properties_is_said(text: str) -> None:
    with pytest.raises(DataError, match="column 'p'") as raised:
        properties_of({"p": text}, "p")
    assert "\n" not in str(raised.value)


def test_a_column_that_is_not_there() -> None:
    with pytest.raises(DataError, match="no column 'q'"):
        properties_of({"p": "{}"}, "q")


def test_a_dotted_path() -> None:
    assert properties_of({"a": {"b": '{"c": true}'}}, "a.b") == {"c": True}
    assert properties_of({"a": None}, "a.b") == {}


@settings(max_examples=15)
@given(st.dictionaries(st.text(max_size=9), st.booleans() | st.integers(-(10**9), 10**9), max_size=5))
def test_yes_no_and_whole_numbers_come_back_as_they_are(properties: dict[str, bool | int]) -> None:
    assert properties_of({"p": json.dumps(properties)}, "p") == properties
    assert properties_of({"p": properties}, "p") == properties


def step(card: dict[str, Any]) -> Any:
    return card["preprocess_steps"][0]


class TestOfTheRealTables:
    @pytest.fixture(scope="class")
    def examples(self, shared_data: Path) -> list[Example]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("TORR_DATA", str(shared_data))
            return read_examples(load_card("hctqa.real"), "test")

    def test_every_question_has_its_properties(self, examples: list[Example]) -> None:
        assert {tuple(example.properties) for example in examples} == {("table", "question")}
        nested = Counter(example.properties["table"].get("Row Nesting") for example in examples)
        assert nested == {False: 5335, True: 1154, None: 3346}
        ranked = Counter(type(example.properties["question"].get("Rank Report Top")) for example in examples)
        assert ranked[str] == 0

    @pytest.mark.usefixtures("mirror")
    def test_the_four_sources_are_cards(self, examples: list[Example]) -> None:
        counts = Counter(example.groups["source"] for example in examples)
        assert counts == {"psa": 7128, "pak": 979, "census": 387, "arxiv": 1341}
        card = load_card("cards.hctqa.real.census")
        assert card.dataset == "hctqa.real.census"
        part = [example for example in examples if example.groups["source"] == "census"]
        assert read_examples(card, "test") == part


class TestSubsets:
    def test_they_are_cards(self) -> None:
        names = [f"cards.hctqa.real.{name}" for name in REAL["subsets"]]
        assert set(names) <= set(card_names())
        cards = [load_card("hctqa.real"), *map(load_card, names)]
        assert len({card.fingerprint for card in cards}) == len(cards)
        assert len({card.description for card in cards}) == len(cards)
        assert {card.main_metric for card in cards} == {"recall"}

    def test_an_unknown_one_is_one_clear_line(self) -> None:
        with pytest.raises(UnknownNameError) as raised:
            load_card("cards.hctqa.real.censos")
        assert str(raised.value) == "cards.hctqa.real: unknown subset 'censos'; did you mean 'census'?"

    def test_a_card_without_subsets_has_none(self) -> None:
        with pytest.raises(UnknownNameError, match=r"unknown card 'wikitq\.part'"):
            load_card("wikitq.part")

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (lambda c: c["subsets"]["pak"].update(where={}), "subsets.pak.where"),
            (lambda c: c["subsets"]["pak"].pop("description"), "pak: the key 'description' is missing"),
            (lambda c: c["subsets"].update({"Two words": c["subsets"].pop("pak")}), "subsets.Two words"),
            (lambda c: c["subsets"]["pak"].update(wher=1), "wher: unknown key; did you mean 'where'?"),
            (lambda c: step(c).update(only={"nothing": "x"}), "'only' chooses by the group 'nothing'"),
            (lambda c: step(c)["properties"].update(answer="answer"), "properties.answer"),
        ],
    )  # fmt: skip
    def test_mistakes_are_said(
        self, tmp_path: Path, change: Callable[[dict[str, Any]], object], message: str
    ) -> None:
        card = json.loads(json.dumps(REAL))
        change(card)
        path = tmp_path / "mine.json"
        path.write_text(json.dumps(card))
        with pytest.raises(CardError) as raised:
            load_card(path)
        assert message in str(raised.value)
        assert "\n" not in str(raised.value)


class TestMeasured:
    """Properties that are computed from tables, for a card that asks for them."""

    @pytest.fixture
    def measured(self, tiny_mirror: Path, changed_card: Changed) -> list[Example]:
        names = ["complexity", "length", "complexity and length"]
        path = changed_card("hctqa/real", {"preprocess_steps.0.measured": names})
        return read_examples(load_card(path), "test")

    def test_they_stand_beside_those_of_the_data_set(self, measured: list[Example]) -> None:
        found = dict(measured[0].properties["table"])
        assert found["length"] == "under 10K"
        assert found["complexity"] == Complexity.of(measured[0].table).level
        assert found["complexity and length"] == f"{found['complexity']}, under 10K"
        assert set(found) > {"complexity", "length", "complexity and length"}, "and the annotation's"

    def test_they_are_in_what_a_run_keeps_of_its_examples(self, measured: list[Example]) -> None:
        kept = examples_frame({"x": measured})["properties"].map(json.loads)
        assert [each["table"]["length"] for each in kept] == ["under 10K"] * len(measured)

    def test_each_table_is_measured_once_and_none_before_it_is_asked_for(
        self, tiny_mirror: Path, changed_card: Changed, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        seen: list[Table] = []
        monkeypatch.setitem(measures._values, "length", lambda table: seen.append(table) or "short")  # type: ignore[misc]
        path = changed_card(
            "hctqa/synthetic",
            {"preprocess_steps.0.measured": ["length"], "loader.splits": {"train": 1, "test": 40}},
        )
        examples = read_examples(load_card(path), "test")
        assert seen == []
        assert {example.properties["table"]["length"] for example in examples} == {"short"}
        assert len(seen) == len({example.groups["table"] for example in examples}) < len(examples)

    def test_an_unknown_one_is_one_clear_line(self, changed_card: Changed) -> None:
        path = changed_card("hctqa/real", {"preprocess_steps.0.measured": ["complexety"]})
        with pytest.raises(CardError) as raised:
            load_card(path)
        assert str(raised.value).endswith(
            "preprocess_steps.0.measured.0: unknown measured property 'complexety'; "
            "did you mean 'complexity' or 'complexity and length'?"
        )
