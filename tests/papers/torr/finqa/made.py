"""Programs made by chance, and the table that they take rows of."""

from __future__ import annotations

from hypothesis import strategies as st

from torr_plugin.papers.torr.finqa import Program, ProgramStep

TABLE = [
    ["", "2017", "2016"],
    ["boats", "$ 1,250", "1,000"],
    ["share", "5.5%", "4.5%"],
    ["loss", "-12 ( 12 )", "-8 ( 8 )"],
    ["staff", "(9)", "7"],
    ["boats", "3", "5"],
]

MATHEMATICAL = ("add", "subtract", "multiply", "divide", "exp", "greater")
ROWS = ("table_max", "table_min", "table_sum", "table_average")
NUMBERS = ("5829", "5,735", "8.1%", "const_100", "const_m1", "2")


def text_of(program: Program) -> str:
    return ", ".join(f"{step.operation}({step.first}, {step.second})" for step in program)


@st.composite
def programs(
    draw: st.DrawFn,
    operations: tuple[str, ...] = (*MATHEMATICAL, *ROWS),
    numbers: tuple[str, ...] = NUMBERS,
    most: int = 5,
) -> Program:
    """Well-formed programs; references go to earlier steps."""
    steps: list[ProgramStep] = []
    for index in range(draw(st.integers(1, most))):
        operation = draw(st.sampled_from(operations))
        if operation in ROWS:
            steps.append(ProgramStep(operation, draw(st.sampled_from(["boats", "share", "loss"])), "none"))
            continue
        argument = st.sampled_from([*numbers, *(f"#{earlier}" for earlier in range(index))])
        steps.append(ProgramStep(operation, draw(argument), draw(argument)))
    return tuple(steps)
