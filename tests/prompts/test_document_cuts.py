"""Documents cut to a limit: the same in every configuration, at a sensible place, and as long as fits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.catalog import Card, Example, load_card
from torr_plugin.catalog.documents import PackedDocument
from torr_plugin.catalog.examples import DocumentCut
from torr_plugin.core.errors import RecipeError
from torr_plugin.prompts import Configuration, PromptBuilder, designs, fitting
from torr_plugin.tables import Table
from torr_plugin.tables.documents import Document, TextBlock, sentence_ends
from torr_plugin.tables.documents.document import characters

from ..document_card import CARD, questions, report, ships, write

IDS = ("html/none/default", "csv/transpose/suc", "json/shuffle_rows/default", "markdown/nonsense/default")
CONFIGURATIONS = tuple(map(Configuration.of, IDS))


@pytest.fixture(scope="module")
def card(tmp_path_factory: pytest.TempPathFactory) -> Card:
    return load_card(write(tmp_path_factory.mktemp("ports"), [report(0)], questions(1), CARD))


def limited(card: Card, most: int, ids: Sequence[str] = IDS, **options: object) -> PromptBuilder:
    limits = dict.fromkeys(map(Configuration.of, ids), most)
    return PromptBuilder(card, options.pop("pool", ()), most=limits, **options)  # type: ignore[arg-type]


def example_of(
    document: Document, number: int = 0, question: str = "How many?", **changes: object
) -> Example:
    made = Example(
        f"q{number}", document.tables[0], {"question": question}, ("1",), "1", document=document, evidence=0
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def lengths(builder: PromptBuilder, example: Example, ids: Sequence[str] = IDS) -> Mapping[str, int]:
    return {each: len(builder.build(example, Configuration.of(each))[0].content) for each in ids}


def is_beginning(shown: Document, whole: Document) -> bool:
    """Whether blocks are the whole one's first, the last one up to the end of a sentence."""
    *first, last = shown.blocks
    same = whole.blocks[len(first)]
    if tuple(first) != whole.blocks[: len(first)] or shown.title != whole.title:
        return False
    if last == same or not isinstance(last, TextBlock) or not isinstance(same, TextBlock):
        return last == same
    ends = sentence_ends(same.text)
    return replace(last, text=same.text) == same and last.text in [same.text[:end].rstrip() for end in ends]


WORDS = st.sampled_from(
    ["Ships came in. ", "The port of Aldin grew by 4 % in 2020. ", "No. 5 was 2,000 tons! ", "<image> "]
)
BLOCKS = st.lists(
    st.one_of(
        st.lists(WORDS, min_size=1, max_size=12).map(lambda words: TextBlock("".join(words).strip())),
        st.integers(1, 3).map(lambda level: TextBlock(f"Item {level}. Business", "heading", level)),
        st.integers(0, 5).map(lambda place: ships(place, place)),
    ),
    min_size=1,
    max_size=14,
)


