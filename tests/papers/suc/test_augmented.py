"""Composed designs: notes and facts below the asked example of any base, and nothing else changed."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.prompts.made import MadeCard, MadeTemplate, made_example
from torr_plugin.catalog import card_names, load_card, read_examples
from torr_plugin.core.errors import DataError, InputError, RecipeError
from torr_plugin.papers.suc.augmented import (
    AUGMENTED_DESIGNS,
    MOST_MERGED,
    AugmentedDesign,
    merged_cells_text,
    size_text,
)
from torr_plugin.papers.suc.generators import table_with_merged_cells
from torr_plugin.prompts import (
    IMAGE,
    Configuration,
    Design,
    Message,
    PromptBuilder,
    Step,
    check_steps,
    designs,
    images_of,
)
from torr_plugin.prompts.design import DefaultDesign, Shown, places
from torr_plugin.tables import Table
from torr_plugin.tables.table import Cell

FACTS = ("table_size", "merged_cells")
BASES = [name for name in designs.names() if name not in ("carried", "mine", *FACTS)]
ONE_CALL = [name for name in BASES if len(designs.get(name).steps) == 1]
AUGMENTATIONS = [each.name for each in AUGMENTED_DESIGNS]
CARDS = (
    "bundled.aggregation",
    "bundled.fact_verification",
    "suc.table_partition",
    "suc.merged_cell_detection",
)
# without what unitxt's rule for line breaks cuts at the end of a text
words = st.text(alphabet=st.sampled_from("ab \n.{}é|%"), max_size=20)


def text_of(prompt: tuple[Message, ...]) -> str:
    return "\n\n".join(f"{message.role}: {message.content}" for message in prompt)


def prompts(card_name: str, design: str, written: str = "html", shots: int = 1) -> list[str]:
    """The prompts of all steps of an example; every answer is ``NOTED`` and the step's name."""
    card = load_card(card_name)
    pool = read_examples(card, card.demo_split or "train")[:30]
    builder = PromptBuilder(card, pool, shots=shots)
    example = read_examples(card, card.test_split)[3]
    configuration = Configuration(written, "none", design)
    designs.get(design).check(card, configuration)
    return [
        text_of(builder.build(example, configuration, step, {name: f"NOTED {name}" for name in step.after}))
        for step in designs.get(design).steps
    ]


def without(text: str, beginning: str) -> str:
    """The text without its only line with this beginning."""
    assert text.count(beginning) == 1
    start = text.index(beginning)
    end = text.find("\n", start + len(beginning))
    return text[:start] + (text[end:] if end >= 0 else "")


@pytest.mark.full
@settings(max_examples=12, deadline=None)
@given(
    card=st.sampled_from(CARDS),
    base=st.sampled_from(ONE_CALL),
    parts=st.lists(st.sampled_from(sorted(AUGMENTATIONS)), min_size=1, max_size=3, unique=True),
    written=st.sampled_from(["html", "nl_sep", "markdown"]),
    shots=st.integers(0, 2),
)
def test_any_base_keeps_its_text_apart_from_what_is_added(
    card: str, base: str, parts: list[str], written: str, shots: int
) -> None:
    name = "+".join([*parts, base])
    if name not in designs:  # self_augmented_all has what others have
        assert "self_augmented_all" in parts
        return
    if base == "torr" and load_card(f"cards.{card}").unitxt:
        return
    if base == "hctqa" and card == "bundled.fact_verification":  # which has claims, not questions
        return
    (plain,) = prompts(f"cards.{card}", base, written, shots)
    design = designs.get(name)
    assert isinstance(design, AugmentedDesign)
    *_, last = prompts(f"cards.{card}", name, written, shots)
    left = last
    for each in design.facts:
        left = without(left, f"\n\n{each.heading}: ")
    for ask in design.asks:
        note = f"\n\n{ask.heading}: NOTED {ask.name}"
        assert left.count(note) == 1
        left = left.replace(note, "")
    assert left == plain


