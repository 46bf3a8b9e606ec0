"""The verdicts of the official evaluator, as HELM (an extra of this project) ships it."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from torr_plugin.papers.torr.finqa import Program, equivalent, execute, parse

from ....conftest import missing
from .made import MATHEMATICAL, NUMBERS, TABLE

pytestmark = pytest.mark.full

try:
    from helm.benchmark.metrics import fin_qa_metrics_helper as official
except ImportError:
    official = None


@pytest.fixture(autouse=True)
def _official_is_here() -> None:
    if official is None:
        missing("HELM, which ships the official evaluator, is not installed: tox -e full has it")


def verdict(judge: Callable[..., Any], *programs: str) -> Any:
    """What an official function says; None where it fails itself."""
    try:
        return judge(*map(official.program_tokenization, programs))
    except Exception:  # on a gold program that is none it asserts, compares what cannot be, or finds no key
        return None


def changed(text: str, chance: random.Random) -> str:
    """A program a little different, or a broken one."""
    at = chance.randrange(len(text))
    number = chance.choice(NUMBERS)
    return chance.choice(
        [
            text,
            text[:at],
            text[:at] + chance.choice("(),# 1a%") + text[at + chance.randrange(2) :],
            text.replace("add", "multiply", 1),
            text.replace("subtract", "add", 1),
            text.replace(", ", ",", 1),
            f"{text}, add(#0, {number}), subtract(#1, {number})",
            f"{text}, multiply(#0, {number}), divide(#1, {number})",
        ]
    )


def made(chance: random.Random) -> str:
    steps = []
    for index in range(chance.randint(1, 4)):
        if chance.random() < 0.15:
            steps.append(f"table_{chance.choice(['max', 'sum'])}({chance.choice(['boats', 'staff'])}, none)")
            continue
        arguments = [chance.choice([*NUMBERS[:4], *(f"#{n}" for n in range(index))]) for _ in range(2)]
        steps.append(f"{chance.choice(MATHEMATICAL[:4])}({', '.join(arguments)})")
    return ", ".join(steps)


def turned(program: Program) -> str:
    return ", ".join(f"{step.operation}({step.second}, {step.first})" for step in program)


@pytest.mark.parametrize("seed", range(4))
def test_verdicts_and_results(seed: int) -> None:
    chance = random.Random(seed)
    equal = 0
    for _ in range(60):
        gold = made(chance)
        program = parse(gold)
        assert program is not None
        other = chance.choice([changed(gold, chance), turned(program)])
        says = verdict(official.equal_program, gold, other)
        if says is not None:
            assert equivalent(program, parse(other)) == says, (gold, other)
            equal += says
        invalid, result = official.eval_program(official.program_tokenization(other), TABLE)
        assert execute(parse(other), TABLE) == (None if invalid or result == "n/a" else result), other
    assert 5 < equal < 55
