"""Tables whose rows are sampled, and demonstrations as far as they fit: alike in all configurations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.catalog import Card, Example
from torr_plugin.catalog.examples import RowSample
from torr_plugin.core.errors import RecipeError
from torr_plugin.prompts import Configuration, PromptBuilder, designs
from torr_plugin.tables import Table, serializers
from torr_plugin.testing import hierarchical_tables

from .made import MadeCard, made_example

IDS = (
    "html/none/default",
    "csv/transpose/suc",
    "json/shuffle_rows/default",
    "markdown/nonsense/default",
    "image/none/default",
)
CARD: Card = MadeCard()  # type: ignore[assignment]
ANY = 10**9


def builder_of(
    table: int, prompt: int | None = None, ids: Sequence[str] = IDS, **options: object
) -> PromptBuilder:
    configurations = list(map(Configuration.of, ids))
    return PromptBuilder(
        CARD,
        options.pop("pool", ()),  # type: ignore[arg-type]
        tables=dict.fromkeys(configurations, table),
        most=None if prompt is None else dict.fromkeys(configurations, prompt),
        **options,  # type: ignore[arg-type]
    )


def example_of(table: Table, number: int = 0, **changes: object) -> Example:
    return replace(made_example(number), table=table, **changes)  # type: ignore[arg-type]


def long_table(rows: int = 60) -> Table:
    return Table.flat(["name", "size"], [[f"item {row}", str(row * row)] for row in range(rows)])


def lengths(builder: PromptBuilder, example: Example, ids: Sequence[str] = IDS) -> tuple[int, int]:
    """The longest table and the longest prompt."""
    texts = [each for each in map(Configuration.of, ids) if not each.serializer.startswith("image")]
    return (
        max(len(builder.table_text(example, each)) for each in texts),
        max(len(builder.build(example, each)[0].content) for each in texts),
    )


TABLES = st.one_of(
    hierarchical_tables(),
    st.integers(1, 40).map(long_table),
    st.lists(st.text("abc é", max_size=60), min_size=1, max_size=20).map(
        lambda words: Table.flat(["word"], [[word] for word in words])
    ),
)


@pytest.mark.full
@settings(max_examples=40, deadline=None)
@given(table=TABLES, most=st.integers(60, 1500), prompt=st.none() | st.integers(300, 2500))
def test_every_table_and_prompt_fits_and_no_more_rows_would(
    table: Table, most: int, prompt: int | None
) -> None:
    example, builder, plain = example_of(table), builder_of(most, prompt), PromptBuilder(CARD, [])
    limits = (most, prompt or ANY)
    whole = lengths(plain, example)
    try:
        shown = builder.cut(example)
    except RecipeError as refused:
        assert "too few for the header and one row" in str(refused)  # noqa: PT017
        return
    found = lengths(plain, shown)
    assert all(length <= limit for length, limit in zip(found, limits, strict=True))
    if all(length <= limit for length, limit in zip(whole, limits, strict=True)):
        assert shown is example
        return
    assert shown == replace(example, table=shown.table, cut=shown.cut)
    assert isinstance(shown.cut, RowSample)
    assert (shown.cut.rows, shown.cut.of_rows) == (len(shown.table.body), len(table.body))
    assert shown.cut.rows < shown.cut.of_rows
    assert builder_of(most, prompt).cut(example) == shown  # the same again


def test_the_longest_configuration_decides_and_smaller_limits_show_a_part() -> None:
    example = example_of(long_table())
    ids = ("csv/none/default", "html/none/default")
    rows: dict[object, list[str]] = {}
    for most in (300, 500, 900):
        for each in (*ids, ids):
            shown = builder_of(most, ids=[each] if isinstance(each, str) else each).cut(example)
            rows[most, each] = [line[0].text for line in shown.table.body]
        assert rows[most, ids] == rows[most, ids[1]] != rows[most, ids[0]]
    assert set(rows[300, ids]) < set(rows[500, ids]) < set(rows[900, ids])
    other = builder_of(500, ids=ids).cut(replace(example, id="another"))
    assert [line[0].text for line in other.table.body] != rows[500, ids]


def test_pictures_have_no_length() -> None:
    example = example_of(long_table())
    assert builder_of(100, 200, ids=["image/none/default"]).cut(example) is example
    ids = ["image/none/default", "image+csv/none/default"]
    assert builder_of(300, ids=ids).cut(example) == builder_of(300, ids=["csv/none/default"]).cut(example)


def test_one_row_must_fit() -> None:
    with pytest.raises(RecipeError) as refused:
        builder_of(40, ids=["html/none/default"]).cut(example_of(long_table()))
    assert str(refused.value) == (
        "cards.made: example 'q0' in configuration html/none/default: a table may take 10 tokens, too few "
        "for the header and one row; expected a higher examples.table_tokens"
    )
    with pytest.raises(RecipeError, match="a prompt without its answer may take 25 tokens, too few"):
        builder_of(ANY, 100, ids=["html/none/default"]).cut(example_of(long_table()))


@pytest.mark.parametrize(
    ("references", "lost"),
    [
        (("item {kept}",), False),
        (("item {gone}",), True),
        ((" ITEM {kept} | item {also}",), False),
        (("item {kept}, item {gone}",), True),
        (("item {gone}", "item {kept}"), False),  # any of them is right
        (("size",), False),
        (("yes",), None),
    ],
)
def test_it_is_said_whether_the_answer_is_lost(references: tuple[str, ...], lost: bool | None) -> None:
    builder = builder_of(400, ids=["csv/none/default"])
    shown = {line[0].text.split()[1] for line in builder.cut(example_of(long_table())).table.body}
    kept, also, *_ = sorted(shown)
    [gone, *_] = sorted({str(row) for row in range(60)} - shown)
    named = [each.format(kept=kept, also=also, gone=gone) for each in references]
    cut = builder.cut(example_of(long_table(), references=tuple(named))).cut
    assert isinstance(cut, RowSample)
    assert cut.lost_answer is lost


def test_answers_that_the_table_gives_are_those_of_the_shown_rows() -> None:
    def count(table: Table) -> str:
        return str(len(table.body))

    def last(table: Table) -> str | None:
        return table.body[59][0].text if len(table.body) == 60 else None

    builder = builder_of(400, ids=["csv/none/default", "csv/insert_empty_rows/default"])
    shown = builder.cut(example_of(long_table(), recompute=count))
    assert shown.references == (shown.target,) == (str(len(shown.table.body)),)
    assert isinstance(shown.cut, RowSample)
    assert shown.cut.lost_answer is False
    lost = builder.cut(example_of(long_table(), number=1, recompute=last)).cut
    assert isinstance(lost, RowSample)
    assert lost.lost_answer is True


POOL = [replace(made_example(number, prefix="d"), table=long_table(30 + number)) for number in range(8)]


def test_demonstrations_are_sampled_too() -> None:
    builder = builder_of(500, pool=POOL, shots=3)
    example = example_of(long_table())
    shown = builder.demonstrations(example)
    assert len(shown) == 3
    plain = PromptBuilder(CARD, [])
    for each in (*shown, builder.cut(example)):
        assert each.cut is not None
        assert lengths(plain, each)[0] <= 500
    other = builder.demonstrations(replace(example, id="another"))
    tables = {each.id: each.table for each in shown}
    assert all(tables.get(each.id, each.table) == each.table for each in other)
    # within a prompt's limit they take half of it at most
    half = builder_of(ANY, 4000, pool=POOL, shots=3)
    assert sum(lengths(plain, each)[0] for each in half.demonstrations(example)) <= 2000
    assert lengths(half, half.cut(example))[1] <= 4000


@pytest.mark.full
@settings(max_examples=15, deadline=None)
@given(
    prompt=st.integers(1000, 9000),
    rows=st.integers(1, 60),
    draw=st.sampled_from(["paired", "shared"]),
    shots=st.integers(1, 4),
)
def test_as_many_demonstrations_as_fit_are_shown(prompt: int, rows: int, draw: str, shots: int) -> None:
    options = {"pool": POOL, "shots": shots, "draw": draw}
    builder = builder_of(900, prompt, fits=True, **options)
    every = builder_of(900, **options).demonstrations(made_example(0))
    try:
        shown = builder.cut(example_of(long_table(rows)))
    except RecipeError:
        return
    demonstrations = builder.demonstrations(shown)
    assert shown.demonstrations == len(demonstrations) <= shots
    assert demonstrations == every[: len(demonstrations)]  # in the order of the draw
    assert lengths(builder, shown)[1] <= prompt
    if len(demonstrations) < len(every):
        more = replace(shown, demonstrations=len(demonstrations) + 1)
        assert lengths(builder, more)[1] > prompt


def test_every_step_of_a_design_has_room() -> None:
    configuration = Configuration.of("html/none/self_augmented")
    builder = builder_of(ANY, 3000, ids=[configuration.id], pool=POOL, shots=2, fits=True)
    shown = builder.cut(example_of(long_table(200)))
    assert shown.demonstrations == 0  # the table took the room
    assert 2940 < max(step_lengths(builder, shown, configuration)) <= 3000
    few = builder.cut(example_of(long_table(3), number=1))
    assert few.demonstrations
    assert max(step_lengths(builder, few, configuration)) <= 3000


def step_lengths(builder: PromptBuilder, example: Example, configuration: Configuration) -> list[int]:
    answers = {"values": "."}
    steps = designs.get(configuration.design).steps
    return [len(builder.build(example, configuration, step, answers)[0].content) for step in steps]


def test_without_limits_tables_are_whole() -> None:
    example = example_of(long_table(200))
    assert PromptBuilder(CARD, POOL, shots=2).cut(example) is example
    assert len(serializers.get("csv").serialize(example.table)) > 900