@pytest.mark.full
@settings(max_examples=25, deadline=None)
@given(blocks=BLOCKS, most=st.integers(700, 6000), question=WORDS)
def test_every_prompt_fits_and_no_more_could_be_shown(
    card: Card, blocks: list[TextBlock | Table], most: int, question: str
) -> None:
    document = Document((TextBlock("A port."), *blocks, ships(1, 1)), "Report")
    example, builder = example_of(document, question=question), limited(card, most)
    plain = PromptBuilder(card, [])
    try:
        shown = builder.cut(example)
    except RecipeError as refused:
        assert "its first sentence does not end there" in str(refused)  # noqa: PT017
        return
    assert max(lengths(plain, shown).values()) <= most
    if shown is example:
        assert shown.cut is None
        return
    assert max(lengths(plain, example).values()) > most
    assert shown.document is not None
    assert is_beginning(shown.document, document)
    last = shown.document.blocks[-1]
    assert not (isinstance(last, TextBlock) and last.kind == "heading")
    assert shown.cut == DocumentCut(
        len(shown.document.blocks),
        len(document.blocks),
        sum(map(characters, shown.document.blocks)),
        sum(map(characters, document.blocks)),
        not shown.document.tables,
    )
    # the next sentence or block, with all headings before it, would not fit, by at most what is rounded
    end = len(shown.document.blocks)
    while end < len(document.blocks) - 1 and getattr(document.blocks[end], "kind", "") == "heading":
        end += 1
    longer = replace(example, document=document.first(end + 1))
    assert max(lengths(plain, longer).values()) > most - 3 * (most // fitting.STEPS) - 3


def test_a_short_document_is_left_alone(card: Card) -> None:
    example = example_of(report(0))
    builder = PromptBuilder(card, [])
    longest = max(lengths(builder, example).values())
    assert limited(card, longest).cut(example) is example
    assert limited(card, longest - 1).cut(example).cut is not None
    assert builder.cut(example) is example


def test_the_longest_configuration_decides_for_all(card: Card) -> None:
    example = example_of(report(0, tables=30))
    alone = {each: limited(card, 4000, [each]).cut(example).cut for each in ("csv/none/default", IDS[0])}
    together = limited(card, 4000, ["csv/none/default", IDS[0]]).cut(example).cut
    assert together == alone[IDS[0]] != alone["csv/none/default"]


@pytest.mark.full
def test_questions_on_a_document_share_its_part(card: Card) -> None:
    document, builder = PackedDocument(report(0, tables=40).blocks), limited(card, 8000)
    shown = [builder.cut(example_of(document, n, "How many ships" + " came in" * n + "?")) for n in range(8)]
    assert len({id(each.document) for each in shown}) == 1
    assert isinstance(shown[0].document, PackedDocument)


@pytest.mark.full
def test_the_cut_depends_on_the_example_alone(card: Card) -> None:
    examples = [example_of(report(n % 3, tables=20), n, "Why? " * 30 * n) for n in range(6)]
    builder = limited(card, 6000)
    together = [builder.cut(each) for each in examples]
    assert together == [limited(card, 6000).cut(each) for each in examples]
    assert together == [builder.cut(each) for each in together]  # what fits is left alone


@pytest.mark.full
def test_what_is_far_behind_is_neither_written_nor_refused(card: Card) -> None:
    wide = Table.flat(["x" * 40] * 400, [["y" * 40] * 400] * 400)
    document = Document((*report(0, tables=40).blocks, wide), "Report")
    shown = limited(card, 4000, ["html/none/default", "image/none/default"]).cut(example_of(document))
    assert shown.cut is not None
    assert not shown.cut.lost_table


@pytest.mark.parametrize(
    ("above", "kept"),
    [
        ("Ships came in. The following table shows how many:", ["Ships came in."]),
        ("Ships were as follows (in thousands):", []),
        ("The table below has ships by port.", []),
        ("A port follows its river.", ["A port follows its river."]),
    ],
)
@pytest.mark.parametrize("heading", [(), (TextBlock("Ships", "heading", 2),)])
def test_no_introduction_stays_without_its_table(
    card: Card, above: str, kept: list[str], heading: tuple[TextBlock, ...]
) -> None:
    first, wide = TextBlock("A port. " * 10 + "It is old."), Table.flat(["x" * 500], [["y" * 500]])
    document = Document((first, *heading, TextBlock(above), wide, ships(0, 0)), "Report")
    shown = limited(card, 900).cut(example_of(document)).document
    assert shown is not None
    expected = [first, *(heading if kept else ()), *map(TextBlock, kept)]
    assert list(shown.blocks) == expected


def test_an_introduction_that_is_all_there_is_stays(card: Card) -> None:
    blocks = (TextBlock("Ships", "heading", 2), TextBlock("Ships were as follows:"))
    document = Document((*blocks, Table.flat(["x" * 500], [["y" * 500]])), "Report")
    shown = limited(card, 900).cut(example_of(document)).document
    assert shown is not None
    assert tuple(shown.blocks) == blocks


def test_a_lost_table_is_said(card: Card) -> None:
    document = report(0, tables=30)
    for evidence, lost in ((0, False), (29, True), (None, None)):
        example = example_of(document, table=document.tables[evidence or 0], evidence=evidence)
        cut = limited(card, 4000).cut(example).cut
        assert cut is not None
        assert cut.lost_table is lost


@pytest.mark.full
def test_a_pictures_are_no_characters(card: Card) -> None:
    example, ids = example_of(report(0, tables=20)), ["image/none/default"]
    assert limited(card, 6000, ids).cut(example) is example
    shown = limited(card, 1000, ids).cut(example)
    assert shown.cut is not None
    assert 0 < shown.cut.blocks < 61


def test_a_document_that_cannot_be_cut_is_refused(card: Card) -> None:
    document = Document((TextBlock("Title", "heading", 1), ships(0, 0), TextBlock("Ships.")))
    with pytest.raises(RecipeError) as refused:
        limited(card, 400, [IDS[0]]).cut(example_of(document))
    assert str(refused.value) == (
        "cards.ports: example 'q0' in configuration html/none/default: of a prompt of 100 tokens 82 are left "
        "for its document, and its first table does not end there; expected a higher examples.context, or "
        "fewer shots"
    )


@pytest.mark.full
@pytest.mark.parametrize("shots", [1, 3])
def test_demonstrations_take_half_at_most(card: Card, shots: int) -> None:
    pool = [example_of(report(n, tables=30), n, groups={"document": str(n)}) for n in range(6)]
    builder = limited(card, 9000, shots=shots, pool=pool)
    shown = builder.cut(pool[0])
    demonstrations = builder.demonstrations(pool[0])
    assert [each.cut is not None for each in (shown, *demonstrations)] == [True] * (1 + shots)
    plain = PromptBuilder(card, [])
    of_demonstrations = [lengths(plain, each) for each in demonstrations]
    for each in IDS:
        assert sum(found[each] for found in of_demonstrations) < 4500 + shots * 250
    assert max(lengths(builder, shown).values()) <= 9000
    assert shown.cut is not None
    assert shown.cut.characters > max(each.cut.characters for each in demonstrations if each.cut)


def test_designs_of_several_calls_fit_in_every_step(card: Card) -> None:
    configuration = Configuration.of("html/none/self_augmented")
    pool = [example_of(report(n, tables=30), n, groups={"document": str(n)}) for n in range(3)]
    builder = limited(card, 5000, [configuration.id], shots=1, pool=pool)
    shown = builder.cut(pool[0])
    *_, last = designs.get("self_augmented").steps
    prompt = builder.build(shown, configuration, last, {"values": "."})
    assert 4000 < len(prompt[0].content) <= 5000


def test_examples_without_documents_are_left_alone(card: Card, tmp_path: Path) -> None:
    example = replace(example_of(report(0)), document=None)
    assert limited(card, 10).cut(example) is example
    about_tables = replace(card, template=replace(card.template, input_format="{table}\n{question}"))
    assert limited(about_tables, 10).cut(example_of(report(0))).cut is None
