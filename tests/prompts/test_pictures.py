"""Prompts with pictures: each in its place, none lost, keys that tell them apart."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from torr_plugin.catalog import Example
from torr_plugin.core.errors import InputError, RecipeError
from torr_plugin.prompts import IMAGE, Message, Prompt, PromptBuilder, designs, images_of, is_picture
from torr_plugin.prompts.design import Design, Shown
from torr_plugin.prompts.message import text_format
from torr_plugin.recipes import (
    Configuration,
    Recipe,
    plan,
    prompt_of_row,
    request_key,
    request_schema,
    write_prompts,
)
from torr_plugin.tables import SerializationError, Table, serializers
from torr_plugin.tables.table import CellStyle

from .made import MadeCard, MadeTemplate, made_example

IMAGE_CONFIGURATION = Configuration("image", "none", "default")


def told(table: Table) -> bytes:
    return repr(table.rows).encode()


@pytest.fixture(autouse=True)
def draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """``image`` gives a table's cells as bytes, so that a test sees which table a picture is of."""
    monkeypatch.setattr(type(serializers.get("image")), "draw", lambda _, table: told(table))


@pytest.mark.parametrize("design", ["default", "torr", "hctqa"])
@pytest.mark.parametrize("shots", [0, 2])
def test_every_design_shows_the_pictures_in_order(
    design: str, shots: int, card: MadeCard, pool: list[Example], examples: list[Example]
) -> None:
    builder = PromptBuilder(card, pool, shots=shots)
    for example in examples[:5]:
        prompt = builder.build(example, Configuration("image", "none", design))
        shown = [*builder.demonstrations(example), example]
        assert images_of(prompt) == tuple(told(each.table) for each in shown)
        assert prompt[-1].images == images_of(prompt)
        assert prompt[-1].content.count(IMAGE) == shots + 1
        assert example.table.rows[1][0].text not in prompt[-1].content.replace(example.fields["question"], "")


SEVERAL = ["default", "hctqa", "self_augmented", "self_augmented_all", "suc", "torr"]


@pytest.mark.parametrize("design", SEVERAL)
@pytest.mark.parametrize("name", ["image+csv", "image+latex", "image+xml", "image+torr.markdown"])
def test_picture_and_text_stand_together_in_every_step(
    design: str, name: str, card: MadeCard, pool: list[Example], examples: list[Example]
) -> None:
    builder, asked = PromptBuilder(card, pool, shots=1), examples[0]
    steps = designs.get(design).steps
    text = serializers.get(name.partition("+")[2]).serialize(asked.table)
    for step in steps:
        answers = {before: f"{before} {IMAGE}" for before in step.after}
        prompt = builder.build(asked, Configuration(name, "none", design), step, answers)
        assert images_of(prompt)[-1] == told(asked.table)
        assert prompt[-1].content.count(IMAGE) == len(images_of(prompt))
        assert f"{IMAGE}\nThe same table as text:\n{text}" in prompt[-1].content


def test_a_place_in_a_table_is_no_place_beside_a_picture(card: MadeCard) -> None:
    sly = replace(made_example(0), table=Table.flat(["a"], [[f"is {IMAGE} one?"]]))
    (message,) = PromptBuilder(card, []).build(sly, Configuration("image+csv", "none", "default"))
    assert message.content.count(IMAGE) == 1
    assert "is <image > one?" in message.content


