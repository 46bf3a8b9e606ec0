"""PARAM_NLquestionTemplates.json: the benchmark's file loads, a wrong one is said in one line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from torr_plugin.core.errors import InputError
from torr_plugin.papers.hctqa.generator.parameters.loading import load_parameters
from torr_plugin.papers.hctqa.generator.question_templates import QuestionTemplate, question_templates

from .subjects import CODES, entry


def checked(*entries: Any) -> dict[str, QuestionTemplate]:
    return question_templates(list(entries), "words.json", CODES, ["Food trade"])


def test_the_benchmarks_own_file_loads_unchanged(shared_data: Path) -> None:
    found = load_parameters(shared_data / "hctqa" / "generator_params").questions
    assert len(found) == 7
    assert found["Food import-export in tons"].simplify == (("Category", "Item"),)
    assert set(found["Weather statistics"].texts) == {
        *(f"template_{kind}" for kind in range(1, 15)),
        "template_report",
    }


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"template_4": ["What is/are_the_$EXPR_amount of_$Itm ?"]}, ["template_4", "$Itm", "Item"]),
        ({"template_7": ["What is the amount of_$Item ?"]}, ["template_7", "$EXPR", "0 times"]),
        ({"template_1": ["What is the_$EXPR of_$Item ?"]}, ["template_1", "$EXPR", "no meaning"]),
        ({"template_9": ["What is_$EXPR $GROUPYB ?"]}, ["template_9", "GROUPYB", "GROUPBY"]),
        ({"template_2": ["$Item what ?"]}, ["template_2", "begins with"]),
        ({"template_3": ["What of_((things of_$Item ?"]}, ["template_3", "((things"]),
        ({"template_3": []}, ["template_3", "at least one"]),
        ({"template_6": "What"}, ["template_6", "a list"]),
        ({"template_14": ["What is_$OPANDVAL of_$Item the_$OPATTR ?"]}, ["template_14", "before $OPATTR"]),
        ({"template_99": ["What"]}, ["template_99", "unknown key"]),
        ({"rowColCodes": ["Foods"]}, ["rowColCodes", "'Foods'", "Food"]),
        ({"simplifyNested": [["Category", "Itm"]]}, ["simplifyNested", "'Itm'", "Item"]),
        ({"valueMeaning": []}, ["valueMeaning"]),
    ],
)
def test_what_is_wrong_names_template_key_and_word(changes: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(InputError) as raised:
        checked(entry(**changes))
    message = str(raised.value)
    assert all(word in message for word in ["'Food trade'", *words]), message
    assert "\n" not in message


def test_a_missing_template_is_said() -> None:
    without = entry()
    del without["template_12"]
    with pytest.raises(InputError, match=r"Food trade.*template_12.*missing"):
        checked(without)


def test_the_file_fits_the_table_templates() -> None:
    with pytest.raises(InputError, match=r"words.json.*tableName.*'Food trade'.*Food trades"):
        question_templates([entry()], "words.json", CODES, ["Food trades"])
    with pytest.raises(InputError, match="found twice"):
        checked(entry(), entry())
    with pytest.raises(InputError, match="expected a list"):
        question_templates({}, "words.json", CODES, ["Food trade"])
