"""Prompts that show documents: every table in the configuration's format, perturbed on its own."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from torr_plugin.catalog import Card, Example, load_card, read_examples
from torr_plugin.core.errors import CardError, RecipeError
from torr_plugin.core.seeds import generator
from torr_plugin.prompts import Configuration, PromptBuilder, designs, images_of
from torr_plugin.prompts import builder as builder_module
from torr_plugin.prompts.builder import perturb_example, perturb_table
from torr_plugin.tables import Table, perturbations, serializers
from torr_plugin.tables.documents import Document, TextBlock
from torr_plugin.tables.perturbations.base import Perturbation

from ..document_card import questions, report, write


@pytest.fixture
def card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Card:
    monkeypatch.setenv("TORR_DATA", str(tmp_path))
    return load_card(write(tmp_path, [report(0), report(1)], questions(2)))


@pytest.fixture
def examples(card: Card) -> list[Example]:
    return read_examples(card, "test")


def built(card: Card, example: Example, configuration: str, **options: Any) -> str:
    builder = PromptBuilder(card, options.pop("pool", []), **options)
    return builder.build(example, Configuration.of(configuration))[0].content


def with_template(card: Card, input_format: str) -> Card:
    return replace(card, template=replace(card.template, input_format=input_format))


@pytest.mark.parametrize("serializer", ["html", "csv", "markdown", "json"])
def test_every_table_is_written_in_the_format(card: Card, examples: list[Example], serializer: str) -> None:
    text = serializers.get(serializer)
    body = report(0).written(text.serialize)
    assert built(card, examples[0], f"{serializer}/none/default") == (
        f"Answer the question about the report.\n{body}\n\n"
        "Question: How many ships came in in Q2 of 2019?\nAnswer: "
    )


@pytest.mark.parametrize("perturbation", ["shuffle_rows", "shuffle_cols", "transpose", "insert_empty_rows"])
def test_every_table_is_perturbed_with_its_own_seed(
    card: Card, examples: list[Example], perturbation: str
) -> None:
    chosen, example = perturbations.get(perturbation), examples[1]
    tables = [
        chosen.perturb(table, generator(5, "ports", example.id, perturbation, str(number)))
        for number, table in enumerate(report(0).tables)
    ]
    expected = report(0).with_tables(tables).written(serializers.get("html").serialize)
    assert expected in built(card, example, f"html/{perturbation}/default", seed=5)
    changed = perturb_example(example, chosen, 5, "ports")
    assert changed.document == report(0).with_tables(tables)
    assert changed.table == tables[1]
    alone = perturb_table(example, chosen, 5, "ports")
    assert (alone.table, alone.fields, alone.references) == (tables[1], changed.fields, changed.references)


def test_words_are_renamed_in_texts_question_and_answers(card: Card, examples: list[Example]) -> None:
    class Renaming(Perturbation):
        name = "test_renaming"

        def perturb(self, table: Table, rng: np.random.Generator) -> Table:
            return table.replace(title="renamed")

        def renames(self, table: Table, rng: np.random.Generator) -> dict[str, str]:
            year = table.title[-4:]
            return {year: f"y{year}", "ships": f"boats of {year}"}

    example = replace(examples[1], references=("2019 ships",), target="2019", facts={"a": '["2021"]'})
    changed = perturb_example(example, Renaming(), 0, "ports")
    # the table that the question is about decides where tables differ
    assert changed.fields["question"] == "How many boats of 2020 came in in Q2 of y2020?"
    assert changed.references == ("y2019 boats of 2020",)
    assert changed.facts == {"a": '["y2021"]'}
    assert changed.document is not None
    texts = [block.text for block in changed.document.texts]
    assert texts[1] == "Traffic in y2019. The following table gives the boats of 2020 of y2019 by quarter."
    assert [table.title for table in changed.document.tables] == ["renamed"] * 3
    assert perturb_table(example, Renaming(), 0, "ports") == changed


def test_nonsense_leaves_no_word_of_the_tables(card: Card, examples: list[Example]) -> None:
    text = built(card, examples[0], "html/nonsense/default")
    assert not re.search("quarter|ships", text, re.IGNORECASE)


def test_an_answer_is_worked_out_again_from_the_question_s_table(examples: list[Example]) -> None:
    example = replace(examples[1], recompute=lambda table: table.grid[2][1].text)
    chosen = perturbations.get("shuffle_rows")
    changed = perturb_example(example, chosen, 3, "ports")
    assert changed.document is not None
    assert changed.references == (changed.document.tables[1].grid[2][1].text,)


def test_the_tables_of_a_shared_document_are_written_once_a_format(
    card: Card, examples: list[Example], monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[Table] = []
    text = builder_module.table_text

    def counted(example: Example, serializer: str) -> str:
        written.append(example.table)
        return text(example, serializer)

    monkeypatch.setattr(builder_module, "table_text", counted)
    builder = PromptBuilder(card, [])
    for configuration in ("html/none/default", "csv/none/suc_no_marks"):
        written.clear()
        prompts = [
            builder.build(example, Configuration.of(configuration))[0].content
            for example in examples
            if example.document is examples[0].document
        ]
        assert len(written) == 3
        assert len(set(prompts)) == 3


def test_caches_of_long_documents_are_bounded(card: Card, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builder_module, "MOST_CHARACTERS", 20_000)
    monkeypatch.setattr(builder_module, "MOST_CELLS", 2_000)
    builder = PromptBuilder(card, [])
    fields = {"question": "?"}
    for number in range(12):
        document = report(number, tables=20)
        example = Example(f"q{number}", document.tables[0], fields, ("1",), "1", document=document)
        for configuration in ("html/none/default", "html/transpose/default", "html/shuffle_rows/default"):
            builder.build(example, Configuration.of(configuration))
    for cache, most in ((builder._writer._texts, 20_000), (builder._perturbed, 2_000)):
        assert 0 < cache.weight <= most
    builder.forget()
    assert builder._writer._texts.weight == builder._perturbed.weight == 0


def test_demonstrations_have_documents_of_their_own(card: Card, examples: list[Example]) -> None:
    builder = PromptBuilder(card, examples, shots=1)
    asked = examples[0]
    (shown,) = builder.demonstrations(asked)
    assert shown.groups["document"] != asked.groups["document"]
    text = builder.build(asked, Configuration.of("csv/none/default"))[0].content
    assert text.index("Port of Brekka") < text.index(shown.target) < text.index("Port of Aldin")
    with pytest.raises(RecipeError, match="its own table or document is left out"):
        PromptBuilder(card, examples, shots=4).demonstrations(asked)


def test_pictures_stand_in_the_text(card: Card, examples: list[Example]) -> None:
    hostile = Document((TextBlock("See <image> here."), *report(0).blocks), "x")
    example = replace(examples[0], document=hostile)
    prompt = PromptBuilder(card, []).build(example, Configuration.of("image/none/default"))
    draw = serializers.get("image").draw  # type: ignore[attr-defined]
    assert images_of(prompt) == tuple(draw(table) for table in report(0).tables)
    body = report(0).written(lambda table: "<image>")
    assert f"See <image > here.\n\n{body}" in prompt[0].content


def test_a_template_may_show_the_table_too(card: Card, examples: list[Example]) -> None:
    both = with_template(card, "{table}\n--\n{document}\n{question}")
    table = serializers.get("csv").serialize(examples[1].table)
    text = built(both, examples[1], "csv/none/default")
    assert f"{table}\n--\nPort of Aldin" in text
    prompt = PromptBuilder(both, []).build(examples[1], Configuration.of("image/none/default"))
    draw = serializers.get("image").draw  # type: ignore[attr-defined]
    assert images_of(prompt) == tuple(draw(table) for table in (examples[1].table, *report(0).tables))


def test_suc_marks_every_table_and_puts_the_question_first(card: Card, examples: list[Example]) -> None:
    text = built(card, examples[0], "csv/none/suc")
    assert text.count("<<< the table begins") == text.count("the table ends >>>") == 3
    assert text.index("Question: How many") < text.index("Port of Aldin")


@pytest.mark.parametrize(
    "design", ["tree_thinker", "tree_thinker_gold", "tree_thinker_no_reasoning", "hctqa"]
)
def test_designs_about_one_table_refuse_documents(card: Card, design: str) -> None:
    configuration = Configuration("html", "none", design)
    with pytest.raises(RecipeError, match=f"the design '{design}' is about one table, and the card"):
        designs.get(design).check(card, configuration)
    designs.get(design).check(with_template(card, "{table}\n{question}"), configuration)


def test_a_refused_table_is_named(card: Card, examples: list[Example]) -> None:
    wide = Table.flat(["x" * 40] * 400, [["y" * 40] * 400] * 400)
    example = replace(examples[0], document=report(0).with_tables([report(0).tables[0], wide, wide]))
    with pytest.raises(RecipeError, match=r"'q0-0' in configuration .*: table 2 of its document: "):
        PromptBuilder(card, []).build(example, Configuration.of("image/none/default"))


def test_a_template_names_a_document_that_is_not_there(card: Card, examples: list[Example]) -> None:
    with pytest.raises(CardError, match="asks for field 'document'; its examples have table, question"):
        built(card, replace(examples[0], document=None), "csv/none/default")
