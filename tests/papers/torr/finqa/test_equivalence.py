"""Which programs say the same."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from torr_plugin.papers.torr.finqa import Program, ProgramStep, equivalent, execute, parse

from ....timing import quickly
from .made import TABLE, programs


def same(gold: str, other: str) -> bool:
    return equivalent(parse(gold), parse(other))


@pytest.mark.parametrize(
    ("gold", "other", "verdict"),
    [
        ("add(1, 2)", "add(2, 1)", True),
        ("subtract(1, 2)", "subtract(2, 1)", False),
        ("multiply(1, 2), divide(#0, 3)", "divide(1, 3), multiply(#0, 2)", True),
        ("subtract(5, 3), divide(#0, 3)", "divide(5, 3), divide(3, 3), subtract(#0, #1)", True),
        ("add(1, 2), add(#0, 3), divide(#1, const_3)", "add(3, 2), add(1, #0), divide(#1, const_3)", True),
        ("divide(1, 2), subtract(#0, 1)", "subtract(divide(1, 2), 1)", False),
        # numbers have no value: the text of an argument is the symbol
        ("add(2, 2)", "multiply(2, 2)", False),
        ("add(1,000, 2)", "add(1000, 2)", False),
        ("divide(5%, 2)", "divide(0.05, 2)", False),
        ("add(1, 2)", "add( 1, 2 )", True),
        # what the gold program lacks is wrong, in a step without effect as well
        ("add(1, 2)", "add(1, 3), add(1, 2)", False),
        ("add(1, 2)", "add(1, 1), add(1, 2)", True),
        ("divide(1, 2)", "divide(1, 2), multiply(#0, const_100)", False),
        # the last step counts
        ("add(1, 2), subtract(#0, 1)", "add(1, 2)", False),
        ("add(1, 2), subtract(#0, 1)", "add(2, 2), subtract(#0, 2)", True),
        # rows are symbols by operation and name
        ("table_max(a, none), divide(#0, 2)", "table_max(a, none), divide(#0, 2)", True),
        ("table_max(a, none), divide(#0, 2)", "table_min(a, none), divide(#0, 2)", False),
        ("table_max(a, none)", "table_max(b, none)", False),
        ("table_max(a, none)", "table-max(a, none)", True),
        ("table_max(a, none)", "table_max(a, some)", False),
        # as the official evaluator has it: a first step over a row is a symbol of its own
        ("table_max(a, none), subtract(#0, 2)", "add(2, 2), table_max(a, none), subtract(#1, 2)", False),
        (
            "add(2, 2), table_max(a, none), subtract(#1, 2)",
            "add(2, 2), table_max(a, none), subtract(#1, 2)",
            True,
        ),
        ("greater(1, 2)", "greater(1, 2)", True),
        ("greater(1, 2)", "greater(2, 1)", False),
        ("exp(1, 2), multiply(#0, 1)", "exp(1, 2), multiply(1, #0)", True),
        ("add(1, 2)", "add(1, #0)", False),
        ("add(1, 2), add(#0, 1)", "add(1, 2), add(#1, 1)", False),
        ("add(1, 2)", "subtract(1, 1), divide(1, #0)", False),
        ("greater(1, 2), add(#0, 1)", "greater(1, 2), add(1, #0)", False),
    ],
)
def test_by_hand(gold: str, other: str, verdict: bool) -> None:
    assert same(gold, other) is verdict


BOUNDED = programs(operations=("add", "subtract", "multiply", "divide", "greater", "table_max"), most=4)


@given(BOUNDED)
def test_a_program_equals_itself(program: Program) -> None:
    assert equivalent(program, program)


def turned(program: Program, data: st.DataObject) -> Program:
    """The same with the parts of some sums and products in the other order."""
    return tuple(
        replace(step, first=step.second, second=step.first)
        if step.operation in ("add", "multiply") and data.draw(st.booleans())
        else step
        for step in program
    )


def later(argument: str) -> str:
    return f"#{int(argument[1:]) + 1}" if argument.startswith("#") else argument


@given(programs(operations=("add", "subtract", "multiply", "divide"), most=4), st.data())
def test_equal_programs_have_equal_results(program: Program, data: st.DataObject) -> None:
    result = execute(program, TABLE)
    assume(isinstance(result, float))  # what divides by zero is equal to nothing else
    moved = [
        replace(each, first=later(each.first), second=later(each.second)) for each in turned(program, data)
    ]
    other = (program[0], *moved)  # a step without effect stands before all others
    assert equivalent(program, other)
    assert execute(other, TABLE) == pytest.approx(result, rel=1e-9, abs=2e-5)


OTHERWISE = {
    "add": "subtract",
    "subtract": "add",
    "multiply": "divide",
    "divide": "multiply",
    "greater": "add",
    "table_max": "table_min",
}


@given(BOUNDED)
def test_programs_of_other_results_are_not_equal(program: Program) -> None:
    last = program[-1]
    other = (*program[:-1], replace(last, operation=OTHERWISE[last.operation]))
    result, theirs = execute(program, TABLE), execute(other, TABLE)
    assume(isinstance(result, float) and isinstance(theirs, float))
    assume(theirs != pytest.approx(result, rel=1e-6, abs=1e-3))
    assert not equivalent(program, other)


@given(programs(operations=("add", "subtract", "multiply"), numbers=("5829", "2"), most=3))
def test_a_detour_changes_nothing(program: Program) -> None:
    used = [text for step in program for text in (step.first, step.second) if "#" not in text]
    last = len(program) - 1
    detour = (ProgramStep("add", f"#{last}", used[0]), ProgramStep("subtract", f"#{last + 1}", used[0]))
    assert equivalent(program, (*program, *detour))


HOSTILE = {
    "a shared result doubles": ["add(1, 2)"] + [f"add(#{n}, #{n})" for n in range(31)],
    "squares of squares": ["add(1, 2)"] + [f"multiply(#{n}, #{n})" for n in range(31)],
    "a tower": ["divide(1, 1)", "add(#0, #0)"] + [f"exp(#{n}, #{n})" for n in range(1, 20)],
    "a tower of fractions": ["divide(1, 1)", "add(#0, #0)", "divide(#0, #1)"]
    + [f"exp(#{n}, #1)" for n in range(2, 30)],
    "a tower upside down": ["subtract(1, 2)"] + [f"exp(1, #{n})" for n in range(20)],
    "a bomb behind a division by zero": ["subtract(1, 1)", "divide(2, #0)", "divide(1, 1)", "add(#2, #2)"]
    + [f"exp(#{n}, #{n})" for n in range(3, 20)],
    "a bomb behind a root": [
        "subtract(1, 2)",
        "subtract(2, 1)",
        "exp(#0, 1)",
        "exp(#1, 1)",
        "divide(1, 1)",
        "add(#4, #4)",
    ]
    + [f"exp(#{n}, #{n})" for n in range(5, 20)],
    "a bomb without effect": ["divide(1, 1)", "add(#0, #0)"]
    + [f"exp(#{n}, #{n})" for n in range(1, 8)]
    + ["subtract(#8, #8)", "add(1, 2)", "add(#9, #10)"],
    "many steps": ["add(1, 2)"] * 30_000,
    "long numbers": [f"add({'9' * 40_000}, {'9' * 40_000})"],
    "a long reference": [f"add(1, 2), add(#{'9' * 40_000}, 1)"],
    "brackets": ["(" * 90_000],
    "open steps": ["add("] * 20_000,
    "commas": [", " * 40_000],
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_programs_are_wrong_in_no_time(name: str) -> None:
    same("add(1, 2), subtract(#0, 1)", "add(2, 2), subtract(#0, 2)")  # what is loaded once
    text = ", ".join(HOSTILE[name])
    verdict, _ = quickly(lambda: (same("add(1, 2)", text), execute(parse(text), TABLE)))
    assert not verdict


def test_a_small_detour_is_followed_in_bounded_time() -> None:
    gold = "divide(1, 2), add(#0, 3), divide(#1, 4), add(#2, 5), divide(#3, 6), multiply(#4, #4)"
    other = f"{gold}, divide(1, #5), add(#6, #2), subtract(#7, #6), subtract(#8, #2), add(#5, #9)"
    assert quickly(lambda: same(gold, other), within=60)
