"""From text to tokens to steps."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.scoring.finqa import Program, ProgramStep, equivalent, execute, parse, tokenize
from torr_plugin.scoring.finqa.program import MOST_STEPS

from .made import programs, text_of


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", []),
        ("add(1, 2)", ["add(", "1", "2", ")"]),
        ("add(1,234, 2), exp(#0, 3)", ["add(", "1,234", "2", ")", "exp(", "#0", "3", ")"]),
        ("table_max(net sales, none)", ["table_max(", "net sales", "none", ")"]),
        ("add(1,2)", ["add(", "1,2", ")"]),
        ("add( 1, 2 ) now", ["add(", " 1", "2 ", ")", " now"]),
        ("((x", ["(", "(", "x"]),
    ],
)
def test_tokens(text: str, tokens: list[str]) -> None:
    assert tokenize(text) == tokens


@given(programs())
def test_a_program_is_read_as_it_was_written(program: Program) -> None:
    assert parse(text_of(program)) == program


@given(st.text(alphabet="ad#(), 1|t", max_size=30))
def test_no_text_is_lost_but_separators(text: str) -> None:
    assert "".join(tokenize(text)) == text.replace(", ", "")


def test_the_prompts_spelling_with_a_hyphen_is_read() -> None:
    assert parse("table-average(a-b, none)") == (ProgramStep("table_average", "a-b", "none"),)


def test_a_last_step_that_breaks_off_is_passed_over() -> None:
    whole = parse("add(1, 2)")
    for rest in (", divide(#0, 3", ", divide(#0", ", divide(", ", divide"):
        assert parse("add(1, 2)" + rest) == whole
    assert parse("add(1, 2") is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "42",
        "add",
        "add()",
        "add(1)",
        "add(1,2)",
        "add(1, 2, 3)",
        "add(1, 2) divide(#0, 3)",
        "add(1, 2),divide(#0, 3)",
        "add(1, 2).",
        "add(1, 2) = 3",
        "sum(1, 2)",
        "Add(1, 2)",
        " add(1, 2)",
        "add(add(1, 2), 3)",
        "add(1, 2), now",
        "add(1, 2), divide)",
        "table_max(total ( a ), none)",
        "add(1|2, 3)",
        "((add(1, 2)",
    ],
)
def test_what_is_no_program(text: str) -> None:
    assert parse(text) is None
    assert execute(parse(text), []) is None
    assert not equivalent(parse("add(1, 2)"), parse(text))
    assert not equivalent(parse(text), parse(text))


def test_the_number_of_steps_is_bounded() -> None:
    assert len(parse(", ".join(["add(1, 2)"] * MOST_STEPS)) or ()) == MOST_STEPS
    assert parse(", ".join(["add(1, 2)"] * (MOST_STEPS + 1))) is None


def test_real_predictions(shared_data: Path) -> None:
    path = shared_data / "finqa" / "example_predictions.json.gz"
    predicted = [entry["predicted"] for entry in json.loads(gzip.decompress(path.read_bytes()))]
    assert {tokens[-1] for tokens in predicted} == {"EOF"}
    read = [parse(tokens[:-1]) for tokens in predicted]
    # the one that is none names a row with brackets, which the official evaluator cannot read either
    assert sum(program is None for program in read) == 1
    assert len(read) == 1050
    for tokens, program in zip(predicted, read, strict=True):
        if program is None:
            continue
        assert parse(text_of(program)) == program == parse(tokenize(text_of(program)))
        assert equivalent(program, program), tokens
    # without tables, all but those over rows have a result; four take words for numbers ("total")
    without = [program for program in read if program and not any(step.over_row for step in program)]
    assert sum(execute(program, []) is None for program in without) == 4