@pytest.mark.parametrize("name", [name for name in BASES if len(designs.get(name).steps) > 1])
def test_over_a_base_of_several_calls_its_own_prompts_stay_and_the_last_has_the_notes(name: str) -> None:
    own = prompts("cards.bundled.aggregation", name)
    with_facts = prompts("cards.bundled.aggregation", f"table_size+{name}")
    assert len(own) == len(with_facts)
    for before, after in zip(own, with_facts, strict=True):
        fact = "\n\nSize of the table: "
        assert (without(after, fact) if fact in after else after) == before
    if "self_augmented" in name:
        return
    composed = designs.get(f"self_augmented_structure+{name}")
    check_steps(composed.name, composed.steps)
    first, *others = prompts("cards.bundled.aggregation", composed.name)
    assert first.endswith(("sentences.\n\nNotes:", "sentences.\nNotes:"))
    assert others[:-1] == own[:-1]
    note = "\n\nHow the table is built: NOTED structure"
    assert others[-1].replace(note, "") == own[-1]
    assert others[-1].count(note) == 1


@given(answer=words, other=words, source=words, base=st.sampled_from(ONE_CALL))
def test_demonstrations_have_no_notes_and_empty_notes_leave_the_base(
    answer: str, other: str, source: str, base: str
) -> None:
    table = Table.flat(["a", "b"], [["1", "2"]])
    asked = Shown("Do.", f"{source}q?", "A: ", "yes", table=table)
    demonstration = Shown("Do.", "r?", "A: ", "no", table=table)
    design, plain = designs.get(f"self_augmented+{base}"), designs.get(base)
    last = design.steps[-1]
    prompt = design.follow(last, asked, [demonstration], {"values": answer})
    if not answer.strip():
        assert prompt == plain.compose(asked, [demonstration])
    note = f"\n\nValues and ranges that matter: {answer.strip()}" if answer.strip() else ""
    noted = replace(asked, source=f"{asked.source}{note}")
    assert prompt == plain.compose(noted, [demonstration])
    (first,) = design.begin(design.steps[0], asked, [demonstration])[-1:]
    assert "r?" not in first.content
    assert first.content.endswith("Notes:")


@pytest.mark.parametrize("name", AUGMENTATIONS)
def test_names_without_a_base_are_over_default(name: str) -> None:
    own = prompts("cards.bundled.aggregation", name)
    assert own == prompts("cards.bundled.aggregation", f"{name}+default")
    assert designs.get(name).base == "default"


@pytest.mark.parametrize(
    ("table", "size", "merged"),
    [
        (Table.flat(["a", "b"], [["1", "2"]] * 3), "3 rows below the header, 2 columns", "none"),
        (Table.of_texts([["1"]], header_rows=0), "1 row, 1 column", "none"),
        (
            Table(
                (
                    (Cell("x", rowspan=2), Cell("y", colspan=2)),
                    (Cell("p"), Cell("q")),
                    (Cell("r", rowspan=2), Cell("1"), Cell("2", rowspan=2)),
                    (Cell("3"),),
                ),
                header_rows=2,
            ),
            "2 rows below the header, 3 columns",
            "header rows 0 to 1, column 0; header row 0, columns 1 to 2; rows 0 to 1, column 0; "
            "rows 0 to 1, column 2 (counted from 0, rows below the header)",
        ),
        (
            Table(((Cell("x", rowspan=2), Cell("y")), (Cell("1"),)), header_rows=1),
            "1 row below the header, 2 columns",
            "header row 0 to row 0, column 0 (counted from 0, rows below the header)",
        ),
        (
            Table(((Cell("x", colspan=2),), (Cell("1"), Cell("2"))), header_rows=0),
            "2 rows, 2 columns",
            "row 0, columns 0 to 1 (counted from 0)",
        ),
    ],
)
def test_facts_as_a_person_reads_them_off(table: Table, size: str, merged: str) -> None:
    assert size_text(table) == size
    assert merged_cells_text(table) == merged


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 20))
def test_as_many_merged_cells_are_named_as_there_are(seed: int, number: int) -> None:
    table = table_with_merged_cells(Random(seed), number)
    text = merged_cells_text(table)
    spans = sum((cell.rowspan, cell.colspan) != (1, 1) for row in table.rows for cell in row)
    assert size_text(table).startswith(f"{len(table.body)} row")
    assert text.count("column") == min(spans, MOST_MERGED)
    assert (text == "none") == (spans == 0)


