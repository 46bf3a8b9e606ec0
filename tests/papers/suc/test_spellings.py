"""Answers as models write them: right ones pass in any spelling, wrong ones in none (spellings.yaml)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.timing import quickly
from torr_plugin.catalog import load_card
from torr_plugin.core.texts import normalize
from torr_plugin.papers.suc.generators import TASKS
from torr_plugin.scoring import metrics, score_example
from torr_plugin.scoring.processors import processors

CORPUS: list[dict[str, Any]] = yaml.load(
    (Path(__file__).parent / "spellings.yaml").read_text(encoding="utf-8"), yaml.BaseLoader
)


def cells(case: dict[str, Any]) -> list[list[int]]:
    return [[int(first), int(last)] for first, last in case.get("merged", [])]


@pytest.mark.parametrize("case", CORPUS, ids=lambda case: f"{case['task']}-{case['reference']}"[:40])
def test_every_spelling_of_the_corpus(case: dict[str, Any]) -> None:
    name = load_card(f"suc.{case['task']}").main_metric
    facts = [{"merged": json.dumps(cells(case))}] if name == "merged_columns" else []
    metric = metrics.get(name)
    for verdict, value in (("right", 1.0), ("wrong", 0.0)):
        for answer in case[verdict]:
            assert metric.scores(answer, [case["reference"]], *facts) == {name: value}, answer
    assert metric.scores(case["reference"], [case["reference"]], *facts) == {name: 1.0}


@pytest.mark.parametrize("case", CORPUS, ids=lambda case: f"{case['task']}-{case['reference']}"[:40])
def test_every_spelling_is_read_alike_through_the_card(case: dict[str, Any]) -> None:
    """Its postprocessor takes nothing from an answer, and makes no right one of two."""
    card = load_card(f"suc.{case['task']}")
    facts = [{"merged": json.dumps(cells(case))}] if card.main_metric == "merged_columns" else []
    for verdict, value in (("right", 1.0), ("wrong", 0.0)):
        for answer in case[verdict]:
            found = score_example(card, answer, [case["reference"]], *facts)
            assert found == {card.main_metric: value, f"{card.main_metric}.lenient": value}, answer


def test_the_corpus_has_all_tasks_and_no_answer_twice() -> None:
    assert {case["task"] for case in CORPUS} == set(TASKS)
    for verdict, fewest in (("right", 400), ("wrong", 200)):
        answers = Counter(
            (case["task"], case["reference"], each) for case in CORPUS for each in case[verdict]
        )
        assert max(answers.values()) == 1
        assert answers.total() >= fewest


# -- wrappers around any answer ----------------------------------------------------------------------------

WRAPPERS: tuple[Callable[[str], str], ...] = (
    lambda text: text,
    lambda text: f"  {text}\n",
    lambda text: f"**{text}**",
    lambda text: f"`{text}`",
    lambda text: f'"{text}"',
    lambda text: f"```\n{text}\n```",
    lambda text: f"```text\n{text}\n```",
    lambda text: f"Answer: {text}",
    lambda text: f"**Answer:** {text}",
    lambda text: f"The answer is {text}.",
    lambda text: f"Sure! The answer is: {text}",
    lambda text: f"\\boxed{{{text}}}",
    lambda text: f"$\\boxed{{{text}}}$",
    lambda text: f"<answer>{text}</answer>",
)
wrappers = st.sampled_from(WRAPPERS)

number = st.integers(0, 150)
SIZES: tuple[Callable[[int, int], str], ...] = (
    lambda r, c: f"{r} | {c}",
    lambda r, c: f"({r}, {c})",
    lambda r, c: f"{r} rows | {c} columns",
    lambda r, c: f"{c} columns and {r} rows",
    lambda r, c: f"{r} x {c}",
    lambda r, c: json.dumps({"columns": c, "rows": r}),
    lambda r, c: f"rows: {r}, columns: {c}",
)
PLACES: tuple[Callable[[int, int], str], ...] = (
    lambda r, c: f"({r}, {c})",
    lambda r, c: f"R{r}C{c}",
    lambda r, c: f"C{c}R{r}",
    lambda r, c: f"[{r}, {c}]",
    lambda r, c: f"row {r}, column {c}",
    lambda r, c: f"column {c}, row {r}",
    lambda r, c: json.dumps({"row": r, "column": c}),
)


def score(name: str, prediction: str, reference: str) -> float:
    (value,) = metrics.get(name).scores(prediction, [reference]).values()
    return value


@given(wrappers, st.sampled_from(SIZES), number, number, number, number)
def test_sizes(
    wrap: Callable[[str], str], spell: Callable[[int, int], str], r: int, c: int, rows: int, columns: int
) -> None:
    answer = wrap(spell(r, c))
    assert score("value_list", answer, f"{r} | {c}") == 1
    assert score("value_list", answer, f"{rows} | {columns}") == ((r, c) == (rows, columns))


@given(
    wrappers,
    st.sampled_from(PLACES),
    st.sampled_from((" | ", "; ", " and ", "\n")),
    st.lists(st.tuples(number, number), min_size=1, max_size=3, unique=True),
    st.lists(st.tuples(number, number), min_size=1, max_size=3, unique=True),
)
def test_places(
    wrap: Callable[[str], str],
    spell: Callable[[int, int], str],
    between: str,
    said: list[tuple[int, int]],
    asked: list[tuple[int, int]],
) -> None:
    answer = wrap(between.join(spell(*place) for place in said))
    assert score("positions", answer, " | ".join(f"({r}, {c})" for r, c in said)) == 1
    expected = " | ".join(f"({r}, {c})" for r, c in asked)
    assert score("positions", answer, expected) == (set(said) == set(asked))


# a value as tables have them, with marks that also part values
value = st.from_regex(r"[A-Za-z0-9]{1,6}([ ,;.&/-][A-Za-z0-9]{1,6}){0,3}", fullmatch=True).map(
    lambda text: f"q{text}"  # no word of a sentence around answers
)
LISTS: tuple[tuple[str, Callable[[Sequence[str]], str]], ...] = (
    ("|", " | ".join),
    (",", ", ".join),
    (";", "; ".join),
    ("\n", "\n".join),
    ("\n", lambda parts: "\n".join(f"- {part}" for part in parts)),
    ("\n", lambda parts: "\n".join(f"{at}. {part}" for at, part in enumerate(parts, 1))),
    ("\0", json.dumps),
    ("|", lambda parts: " | ".join(f"**{part}**" for part in parts)),
    ("|", lambda parts: " | ".join(f"row {at}: {part}" for at, part in enumerate(parts))),
)


@pytest.mark.full
@settings(deadline=None, max_examples=50)
@given(wrappers, st.sampled_from(LISTS), st.lists(value, min_size=2, max_size=4), st.data())
def test_lists_and_no_other_list_of_as_many_values(
    wrap: Callable[[str], str],
    spell: tuple[str, Callable[[Sequence[str]], str]],
    said: list[str],
    data: st.DataObject,
) -> None:
    mark, join = spell
    answer = wrap(join(said))
    other = data.draw(
        st.one_of(st.permutations(said), st.lists(value, min_size=len(said), max_size=len(said)))
    )
    if [*map(normalize, said)] != [*map(normalize, other)]:
        assert score("value_list", answer, " | ".join(other)) == 0
    assume(not any(mark in each for each in said) and "```" not in answer and "****" not in answer)
    assert score("value_list", answer, " | ".join(said)) == 1


@given(wrappers, value, value)
def test_one_value(wrap: Callable[[str], str], said: str, other: str) -> None:
    assert score("value_list", wrap(said), said) == 1
    assert score("value_list", wrap(said), other) == (normalize(said) == normalize(other))
    assert score("value_list", wrap(f"not {said}"), said) == 0
    assert score("value_list", wrap(f"{said} or {other}"), said) == 0


@given(st.text(max_size=30))
def test_a_reference_is_right_itself(text: str) -> None:
    for name in ("value_list", "positions", "merged_columns"):
        assert score(name, text, text) == 1


# -- the answer within a reply -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("\n9 | 4\nThat is all.", "9 | 4"),
        ("9 | 4\n\nQuestion: and now?\nAnswer: 3 | 4", "9 | 4"),
        ("```\n9 | 4\n```\nThat is all.", "9 | 4"),
        ("```json\n[9,\n4]\n```", "[9,\n4]"),
        ("<think>3 | 4\n</think>\n9 | 4", "9 | 4"),
        ("I count nine.\n\n**Answer:** 9 | 4\n", "9 | 4"),
        ("I count nine.\n\nFinal answer:\n9 | 4", "9 | 4"),
        (r"It is \boxed{9 \mid 4}.", r"9 \mid 4"),
        (r"\boxed{9} rows, \boxed{4} columns", "9 | 4"),
        ("The values are:\n\n- a\n- b\n\nDone.", "The values are:\n- a\n- b"),
        ("| a |\n|---|\n| 1 |\n\nDone.", "| a |\n|---|\n| 1 |"),
        ('{\n"a": 1\n}\nDone.', '{\n"a": 1\n}'),
        ("Rows: 9\nColumns: 4", "Rows: 9\nColumns: 4"),
        ("**Rows:** 9\n\n**Columns:** 4\n\nThat is all.", "**Rows:** 9\n**Columns:** 4"),
        ("Rows: 9\n\nRows: 10", "Rows: 9"),
        ("2019\n2020\n2019", "2019\n2020\n2019"),
        ("Adults\n438\nQuestion: and now?", "Adults\n438"),
        ("Adults\n438\n```", "Adults\n438"),
        ("(4, 2)\n(5, 2)\nThese are the places.", "(4, 2)\n(5, 2)"),
        ("[4, 2]\n[5, 2]", "[4, 2]\n[5, 2]"),
        ("R4C2\n R5C2\n\nR6C2", "R4C2\nR5C2"),
        ("9 | 4\n9 | 4\n9 | 4", "9 | 4"),
        ("Harbourshire\nHarbourshire", "Harbourshire"),
        ("Harbourshire\nIt stands in row 4.", "Harbourshire"),
        ("Harbourshire\nReason: it stands there", "Harbourshire"),
        ("Adults | 438\nFiction", "Adults | 438"),
        ("(4, 2)\nHarbourshire", "(4, 2)"),
        ("", ""),
    ],
)
def test_the_answer_of_a_reply(reply: str, answer: str) -> None:
    assert processors.get("torr.short_answer")(reply) == answer


def test_a_card_takes_the_answer_out_of_a_fence() -> None:
    card = load_card("suc.size_detection")
    assert score_example(card, '```json\n{\n  "columns": 4,\n  "rows": 9\n}\n```', ["9 | 4"]) == {
        "value_list": 1,
        "value_list.lenient": 1,
    }


HOSTILE = (
    "1, ",
    "`",
    "(",
    "is ",
    "the cell is ",
    "a: ",
    "\\text{",
    "| ",
    "[[",
    "\\boxed{{",
    "a:\n",
    '"',
    "no ",
)


@pytest.mark.parametrize("unit", HOSTILE)
def test_long_answers_take_no_long_time(unit: str) -> None:
    answer = (unit * 100_000)[:100_000]
    text = str(quickly(lambda: processors.get("torr.short_answer")(answer)))
    for name, reference in (("value_list", "a | b"), ("positions", "(4, 2)"), ("merged_columns", "0 | 2")):
        assert quickly(partial(score, name, text, reference)) == 0
        assert quickly(partial(score, name, answer, reference)) == 0


@pytest.mark.parametrize("unit", ["-", " - ", "|", ":-"])
def test_a_line_of_hyphens_takes_no_long_time(unit: str) -> None:
    reference = " | ".join(f"value {number}" for number in range(200))
    answer = "a | b\n" + (unit * 9_000)[:9_000] + "x"
    assert quickly(lambda: score("value_list", answer, reference)) == 0


def test_an_answer_is_read_whole_or_not_at_all() -> None:
    blanks = " " * 20_000
    assert score("positions", f"(4, 2){blanks}or (5, 2)", "(4, 2)") == 0
    assert metrics.get("merged_columns").scores(f"0{blanks}or 1", ["0"], {"merged": "[[0, 1]]"}) == {
        "merged_columns": 0
    }
    assert metrics.get("merged_columns").scores(f"None{blanks}or 1", ["None"], {"merged": "[]"}) == {
        "merged_columns": 0
    }