def test_equal_tables_of_other_looks_have_their_own_pictures(
    card: MadeCard, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = type(serializers.get("image"))
    monkeypatch.setattr(
        kind,
        "draw",
        lambda _, table: repr([cell.style for row in table.rows for cell in row if cell.style]).encode(),
    )
    builder, plain = PromptBuilder(card, []), made_example(0)
    fills = [CellStyle(fill="#ff0000"), CellStyle(fill="#0000ff"), None]
    for fill in fills:
        rows = [[cell._replace(style=fill) for cell in row] for row in plain.table.rows]
        (message,) = builder.build(replace(plain, table=plain.table.replace(rows=rows)), IMAGE_CONFIGURATION)
        assert (repr(fill) in message.images[0].decode()) == (fill is not None)


def test_a_text_beside_it_draws_no_picture_again(card: MadeCard, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Table] = []
    kind = type(serializers.get("image"))
    monkeypatch.setattr(kind, "draw", lambda _, table: drawn.append(table) or b"x")
    builder = PromptBuilder(card, [])
    for name in ("image", "image+latex", "image+html"):
        builder.build(made_example(0), Configuration(name, "none", "default"))
    assert len(drawn) == 1


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("image+latx", "unknown serializer 'latx'; did you mean 'latex'"),
        ("imag+latex", "unknown serializer 'imag'; did you mean 'image'"),
        ("html+csv", r"serializer 'html\+csv': expected a format that draws, '\+' and a text format"),
        ("image+image", r"serializer 'image\+image': expected a format that draws"),
        ("image+image+csv", "expected a format that draws"),
    ],
)
def test_pairs_that_do_not_exist_are_refused(name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        serializers.get(name)
    recipe = {"name": "x", "cards": ["cards.bundled.cell_lookup"], "configurations": {"serializers": [name]}}
    with pytest.raises(ValueError, match=message):
        Recipe.model_validate(recipe)


def test_listed_pairs_and_others() -> None:
    assert [name for name in serializers.names() if "+" in name] == [
        "image+csv",
        "image+html",
        "image+latex",
        "image+markdown",
    ]
    assert (text_format("image+yaml"), text_format("image"), text_format("yaml")) == ("yaml", "", "yaml")


def test_a_pair_is_explained_by_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    assert serializers.get("image+latex").explanation == serializers.get("latex").explanation != ""
    monkeypatch.setattr(type(serializers.get("csv")), "explanation", "")
    for name in ("image", "image+latex"):
        designs.get("suc").check(MadeCard(), Configuration(name, "none", "suc"))
    with pytest.raises(RecipeError, match="design 'suc' explains formats, and has no words for 'csv'"):
        designs.get("suc").check(MadeCard(), Configuration("image+csv", "none", "suc"))


def test_a_table_that_many_ask_about_is_drawn_once(card: MadeCard, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Table] = []
    monkeypatch.setattr(
        type(serializers.get("image")),
        "draw",
        lambda _, table: drawn.append(table) or told(table),
    )
    builder = PromptBuilder(card, [])
    asked = [made_example(number, table=number // 3) for number in range(9)]
    for perturbation in ("none", "transpose"):
        for example in asked:
            (message,) = builder.build(example, Configuration("image", perturbation, "default"))
            assert message.images == (told(drawn[-1]),)
    assert len(drawn) == 6
    builder.forget()
    builder.build(asked[0], IMAGE_CONFIGURATION)
    assert len(drawn) == 7


def test_pictures_are_perturbed_too(card: MadeCard) -> None:
    example = made_example(0)
    (message,) = PromptBuilder(card, []).build(example, Configuration("image", "transpose", "default"))
    assert message.images != (told(example.table),)
    assert b"size" in message.images[0]


def test_a_place_in_the_data_is_no_place(card: MadeCard) -> None:
    example = made_example(0)
    sly = replace(example, fields={"question": f"Is {IMAGE} here?"}, target=f"{IMAGE}")
    (message,) = PromptBuilder(card, []).build(sly, IMAGE_CONFIGURATION)
    assert message.content.count(IMAGE) == 1
    assert "Is <image > here?" in message.content
    (text,) = PromptBuilder(card, []).build(sly, Configuration("markdown", "none", "default"))
    assert f"Is {IMAGE} here?" in text.content


class Loses(Design):
    """As a design of a third party that knows of no pictures."""

    name = "loses"

    def compose(self, asked: Shown, demonstrations: Sequence[Shown]) -> Prompt:
        return (Message("user", asked.source),)


def test_a_design_that_loses_pictures_is_said(card: MadeCard, monkeypatch: pytest.MonkeyPatch) -> None:
    get = designs.get
    monkeypatch.setattr(designs, "get", lambda name: Loses() if name == "loses" else get(name))
    with pytest.raises(
        RecipeError, match=r"image/none/loses: the design 'loses' gives 0 pictures and 1 place"
    ):
        PromptBuilder(card, []).build(made_example(0), Configuration("image", "none", "loses"))


def test_words_that_show_no_table_are_said() -> None:
    card = MadeCard(template=MadeTemplate(input_format="{question}"))
    with pytest.raises(RecipeError, match="gives 1 pictures and 0 places"):
        PromptBuilder(card, []).build(made_example(0), IMAGE_CONFIGURATION)


def test_a_table_that_cannot_be_drawn_is_said(card: MadeCard, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(self: object, table: Table) -> bytes:
        raise InputError("too large to draw")

    monkeypatch.setattr(type(serializers.get("image")), "draw", refuses)
    with pytest.raises(
        RecipeError, match=r"^cards.made: example 'q0' in configuration image/none/default: too large"
    ):
        PromptBuilder(card, []).build(made_example(0), IMAGE_CONFIGURATION)


def test_a_picture_is_no_text() -> None:
    assert is_picture("image")
    assert is_picture("image+html")
    assert not is_picture("html")
    assert "image" not in serializers.text_names()
    with pytest.raises(SerializationError, match="'image' draws the table: it is a picture and has no text"):
        serializers.get("image").serialize(made_example(0).table)


def test_keys_tell_pictures_apart_and_texts_keep_theirs() -> None:
    generation = {"max_tokens": 5}
    plain, one, other = (Message("user", "x", images) for images in ((), (b"1",), (b"2",)))
    keys = [
        request_key(prompt, generation)
        for prompt in [
            (plain,),
            (one,),
            (other,),
            (one, other),
            (other, one),
            (Message("user", "x", (b"1", b"2")),),
        ]
    ]
    assert len(set(keys)) == len(keys)
    # of a run of an earlier version
    canonical = json.dumps([[["user", "x"]], generation], separators=(",", ":"))
    assert keys[0] == hashlib.sha256(canonical.encode()).hexdigest()[:32]
    digest = hashlib.sha256(b"1").hexdigest()
    canonical = json.dumps([[["user", "x", [digest]]], generation], separators=(",", ":"))
    assert keys[1] == hashlib.sha256(canonical.encode()).hexdigest()[:32]


def test_files_of_earlier_versions_have_no_pictures(tmp_path: Path) -> None:
    import pyarrow as pa

    from torr_plugin.running.store.shards import add_shard, read_parts

    schema = request_schema()
    row = {name: None if schema.field(name).nullable else "x" for name in schema.names}
    old = pa.schema([field for field in schema if field.name != "images"])
    table = pa.Table.from_pylist([{**row, "stage": 0, "references": ["a"]}], schema=old)
    add_shard(tmp_path, table)
    (table,) = read_parts(tmp_path / "part-000000.parquet", schema)
    (read,) = table.to_pylist()
    assert read["images"] is None
    assert prompt_of_row(read) == (Message("user", "x"),)


def test_exported_prompts_hold_the_pictures(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    asked = Recipe.model_validate(
        {
            "name": "x",
            "cards": ["cards.bundled.cell_lookup"],
            "configurations": ["image/none/hctqa", "image+csv/none/default", "html/none/default"],
            "demonstrations": {"shots": 1},
            "examples": {"count": 2},
        }
    )
    planned = plan(asked)
    write_prompts(planned, tmp_path / "p.parquet")
    write_prompts(planned, tmp_path / "p.jsonl")
    rows = pq.read_table(tmp_path / "p.parquet").to_pylist()
    assert [prompt_of_row(row) for row in rows] == [request.prompt for request in planned.requests()]
    lines = [json.loads(line) for line in (tmp_path / "p.jsonl").read_text(encoding="utf-8").splitlines()]
    for row, line in zip(rows, lines, strict=True):
        decoded = line["images"] and [base64.b64decode(image) for image in line["images"]]
        assert {**line, "images": decoded} == row
    assert [len(line["images"] or ()) for line in lines] == [2, 2, 2, 2, 0, 0]
