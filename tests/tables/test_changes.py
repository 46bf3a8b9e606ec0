"""What differs between two tables: sound for any two, and exact for what perturbations do."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.tables import Table, perturbations
from torr_plugin.tables.changes import TableChanges, table_changes, texts_of
from torr_plugin.tables.strategies import tables

WORDS = st.sampled_from(["", "a", "b", "c", "7", "x y"])


@st.composite
def grids(draw: st.DrawFn) -> Table:
    """Small tables with few different texts, so that lines repeat."""
    width, height = draw(st.integers(1, 4)), draw(st.integers(2, 5))
    return Table.of_texts([[draw(WORDS) for _ in range(width)] for _ in range(height)])


@st.composite
def distinct(draw: st.DrawFn) -> Table:
    """Tables in which every text is another."""
    width, height = draw(st.integers(2, 5)), draw(st.integers(3, 7))
    return Table.of_texts([[f"{r}.{c}" for c in range(width)] for r in range(height)])


def kinds(found: TableChanges) -> set[str]:
    """What of it is not empty."""
    names = ("moved_rows", "moved_columns", "changed", "lost_rows", "lost_columns", "new_rows", "new_columns")
    return {name for name in ("turned", *names) if getattr(found, name)}


def put_together(before: Table, after: Table, found: TableChanges) -> list[list[str]]:
    """The second table from the first, and from the second only what is said to be new or changed."""
    old, new = texts_of(before), texts_of(after)
    lines = list(zip(*old, strict=True)) if found.turned else old
    return [
        [
            new[r][c] if row is None or column is None or (r, c) in found.changed else lines[row][column]
            for c, column in enumerate(found.columns)
        ]
        for r, row in enumerate(found.rows)
    ]


@given(st.one_of(st.tuples(grids(), grids()), st.tuples(tables(), tables())))
def test_what_is_said_explains_the_second_table(pair: tuple[Table, Table]) -> None:
    before, after = pair
    found = table_changes(before, after)
    new = texts_of(after)
    assert put_together(before, after, found) == new
    assert (len(found.rows), len(found.columns)) == (len(new), len(new[0]))
    shape = (before.n_columns, before.n_rows) if found.turned else (before.n_rows, before.n_columns)
    for lines, lost, size in (
        (found.rows, found.lost_rows, shape[0]),
        (found.columns, found.lost_columns, shape[1]),
    ):
        used = [source for source in lines if source is not None]
        assert sorted([*used, *lost]) == list(range(size))
    assert found.nothing is (texts_of(before) == new)
    old = list(zip(*texts_of(before), strict=True)) if found.turned else texts_of(before)
    for r, c in found.changed:
        row, column = found.rows[r], found.columns[c]
        assert row is not None
        assert column is not None
        assert old[row][column] != new[r][c]


@given(st.one_of(tables(), grids()))
def test_a_table_is_itself(table: Table) -> None:
    found = table_changes(table, table)
    assert found.nothing
    assert not found.changed


def moved_in(old: list[list[str]], new: list[list[str]]) -> list[int]:
    """Places of lines of a reordered table that stood elsewhere, equal ones taken in order."""
    free = list(enumerate(old))
    moved = []
    for place, line in enumerate(new):
        source = next(at for at, other in free if other == line)
        free.remove((source, line))
        if source != place:
            moved.append(place)
    return moved


def as_table(lines: list[list[str]], *, across: bool) -> Table:
    texts = [list(line) for line in zip(*lines, strict=True)] if across else lines
    return Table.of_texts(texts, header_rows=0)


@given(st.one_of(grids(), distinct()), st.randoms(use_true_random=False), st.booleans())
def test_of_a_new_order_those_have_moved_that_stand_elsewhere(
    table: Table, random: Random, across: bool
) -> None:
    old = texts_of(table)
    new = random.sample(old, len(old))
    found = table_changes(as_table(old, across=across), as_table(new, across=across))
    assert kinds(found) <= {"moved_columns", "moved_rows"}
    # where two lines of the other axis hold the same texts, these may have changed places instead
    if len({tuple(sorted(line)) for line in zip(*old, strict=True)}) == len(old[0]):
        assert list(found.moved_columns if across else found.moved_rows) == moved_in(old, new)
        assert kinds(found) <= {"moved_columns" if across else "moved_rows"}


def test_what_two_rows_explain_is_no_matter_of_the_columns() -> None:
    before, after = (
        Table.of_texts([["", "", "a"], ["a", "", ""]]),
        Table.of_texts([["a", "", ""], ["", "", "a"]]),
    )
    assert kinds(table_changes(before, after)) == {"moved_rows"}


@given(distinct(), st.data(), st.booleans())
def test_new_and_lost_lines_move_no_others(table: Table, data: st.DataObject, across: bool) -> None:
    old = texts_of(table)
    lost = data.draw(st.integers(0, len(old) - 1)) if data.draw(st.booleans()) else None
    kept = [line for at, line in enumerate(old) if at != lost]
    order = data.draw(st.permutations(kept))
    new = list(order)
    for _ in range(data.draw(st.integers(0, 2))):
        new.insert(data.draw(st.integers(0, len(new))), [""] * len(old[0]))
    found = table_changes(as_table(old, across=across), as_table(new, across=across))
    moved = found.moved_columns if across else found.moved_rows
    assert [new[place] for place in moved] == [order[place] for place in moved_in(kept, order)]


@given(grids(), st.lists(st.integers(0, 9), min_size=1, max_size=3))
def test_inserted_empty_rows_move_nothing_where_others_are_empty(table: Table, at: list[int]) -> None:
    new = texts_of(table)
    for place in at:
        new.insert(place, [""] * len(new[0]))
    assert not table_changes(table, Table.of_texts(new)).moved_rows


def test_rows_of_a_shuffled_table_that_stand_where_they_stood_have_not_moved() -> None:
    towns = ["Town", "Harwich", "Ely", "Wells", "Truro", "Ripon", "Oban"]
    shuffled = ["Town", "Ripon", "Ely", "Harwich", "Truro", "Wells", "Oban"]
    before, after = (Table.of_texts([[town, town[::-1]] for town in own]) for own in (towns, shuffled))
    found = table_changes(before, after)
    assert found.rows == (0, 5, 2, 1, 4, 3, 6)
    assert found.moved_rows == (1, 3, 5)


def test_two_thousand_rows_in_another_order_are_found() -> None:
    old = [[str(at % 1500)] for at in range(2000)]
    new = Random(5).sample(old, len(old))
    found = table_changes(Table.of_texts(old), Table.of_texts(new))
    assert list(found.moved_rows) == moved_in(old, new)
    assert kinds(found) == {"moved_rows"}


def test_a_row_among_two_thousand_equal_ones_is_found() -> None:
    before, more = ([["x"]] * 1000 + [["y"]] + [["x"]] * count for count in (999, 1000))
    found = table_changes(Table.of_texts(before), Table.of_texts(more))
    assert kinds(found) == {"new_rows"}
    assert len(found.new_rows) == 1


@given(distinct(), st.integers(0, 99), st.sampled_from(["shuffle_rows", "shuffle_cols"]))
def test_a_shuffle_moves_and_changes_nothing_else(table: Table, seed: int, name: str) -> None:
    after = perturbations.get(name).perturb(table, np.random.default_rng(seed))
    found = table_changes(table, after)
    moved = {"shuffle_rows": "moved_rows", "shuffle_cols": "moved_columns"}[name]
    assert kinds(found) == ({moved} if after != table else set())


@given(distinct(), st.integers(0, 99))
def test_inserted_rows_are_new_and_all_others_stay(table: Table, seed: int) -> None:
    after = perturbations.get("insert_empty_rows").perturb(table, np.random.default_rng(seed))
    found = table_changes(table, after)
    assert len(found.new_rows) == 2
    assert all(not any(texts_of(after)[row]) for row in found.new_rows)
    assert kinds(found) == {"new_rows"}


@given(distinct())
def test_a_transposition_is_told_from_other_changes(table: Table) -> None:
    found = table_changes(table, perturbations.get("transpose").perturb(table, np.random.default_rng(0)))
    assert kinds(found) == {"turned"}


@given(distinct(), st.data())
def test_other_texts_are_found_where_they_stand(table: Table, data: st.DataObject) -> None:
    lines = texts_of(table)
    place = (data.draw(st.integers(0, len(lines) - 1)), data.draw(st.integers(0, len(lines[0]) - 1)))
    lines[place[0]][place[1]] = "another"
    found = table_changes(table, Table.of_texts(lines))
    assert found.changed == (place,)
    assert kinds(found) == {"changed"}


def test_equal_lines_in_another_order_are_told_apart_by_the_other_axis() -> None:
    before = Table.of_texts([["k", "p", "q"], ["a", "1", "2"], ["b", "2", "1"]])
    after = Table.of_texts([["k", "q", "p"], ["a", "2", "1"], ["b", "1", "2"]])
    found = table_changes(before, after)
    assert not found.changed
    assert found.columns == (0, 2, 1)
    assert found.moved_columns == (1, 2)


def test_where_no_text_is_the_same_lines_are_matched_in_order() -> None:
    before = Table.of_texts([["Town", "Rain"], ["Ely", "12"]])
    after = Table.of_texts([["Dax", "Blick"], ["Wug", "99"]])
    assert table_changes(before, after).changed == ((0, 0), (0, 1), (1, 0), (1, 1))


@pytest.mark.parametrize("name", ["exchange_row_groups", "shuffle_row_groups", "nonsense"])
def test_every_perturbation_of_the_project_is_explained(name: str) -> None:
    table = Table.of_texts([[f"{r}.{c}" for c in range(4)] for r in range(6)])
    after = perturbations.get(name).perturb(table, np.random.default_rng(3))
    assert put_together(table, after, table_changes(table, after)) == texts_of(after)
