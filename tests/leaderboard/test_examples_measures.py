"""What the list of examples says of each: how hard, how flipped, how divisive, and the question found."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from torr_plugin.leaderboard.examples.detail import MOST, constant_lines, question
from torr_plugin.leaderboard.examples.flips import ExampleConfiguration, pair_order
from torr_plugin.leaderboard.examples.scores import Measures, measures, most_telling

SCORES = arrays.arrays(
    np.float32,
    st.tuples(st.integers(1, 5), st.integers(1, 6)),
    elements=st.one_of(st.sampled_from([0.0, 0.5, 1.0, math.nan]), st.floats(0, 1, width=32)),
)


ORDER = pair_order([ExampleConfiguration(f"{n}", f"{n}", "none", "default") for n in range(6)])


def plainly(scores: list[list[float]]) -> Measures:
    """The same with loops."""
    known = [[each for each in row if not math.isnan(each)] for row in scores]
    asked = [row for row in known if row]
    if not asked:
        return Measures(None, None, None, "-" * len(scores))
    every = [each for row in asked for each in row]
    means = [sum(row) / len(row) for row in asked]
    middle = sum(means) / len(means)
    letters = [
        "-" if not row else "r" if min(row) >= 0.5 else "w" if max(row) < 0.5 else "f" for row in known
    ]
    return Measures(
        sum(every) / len(every),
        sum(max(row) - min(row) for row in asked) / len(asked),
        math.sqrt(sum((each - middle) ** 2 for each in means) / len(means)) if len(means) > 1 else None,
        "".join(letters),
    )


@given(SCORES)
def test_measures_are_those_of_plain_loops(scores: np.ndarray) -> None:
    found, expected = (
        measures(scores, len(scores), ORDER[: scores.shape[1], : scores.shape[1]]),
        plainly(scores.tolist()),
    )
    assert found.states == expected.states
    assert [flip.model for flip in found.flips] == [
        model for model, row in enumerate(scores) if len(set(row[~np.isnan(row)].tolist())) > 1
    ]
    for flip in found.flips:
        row = scores[flip.model]
        assert (row[flip.worst], row[flip.best]) == (np.nanmin(row), np.nanmax(row))
        assert flip.width == pytest.approx(np.nanmax(row) - np.nanmin(row))
    for name in ("mean", "flipped", "spread"):
        assert getattr(found, name) == pytest.approx(getattr(expected, name), abs=1e-6)


def test_an_example_without_scores_has_no_measures() -> None:
    assert measures(None, 3, ORDER) == Measures(None, None, None, "---")


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(1, 100)), max_size=20), st.integers(0, 500))
def test_what_is_kept_fits_and_is_flipped_most(examples: list[tuple[float, int]], budget: int) -> None:
    flipped, costs = [each for each, _ in examples], [float(cost) for _, cost in examples]
    keep = most_telling(flipped, costs, budget)
    assert sum(cost for cost, kept in zip(costs, keep, strict=True) if kept) <= budget
    kept = [each for each, inside in zip(flipped, keep, strict=True) if inside]
    out = [each for each, inside in zip(flipped, keep, strict=True) if not inside]
    assert not kept or not out or min(kept) >= max(out)
    assert len(out) == 0 or sum(costs) > budget


def prompts(asked: str, tables: tuple[str, ...] = ("a,b\n1,2", "| a | b |\n| 1 | 2 |")) -> list[str]:
    shots = [f"{table}\nQuestion: Who was first here?\nAnswer: me\n\n" for table in tables]
    return [
        f"Read the table and answer.\n\n{shot}{table}\n{asked}\nAnswer:"
        for shot, table in zip(shots, tables, strict=True)
    ]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("Question: How many towns are there?", "How many towns are there?"),
        ("Statement: Ely has a cathedral.", "Ely has a cathedral."),
        ("How many towns are there?\nPlease think well", "How many towns are there?"),
        (f"Question: {'very ' * 200}long?", ("very " * 200)[:MOST]),
    ],
)
def test_the_question_is_the_last_that_all_prompts_share(asked: str, found: str) -> None:
    other = prompts("Question: Something else?")[0]
    assert question(prompts(asked), constant_lines(prompts(asked)[0], other)) == found


def test_the_question_is_found_where_another_example_demonstrates_it() -> None:
    asked = "Question: How many towns are there?"
    other = prompts("Question: Something else?")[0].replace("Question: Who was first here?", asked)
    assert question(prompts(asked), constant_lines(prompts(asked)[0], other)) == "How many towns are there?"


def test_the_question_is_found_before_the_table() -> None:
    tables = "a,b\n1,2", "| a | b |\n| 1 | 2 |"
    found = question([f"Read this.\n\nQuestion: How many towns?\n{table}\nAnswer:" for table in tables])
    assert found == "How many towns?"


def test_a_line_of_all_prompts_is_no_question() -> None:
    one, other = ["Look at the table.\n1,2\nAnswer:", "Look at the table.\n3,4\nAnswer:"]
    assert question([one], constant_lines(one, other)) == ""
    assert question([]) == ""
    assert question([""]) == ""