def test_of_many_merged_cells_the_first_are_named() -> None:
    table = Table(tuple([(Cell(str(row), colspan=2),) for row in range(60)]), header_rows=0)
    text = merged_cells_text(table)
    assert text.endswith("row 49, columns 0 to 1; and 10 more (counted from 0)")


def test_facts_are_of_the_table_as_it_is_shown() -> None:
    builder = PromptBuilder(MadeCard(), [], shots=0)  # type: ignore[arg-type]
    for perturbation, size in (
        ("none", "4 rows below the header, 2"),
        ("transpose", "2 rows, 5"),  # which has a header column alone
    ):
        (message,) = builder.build(made_example(1), Configuration("csv", perturbation, "table_size+hctqa"))[
            1:
        ]
        assert f"\n\nSize of the table: {size} columns\n\n" in message.content


def test_a_picture_is_seen_in_every_step() -> None:
    name = "table_size+self_augmented_all+suc_no_explanation"
    pool = [made_example(number, prefix="p") for number in range(4)]
    builder = PromptBuilder(MadeCard(), pool, shots=2)  # type: ignore[arg-type]
    *firsts, last = designs.get(name).steps
    for step in firsts:
        prompt = builder.build(made_example(1), Configuration("image", "none", name), step)
        assert len(images_of(prompt)) == prompt[0].content.count(IMAGE) == 1
    answers = {step.name: f"as {IMAGE} shows" for step in firsts}
    prompt = builder.build(made_example(1), Configuration("image", "none", name), last, answers)
    assert len(images_of(prompt)) == prompt[0].content.count(IMAGE) == 3
    assert "Size of the table: 4 rows below the header, 2 columns" in prompt[0].content


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("table_sise+suc", "unknown design 'table_sise'; did you mean 'table_size'?"),
        ("table_size+sux", "unknown design 'sux'; did you mean 'suc'?"),
        ("suc+default", "design 'suc' cannot stand before +default; expected one that adds to"),
        ("merged_cells+carried", "'carried' sends the data set's own prompts, to which nothing can be added"),
        (
            "table_size+table_size+suc",
            "its parts have 'table_size' 2 times; expected each step and each fact",
        ),
        ("self_augmented_all+self_augmented+suc", "its parts have 'values' 2 times"),
        ("table_size+self_augmented+self_augmented_all", "its parts have 'values' 2 times"),
        ("+suc", "unknown design ''; expected one of: carried"),
        ("suc+", "unknown design ''; expected one of: carried"),
    ],
)
def test_what_does_not_fit_together_is_refused_in_a_line(name: str, said: str) -> None:
    assert name not in designs
    with pytest.raises(InputError) as raised:
        designs.get(name)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


def test_facts_need_a_card_that_shows_one_table() -> None:
    configuration = Configuration("html", "none", "table_size+default")
    for shown, said in (("{question}", "the card shows no table"), ("{document} {question}", "documents")):
        card = MadeCard(template=MadeTemplate(input_format=shown))
        with pytest.raises(RecipeError, match=said):
            designs.get("table_size+default").check(card, configuration)  # type: ignore[arg-type]
        designs.get("self_augmented+default").check(card, configuration)  # type: ignore[arg-type]


EVERYTHING = "self_augmented_all+merged_cells+table_size+suc"


