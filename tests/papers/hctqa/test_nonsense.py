"""The variant without meaning: everything is renamed alike, and its SQL gives its answers."""

from __future__ import annotations

import re

import pytest

from torr_plugin.papers.hctqa.generator.dataset import GeneratedTable
from torr_plugin.papers.hctqa.generator.nonsense import _words, nonsense, renaming
from torr_plugin.papers.hctqa.generator.sql import SqlEngine, read_answer


def check(one: GeneratedTable) -> None:
    other, names = nonsense(one, 8), renaming(one.instance, 8)
    old, new = {**names.attributes, **names.values}, {*names.attributes.values(), *names.values.values()}
    assert len(new) == len(old)
    assert [[cell.text for cell in row] for row in other.table.rows] == [
        [names.values.get(cell.text, cell.text) for cell in row] for row in one.table.rows
    ]
    assert not {cell.text for line in other.table.grid for cell in line} & set(old)
    assert other.relational.names[:-1] == tuple(names.attributes[name] for name in one.relational.names[:-1])
    with SqlEngine(other.relational) as engine:
        assert [engine.answer(each.sql) for each in other.questions] == [
            each.answer for each in other.questions
        ]
    for question, renamed in zip(one.questions, other.questions, strict=True):
        said = [[names.values.get(value, value) for value in row] for row in read_answer(question.answer)]
        assert sorted(said) == sorted(read_answer(renamed.answer))
        for word in old:
            assert not re.search(rf"(?<![\w.]){re.escape(word)}(?![\w.]*\w)", renamed.question)
            assert f"'{word}'" not in renamed.sql


@pytest.mark.full
def test_all_words_are_replaced_alike(made: list[GeneratedTable], theirs_made: list[GeneratedTable]) -> None:
    for one in (*made[:36], *theirs_made[:36]):
        check(one)


def test_no_word_is_replaced_within_a_number() -> None:
    found = _words({"2018": "AAbc", "5": "BBbc", "18.25": "CCbc"})
    text = "in 2018 is greater than 2018.5, 2018 of 5 and lower than 5, 0.5 or than -18.25 or -5"
    assert (
        found.sub("X", text)
        == "in X is greater than 2018.5, X of X and lower than 5, 0.5 or than -18.25 or -X"
    )
