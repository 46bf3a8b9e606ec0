"""The generator's answers beside those that an independent reader finds in the grid alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from torr_plugin.papers.hctqa.generator.combinations import combinations
from torr_plugin.papers.hctqa.generator.dataset import GeneratedTable, generate
from torr_plugin.papers.hctqa.generator.parameters.loading import Parameters
from torr_plugin.papers.hctqa.generator.question_templates import KINDS
from torr_plugin.papers.hctqa.generator.sql import read_answer

from ..comparison_reader import comparison_cells
from ..grid_oracle import answer, cells, selected_cells
from ..sentence_reader import SentenceReader


def _disagreements(tables: Iterable[GeneratedTable]) -> tuple[int, set[int], list[str]]:
    asked, kinds, wrong = 0, set(), []
    for generated in tables:
        instance = generated.instance
        name = instance.aggregate.name if instance.aggregate else None
        grid = cells(generated.table, instance.columns.attributes, instance.rows.attributes, name)
        assert len(grid) == len(instance.columns.leaves) * len(instance.rows.leaves)
        for question in generated.questions:
            expected, ordered = answer(question.sql, grid)
            found = read_answer(question.answer)
            if (found if ordered else sorted(found)) != (expected if ordered else sorted(expected)):
                wrong.append(f"{question.question_id}: {question.answer} / {expected}")
            asked += 1
            kinds.add(question.template)
    return asked, kinds, wrong


@pytest.mark.full
def test_every_answer_is_what_the_grid_alone_gives(made: list[GeneratedTable]) -> None:
    asked, kinds, wrong = _disagreements(made[:36])
    assert wrong == []
    assert kinds == set(KINDS)
    assert asked > 350


@pytest.mark.full
def test_the_benchmarks_own_parameters_too(theirs_made: list[GeneratedTable]) -> None:
    asked, kinds, wrong = _disagreements(theirs_made[:35])
    assert wrong == []
    assert kinds == set(KINDS)
    assert asked > 400


@pytest.mark.release
def test_every_layout_of_the_benchmarks_file_is_drawn_and_answered_as_the_grid_does(
    theirs: Parameters,
) -> None:
    """Its 2,520 combinations, a table each, with all their questions."""
    tables = theirs.tables
    layouts = {f"{one.name}_1" for each in tables.tables for one in combinations(tables, each)}
    drawn = {made.instance.table_id for made in generate(theirs, tables=2520, seed=11, kinds=[1])}
    assert drawn == layouts
    assert len(layouts) == 2520
    asked, kinds, wrong = _disagreements(generate(theirs, tables=2520, seed=11))
    assert wrong == []
    assert kinds == set(KINDS)
    assert asked > 30_000


@pytest.mark.release
def test_ten_thousand_answers_and_sentences_of_our_own_are_what_the_grid_gives(ours: Parameters) -> None:
    made = list(generate(ours, tables=750, seed=11))
    asked, kinds, wrong = _disagreements(made)
    assert wrong == []
    assert kinds == set(KINDS)
    assert asked > 10_000
    read, wrong = _unread(ours, made)
    assert wrong == []
    assert read == asked


@pytest.mark.release
def test_ten_thousand_sentences_of_the_benchmarks_templates(theirs: Parameters) -> None:
    read, wrong = _unread(theirs, generate(theirs, tables=750, seed=12))
    assert wrong == []
    assert read > 10_000


@pytest.mark.full
def test_a_wrong_answer_would_be_seen(made: list[GeneratedTable]) -> None:
    """The oracle must be able to disagree."""
    generated = made[0]
    instance = generated.instance
    name = instance.aggregate.name if instance.aggregate else None
    grid = cells(generated.table, instance.columns.attributes, instance.rows.attributes, name)
    question = generated.questions[0]
    chosen = next(cell for cell in grid if str(cell["Value"]).startswith(question.answer.strip("{}")))
    chosen["Value"] += 1
    assert answer(question.sql, grid)[0] != read_answer(question.answer)


def _unread(parameters: Parameters, tables: Iterable[GeneratedTable]) -> tuple[int, list[str]]:
    """How many sentences were read back, and those that select other cells than their SQL."""
    read, wrong = 0, []
    for generated in tables:
        instance = generated.instance
        name = instance.aggregate.name if instance.aggregate else None
        grid = cells(generated.table, instance.columns.attributes, instance.rows.attributes, name)
        texts = parameters.questions[instance.family].texts
        for question in generated.questions:
            number = min(question.template, 14)
            found = [_read(text, grid, question.question, number) for text in texts[f"template_{number}"]]
            read += 1
            if not any(selected_cells(question.sql, grid) in readings for readings in found):
                wrong.append(question.question)
    return read, wrong


@pytest.mark.full
def test_a_sentence_selects_exactly_the_cells_of_its_sql(
    ours: Parameters, made: list[GeneratedTable]
) -> None:
    read, wrong = _unread(ours, made[:36])
    assert wrong == []
    assert read > 350


@pytest.mark.full
def test_the_sentences_of_the_benchmarks_templates_too(
    theirs: Parameters, theirs_made: list[GeneratedTable]
) -> None:
    read, wrong = _unread(theirs, theirs_made[:35])
    assert wrong == []
    assert read > 400


def _read(text: str, grid: list, sentence: str, number: int) -> list[list]:
    """What a sentence can be read to select: nothing, where it was not made from this template."""
    for name in grid[0]:
        if name != "Value" and f"${name}".lower() not in text.lower():
            end = " is_$OPANDVAL" if number == 14 else " ?"
            text = text.replace(end, f" with_{name}_${name}{end}")
    if number == 14:
        readings = [lambda: list(comparison_cells(text, grid, sentence))]
    else:
        readings = [
            lambda outer=outer: [SentenceReader(text, grid, outermost=outer).cells(sentence)]
            for outer in (False, True)
        ]
    return [cells for reading in readings for cells in _tried(reading)]


def _tried(reading: Callable[[], list]) -> list:
    try:
        return reading()
    except AssertionError:
        return []