def test_every_shipped_card_takes_every_part_but_documents_no_facts() -> None:
    for name in card_names():
        card = load_card(name)
        for part in AUGMENTATIONS:
            design = designs.get(f"{part}+suc")
            configuration = Configuration("html", "none", design.name)
            if part in FACTS and "document" in places(card.template):
                with pytest.raises(RecipeError, match="the card shows documents"):
                    design.check(card, configuration)
            else:
                design.check(card, configuration)


@pytest.mark.release
@pytest.mark.usefixtures("mirror")
def test_the_prompts_of_every_card_with_data_have_notes_and_facts() -> None:
    asked = 0
    for name in card_names():
        card = load_card(name)
        if "document" in places(card.template):
            continue
        try:
            example = read_examples(card, card.test_split)[0]
        except DataError:  # not in the mirror
            continue
        builder, configuration = PromptBuilder(card, [], shots=0), Configuration("html", "none", EVERYTHING)
        answers = {ask.name: f"NOTED {ask.name}" for ask in designs.get(EVERYTHING).asks}  # type: ignore[attr-defined]
        (message,) = builder.build(example, configuration, designs.get(EVERYTHING).steps[-1], answers)
        for line in (
            "Values and ranges that matter: NOTED values",
            "How the table is written: NOTED format",
            "How the table is built: NOTED structure",
            f"Size of the table: {size_text(example.table)}",
            f"Merged cells: {merged_cells_text(example.table)}",
        ):
            assert message.content.count(f"\n\n{line}\n") == 1, (name, line)
        asked += 1
    assert asked > 30


def test_the_design_that_one_is_compared_with() -> None:
    def base(name: str, *among: str) -> str | None:
        return designs.get(name).compared_with({name, *among})

    assert base("table_size+suc", "suc", "default") == "suc"
    assert base("table_size+suc") == "suc"
    assert base("self_augmented+table_size+suc", "suc", "table_size+suc") == "table_size+suc"
    assert base("self_augmented+table_size+suc", "suc") == "suc"
    assert base("table_size+suc_no_role", "table_size+suc", "suc") == "table_size+suc"
    assert base("table_size+suc_no_role", "suc_no_role", "table_size+suc") == "suc_no_role"
    assert base("suc_no_role", "default") == "suc"
    assert base("default", "suc") is None


class Theirs(Design):
    """A plugin's: two turns, the last line of which is scored."""

    name = "theirs"
    steps = (Step("reply", max_tokens=900, until=("END",)),)

    def compose(self, asked, demonstrations):  # type: ignore[no-untyped-def]
        told = [Message("user", f"{each.source} -> {each.target}") for each in demonstrations]
        return (Message("system", asked.instruction), *told, Message("user", f"{asked.source} ->"))

    def final_answer(self, answer: str) -> str:
        return answer.rpartition("\n")[2]


def test_a_design_of_a_plugin_is_a_base_too() -> None:
    designs.add(Theirs(), origin="their-plugin")
    try:
        design = designs.get("self_augmented_format+theirs")
        assert design.steps[1] == Step("reply", ("format",), 900, ("END",))
        assert designs.origin(design.name) == "their-plugin"
        assert design.final_answer("so\nyes") == "yes"
        assert not design.scores_whole_answer
        assert designs.get("table_size+default").scores_whole_answer
        _, (system, demonstration, asked) = (
            design.begin(design.steps[0], made_shown("q"), ()),
            design.follow(design.steps[1], made_shown("q"), [made_shown("r")], {"format": "a list"}),
        )
        assert (system.content, demonstration.content) == ("Do.", "r -> yes")
        assert asked.content == "q\n\nHow the table is written: a list ->"
    finally:
        designs.remove("theirs")
    assert "self_augmented_format+theirs" not in designs


def made_shown(source: str) -> Shown:
    return Shown("Do.", source, "A:", "yes")


@pytest.mark.parametrize("name", ["a+b", "a/b"])
def test_a_design_has_no_separator_in_its_name(name: str) -> None:
    odd = DefaultDesign()
    odd.name = name
    with pytest.raises(RecipeError, match=r"found '\+' or '/' in its name"):
        designs.add(odd)
