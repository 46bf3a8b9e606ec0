"""Prompts: paired, independent of order, and clear about what cannot be written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import product
from random import Random

import numpy as np
import pytest

from torr_plugin.catalog import Example
from torr_plugin.core.errors import CardError, RecipeError
from torr_plugin.prompts import PromptBuilder
from torr_plugin.prompts import builder as builder_module
from torr_plugin.recipes import Configuration
from torr_plugin.tables import SerializationError, Table, TableError, perturbations, serializers
from torr_plugin.tables.perturbations.base import Perturbation
from torr_plugin.tables.serializers.base import Serializer

from .made import MadeCard, MadeTemplate, made_example

SERIALIZERS = ("torr.html", "torr.csv", "torr.json", "markdown")
PERTURBATIONS = ("none", "shuffle_rows", "shuffle_cols", "transpose", "insert_empty_rows")
CONFIGURATIONS = [Configuration(*names, "default") for names in product(SERIALIZERS, PERTURBATIONS)]


class Renaming(Perturbation):
    """Calls every ``size`` by a drawn word, in the table and around it."""

    name = "test_renaming"
    keeps_content = False

    def perturb(self, table: Table, rng: np.random.Generator) -> Table:
        words = self.renames(table, rng)
        rows = [[words.get(cell.text, cell.text) for cell in row] for row in table.rows]
        return Table.flat(rows[0], rows[1:])

    def renames(self, table: Table, rng: np.random.Generator) -> Mapping[str, str]:
        return {"size": f"extent{rng.integers(10**6)}", "10": "ten"}


class Refusing(Serializer):
    name = "test_refusing"

    def serialize(self, table: Table) -> str:
        if table.rows[1][0].text.startswith("r3."):
            raise SerializationError("no threes, please")
        return "fine"


class RefusingPerturbation(Perturbation):
    name = "test_refusing"

    def perturb(self, table: Table, rng: np.random.Generator) -> Table:
        raise TableError("too small to disturb")


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Extra perturbations and a serializer, known for one test only."""
    extra = {each.name: each for each in (Renaming(), RefusingPerturbation())}
    get, refusing = perturbations.get, Refusing()
    monkeypatch.setattr(perturbations, "get", lambda name: extra[name] if name in extra else get(name))
    get_serializer = serializers.get
    monkeypatch.setattr(
        serializers, "get", lambda name: refusing if name == refusing.name else get_serializer(name)
    )


def all_prompts(
    builder: PromptBuilder, examples: list[Example], order: list[tuple[int, int]]
) -> dict[tuple[int, int], str]:
    return {
        (at, config): builder.build(examples[at], CONFIGURATIONS[config])[0].content for at, config in order
    }


def test_zero_shots_is_the_filled_template(card: MadeCard) -> None:
    example = made_example(2)
    (message,) = PromptBuilder(card, [], seed=0).build(example, Configuration("torr.csv", "none", "default"))
    table = serializers.get("torr.csv").serialize(example.table)
    assert message.content == (
        f"Answer the question about the table.\n{table}\nQuestion: What is the size of r2.2?\nAnswer:"
    )


def test_demonstrations_are_written_in_the_configuration(card: MadeCard, pool: list[Example]) -> None:
    builder = PromptBuilder(card, pool, seed=0, shots=2)
    example = made_example(2)
    (message,) = builder.build(example, Configuration("torr.json", "transpose", "default"))
    transpose = perturbations.get("transpose")
    for each in (*builder.demonstrations(example), example):
        table = transpose.perturb(each.table, np.random.default_rng(0))
        assert serializers.get("torr.json").serialize(table) in message.content


def test_an_example_is_shown_the_same_demonstrations_in_every_configuration(
    card: MadeCard, pool: list[Example], examples: list[Example]
) -> None:
    builder = PromptBuilder(card, pool, seed=5, shots=3)
    for example, configuration in product(examples, CONFIGURATIONS):
        (message,) = builder.build(example, configuration)
        shown = [each.fields["question"] for each in builder.demonstrations(example)]
        places = [message.content.index(question) for question in shown]
        assert places == sorted(places)
        assert message.content.count("Question: ") == 4


@pytest.mark.parametrize("draw", ["paired", "shared"])
def test_prompts_do_not_depend_on_order_or_company(
    card: MadeCard, pool: list[Example], examples: list[Example], draw: builder_module.Draw
) -> None:
    order = list(product(range(len(examples)), range(len(CONFIGURATIONS))))
    straight = all_prompts(PromptBuilder(card, pool, seed=1, shots=2, draw=draw), examples, order)
    Random(7).shuffle(order)
    shuffled = all_prompts(PromptBuilder(card, pool, seed=1, shots=2, draw=draw), examples, order)
    few = all_prompts(PromptBuilder(card, pool, seed=1, shots=2, draw=draw), examples, order[:10])
    assert shuffled == straight
    assert few == {place: straight[place] for place in few}


def test_a_table_is_disturbed_alike_in_every_format_and_as_a_demonstration(
    card: MadeCard, pool: list[Example]
) -> None:
    asked = PromptBuilder(card, [], seed=4).build(
        pool[0], Configuration("torr.csv", "shuffle_rows", "default")
    )
    table = asked[0].content.split("\nQuestion")[0].removeprefix("Answer the question about the table.\n")
    builder = PromptBuilder(card, pool[:1], seed=4, shots=1)
    shown = builder.build(made_example(1), Configuration("torr.csv", "shuffle_rows", "default"))
    assert table in shown[0].content
    in_json = PromptBuilder(card, [], seed=4).build(
        pool[0], Configuration("torr.json", "shuffle_rows", "default")
    )
    order = [line.split(",")[0] for line in table.splitlines()[1:]]
    places = [in_json[0].content.index(name) for name in order]
    assert places == sorted(places)


def test_perturbations_examples_and_seeds_have_chance_of_their_own(card: MadeCard) -> None:
    rows = [[f"r{row}", str(row)] for row in range(30)]
    examples = [
        Example(name, Table.flat(["a", "b"], rows), {"question": "?"}, ("0",), "0") for name in ("x", "y")
    ]
    prompts = {
        PromptBuilder(card, [], seed=seed).build(
            example, Configuration("torr.csv", "shuffle_rows", "default")
        )
        for seed in range(4)
        for example in examples
    }
    assert len(prompts) == 8


def test_examples_with_one_id_in_two_splits_are_not_confused(card: MadeCard) -> None:
    asked, shown = made_example(1, prefix=""), made_example(1, prefix="", table=5)
    builder = PromptBuilder(card, [shown, made_example(2)], seed=0, shots=1)
    (message,) = builder.build(asked, Configuration("torr.csv", "none", "default"))
    assert "r5." not in message.content
    assert "r1." in builder.build(asked, Configuration("torr.csv", "none", "default"))[0].content
    assert "r5." in builder.build(shown, Configuration("torr.csv", "none", "default"))[0].content


@pytest.mark.usefixtures("registered")
def test_renamed_words_are_renamed_everywhere(card: MadeCard) -> None:
    configuration = Configuration("torr.csv", "test_renaming", "default")
    example = Example(
        id="q",
        table=Table.flat(["name", "size"], [["oversize", "10"]]),
        fields={"question": "The size of oversize?"},
        references=("10", "100"),
        target="10",
    )
    shown = Example("d", example.table, example.fields, example.references, "size 10", {})
    builder = PromptBuilder(card, [shown], seed=0, shots=1)
    text = builder.build(example, configuration)[0].content
    assert " size" not in text
    assert "oversize" in text
    assert text.count("extent") == 5
    assert builder.references(example, configuration) == ("ten", "100")
    assert builder.references(example, Configuration("torr.csv", "none", "default")) == ("10", "100")


@pytest.mark.usefixtures("registered")
def test_facts_keep_the_original_table_but_follow_renamed_words(card: MadeCard) -> None:
    table = json.dumps([["name", "size"], ['an "oversize" size', "10"]])
    facts = {"table": table, "answer": "size 10", "count": "10", "odd": "[10"}
    example = Example("q", Table.flat(["name", "size"], [["a", "10"]]), {}, ("10",), "10", {}, facts)
    builder = PromptBuilder(card, [], seed=0)
    assert builder.facts(example, Configuration("torr.csv", "transpose", "default")) is facts
    renamed = builder.facts(example, Configuration("torr.csv", "test_renaming", "default"))
    (header, row) = json.loads(renamed["table"])
    assert header[0] == "name"
    assert header[1].startswith("extent")
    assert row == [f'an "oversize" {header[1]}', "ten"]
    assert (renamed["answer"], renamed["count"], renamed["odd"]) == (f"{header[1]} ten", "ten", "[ten")


@pytest.mark.usefixtures("registered")
def test_a_refused_table_names_card_example_configuration_and_reason(card: MadeCard) -> None:
    builder = PromptBuilder(card, [], seed=0)
    with pytest.raises(RecipeError) as error:
        builder.build(made_example(3), Configuration("test_refusing", "none", "default"))
    assert (
        str(error.value)
        == "cards.made: example 'q3' in configuration test_refusing/none/default: no threes, please"
    )
    with pytest.raises(RecipeError) as error:
        builder.build(made_example(3), Configuration("torr.csv", "test_refusing", "default"))
    assert (
        str(error.value)
        == "cards.made: example 'q3' in configuration torr.csv/test_refusing/default: too small to disturb"
    )


def test_a_field_that_the_example_lacks_is_said() -> None:
    card = MadeCard(template=MadeTemplate(input_format="{table} {caption}"))
    with pytest.raises(
        CardError,
        match=r"cards\.made: the template asks for field 'caption'; its examples have table, question",
    ):
        PromptBuilder(card, [], seed=0).build(made_example(0), Configuration("torr.csv", "none", "default"))


@pytest.mark.parametrize("wrong", ["{table} {", "{} {table}", "{table.nothing}"])
def test_a_template_that_cannot_be_filled_is_said(wrong: str) -> None:
    card = MadeCard(template=MadeTemplate(input_format=wrong))
    with pytest.raises(CardError, match=r"cards\.made: the template"):
        PromptBuilder(card, [], seed=0).build(made_example(0), Configuration("torr.csv", "none", "default"))


def test_braces_in_data_are_data(card: MadeCard) -> None:
    example = Example("q", Table.flat(["{table}"], [["{question}"]]), {"question": "{0} {x}?"}, ("1",), "1")
    (message,) = PromptBuilder(card, [], seed=0).build(example, Configuration("torr.csv", "none", "default"))
    assert "{table}" in message.content
    assert "{question}" in message.content
    assert "{0} {x}?" in message.content
